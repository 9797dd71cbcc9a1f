// The fast Walsh–Hadamard transform of rows, in Sylvester's order: H₁ = 1, H₂ₙ = [Hₙ Hₙ; Hₙ −Hₙ].
#include <algorithm>
#include <utility>

#include "lanes.hpp"

namespace tamis {
namespace {

constexpr Index near_bytes = 16384;         // of a stretch that stays in the nearest cache while all its levels are done
constexpr Index task_size = 1 << 15;        // numbers a task should have at least: waking a thread takes some microseconds

template <class V>
inline void butterfly(V& a, V& b) {
  const V sum = a + b;
  b = a - b;
  a = sum;
}

// L levels in one reading: v holds 2^L numbers, or as many registers.
template <int L, class V>
inline void butterflies(V (&v)[1 << L]) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 3
#endif
  for (int g = 0; g < L; ++g)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
    for (int i = 0; i < 1 << L; ++i)
      if (!(i >> g & 1)) butterfly(v[i], v[i | 1 << g]);
}

// The levels h, 2h, …, 2^(L−1) h of n numbers: level h makes (a + b, a − b) of numbers a, b that are h apart.
template <int L, class T>
void levels_at_once(T* x, Index n, Index h) {
  constexpr Index lanes = Lanes<T>::lanes;
  for (T* a = x; a < x + n; a += h << L) {
    for (Index j = 0; j + lanes <= h; j += lanes) {
      typename Lanes<T>::Lane v[1 << L];
      for (int k = 0; k < 1 << L; ++k) v[k] = load(a + j + k * h);
      butterflies<L>(v);
      for (int k = 0; k < 1 << L; ++k) store(v[k], a + j + k * h);
    }
    for (Index j = 0; j < h % lanes; ++j) {          // h < lanes: both are powers of two
      T v[1 << L];
      for (int k = 0; k < 1 << L; ++k) v[k] = a[j + k * h];
      butterflies<L>(v);
      for (int k = 0; k < 1 << L; ++k) a[j + k * h] = v[k];
    }
  }
}

// The levels h, 2h, …, n/2, three in each reading as far as that goes.
template <class T>
void levels(T* x, Index n, Index h) {
  Index left = 0;
  for (Index g = h; g < n; g *= 2) ++left;
  while (left > 0) {
    const Index now = left == 4 ? 2 : std::min<Index>(left, 3);
    if (now == 3) levels_at_once<3>(x, n, h);
    if (now == 2) levels_at_once<2>(x, n, h);
    if (now == 1) levels_at_once<1>(x, n, h);
    h <<= now;
    left -= now;
  }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TAMIS_SHUFFLES
#endif
#endif

#if defined(TAMIS_SHUFFLES)
// Level h inside a register: every number plus or minus the one h away.
template <Index h, class T, int... i>
inline typename Lanes<T>::Lane level_inside(typename Lanes<T>::Lane x, std::integer_sequence<int, i...>) {
  const typename Lanes<T>::Lane sign = {((i & h) ? T{-1} : T{1})...};
  return sign * x + __builtin_shufflevector(x, x, (i ^ h)...);
}

template <class T, Index h = 1>
inline typename Lanes<T>::Lane levels_inside(typename Lanes<T>::Lane x) {
  constexpr int lanes = static_cast<int>(Lanes<T>::lanes);
  if constexpr (h < lanes)
    return levels_inside<T, 2 * h>(level_inside<h, T>(x, std::make_integer_sequence<int, lanes>{}));
  else
    return x;
}
#endif

// to = factor · H from, for n numbers that fit the nearest cache.
template <class T>
void near_levels(const T* from, T* to, Index n, T factor) {
#if defined(TAMIS_SHUFFLES)
  constexpr Index lanes = Lanes<T>::lanes;
  if (n >= lanes) {
    for (Index j = 0; j < n; j += lanes) store(levels_inside<T>(factor * load(from + j)), to + j);
    levels(to, n, lanes);
    return;
  }
#endif
  for (Index j = 0; j < n; ++j) to[j] = factor * from[j];
  levels(to, n, Index{1});
}

// The levels h, 2h, …, rows·h/2 of `width` numbers in each of `rows` rows of h: copied together first, because numbers a
// power of two apart would drive each other out of the cache.
template <class T>
void far_levels(T* x, Index h, Index rows, Index width) {
  T tile[near_bytes / sizeof(T)];
  for (Index k = 0; k < rows; ++k) std::copy_n(x + k * h, width, tile + k * width);
  levels(tile, rows * width, width);
  for (Index k = 0; k < rows; ++k) std::copy_n(tile + k * width, width, x + k * h);
}

// task(i) for i in [0, count), as many together as make a task worth its thread; each has `size` numbers.
template <class F>
void in_batches(Index count, Index size, int n_threads, F&& task) {
  const Index together = std::max<Index>(1, task_size / size);
  parallel_for(static_cast<std::size_t>((count + together - 1) / together), n_threads, [&](std::size_t batch, int) {
    const Index begin = static_cast<Index>(batch) * together, end = std::min(count, begin + together);
    for (Index k = begin; k < end; ++k) task(k);
  });
}

// out = scale · X H, X of m rows and n columns, n a power of two.
template <class T>
void fwht(Matrix<const T> X, Matrix<T> out, double scale, int n_threads) {
  const Index m = static_cast<Index>(X.shape(0)), n = static_cast<Index>(X.shape(1));
  const Index room = near_bytes / static_cast<Index>(sizeof(T)), near = std::min(n, room);
  const T factor = static_cast<T>(scale);
  in_batches(m * (n / near), near, n_threads, [&](Index k) {
    near_levels(X.data() + k * near, out.data() + k * near, near, factor);
  });
  for (Index h = near; h < n;) {            // up to six levels in each reading of all numbers
    const Index rows = std::min<Index>(64, n / h), width = std::min<Index>(64, room / rows), tiles = h / width;
    in_batches(m * (n / (rows * width)), rows * width, n_threads,
               [&](Index k) { far_levels(out.data() + k / tiles * (h * rows) + k % tiles * width, h, rows, width); });
    h *= rows;
  }
}

}  // namespace

void register_hadamard(nb::module_& m) {
  define(m, "fwht", &fwht<float>, nogil());
  define(m, "fwht", &fwht<double>, nogil());
}

}  // namespace tamis
