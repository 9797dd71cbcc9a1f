// A Cholesky factor of a few rows and columns of a Gram, in float or double, for one signal after the other.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels.hpp"

namespace tamis {

// An atom depends on others when their Gram in T leaves less than this of its square.
template <class T>
constexpr double dependent_share = 512 * static_cast<double>(std::numeric_limits<T>::epsilon());

// G_AA = L Lᵀ for a few members, with u = L⁻¹q_A and v = L⁻¹s_A, so that G_AA⁻¹(q_A − α s_A) costs one half of a solve.
template <class C>
class SmallFactor {
 public:
  // What is left of a diagonal entry must be more than `dependent` of it; coarser where the Gram itself is.
  explicit SmallFactor(Index room, double dependent = 64 * static_cast<double>(std::numeric_limits<C>::epsilon()))
      : room(room), dependent(static_cast<C>(dependent)), L((room + 1) * room + 1), u(room), v(room), fresh(room) {}

  Index size() const { return n; }
  bool full() const { return n == room; }
  C* incoming() { return fresh.data(); }                   // G_jA of the one to append
  void clear() { n = 0; }

  // False when it depends on the members.
  bool append(C diagonal, C q, C s) {
    C* l = row(n);
    C rest = diagonal, a = q, b = s;
    for (Index i = 0; i < n; ++i) {
      C x = fresh[i];
      for (Index t = 0; t < i; ++t) x -= row(i)[t] * l[t];
      l[i] = x / row(i)[i];
      rest -= l[i] * l[i];
      a -= l[i] * u[i];
      b -= l[i] * v[i];
    }
    if (full() || !(rest > dependent * diagonal)) return false;
    l[n] = std::sqrt(rest);
    u[n] = a / l[n];
    v[n] = b / l[n];
    ++n;
    return true;
  }

  void remove(Index m) {                                   // Givens rotations make the rows below triangular again
    for (Index i = m; i + 1 < n; ++i) std::copy(row(i + 1), row(i + 1) + i + 2, row(i));
    for (Index i = m; i + 1 < n; ++i) {
      const C a = row(i)[i], b = row(i)[i + 1], length = std::hypot(a, b), c = a / length, s = b / length;
      row(i)[i] = length;
      for (Index t = i + 1; t + 1 < n; ++t) rotate(row(t)[i], row(t)[i + 1], c, s);
      rotate(u[i], u[i + 1], c, s);
      rotate(v[i], v[i + 1], c, s);
    }
    --n;
  }

  void solve(C alpha, C* x) const {                        // x = G_AA⁻¹(q_A − α s_A)
    for (Index i = 0; i < n; ++i) x[i] = u[i] - alpha * v[i];
    back(x);
  }

  void combination(C* x) const {                           // x = G_AA⁻¹ G_Aj of the j that was refused last
    std::copy(row(n), row(n) + n, x);
    back(x);
  }

 private:
  void back(C* x) const {                                  // x ← L⁻ᵀ x
    for (Index i = n; i-- > 0;) {
      const C* l = row(i);
      const C now = x[i] /= l[i];
      for (Index t = 0; t < i; ++t) x[t] -= l[t] * now;
    }
  }

  static void rotate(C& a, C& b, C c, C s) {
    const C next = c * a + s * b;
    b = c * b - s * a;
    a = next;
  }
  C* row(Index i) { return L.data() + i * room; }
  const C* row(Index i) const { return L.data() + i * room; }

  Index room, n = 0;
  C dependent;
  std::vector<C> L, u, v, fresh;
};

}  // namespace tamis
