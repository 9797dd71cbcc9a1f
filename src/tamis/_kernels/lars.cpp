// The exact path of ½ wᵀGw − qᵀw + α Σ v_j|w_j| as α falls, from kink to kink.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cholesky.hpp"
#include "kernels.hpp"

namespace tamis {
namespace {

constexpr double tied = 1e-12;       // relative: what happens within this happens at once
constexpr double still = 1e-11;      // relative: a rate below this is rounding
constexpr double exact = 1e-13;      // of α_max: what may be left of an equation
constexpr double near = 1e-9;        // relative: coefficients that differ by less are the same kink's
constexpr double nothing = 1e-13;    // of α_max: no kink is told from rounding below it

struct Path {                        // row k of the coefficients: indices and values from starts[k] to starts[k + 1]
  std::vector<double> alphas, values, violations;
  std::vector<Index> indices, starts{0};
  std::vector<Index> event_kinks, event_features;
  std::vector<Index> event_entered;
  bool finished = false;
};

// On a segment the active set A and its signs s stand, and all is affine in α: w_A = u − α d with G_AA u = q_A, G_AA d = (v s)_A,
// and c = q − Gw = b + α a with b = q − G_A u, a = G_A d. u and d are kept by feature.
class Homotopy {
 public:
  Homotopy(const double* G, Index ld, const double* q, const double* v, Index p, bool positive, Cholesky& active, Index room)
      : G(G), ld(ld), q(q), v(v), p(p), positive(positive), active(active), room(room), sign(p), u(p), d(p), b(q, q + p), a(p),
        target(room), beside(p), asleep(p, 0), candidate(p, 0) {
    for (Index j = 0; j < p; ++j)
      if (row(j)[j] > 0) alpha_max = std::max(alpha_max, (positive ? q[j] : std::abs(q[j])) / v[j]);
  }

  Path run(double alpha_min, Index max_turns) {
    Path path;
    Signals signals;
    const double floor = std::max(alpha_min, nothing * alpha_max);
    double alpha = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < max_turns && !path.finished; ++k) {
      signals.check();
      const double at = next(alpha, floor);
      path.finished = ties.empty();
      const bool lower = at < alpha;                        // else rounding split one kink into several
      if (lower) record(path, path.finished ? alpha_min : at);
      const bool changed = path.finished || turn(at, path);
      if (lower && !changed) forget(path);
      if (!lower && changed && !path.finished) record_beside(path);
      alpha = at;
    }
    return path;
  }

 private:
  const double* row(Index j) const { return G + j * ld; }
  double weight(Index j) const { return sign[j] * v[j]; }

  // The first α below `alpha` where something happens, and in `ties` whom it happens to; nobody where all is quiet above `floor`.
  double next(double alpha, double floor) {
    double first = floor;
    ties.clear();
    const auto meet = [&](Index j, double at) {
      at = std::min(at, alpha);
      if (!(at > floor)) return;
      if (at > first * (1 + tied)) ties.clear();
      if (at >= first * (1 - tied)) ties.push_back(j);
      first = std::max(first, at);
    };
    for (Index j = 0; j < p; ++j) {
      if (active.contains(j)) {
        if (sign[j] * d[j] < 0) meet(j, u[j] / d[j]);                                            // |w_j| falls to zero
      } else if (!asleep[j] && row(j)[j] > 0) {
        const double up = v[j] - a[j], down = v[j] + a[j];
        const double high = up > still * v[j] ? b[j] / up : 0.0;                                 // c_j meets α v_j
        const double low = !positive && down > still * v[j] ? -b[j] / down : 0.0;                // c_j meets −α v_j
        meet(j, std::max(high, low));
      }
    }
    return first;
  }

  // Finds the active set below the kink: d minimises ½ dᵀGd − (v s)ᵀd, where those tied may only move away from zero along their
  // signs (Lawson & Hanson 1974; one step when nobody ties). False when it is the set there was.
  bool turn(double alpha, Path& path) {
    before.clear();
    for (Index j : ties) {
      before.push_back(active.contains(j));
      candidate[j] = 1;
      if (before.back())
        drop(j);
      else
        sign[j] = b[j] + alpha * a[j] > 0 ? 1.0 : -1.0;
    }
    aim();
    settle();
    for (Index patience = 10 * static_cast<Index>(ties.size()); patience > 0; --patience) {
      const Index j = most_urgent();
      if (j < 0) break;
      if (active.size() == room) {
        path.finished = true;
        break;
      }
      if (admit(j))
        walk(j);
      else
        candidate[j] = 0;
    }
    return announce(path);
  }

