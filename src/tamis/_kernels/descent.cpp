// ½ wᵀGw − qᵀw + α Σ (l1_j |w_j| + l2_j w_j²/2), w ≥ 0 where asked, along decreasing α: exact on its support.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nanobind/stl/optional.h>

#include <optional>

#include "cholesky.hpp"
#include "kernels.hpp"
#include "scratch.hpp"

namespace tamis {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Outcome {
  double gap;
  int n_iter;
  bool converged;
};

// G in double or single precision; all else is in double. In single precision nobody can tell whether columns depend on each other
// or nearly so: a path that meets such columns is not told to have converged.
template <class T>
struct Quadratic {
  const T* G;
  Index ld;
  const double* q;
  Index p;
  double yy;
  const double *l1, *l2;
  bool positive;

  static constexpr bool rough = sizeof(T) < sizeof(double);
  static constexpr double visible = rough ? 1e-6 : 1e-13;    // of a column's variance beside the others, above rounding

  const T* row(Index j) const { return G + j * ld; }
};

template <class T>
class Descent {
 public:
  // `residual` is q − Gw where the caller knows it.
  Descent(const Quadratic<T>& Q, double* w, Cholesky& factor, std::int64_t seed, const double* residual = nullptr)
      : Q(Q), p(Q.p), w(w), r(Q.p), b(Q.p), factor(factor), shuffled(seed >= 0), rng(static_cast<std::uint64_t>(seed)) {
    for (Index j = 0; j < p; ++j) {
      q_max = std::max(q_max, std::abs(Q.q[j]));
      ridged = ridged || Q.l2[j] != 0;
    }
    slack = 1e-13 * q_max;     // what p products of rounded numbers leave in r
    if (residual)
      std::copy(residual, residual + p, r.begin());
    else
      refresh();
  }

  Outcome solve(double at, double tol, int max_iter, Signals& signals) {
    if (ridged && at != alpha) factor.clear();               // the matrix is G + α diag(l2)
    alpha = at;
    follow_support();
    for (int k = 1;; ++k) {
      signals.check();
      finish();
      if (!admit()) return {gap(), k, !lost};
      if (k % patience == 0) {
        for (int s = 0; s < sweeps; ++s) sweep();
        refresh();
        follow_support();
        const double g = gap();
        if (g <= tol * 0.5 * Q.yy) return {g, k, !lost};
      }
      if (k >= max_iter || lost) {
        refresh();
        return {gap(), k, false};
      }
    }
  }

  const std::vector<double>& residual() const { return r; }

 private:
  static constexpr int patience = 50, sweeps = 10;

  double entry(Index i, Index j) const { return Q.row(i)[j] + (i == j ? alpha * Q.l2[i] : 0.0); }
  double limit(Index j) const { return alpha * Q.l1[j]; }
  double gradient(Index j) const { return r[j] - alpha * Q.l2[j] * w[j]; }       // minus that of the smooth part
  std::pair<double, double> sides(Index j) const { return {Q.q[j], std::copysign(Q.l1[j], w[j])}; }

  bool violates(Index j) const {
    const double g = gradient(j);
    return (Q.positive ? g : std::abs(g)) > limit(j) + slack && entry(j, j) > 0;   // a constant column never enters
  }

  double best(Index j) const {                               // the minimiser in w_j alone, (11.14) with L = G_jj
    const double z = r[j] + Q.row(j)[j] * w[j], a = limit(j);
    const double shrunk = z > a ? z - a : z < -a && !Q.positive ? z + a : 0.0;
    return shrunk / entry(j, j);
  }

  void sweep() {
    order.clear();
    for (Index j = 0; j < p; ++j)
      if (entry(j, j) > 0) order.push_back(j);
    shuffle(order);
    for (Index j : order) {
      if (w[j] == 0 && !violates(j)) continue;
      const double step = best(j) - w[j];
      if (step == 0) continue;
      w[j] += step;
      const T* g = Q.row(j);
      for (Index i = 0; i < p; ++i) r[i] -= step * g[i];
    }
  }

