// The entrywise steps of low rank + sparse, each one reading of the data. NaN in X is a missing entry: it compares with nothing, so
// that it is never kept.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

constexpr Index per_task = 1 << 15;         // numbers

// Σ of task(begin, end) over stretches of n numbers, in their order.
template <class F>
double summed(Index n, int n_threads, F&& task) {
  std::vector<double> sums(static_cast<std::size_t>((n + per_task - 1) / per_task));
  parallel_for(sums.size(), n_threads, [&](std::size_t t, int) {
    const Index begin = static_cast<Index>(t) * per_task;
    sums[t] = task(begin, std::min(n, begin + per_task));
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

// L becomes X − S for S = X − L where |X − L| > limit and 0 elsewhere: x where it is near l, l where it is far or missing.
// Returns Σ (x − l)² over those near.
template <class T>
double keep_near(Matrix<const T> X, Matrix<T> L, double limit, int n_threads) {
  const T* x = X.data();
  T* l = L.data();
  const T most = static_cast<T>(limit);
  return summed(static_cast<Index>(X.size()), n_threads, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const T r = x[i] - l[i];
      const bool near = std::abs(r) <= most;
      const T kept = near ? r : T{0};
      sum += static_cast<double>(kept) * static_cast<double>(kept);
      l[i] = near ? x[i] : l[i];
    }
    return sum;
  });
}

// L becomes X − S for S = shrink(X − L, limit): l + clip(x − l, ±limit), and l where x is missing. Returns Σ huber(x − l) with
// huber(r) = r²/2 within the limit and limit |r| − limit²/2 beyond.
template <class T>
double clip_to(Matrix<const T> X, Matrix<T> L, double limit, int n_threads) {
  const T* x = X.data();
  T* l = L.data();
  const T most = static_cast<T>(limit);
  return summed(static_cast<Index>(X.size()), n_threads, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const T d = x[i] - l[i];
      const T r = d == d ? d : T{0};
      const T c = std::min(std::max(r, -most), most);
      sum += static_cast<double>(c) * (static_cast<double>(r) - 0.5 * static_cast<double>(c));
      l[i] += c;
    }
    return sum;
  });
}

// One round of multipliers and of the matrix to threshold next. With T = X − L + Z/r, S = shrink(T, α/r) and Z⁺ = Z + r(X − L − S),
// that is Z⁺ = clip(r(X − L) + Z, ±α) and S = T − Z⁺/r: M = X − S + Z⁺/r⁺ = L + (Z⁺ − Z)/r + Z⁺/r⁺. Where x is missing, S is free and
// Z⁺ = 0. Z and M are overwritten, M holding L on entry. Returns ‖X − L − S‖².
template <class T>
double multiplier_step(Matrix<const T> X, Matrix<T> Z, Matrix<T> M, double alpha, double r, double r_next, int n_threads) {
  const T* x = X.data();
  T *z = Z.data(), *m = M.data();
  const T a = static_cast<T>(alpha), rate = static_cast<T>(r), back = static_cast<T>(1 / r), next = static_cast<T>(1 / r_next);
  return summed(static_cast<Index>(X.size()), n_threads, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const T t = rate * (x[i] - m[i]) + z[i];
      const bool known = t == t;
      const T clipped = std::min(std::max(known ? t : T{0}, -a), a);
      const T d = known ? (clipped - z[i]) * back : T{0};
      sum += static_cast<double>(d) * static_cast<double>(d);
      m[i] += d + clipped * next;
      z[i] = clipped;
    }
    return sum;
  });
}

template <class T>
void register_for(nb::module_& m) {
  define(m, "keep_near", &keep_near<T>, nogil());
  define(m, "clip_to", &clip_to<T>, nogil());
  define(m, "multiplier_step", &multiplier_step<T>, nogil());
}

}  // namespace

void register_separation(nb::module_& m) {
  register_for<float>(m);
  register_for<double>(m);
}

}  // namespace tamis
