// Inner products of several rows with several others, in double: each number is read once for all of them.
#pragma once
#include "lanes.hpp"

namespace tamis {

// sums[r][c] = Σ a[r][t] b[c][t] over t < n.
template <int R, int C, class A>
inline void dots(const A* const (&a)[R], const double* const (&b)[C], Index n, double (&sums)[R][C]) {
  using Lane = typename Lanes<double>::Lane;
  constexpr Index lanes = Lanes<double>::lanes;
  Lane wide[R][C] = {};
  Index t = 0;
  for (; t + lanes <= n; t += lanes)
    for (int c = 0; c < C; ++c) {
      const Lane y = load(b[c] + t);
      for (int r = 0; r < R; ++r) wide[r][c] += load_wide(a[r] + t) * y;
    }
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c) {
      alignas(Lane) double each[lanes];
      store(wide[r][c], each);
      sums[r][c] = 0;
      for (Index e = 0; e < lanes; ++e) sums[r][c] += each[e];
      for (Index e = t; e < n; ++e) sums[r][c] += static_cast<double>(a[r][e]) * b[c][e];
    }
}

// Σ a[t] b[t], in four sums that do not wait for each other.
template <class A>
inline double dot(const A* a, const double* b, Index n) {
  const Index quarter = n / (4 * Lanes<double>::lanes) * Lanes<double>::lanes;
  using Lane = typename Lanes<double>::Lane;
  Lane wide[4] = {};
  for (Index t = 0; t < quarter; t += Lanes<double>::lanes)
    for (int k = 0; k < 4; ++k) wide[k] += load_wide(a + k * quarter + t) * load(b + k * quarter + t);
  alignas(Lane) double each[Lanes<double>::lanes];
  store((wide[0] + wide[1]) + (wide[2] + wide[3]), each);
  double sum = 0;
  for (double x : each) sum += x;
  for (Index t = 4 * quarter; t < n; ++t) sum += static_cast<double>(a[t]) * b[t];
  return sum;
}

}  // namespace tamis