  void shuffle(std::vector<Index>& set) {
    if (shuffled) std::shuffle(set.begin(), set.end(), rng);
  }

  // Lets in the columns outside the support that violate |r_j| ≤ α l1_j at this point, lowest index first, each by a coordinate step
  // that the later ones see; false when there are none. A copy of a column in the support does not violate it here.
  bool admit() {
    violators.clear();
    for (Index j = 0; j < p; ++j)
      if (!factor.contains(j) && violates(j)) violators.push_back(j);
    if (violators.empty()) return false;
    shuffle(violators);
    entering.clear();
    for (Index j : violators) {
      if (!violates(j)) continue;
      w[j] = best(j);
      const T* g = Q.row(j);
      for (Index i : violators) r[i] -= w[j] * g[i];
      entering.push_back(j);
    }
    join();
    return true;
  }

  void join() {                                              // `entering` joins the factor
    const auto entry_of = [this](Index i, Index j) { return entry(i, j); };
    const auto sides_of = [this](Index j) { return sides(j); };
    refused.clear();
    factor.append(entering, entry_of, sides_of, refused);
    lost = lost || (Q.rough && !refused.empty());
    while (!refused.empty()) {
      const Index j = refused.back();
      refused.pop_back();
      if (!exchange(j)) continue;
      entering.assign(1, j);
      factor.append(entering, entry_of, sides_of, refused);
    }
  }

  // Column j depends on the support: along the direction that leaves Xw as it is, move so that the penalty does not grow until
  // somebody is zero. True when that is another column, which leaves; j may then join.
  bool exchange(Index j) {
    const Index k = factor.size();
    for (Index i = 0; i < k; ++i) b[i] = Q.row(j)[factor[i]];
    factor.solve(b.data());
    double slope = std::copysign(Q.l1[j], w[j]);
    for (Index i = 0; i < k; ++i) slope -= b[i] * std::copysign(Q.l1[factor[i]], w[factor[i]]);
    double way = slope > 0 ? -1.0 : 1.0;
    if (std::abs(slope) <= 1e-10 * Q.l1[j]) way = w[j] > 0 ? -1.0 : 1.0;
    Index first = -1;
    double reach = way * w[j] < 0 ? std::abs(w[j]) : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < k; ++i) {
      const double now = w[factor[i]], t = now / (way * b[i]);
      if ((Q.l1[factor[i]] > 0 || Q.positive) && t > 0 && t < reach) reach = t, first = i;
    }
    if (!std::isfinite(reach)) {
      reach = 0;
      w[j] = 0;
      return false;
    }
    w[j] += way * reach;
    for (Index i = 0; i < k; ++i) w[factor[i]] -= way * reach * b[i];
    if (first < 0) {
      w[j] = 0;
      return false;
    }
    w[factor[first]] = 0;
    factor.remove(first);
    return true;
  }

  // The support's signs s held fixed, w_S = A_SS⁻¹ (q_S − α l1 s) is the minimum. Walk towards it; whoever reaches zero on the way
  // leaves, and the walk starts again.
  void finish() {
    while (factor.size() > 0) {
      const Index k = factor.size();
      factor.solve(alpha, b.data());
      double reach = 1.0;
      Index first = -1;
      for (Index i = 0; i < k; ++i) {
        const double now = w[factor[i]];
        if (b[i] * now > 0 || (Q.l1[factor[i]] == 0 && !Q.positive)) continue;   // an unpenalised one may change sign
        const double t = now / (now - b[i]);
        if (t < reach || first < 0) reach = t, first = i;
      }
      for (Index i = 0; i < k; ++i) w[factor[i]] += reach * (b[i] - w[factor[i]]);
      if (first < 0) break;
      w[factor[first]] = 0;
      factor.remove(first);
    }
    for (Index i = 0; i < factor.size(); ++i) w[factor[i]] = b[i];
    refresh_rest();
    if (factor.size() * p <= cheap || factor.least_pivot() < 1e-5) polish();
  }

