// The minimum over one block: ½ tr WᵀAW − tr ZᵀW + Σ a_j |W_jo| + c ‖W‖ for W with m rows and n_outputs columns.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace tamis {

inline double shrink(double z, double a, bool positive) { return z > a ? z - a : z < -a && !positive ? z + a : 0.0; }

// A, a, Z and W are filled in by the caller; the columns of Z and W follow each other. W holds the point to start from.
class Block {
 public:
  Block(Index largest, Index n_outputs, bool positive)
      : A(largest * largest), a(largest), Z(largest * n_outputs), W(Z.size()), n_outputs(n_outputs), positive(positive), L(A.size()), U(Z.size()),
        b(Z.size()), x(largest), next(Z.size()), active(Z.size()) {}

  std::vector<double> A, a, Z, W;
  double c = 0;
  Index m = 0;

  void minimise() {
    const Index size = m * n_outputs;
    const double length = shrunk_norm(Z.data());
    if (!(length > c)) return void(std::fill_n(W.data(), size, 0.0));
    if (m == 1) {
      const double rest = A[0] > 0 ? (1.0 - c / length) / A[0] : 0.0;         // a constant column never enters
      for (Index i = 0; i < size; ++i) W[i] = rest * shrink(Z[i], a[0], positive);
      return;
    }
    steepness = 0;
    for (Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Index j = 0; j < m; ++j) sum += std::abs(A[i * m + j]);
      steepness = std::max(steepness, sum);
    }
    if (!(steepness > 0)) return void(std::fill_n(W.data(), size, 0.0));
    for (int round = 0; round < 20 && !finish(); ++round)
      for (int step = 0; step < 5; ++step) proximal_step();
  }

 private:
  double shrunk_norm(const double* V) const {
    double square = 0;
    for (Index i = 0; i < m * n_outputs; ++i) square += std::pow(shrink(V[i], a[i % m], positive), 2);
    return std::sqrt(square);
  }

  double gradient(const double* V, Index i) const {            // of the smooth part, at entry i of V
    const double* w = V + i / m * m;
    double g = -Z[i];
    for (Index j = 0; j < m; ++j) g += A[i % m * m + j] * w[j];
    return g;
  }

  void proximal_step() {
    const Index size = m * n_outputs;
    double square = 0;
    for (Index i = 0; i < size; ++i) {
      next[i] = shrink(W[i] - gradient(W.data(), i) / steepness, a[i % m] / steepness, positive);
      square += next[i] * next[i];
    }
    const double length = std::sqrt(square), rest = length * steepness > c ? 1.0 - c / (length * steepness) : 0.0;
    for (Index i = 0; i < size; ++i) W[i] = rest * next[i];
  }

  // The minimum among points with the signs of W, taken when it is the minimum over all.
  bool finish() {
    const Index size = m * n_outputs;
    double square = 0, start = 0;
    for (Index i = 0; i < size; ++i) {
      active[i] = W[i] != 0 || (a[i % m] == 0 && !positive);
      b[i] = active[i] ? Z[i] - (W[i] != 0 ? std::copysign(a[i % m], W[i]) : 0.0) : 0.0;
      square += b[i] * b[i];
      start += W[i] * W[i];
    }
    if (!(square > c * c)) return false;
    const double t = length(std::sqrt(square), std::sqrt(start));
    if (!(t > 0)) return false;
    for (Index i = 0; i < size; ++i) {
      next[i] = active[i] ? t * U[i] : 0.0;
      if (active[i] && next[i] * W[i] < 0 && (a[i % m] > 0 || positive)) return false;
    }
    for (Index i = 0; i < size; ++i)
      if (!active[i] && shrink(-gradient(next.data(), i), a[i % m] * (1 + 1e-13), positive) != 0) return false;
    std::copy_n(next.data(), size, W.data());
    return true;
  }

  // ‖W‖ = t where W = t U, (tA + cI) U = b and ‖U‖ = 1. 1/‖U(t)‖ grows with t and is concave, so Newton's method on
  // 1/‖U‖ = 1 approaches the root from the left. U is left at the root.
  double length(double b_norm, double start) {
    if (c == 0) return free_length();
    double t = start > 0 ? start : from_zero(b_norm);
    for (int k = 0; k < 50 && t > 0; ++k) {
      double square = 0, slope = 0;                            // ‖U‖² and −d(‖U‖²/2)/dt
      for (Index o = 0; o < n_outputs; ++o) solve(t, o, square, slope);
      const double norm = std::sqrt(square);
      if (std::abs(norm - 1) <= 4e-15 || !(slope > 0)) return t;
      const double step = (norm - 1) * square / slope;
      if (std::abs(step) <= 1e-15 * t) return t;
      t = t + step > 0 ? t + step : from_zero(b_norm);
    }
    return t;
  }

  // Without a group term the minimum is that of (A + tiny I) W = b, whatever its length.
  double free_length() {
    double square = 0, slope = 0;
    c = 1e-14 * steepness;
    for (Index o = 0; o < n_outputs; ++o) solve(1.0, o, square, slope);
    c = 0;
    return 1.0;
  }

  double from_zero(double b_norm) const {                      // Newton's step from t = 0, where U = b / c
    double bAb = 0;
    for (Index i = 0; i < m * n_outputs; ++i)
      for (Index j = 0; j < m; ++j) bAb += b[i] * A[i % m * m + j] * b[i / m * m + j];
    return bAb > 0 ? (b_norm - c) * (b_norm * b_norm / bAb) : 0.0;
  }

  // U's column o by the Cholesky factor of the active part of tA + cI, and what it adds to ‖U‖² and the slope.
  void solve(double t, Index o, double& square, double& slope) {
    members.clear();
    for (Index j = 0; j < m; ++j)
      if (active[o * m + j]) members.push_back(j);
    const Index k = static_cast<Index>(members.size());
    for (Index i = 0; i < k; ++i) {
      double* l = L.data() + i * k;
      for (Index j = 0; j <= i; ++j) {
        double rest = t * A[members[i] * m + members[j]] + (i == j ? c : 0.0);
        const double* lj = L.data() + j * k;
        for (Index s = 0; s < j; ++s) rest -= l[s] * lj[s];
        l[j] = i == j ? std::sqrt(std::max(rest, 1e-300)) : rest / lj[j];
      }
      double rest = b[o * m + members[i]];
      for (Index s = 0; s < i; ++s) rest -= l[s] * x[s];
      x[i] = rest / l[i];
    }
    for (Index i = k; i-- > 0;) {
      for (Index s = i + 1; s < k; ++s) x[i] -= L[s * k + i] * x[s];
      x[i] /= L[i * k + i];
    }
    double uu = 0, half = 0;                                   // ‖u‖² and ‖L⁻¹u‖²
    for (Index i = 0; i < k; ++i) {
      U[o * m + members[i]] = x[i];
      uu += x[i] * x[i];
    }
    for (Index i = 0; i < k; ++i) {
      for (Index s = 0; s < i; ++s) x[i] -= L[i * k + s] * x[s];
      x[i] /= L[i * k + i];
      half += x[i] * x[i];
    }
    square += uu;
    slope += (uu - c * half) / t;
  }

  const Index n_outputs;
  const bool positive;
  double steepness = 0;                                        // an upper bound of A's eigenvalues
  std::vector<double> L, U, b, x, next;
  std::vector<char> active;
  std::vector<Index> members;
};

}  // namespace tamis
