// A = L Lᵀ for the rows and columns S of a symmetric matrix, S gaining and losing members; L is row-major and lives in the caller's
// memory. Two right-hand sides come along as u = L⁻¹a and v = L⁻¹b, so that solving for a − α b costs one half of a solve.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dots.hpp"
#include "kernels.hpp"

namespace tamis {

class Cholesky {
 public:
  // A column whose predecessors explain all but `visible` of its diagonal entry depends on them.
  Cholesky(double* L, Index capacity, std::int64_t* members, std::int64_t* n_members, Index p, double visible = 1e-13)
      : L(L), capacity(capacity), members(members), n_members(n_members), u(capacity), v(capacity), inside(p, 0),
        rotations(2 * capacity), visible(visible) {
    for (Index i = 0; i < size(); ++i) inside[members[i]] = 1;
  }

  Index size() const { return *n_members; }
  Index operator[](Index i) const { return members[i]; }
  bool contains(Index j) const { return inside[j]; }
  double least_pivot() const { return least; }       // smallest share of a diagonal entry that its predecessors did not explain

  void clear() {
    for (Index i = 0; i < size(); ++i) inside[members[i]] = 0;
    *n_members = 0;
    least = 1.0;
  }

  // Adds the columns `wanted`, four at a time so that L is read once for four; those that depend on the members
  // (or find no room) go to `refused`. `entry(i, j)` is A_ij, `sides(j)` the pair (a_j, b_j).
  template <class Entry, class Sides>
  void append(const std::vector<Index>& wanted, const Entry& entry, const Sides& sides, std::vector<Index>& refused) {
    for (std::size_t from = 0; from < wanted.size(); from += 4) {
      const Index m = std::min<Index>(4, static_cast<Index>(wanted.size() - from)), k = size();
      if (k + m > capacity) {
        for (std::size_t e = from; e < wanted.size(); ++e)
          refused.push_back(wanted[e]);
        return;
      }
      for (Index e = 0; e < m; ++e)
        for (Index i = 0; i < k; ++i) row(k + e)[i] = entry(wanted[from + e], members[i]);
      if (m == 4)
        substitute_four(k);
      else
        for (Index e = 0; e < m; ++e) substitute_row(row(k + e), 0, k);
      for (Index e = 0; e < m; ++e) close(wanted[from + e], k, row(k + e), entry, sides, refused);
    }
  }

  // Drops the member at position m: the rows below move up and are made triangular again by Givens rotations.
  void remove(Index m) {
    const Index k = size();
    inside[members[m]] = 0;
    for (Index i = m; i + 1 < k; ++i) members[i] = members[i + 1];
    for (Index i = m; i + 1 < k; i += 4) {
      const Index rows = std::min<Index>(4, k - 1 - i);
      for (Index t = 0; t < rows; ++t) std::copy(row(i + t + 1), row(i + t + 1) + i + t + 2, row(i + t));
      if (rows == 4)
        rotate_four(row(i), m, i);
      else
        for (Index t = 0; t < rows; ++t) rotate_row(row(i + t), m, i);
      for (Index t = 0; t < rows; ++t) {
        double* a = row(i + t);
        rotate_row(a, i, i + t);
        const double length = std::hypot(a[i + t], a[i + t + 1]);
        rotations[2 * (i + t)] = a[i + t] / length;
        rotations[2 * (i + t) + 1] = a[i + t + 1] / length;
        a[i + t] = length;
      }
    }
    rotate_row(u.data(), m, k - 1);
    rotate_row(v.data(), m, k - 1);
    --*n_members;
  }

  // u and v anew, for right-hand sides that changed.
  template <class Sides>
  void restate(const Sides& sides) {
    least = 1.0;
    for (Index i = 0; i < size(); ++i) {
      const double* a = row(i);
      double au = 0, av = 0, aa = 0;
      for (Index t = 0; t < i; ++t) au += a[t] * u[t], av += a[t] * v[t], aa += a[t] * a[t];
      const std::pair<double, double> side = sides(members[i]);
      u[i] = (side.first - au) / a[i];
      v[i] = (side.second - av) / a[i];
      least = std::min(least, a[i] * a[i] / (aa + a[i] * a[i]));
    }
  }

