// ½ wᵀGw − qᵀw + α‖w‖₁ along decreasing α, by coordinate descent that is finished exactly on its support.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cholesky.hpp"
#include "kernels.hpp"

namespace tamis {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Outcome {
  double gap;
  int n_iter;
  bool converged;
};

class Descent {
 public:
  Descent(const double* G, Index ld, const double* q, Index p, double yy, double* w, double* r, Cholesky& factor)
      : G(G), ld(ld), q(q), p(p), yy(yy), w(w), r(r), factor(factor) {
    for (Index j = 0; j < p; ++j) q_max = std::max(q_max, std::abs(q[j]));
    slack = 1e-13 * q_max;     // what p products of rounded numbers leave in r
    refresh();
  }

  Outcome solve(double alpha, double tol, int max_iter, Signals& signals) {
    for (int k = 1;; ++k) {
      signals.check();
      const bool exact = finish(alpha);
      if (exact && !admit(alpha)) return {gap(alpha), k, true};
      if (!exact || k % patience == 0) {
        for (int s = 0; s < sweeps; ++s) sweep(alpha);
        refresh();
        const double g = gap(alpha);
        if (!exact && g <= tol * 0.5 * yy) return {g, k, true};
      }
      if (k >= max_iter) {
        refresh();
        return {gap(alpha), k, false};
      }
    }
  }

 private:
  static constexpr int patience = 20, sweeps = 10;

  const double* row(Index j) const { return G + j * ld; }

  void move(Index j, double step) {                          // w_j += step, r −= step · G_j
    w[j] += step;
    const double* g = row(j);
    for (Index i = 0; i < p; ++i) r[i] -= step * g[i];
  }

  void descend(Index j, double alpha) {                      // exact minimiser in w_j, (11.14) with L = G_jj
    const double g = row(j)[j];
    if (!(g > 0)) return;                                    // a constant column never enters
    const double z = r[j] + g * w[j];
    const double target = z > alpha ? (z - alpha) / g : z < -alpha ? (z + alpha) / g : 0.0;
    if (target != w[j]) {
      const double step = target - w[j];
      move(j, step);
      w[j] = target;
    }
  }

  void sweep(double alpha) {
    for (Index j = 0; j < p; ++j)
      if (w[j] != 0 || std::abs(r[j]) > alpha + slack) descend(j, alpha);
  }

  // Lets in the columns outside the support that violate |r_j| ≤ α at this point, lowest index first; false when there are none.
  // A copy of a column in the support does not violate it here, though it may while others enter.
  bool admit(double alpha) {
    violators.clear();
    for (Index j = 0; j < p; ++j)
      if (w[j] == 0 && std::abs(r[j]) > alpha + slack && row(j)[j] > 0) violators.push_back(j);
    for (Index j : violators)
      if (std::abs(r[j]) > alpha + slack) descend(j, alpha);
    return !violators.empty();
  }

  // The support's signs held fixed, w_S = G_SS⁻¹ (q_S − α s) is the minimum. Walk towards it; whoever reaches zero on the way
  // leaves, and the walk starts again. False when G_SS is singular to working precision.
  bool finish(double alpha) {
    if (!follow_support()) return false;
    while (factor.size() > 0) {
      const Index k = factor.size();
      b.resize(k);
      for (Index i = 0; i < k; ++i) b[i] = q[factor[i]] - std::copysign(alpha, w[factor[i]]);
      factor.solve(b.data());
      double reach = 1.0;
      Index first = -1;
      for (Index i = 0; i < k; ++i) {
        const double now = w[factor[i]];
        if (b[i] * now > 0) continue;
        const double t = now / (now - b[i]);
        if (t < reach || first < 0) reach = t, first = i;
      }
      for (Index i = 0; i < k; ++i) w[factor[i]] += reach * (b[i] - w[factor[i]]);
      if (first < 0) break;
      w[factor[first]] = 0;
      factor.remove(first);
    }
    for (Index i = 0; i < factor.size(); ++i) w[factor[i]] = b[i];
    refresh();
    polish(alpha);
    return true;
  }

