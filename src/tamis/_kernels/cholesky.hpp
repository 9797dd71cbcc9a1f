// G_SS = L Lᵀ for a set S that gains and loses members; L is row-major and lives in the caller's memory.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace tamis {

class Cholesky {
 public:
  Cholesky(double* L, Index capacity, std::int64_t* members, std::int64_t* n_members, Index p)
      : L(L), capacity(capacity), members(members), n_members(n_members), inside(p, 0), rotations(2 * capacity) {
    for (Index i = 0; i < size(); ++i) inside[members[i]] = 1;
  }

  Index size() const { return *n_members; }
  Index operator[](Index i) const { return members[i]; }
  bool contains(Index j) const { return inside[j]; }

  // Adds column j; false (and nothing changed) when it depends on the members to working precision, or there is no room.
  bool append(Index j, const double* G, Index ld) {
    const Index k = size();
    if (k == capacity) return false;
    const double* g = G + j * ld;
    double* l = row(k);
    double rest = g[j];
    for (Index i = 0; i < k; ++i) {
      const double* a = row(i);
      double dot = 0;
      for (Index t = 0; t < i; ++t) dot += a[t] * l[t];
      l[i] = (g[members[i]] - dot) / a[i];
      rest -= l[i] * l[i];
    }
    if (!(rest > 1e-13 * g[j])) return false;
    l[k] = std::sqrt(rest);
    members[k] = j;
    inside[j] = 1;
    ++*n_members;
    return true;
  }

  // Drops the member at position m: the rows below move up and are made triangular again by Givens rotations.
  void remove(Index m) {
    const Index k = size();
    inside[members[m]] = 0;
    for (Index i = m; i + 1 < k; ++i) {
      double* to = row(i);
      std::copy(row(i + 1), row(i + 1) + i + 2, to);
      members[i] = members[i + 1];
      for (Index c = m; c < i; ++c) rotate(to, c, rotations[2 * c], rotations[2 * c + 1]);
      const double length = std::hypot(to[i], to[i + 1]);
      rotations[2 * i] = to[i] / length;
      rotations[2 * i + 1] = to[i + 1] / length;
      to[i] = length;
    }
    --*n_members;
  }

  void solve(double* b) const {                 // b := (L Lᵀ)⁻¹ b
    const Index k = size();
    for (Index i = 0; i < k; ++i) {
      const double* a = row(i);
      double dot = 0;
      for (Index t = 0; t < i; ++t) dot += a[t] * b[t];
      b[i] = (b[i] - dot) / a[i];
    }
    for (Index i = k; i-- > 0;) {
      const double* a = row(i);
      const double x = b[i] /= a[i];
      for (Index t = 0; t < i; ++t) b[t] -= x * a[t];
    }
  }

 private:
  double* row(Index i) { return L + i * capacity; }
  const double* row(Index i) const { return L + i * capacity; }

  static void rotate(double* a, Index c, double cosine, double sine) {
    const double x = a[c], y = a[c + 1];
    a[c] = cosine * x + sine * y;
    a[c + 1] = cosine * y - sine * x;
  }

  double* L;
  Index capacity;
  std::int64_t* members;
  std::int64_t* n_members;
  std::vector<char> inside;
  std::vector<double> rotations;
};

}  // namespace tamis
