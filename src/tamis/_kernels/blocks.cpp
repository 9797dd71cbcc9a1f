// ½ tr WᵀHW − tr QᵀW + α Ω(W), Ω(W) = Σ l1_j |W_jo| + ½ Σ l2_j W_jo² + Σ_g group_g ‖W_g‖, W ≥ 0 where asked, by descent over the
// groups, in turn or in random order, and Newton steps on the support. Group g holds the features starts[g] … starts[g + 1] − 1 of every output o.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "block.hpp"
#include "kernels.hpp"
#include "support_newton.hpp"

namespace tamis {
namespace {

struct Quadratic {
  const double* H;
  Index ld;
  const double* q;         // n_outputs rows of k
  Index k, n_outputs;
  const double *l1, *l2, *group;
  const std::int64_t* starts;
  Index n_groups;
  bool positive;

  const double* row(Index j) const { return H + j * ld; }
};

Index largest_group(const Quadratic& Q) {
  Index m = 1;
  for (Index g = 0; g < Q.n_groups; ++g) m = std::max<Index>(m, Q.starts[g + 1] - Q.starts[g]);
  return m;
}

class BlockDescent {
 public:
  BlockDescent(const Quadratic& Q, double alpha, double* w, Gathered& gathered, std::int64_t seed)
      : Q(Q), k(Q.k), size(Q.k * Q.n_outputs), alpha(alpha), w(w), r(size), block(largest_group(Q), Q.n_outputs, Q.positive),
        gathered(gathered), on(gathered, Q.n_outputs), place(k), order(Q.n_groups), shuffled(seed >= 0), rng(static_cast<std::uint64_t>(seed)) {
    std::iota(order.begin(), order.end(), Index{0});
    for (Index i = 0; i < size; ++i) slack = std::max(slack, 1e-13 * std::abs(Q.q[i]));   // what k products of rounded numbers leave in r
    refresh();
  }

  // Rounds of a sweep and a Newton step until the gap is at most tol; how many, and whether that was reached.
  std::pair<int, bool> solve(double tol, int max_iter, int n_threads, Signals& signals) {
    for (int n = 1;; ++n) {
      signals.check();
      sweep();
      if (reached(tol)) return {n, true};
      if (n >= max_iter) return {n, false};
      newton(n_threads);
      if (reached(tol)) return {n, true};
    }
  }

 private:
  bool reached(double tol) {
    if (gap() > tol) return false;
    double rounding = 0;                                       // what the steps' rounding in r can hide of the gap
    for (Index i = 0; i < size; ++i) rounding += slack * std::abs(w[i]);
    if (rounding <= 0.01 * tol) return true;
    refresh();
    return gap() <= tol;
  }

  static constexpr double accuracy = 0.03;
  static constexpr int most_products = 100;

  double limit(Index j) const { return alpha * Q.l1[j]; }
  double ridge(Index j) const { return alpha * Q.l2[j]; }
  Index begin(Index g) const { return Q.starts[g]; }
  Index end(Index g) const { return Q.starts[g + 1]; }

  template <class Visit>
  void each(Index g, Visit visit) const {                      // visit(entry, feature) over the entries of a group
    for (Index o = 0; o < Q.n_outputs; ++o)
      for (Index j = begin(g); j < end(g); ++j) visit(o * k + j, j);
  }

  double norm(const double* v, Index g) const {
    double square = 0;
    each(g, [&](Index i, Index) { square += v[i] * v[i]; });
    return std::sqrt(square);
  }

  double pull(Index g) const {                                 // ‖ST(r − α l2 w, α l1)‖: what the group term has to hold
    double square = 0;
    each(g, [&](Index i, Index j) { square += std::pow(shrink(r[i] - ridge(j) * w[i], limit(j), Q.positive), 2); });
    return std::sqrt(square);
  }

  void sweep() {
    if (shuffled) std::shuffle(order.begin(), order.end(), rng);
    for (Index g : order)
      if (norm(w, g) != 0 || pull(g) > alpha * Q.group[g]) descend(g);
  }