  static constexpr Index cheap = 1 << 16;

  // One step of iterative refinement where rounding left r_S ≠ α l1 s.
  void polish() {
    refresh();
    const Index k = factor.size();
    double worst = 0;
    for (Index i = 0; i < k; ++i) {
      const Index j = factor[i];
      b[i] = gradient(j) - std::copysign(limit(j), w[j]);
      worst = std::max(worst, std::abs(b[i]));
    }
    if (worst <= 8 * eps * q_max) return;
    factor.solve(b.data());
    for (Index i = 0; i < k; ++i)
      if ((w[factor[i]] + b[i]) * w[factor[i]] <= 0) return;
    for (Index i = 0; i < k; ++i) w[factor[i]] += b[i];
    refresh();
  }

  // Makes the factorised set equal to the support of w, and its right-hand sides those of the signs.
  void follow_support() {
    for (Index i = factor.size(); i-- > 0;)
      if (w[factor[i]] == 0) factor.remove(i);
    factor.restate([this](Index j) { return sides(j); });
    entering.clear();
    for (Index j = 0; j < p; ++j)
      if (w[j] != 0 && !factor.contains(j)) entering.push_back(j);
    if (!entering.empty()) join();
  }

  void refresh() {                                           // r = q − G w, four rows at a time
    std::copy(Q.q, Q.q + p, r.data());
    const T* g[4];
    double c[4];
    int have = 0;
    for (Index j = 0; j < p; ++j) {
      if (w[j] == 0) continue;
      g[have] = Q.row(j);
      c[have] = w[j];
      if (++have < 4) continue;
      for (Index i = 0; i < p; ++i) r[i] -= c[0] * g[0][i] + c[1] * g[1][i] + c[2] * g[2][i] + c[3] * g[3][i];
      have = 0;
    }
    for (int h = 0; h < have; ++h)
      for (Index i = 0; i < p; ++i) r[i] -= c[h] * g[h][i];
  }

  void refresh_rest() {                                      // the same where the support knows its own r
    if (2 * factor.size() < p) return refresh();
    const T* g[4];
    Index outside[4];
    int have = 0;
    for (Index j = 0; j < p; ++j) {
      if (factor.contains(j)) {
        r[j] = std::copysign(limit(j), w[j]) + alpha * Q.l2[j] * w[j];
        continue;
      }
      outside[have] = j;
      g[have] = Q.row(j);
      if (++have < 4) continue;
      double sums[4][1];
      dots<4, 1, T>(g, {w}, p, sums);
      for (int h = 0; h < 4; ++h) r[outside[h]] = Q.q[outside[h]] - sums[h][0];
      have = 0;
    }
    for (int h = 0; h < have; ++h) r[outside[h]] = Q.q[outside[h]] - dot(g[h], w, p);
  }

  // Primal minus dual at the best feasible multiple s of the residual of the rows and of √(α l2) w, taken as further rows with
  // target 0: D(s) = s (yy − qᵀw) − s²/2 (‖y − Xw‖²/n + α Σ l2 w²). Unpenalised columns are taken to be orthogonal to it.
  double gap() const {
    double wq = 0, wr = 0, l1 = 0, most = std::numeric_limits<double>::infinity();
    double ridge = 0;
    for (Index j = 0; j < p; ++j) {
      wq += w[j] * Q.q[j];
      wr += w[j] * r[j];
      l1 += limit(j) * std::abs(w[j]);
      ridge += alpha * Q.l2[j] * w[j] * w[j];
      const double g = Q.positive ? gradient(j) : std::abs(gradient(j));
      if (Q.l1[j] > 0 && g > 0 && entry(j, j) > 0) most = std::min(most, limit(j) / g);
    }
    const double square = std::max(0.0, Q.yy - wq - wr) + ridge, yr = Q.yy - wq;
    const double s = square > 0 ? std::clamp(yr / square, 0.0, most) : 0.0;
    return std::max(0.0, 0.5 * square + l1 - (s * yr - 0.5 * s * s * square));
  }