  // False when column j depends on those active.
  bool admit(Index j) {
    refused.clear();
    active.append({j}, [this](Index i, Index l) { return row(i)[l]; }, [this](Index l) { return std::pair(q[l], weight(l)); }, refused);
    return refused.empty();
  }

  // Tells who came and went, and wakes those that slept if somebody did.
  bool announce(Path& path) {
    bool changed = path.finished;
    for (std::size_t i = 0; i < ties.size(); ++i) {
      const Index j = ties[i];
      candidate[j] = 0;
      if (active.contains(j) == static_cast<bool>(before[i])) continue;
      changed = true;
      path.event_kinks.push_back(static_cast<Index>(path.alphas.size()) - 1);
      path.event_features.push_back(j);
      path.event_entered.push_back(active.contains(j));
    }
    if (changed) {
      std::fill(asleep.begin(), asleep.end(), 0);
      advance();
    } else {
      for (Index j : ties) asleep[j] = 1;
    }
    return changed;
  }

  // Of those tied and outside, the one whose |c| − α v would grow fastest as α falls; −1 when none would.
  Index most_urgent() const {
    double worst = still;
    Index found = -1;
    for (Index j : ties) {
      if (!candidate[j] || active.contains(j)) continue;
      double rate = 0;
      for (Index i = 0; i < active.size(); ++i) rate += row(j)[active[i]] * d[active[i]];
      const double growth = 1 - sign[j] * rate / v[j];
      if (growth > worst) worst = growth, found = j;
    }
    return found;
  }

  // From d to the minimum with the newest member; whoever among those tied meets zero on the way leaves.
  void walk(Index newest) {
    d[newest] = 0;
    for (aim();; aim()) {
      double reach = 1;
      Index first = -1;
      for (Index i = 0; i < active.size(); ++i) {
        const Index j = active[i];
        if (!candidate[j] || sign[j] * target[i] > 0) continue;
        const double t = d[j] / (d[j] - target[i]);
        if (first < 0 || t < reach) reach = t, first = j;
      }
      if (first < 0) break;
      for (Index i = 0; i < active.size(); ++i) d[active[i]] += reach * (target[i] - d[active[i]]);
      drop(first);
      if (first == newest) candidate[newest] = 0;            // only rounding let it in
    }
    settle();
  }

  void aim() {                                                // target = G_AA⁻¹ (v s)_A
    for (Index i = 0; i < active.size(); ++i) target[i] = weight(active[i]);
    active.solve(target.data());
  }

  void settle() {
    for (Index i = 0; i < active.size(); ++i) d[active[i]] = target[i];
  }

  void drop(Index j) {
    Index i = 0;
    while (active[i] != j) ++i;
    active.remove(i);
  }

  // u, b and a of the segment that begins, from scratch: errors do not travel along the path. Where the columns nearly depend on each
  // other, what the factor left of b_A and (v s)_A − a_A is solved for in turn.
  void advance() {
    const Index k = active.size();
    active.solve(0.0, target.data());
    more.resize(k);
    for (Index i = 0; i < k; ++i) u[active[i]] = target[i], more[i] = d[active[i]];
    std::copy(q, q + p, b.begin());
    std::fill(a.begin(), a.end(), 0.0);
    subtract();
    for (int turn = 0; turn < 2 && left() > exact * alpha_max; ++turn) {
      for (Index i = 0; i < k; ++i) target[i] = b[active[i]], more[i] = weight(active[i]) - a[active[i]];
      active.solve(target.data());
      active.solve(more.data());
      for (Index i = 0; i < k; ++i) u[active[i]] += target[i], d[active[i]] += more[i];
      subtract();
    }
  }

  // How far q − Gw lies from α v s at the active ones, for any α at most α_max.
  double left() const {
    double most = 0;
    for (Index i = 0; i < active.size(); ++i)
      most = std::max(most, std::abs(b[active[i]]) + alpha_max * std::abs(weight(active[i]) - a[active[i]]));
    return most;
  }

