// Orthogonal matching pursuit of one signal, as far as the products Aᵀa of the columns that join are known.
#include <cmath>
#include <vector>

#include "dots.hpp"
#include "kernels.hpp"

namespace tamis {
namespace {

enum Outcome : int { ended = 0, exhausted = 1, unknown = 2, lost = 3 };   // unknown: products of column `next` are missing

// Rows of Q are orthonormal, row k of R has the column that joined k-th as R[k, :k] Q[:k] + R[k, k] Q[k], rows of AQ are Aᵀq; c = Aᵀr.
// Column j has its entries in row slot[j] of X and Aᵀa_j in that row of P. `state` holds the number of columns inside and `next`.
int pursue(Matrix<const double> X, Matrix<const double> P, Vector<const Index> slot, Vector<const double> inverse, Vector<bool> possible,
           Matrix<double> Q, Matrix<double> R, Matrix<double> AQ, Vector<double> c, Vector<double> r, Vector<Index> members,
           Vector<double> norms, Vector<Index> state, double goal, double rounding, double least, double depends, double much,
           double brief, double tied) {
  const Index m = static_cast<Index>(r.size()), p = static_cast<Index>(c.size()), most = static_cast<Index>(Q.shape(0));
  Index& k = state(0);
  std::vector<double> scores(p), q(m), along(most), more(most);
  Signals signals;
  while (norms(k) * norms(k) > goal && k < most) {
    signals.check();
    double highest = 0;
    for (Index j = 0; j < p; ++j) {
      scores[j] = possible(j) ? std::abs(c(j)) * inverse(j) : 0.0;
      highest = std::max(highest, scores[j]);
    }
    if (highest <= rounding) return exhausted;
    Index j = 0;
    while (scores[j] < highest * (1 - tied)) ++j;
    state(1) = j;
    if (slot(j) < 0) return unknown;
    const double* x = &X(slot(j), 0);
    q.assign(x, x + m);
    std::fill(along.begin(), along.end(), 0.0);
    const double whole = dot(x, x, m);
    double square = 0;
    for (int pass = 0; pass < 2; ++pass) {                     // the second where little is left of x
      for (Index i = 0; i < k; ++i) more[i] = dot(&Q(i, 0), q.data(), m);
      for (Index i = 0; i < k; ++i) {
        const double h = more[i], *from = &Q(i, 0);
        along[i] += h;
        for (Index t = 0; t < m; ++t) q[t] -= h * from[t];
      }
      square = dot(q.data(), q.data(), m);
      if (square > much * whole) break;
    }
    if (square <= depends * whole) {
      possible(j) = false;
      continue;
    }
    if (square <= brief * dot(along.data(), along.data(), k)) return unknown;   // Aᵀq has to be computed from q
    possible(j) = false;
    const double length = std::sqrt(square);
    double *direction = &Q(k, 0), *product = &AQ(k, 0), amount = 0;
    for (Index t = 0; t < m; ++t) direction[t] = q[t] / length;
    const double* known = &P(slot(j), 0);
    std::copy(known, known + p, product);
    for (Index i = 0; i < k; ++i) {
      const double h = R(k, i) = along[i], *from = &AQ(i, 0);
      for (Index t = 0; t < p; ++t) product[t] -= h * from[t];
    }
    R(k, k) = length;
    amount = dot(direction, r.data(), m);
    for (Index t = 0; t < m; ++t) r(t) -= amount * direction[t];
    for (Index t = 0; t < p; ++t) product[t] /= length, c(t) -= amount * product[t];
    members(k) = j;
    norms(++k) = std::sqrt(dot(r.data(), r.data(), m));
    if (norms(k) <= least) return lost;
  }
  return ended;
}

}  // namespace

void register_pursuit(nb::module_& m) { define(m, "pursue", &pursue, nogil()); }

}  // namespace tamis