  void solve(double alpha, double* x) const {        // x := A⁻¹ (a − α b)
    for (Index i = 0; i < size(); ++i) x[i] = u[i] - alpha * v[i];
    backward(x);
  }

  void solve(double* x) const {                      // x := A⁻¹ x
    forward(x);
    backward(x);
  }

 private:
  double* row(Index i) { return L + i * capacity; }
  const double* row(Index i) const { return L + i * capacity; }

  void substitute_row(double* l, Index from, Index to) {
    for (Index i = from; i < to; ++i) l[i] = (l[i] - dot(row(i), l, i)) / row(i)[i];
  }

  void substitute_four(Index k) {                    // the rows from k on, two rows of L at a time
    double* l[4];
    for (int e = 0; e < 4; ++e) l[e] = row(k + e);
    Index i = 0;
    for (; i + 2 <= k; i += 2) {
      double sums[2][4];
      dots<2, 4, double>({row(i), row(i + 1)}, {l[0], l[1], l[2], l[3]}, i, sums);
      for (int e = 0; e < 4; ++e) {
        l[e][i] = (l[e][i] - sums[0][e]) / row(i)[i];
        l[e][i + 1] = (l[e][i + 1] - sums[1][e] - row(i + 1)[i] * l[e][i]) / row(i + 1)[i + 1];
      }
    }
    for (int e = 0; e < 4; ++e) substitute_row(l[e], i, k);
  }

  // Row `l`, substituted up to `done`, becomes the last row of L.
  template <class Entry, class Sides>
  void close(Index j, Index done, double* l, const Entry& entry, const Sides& sides, std::vector<Index>& refused) {
    const Index k = size();
    if (l != row(k)) std::copy(l, l + done, row(k));
    l = row(k);
    for (Index i = done; i < k; ++i) l[i] = entry(j, members[i]);
    substitute_row(l, done, k);
    const double whole = entry(j, j), rest = whole - dot(l, l, k);
    if (!(rest > visible * whole)) {
      refused.push_back(j);
      return;
    }
    least = std::min(least, rest / whole);
    l[k] = std::sqrt(rest);
    const std::pair<double, double> side = sides(j);
    u[k] = (side.first - dot(l, u.data(), k)) / l[k];
    v[k] = (side.second - dot(l, v.data(), k)) / l[k];
    members[k] = j;
    inside[j] = 1;
    ++*n_members;
  }

  void forward(double* b) const {
    for (Index i = 0; i < size(); ++i) b[i] = (b[i] - dot(row(i), b, i)) / row(i)[i];
  }

  void backward(double* b) const {
    Index i = size();
    for (; i >= 2; i -= 2) {
      const double *lower = row(i - 1), *upper = row(i - 2);
      const double x = b[i - 1] /= lower[i - 1], y = b[i - 2] = (b[i - 2] - x * lower[i - 2]) / upper[i - 2];
      for (Index t = 0; t < i - 2; ++t) b[t] -= x * lower[t] + y * upper[t];
    }
    if (i) b[0] /= row(0)[0];
  }

  void rotate_row(double* a, Index from, Index to) const {
    double carried = a[from];
    for (Index c = from; c < to; ++c) {
      const double next = a[c + 1], cosine = rotations[2 * c], sine = rotations[2 * c + 1];
      a[c] = cosine * carried + sine * next;
      carried = cosine * next - sine * carried;
    }
    a[to] = carried;
  }

  void rotate_four(double* a, Index from, Index to) const {     // four rows side by side: each alone waits for its own last result
    double carried[4];
    for (int t = 0; t < 4; ++t) carried[t] = a[t * capacity + from];
    for (Index c = from; c < to; ++c) {
      const double cosine = rotations[2 * c], sine = rotations[2 * c + 1];
      for (int t = 0; t < 4; ++t) {
        double* at = a + t * capacity + c;
        const double next = at[1];
        at[0] = cosine * carried[t] + sine * next;
        carried[t] = cosine * next - sine * carried[t];
      }
    }
    for (int t = 0; t < 4; ++t) a[t * capacity + to] = carried[t];
  }

  double* L;
  Index capacity;
  std::int64_t* members;
  std::int64_t* n_members;
  std::vector<double> u, v;
  std::vector<char> inside;
  std::vector<double> rotations;
  double visible, least = 1.0;
};

}  // namespace tamis