  const Quadratic<T> Q;
  const Index p;
  double* w;
  std::vector<double> r, b;
  Cholesky& factor;
  std::vector<Index> violators, entering, refused, order;
  double alpha = -1, q_max = 0, slack = 0;
  bool ridged = false, shuffled, lost = false;
  std::mt19937_64 rng;
};

// Solves for each of alphas in turn from the point w (kept in place), writing a row of coefficients, a gap, a count and a flag for each.
// `members`, `n_members` and `L` keep the factorised support between calls; seed ≥ 0: coordinates in random order. `residuals`
// receives a row q − Gw for each.
template <class T>
void lasso_path(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> G, Vector<const double> q, double yy,
                 Vector<const double> alphas, Vector<const double> l1, Vector<const double> l2, bool positive, std::int64_t seed,
                 Vector<double> w, Vector<std::int64_t> members, Vector<std::int64_t> n_members, Matrix<double> L, double tol,
                 int max_iter, Matrix<double> coefs, Vector<double> gaps, Vector<std::int64_t> n_iter, Vector<bool> converged,
                 std::optional<Matrix<double>> residuals) {
  const Index p = static_cast<Index>(q.size());
  Cholesky factor(L.data(), static_cast<Index>(L.shape(1)), members.data(), n_members.data(), p, Quadratic<T>::visible);
  require_neighbours(p, G.stride(1));
  Descent<T> descent({G.data(), G.stride(0), q.data(), p, yy, l1.data(), l2.data(), positive}, w.data(), factor, seed);
  Signals signals;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const Outcome o = descent.solve(alphas(k), tol, max_iter, signals);
    std::copy(w.data(), w.data() + p, coefs.data() + k * p);
    if (residuals) std::copy(descent.residual().begin(), descent.residual().end(), residuals->data() + k * p);
    gaps(k) = o.gap;
    n_iter(k) = o.n_iter;
    converged(k) = o.converged;
  }
}

// Alphas of a path in a few runs of about the same work, whatever the number of threads: `first` of each and of what follows the last.
std::vector<Index> runs(const double* coefs, Index n_alphas, Index p) {
  constexpr Index n_runs = 4;
  std::vector<double> work(n_alphas + 1, 0.0);
  for (Index k = 0; k < n_alphas; ++k) {
    const double size = static_cast<double>(p - std::count(coefs + k * p, coefs + (k + 1) * p, 0.0));
    work[k + 1] = work[k] + size * static_cast<double>(p) + 1;
  }
  std::vector<Index> first;
  for (Index run = 0; run <= n_runs; ++run)
    first.push_back(std::lower_bound(work.begin(), work.end(), work.back() * static_cast<double>(run) / n_runs) - work.begin());
  return first;
}