  // One step of iterative refinement where rounding left r_S ≠ α s.
  void polish(double alpha) {
    const Index k = factor.size();
    double worst = 0;
    for (Index i = 0; i < k; ++i) {
      b[i] = r[factor[i]] - std::copysign(alpha, w[factor[i]]);
      worst = std::max(worst, std::abs(b[i]));
    }
    if (worst <= 8 * eps * q_max) return;
    factor.solve(b.data());
    for (Index i = 0; i < k; ++i)
      if ((w[factor[i]] + b[i]) * w[factor[i]] <= 0) return;
    for (Index i = 0; i < k; ++i) w[factor[i]] += b[i];
    refresh();
  }

  // Makes the factorised set equal to the support of w.
  bool follow_support() {
    for (Index i = factor.size(); i-- > 0;)
      if (w[factor[i]] == 0) factor.remove(i);
    for (Index j = 0; j < p; ++j)
      if (w[j] != 0 && !factor.contains(j) && !factor.append(j, G, ld)) return false;
    return true;
  }

  void refresh() {                                           // r = q − G w, four rows at a time
    std::copy(q, q + p, r);
    const double* g[4];
    double c[4];
    int have = 0;
    for (Index j = 0; j < p; ++j) {
      if (w[j] == 0) continue;
      g[have] = row(j);
      c[have] = w[j];
      if (++have < 4) continue;
      for (Index i = 0; i < p; ++i) r[i] -= c[0] * g[0][i] + c[1] * g[1][i] + c[2] * g[2][i] + c[3] * g[3][i];
      have = 0;
    }
    for (int h = 0; h < have; ++h)
      for (Index i = 0; i < p; ++i) r[i] -= c[h] * g[h][i];
  }

  // Primal minus dual at the best feasible multiple s of the residual y − Xw: D(s) = s (yy − qᵀw) − s²/2 ‖y − Xw‖²/n.
  double gap(double alpha) const {
    double wq = 0, wr = 0, l1 = 0, r_max = 0;
    for (Index j = 0; j < p; ++j) {
      wq += w[j] * q[j];
      wr += w[j] * r[j];
      l1 += std::abs(w[j]);
      if (row(j)[j] > 0) r_max = std::max(r_max, std::abs(r[j]));
    }
    const double square = std::max(0.0, yy - wq - wr), yr = yy - wq;
    const double most = r_max > 0 ? alpha / r_max : std::numeric_limits<double>::infinity();
    double s = square > 0 ? yr / square : 0.0;
    s = std::clamp(s, -most, most);
    return std::max(0.0, 0.5 * square + alpha * l1 - (s * yr - 0.5 * s * s * square));
  }

  const double* G;
  Index ld;
  const double* q;
  Index p;
  double yy;
  double *w, *r;
  Cholesky& factor;
  std::vector<double> b;
  std::vector<Index> violators;
  double q_max = 0, slack = 0;
};

// Solves for each of alphas in turn from the point w (kept in place), writing a row of coefficients, a gap, a count and a flag for each.
// `members`, `n_members` and `L` keep the factorised support between calls.
void lasso_steps(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> G, Vector<const double> q, double yy,
                 Vector<const double> alphas, Vector<double> w, Vector<std::int64_t> members, Vector<std::int64_t> n_members,
                 Matrix<double> L, double tol, int max_iter, Matrix<double> coefs, Vector<double> gaps,
                 Vector<std::int64_t> n_iter, Vector<bool> converged) {
  const Index p = static_cast<Index>(q.size());
  std::vector<double> r(p);
  Cholesky factor(L.data(), static_cast<Index>(L.shape(1)), members.data(), n_members.data(), p);
  Descent descent(G.data(), G.stride(0), q.data(), p, yy, w.data(), r.data(), factor);
  Signals signals;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const Outcome o = descent.solve(alphas(k), tol, max_iter, signals);
    std::copy(w.data(), w.data() + p, coefs.data() + k * p);
    gaps(k) = o.gap;
    n_iter(k) = o.n_iter;
    converged(k) = o.converged;
  }
}

}  // namespace

void register_descent(nb::module_& m) { m.def("lasso_steps", &lasso_steps, nogil()); }

}  // namespace tamis