  void descend(Index g) {
    const Index s = begin(g), m = block.m = end(g) - s;
    block.c = alpha * Q.group[g];
    for (Index i = 0; i < m; ++i) {
      std::copy_n(Q.row(s + i) + s, m, block.A.data() + i * m);
      block.a[i] = limit(s + i);
    }
    for (Index o = 0; o < Q.n_outputs; ++o)
      for (Index i = 0; i < m; ++i) {
        double z = r[o * k + s + i];
        for (Index j = 0; j < m; ++j) z += block.A[i * m + j] * w[o * k + s + j];
        block.Z[o * m + i] = z;
        block.W[o * m + i] = w[o * k + s + i];
      }
    for (Index i = 0; i < m; ++i) block.A[i * m + i] += ridge(s + i);
    block.minimise();
    for (Index o = 0; o < Q.n_outputs; ++o) {
      for (Index i = 0; i < m; ++i) {
        double& now = w[o * k + s + i];
        block.Z[o * m + i] = block.W[o * m + i] - now;
        now = block.W[o * m + i];
      }
      subtract(block.Z.data() + o * m, s, m, r.data() + o * k);
    }
  }

  // out −= Σ c_i H_{s+i}, four rows at a time
  void subtract(const double* c, Index s, Index m, double* out) const {
    Index i = 0;
    for (; i + 4 <= m; i += 4) {
      const double *h0 = Q.row(s + i), *h1 = Q.row(s + i + 1), *h2 = Q.row(s + i + 2), *h3 = Q.row(s + i + 3);
      const double c0 = c[i], c1 = c[i + 1], c2 = c[i + 2], c3 = c[i + 3];
      if (c0 == 0 && c1 == 0 && c2 == 0 && c3 == 0) continue;
      for (Index t = 0; t < k; ++t) out[t] -= c0 * h0[t] + c1 * h1[t] + c2 * h2[t] + c3 * h3[t];
    }
    for (; i < m; ++i) {
      if (c[i] == 0) continue;
      const double *h = Q.row(s + i), ci = c[i];
      for (Index t = 0; t < k; ++t) out[t] -= ci * h[t];
    }
  }

  void refresh() {                                             // r = q − H w
    std::copy_n(Q.q, size, r.data());
    for (Index o = 0; o < Q.n_outputs; ++o) subtract(w + o * k, 0, k, r.data() + o * k);
  }

  // Fenchel's bound group by group with the dual point at the gradient: ⟨w, −r⟩ + Ω(w) + (pull − α group)₊ ‖w*‖, where ‖w*‖ is taken
  // to be at most 2‖w‖; a group at zero counts with the decrease that letting it in would bring. Zero where r is optimal up to its rounding.
  double gap() const {
    double total = 0, worst = 0;
    for (Index g = 0; g < Q.n_groups; ++g) {
      const double length = norm(w, g), excess = std::max(0.0, pull(g) - alpha * Q.group[g]);
      if (length == 0) {
        const double steepness = trace(g);
        if (steepness > 0) total += excess * excess / steepness, worst = std::max(worst, excess);
        continue;
      }
      total += 2 * excess * length;
      each(g, [&](Index i, Index j) {
        const double rest = r[i] - ridge(j) * w[i] - alpha * Q.group[g] / length * w[i], e = rest - std::copysign(limit(j), w[i]);
        total -= w[i] * e;
        worst = std::max(worst, std::abs(w[i] != 0 ? e : shrink(rest, limit(j), Q.positive)));
      });
    }
    return worst <= slack ? 0.0 : std::max(total, std::numeric_limits<double>::min());
  }

  double trace(Index g) const {
    double sum = 0;
    for (Index j = begin(g); j < end(g); ++j) sum += Q.row(j)[j] + ridge(j);
    return sum;
  }

  // One Newton step on the entries that are not zero; taken when it descends.
  void newton(int n_threads) {
    support();
    if (on.groups.empty()) return;
    on.solve(accuracy, most_products, n_threads);
    for (double step = 1.0; step > 0.2; step /= 2)
      if (try_step(step)) return;
  }