// A path walked again from its small end: row k of `coefs` and of `residuals` holds where to start and q − Gw there, and receives the
// solution and its residual. Row k of `exact` is what the residual of columns S should have been there, NaN where nobody knows; q is
// shifted by the difference. `members` and `L` are the factor of the last support, whose leading parts are the factors of most others.
void correct_lasso_path(nb::ndarray<const float, nb::ndim<2>, nb::device::cpu> G, Vector<const double> q, double yy,
                 Vector<const double> alphas, Vector<const double> l1, Vector<const double> l2, bool positive,
                 Vector<const std::int64_t> S, Matrix<const double> exact, Matrix<double> coefs, Matrix<double> residuals,
                 Vector<const std::int64_t> members, Matrix<const double> L, double tol, int max_iter, Vector<bool> converged,
                 int n_threads) {
  const Index p = static_cast<Index>(l1.size()), n_alphas = static_cast<Index>(alphas.size()), m = static_cast<Index>(members.size());
  const Index ld = static_cast<Index>(L.shape(1));
  const std::vector<Index> first = runs(coefs.data(), n_alphas, p);
  parallel_for(first.size() - 1, n_threads, [&](std::size_t run, int) {
    if (first[run] == first[run + 1]) return;
    Scratch own(p * p);
    std::vector<std::int64_t> inside(p);
    std::int64_t n_inside = m;
    std::copy(members.data(), members.data() + m, inside.begin());
    for (Index i = 0; i < m; ++i) std::copy(L.data() + i * ld, L.data() + i * ld + i + 1, own.get() + i * p);
    Cholesky factor(own.get(), p, inside.data(), &n_inside, p, Quadratic<float>::visible);
    Signals signals;
    std::vector<double> shifted(p);
    for (Index k = first[run + 1]; k-- > first[run];) {
      double *w = coefs.data() + k * p, *r = residuals.data() + k * p;
      std::copy(q.data(), q.data() + p, shifted.begin());
      for (std::size_t i = 0; i < S.size(); ++i)
        if (const double to = exact(k, i); !std::isnan(to)) {
          shifted[S(i)] += to - r[S(i)];
          r[S(i)] = to;
        }
      Descent<float> descent({G.data(), G.stride(0), shifted.data(), p, yy, l1.data(), l2.data(), positive}, w, factor, -1, r);
      converged(k) = descent.solve(alphas(k), tol, max_iter, signals).converged;
      std::copy(descent.residual().begin(), descent.residual().end(), r);
    }
  });
}

// The minimum of a Newton model, gᵀ(Xd + β) + ratio/2 (Xd + β)ᵀ diag(h) (Xd + β) + α Ω(w + d), in d and the shift β of the
// intercept. Given are pull = Xᵀg, Σ g, along = Xᵀh (empty without an intercept), Σ h and G = XᵀhX less what β takes off it.
// w moves by d; facts = β, Ω(w + d), gᵀ(Xd + β).
void newton_model(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> G, Vector<const double> pull, double g_sum,
                  Vector<const double> along, double h_sum, double ratio, double alpha, Vector<const double> l1,
                  Vector<const double> l2, bool positive, std::int64_t seed, Vector<double> w, Vector<std::int64_t> members,
                  Vector<std::int64_t> n_members, Matrix<double> L, double tol, int max_iter, Vector<double> facts) {
  const Index k = static_cast<Index>(pull.size());
  const bool centred = along.size() > 0;
  std::vector<double> start(w.data(), w.data() + k), r(k), q(k);
  for (Index j = 0; j < k; ++j) q[j] = r[j] = -(pull(j) - (centred ? g_sum / h_sum * along(j) : 0.0)) / ratio;
  for (Index j = 0; j < k; ++j)
    if (const double wj = start[j]; wj != 0) {
      const double* g = G.data() + j * G.stride(0);
      for (Index i = 0; i < k; ++i) q[i] += wj * g[i];
    }
  Cholesky factor(L.data(), static_cast<Index>(L.shape(1)), members.data(), n_members.data(), k);
  Descent<double> descent({G.data(), G.stride(0), q.data(), k, 1.0, l1.data(), l2.data(), positive}, w.data(), factor, seed, r.data());
  Signals signals;
  descent.solve(alpha / ratio, tol, max_iter, signals);
  double slope = 0, moved = 0, omega = 0;
  for (Index j = 0; j < k; ++j) {
    const double d = w(j) - start[j];
    slope += pull(j) * d;
    moved += centred ? along(j) * d : 0.0;
    omega += l1(j) * std::abs(w(j)) + 0.5 * l2(j) * w(j) * w(j);
  }
  const double shift = centred ? -(g_sum / ratio + moved) / h_sum : 0.0;
  facts(0) = shift, facts(1) = omega, facts(2) = slope + g_sum * shift;
}

}  // namespace

void register_descent(nb::module_& m) {
  define(m, "lasso_path", &lasso_path<double>, nogil());
  define(m, "lasso_path", &lasso_path<float>, nogil());
  m.def("correct_lasso_path", &correct_lasso_path, nogil());
  m.def("newton_model", &newton_model, nogil());
}

}  // namespace tamis