  // b −= G_A target and a += G_A more, four members at a time, padded with the first at zero: fewer passes over b and a.
  void subtract() {
    for (Index from = 0; from < active.size(); from += 4) {
      const double* g[4];
      double x[4] = {}, y[4] = {};
      for (Index i = 0; i < 4; ++i) {
        const bool there = from + i < active.size();
        g[i] = row(active[there ? from + i : from]);
        if (there) x[i] = target[from + i], y[i] = more[from + i];
      }
      double *to_b = b.data(), *to_a = a.data();
      for (Index t = 0; t < p; ++t) {
        to_b[t] -= x[0] * g[0][t] + x[1] * g[1][t] + x[2] * g[2][t] + x[3] * g[3][t];
        to_a[t] += y[0] * g[0][t] + y[1] * g[1][t] + y[2] * g[2][t] + y[3] * g[3][t];
      }
    }
  }

  // Where columns all but depend on each other, w goes far at one α to where a member leaves again: the segment that begins there
  // begins one rounding below the kink that is told already.
  void record_beside(Path& path) {
    const Index begin = path.starts[path.starts.size() - 2], end = path.starts.back();
    ties.clear();
    record(path, path.alphas.back());
    double moved = 0, most = 0;
    std::fill(beside.begin(), beside.end(), 0.0);
    for (Index t = begin; t < end; ++t) beside[path.indices[t]] = path.values[t], most = std::max(most, std::abs(path.values[t]));
    for (Index t = end; t < path.starts.back(); ++t) beside[path.indices[t]] -= path.values[t];
    for (double change : beside) moved = std::max(moved, std::abs(change));
    if (moved <= near * most) forget(path);
  }

  void record(Path& path, double alpha) {
    if (!path.alphas.empty()) alpha = std::min(alpha, std::nextafter(path.alphas.back(), 0.0));
    double violation = 0;
    for (Index j = 0; j < p; ++j) {
      const double c = b[j] + alpha * a[j];
      if (active.contains(j)) {
        violation = std::max(violation, std::abs(c - alpha * weight(j)));
        const bool leaving = std::find(ties.begin(), ties.end(), j) != ties.end();
        const double w = leaving ? 0.0 : u[j] - alpha * d[j];
        if (w == 0) continue;
        path.indices.push_back(j);
        path.values.push_back(w);
      } else if (row(j)[j] > 0) {
        violation = std::max(violation, (positive ? c : std::abs(c)) - alpha * v[j]);
      }
    }
    path.alphas.push_back(alpha);
    path.violations.push_back(violation);
    path.starts.push_back(static_cast<Index>(path.indices.size()));
  }

  void forget(Path& path) {
    path.alphas.pop_back();
    path.violations.pop_back();
    path.starts.pop_back();
    path.indices.resize(path.starts.back());
    path.values.resize(path.starts.back());
  }

  const double* G;
  Index ld;
  const double *q, *v;
  Index p;
  bool positive;
  Cholesky& active;
  Index room;
  double alpha_max = 0;
  std::vector<double> sign, u, d, b, a, target, more, beside;
  std::vector<char> asleep, candidate, before;
  std::vector<Index> ties, refused;
};

template <class T>
nb::object give(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* v) noexcept { delete static_cast<std::vector<T>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// α of the kinks, the coefficients there as CSR (values, indices, starts), violations, events (kink, feature, entered), whether it ended as asked.
nb::tuple lars(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> G, Vector<const double> q, Vector<const double> weights,
               bool positive, double alpha_min, Index max_turns, Matrix<double> L) {
  Path path;
  {
    nb::gil_scoped_release release;
    const Index p = static_cast<Index>(q.size()), room = static_cast<Index>(L.shape(0));
    std::vector<std::int64_t> members(room);
    std::int64_t n_members = 0;
    Cholesky active(L.data(), room, members.data(), &n_members, p);
    path = Homotopy(G.data(), G.stride(0), q.data(), weights.data(), p, positive, active, room).run(alpha_min, max_turns);
  }
  return nb::make_tuple(give(std::move(path.alphas)), give(std::move(path.values)), give(std::move(path.indices)),
                        give(std::move(path.starts)), give(std::move(path.violations)), give(std::move(path.event_kinks)),
                        give(std::move(path.event_features)), give(std::move(path.event_entered)), path.finished);
}

}  // namespace

void register_lars(nb::module_& m) { m.def("lars", &lars); }

}  // namespace tamis