  void support() {
    spans.clear();
    for (Index g = 0; g < Q.n_groups; ++g)
      if (norm(w, g) != 0) spans.emplace_back(begin(g), end(g));
    gathered.follow(Q.H, Q.ld, spans, place);
    on.clear();
    for (Index g = 0; g < Q.n_groups; ++g)
      if (const double length = norm(w, g); length != 0)
        on.groups.push_back({g, place[begin(g)], end(g) - begin(g), alpha * Q.group[g] / length});
    each_on([&](const ActiveGroup& g, Index i, Index s, Index j) {
      on.w[s] = w[i];
      on.ridge[s] = ridge(j);
      on.moves[s] = w[i] != 0 || (Q.l1[j] == 0 && !Q.positive);
      if (on.moves[s]) on.e[s] = r[i] - (ridge(j) + g.pull) * w[i] - (w[i] != 0 ? std::copysign(limit(j), w[i]) : 0.0);
    });
  }

  template <class Visit>
  void each_on(Visit visit) const {              // visit(group, entry, its place in the copy, feature)
    for (const ActiveGroup& g : on.groups)
      for (Index o = 0; o < Q.n_outputs; ++o)
        for (Index j = 0; j < g.m; ++j) {
          const Index feature = begin(g.group) + j;
          visit(g, o * k + feature, o * gathered.size() + g.first + j, feature);
        }
  }

  // w + step d, with zero where a sign or a group would turn round; taken when the objective falls.
  bool try_step(double step) {
    move.assign(size, 0.0);
    each_on([&](const ActiveGroup&, Index i, Index s, Index) { move[i] = step * on.d[s]; });
    double change = 0;
    for (const ActiveGroup& a : on.groups) {
      double forward = 0, before = 0, after = 0;
      each(a.group, [&](Index i, Index) { forward += w[i] * (w[i] + move[i]); });
      each(a.group, [&](Index i, Index j) {
        if (forward <= 0 || ((limit(j) > 0 || Q.positive) && w[i] * (w[i] + move[i]) < 0)) move[i] = -w[i];
        const double to = w[i] + move[i];
        before += w[i] * w[i];
        after += to * to;
        change += limit(j) * (std::abs(to) - std::abs(w[i])) + 0.5 * ridge(j) * (to * to - w[i] * w[i]);
      });
      change += alpha * Q.group[a.group] * (std::sqrt(after) - std::sqrt(before));
    }
    moved = r;
    for (Index o = 0; o < Q.n_outputs; ++o) subtract(move.data() + o * k, 0, k, moved.data() + o * k);
    for (Index i = 0; i < size; ++i) change -= 0.5 * move[i] * (r[i] + moved[i]);
    if (!(change < 0)) return false;
    for (Index i = 0; i < size; ++i) w[i] = move[i] == -w[i] ? 0.0 : w[i] + move[i];
    r.swap(moved);
    return true;
  }

  const Quadratic Q;
  const Index k, size;
  const double alpha;
  double* w;
  double slack = 0;
  std::vector<double> r;                                       // q − H w
  Block block;
  Gathered& gathered;
  SupportNewton on;
  std::vector<std::pair<Index, Index>> spans;
  std::vector<Index> place;
  std::vector<double> move, moved;                             // a step, and r after it
  std::vector<Index> order;                                    // of the groups in a sweep
  bool shuffled;
  std::mt19937_64 rng;
};

// Minimises from w, in place; seed ≥ 0: groups in random order. `S`, `features` and `n_features` keep the copy of the support's rows between calls.
std::pair<int, bool> block_steps(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> H, Matrix<const double> q,
                                 Vector<const double> l1, Vector<const double> l2, Vector<const double> group,
                                 Vector<const std::int64_t> starts, bool positive, double alpha, Matrix<double> w, Matrix<float> S,
                                 Vector<std::int64_t> features, Vector<std::int64_t> n_features, double tol, int max_iter,
                                 std::int64_t seed, int n_threads) {
  Gathered gathered(S.data(), static_cast<Index>(S.shape(0)), static_cast<Index>(S.shape(1)), features.data(), n_features.data());
  BlockDescent descent({H.data(), H.stride(0), q.data(), static_cast<Index>(q.shape(1)), static_cast<Index>(q.shape(0)), l1.data(),
                        l2.data(), group.data(), starts.data(), static_cast<Index>(group.size()), positive},
                       alpha, w.data(), gathered, seed);
  Signals signals;
  return descent.solve(tol, max_iter, n_threads, signals);
}

}  // namespace

void register_blocks(nb::module_& m) { m.def("block_steps", &block_steps, nogil()); }

}  // namespace tamis
