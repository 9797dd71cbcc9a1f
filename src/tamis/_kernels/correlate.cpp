// Xᵀ R for a few vectors R at once: X is read once for four of them, whatever its order, and sums are in double.
#include <algorithm>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

constexpr Index at_once = 4;                // vectors per reading of X
constexpr Index row_block = 2048;           // rows of R that stay in the cache
constexpr Index column_block = 32;

template <class T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
struct Table {
  const T* X;
  Index n, p, stride;                       // stride: between columns (column-major) or rows (row-major)
  const Index* wanted = nullptr;            // columns to be read, where it is not all of them
  Index count = p;

  Index column(Index k) const { return wanted ? wanted[k] : k; }
};

// Columns far apart in memory: the next one is fetched while this one is read.
template <class T>
inline void fetch([[maybe_unused]] const Table<T>& A, [[maybe_unused]] Index k, [[maybe_unused]] Index to,
                  [[maybe_unused]] Index start, [[maybe_unused]] Index m) {
#if defined(__GNUC__)
  if (!A.wanted || k >= to) return;
  const char* x = reinterpret_cast<const char*>(A.X + A.wanted[k] * A.stride + start);
  for (Index b = 0; b < static_cast<Index>(m * sizeof(T)); b += 64) __builtin_prefetch(x + b);
#endif
}

// Column-major: sum[c, j] over a block of columns, C vectors.
template <int C, class T>
void by_columns(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  for (Index start = 0; start < A.n; start += row_block) {
    const Index m = std::min(row_block, A.n - start);
    for (Index k = from; k < to; ++k) {
      fetch(A, k + 1, to, start, m);
      const T* x = A.X + A.column(k) * A.stride + start;
      const double* r = R + start;
      double sum[C] = {};
      for (Index i = 0; i < m; ++i) {
        const double v = static_cast<double>(x[i]);
        for (int c = 0; c < C; ++c) sum[c] += v * r[c * A.n + i];
      }
      for (int c = 0; c < C; ++c) out[c * A.count + k] += sum[c];
    }
  }
}

// The same for one vector, four columns side by side: one alone would wait for its own sum.
template <class T>
void by_four_columns(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  for (Index start = 0; start < A.n; start += row_block) {
    const Index m = std::min(row_block, A.n - start);
    const double* r = R + start;
    for (Index k = from; k + 4 <= to; k += 4) {
      const T *x = A.X + A.column(k) * A.stride + start, *x1 = A.X + A.column(k + 1) * A.stride + start,
              *x2 = A.X + A.column(k + 2) * A.stride + start, *x3 = A.X + A.column(k + 3) * A.stride + start;
      double a = 0, b = 0, c = 0, d = 0;
      for (Index i = 0; i < m; ++i) {
        a += r[i] * static_cast<double>(x[i]);
        b += r[i] * static_cast<double>(x1[i]);
        c += r[i] * static_cast<double>(x2[i]);
        d += r[i] * static_cast<double>(x3[i]);
      }
      out[k] += a, out[k + 1] += b, out[k + 2] += c, out[k + 3] += d;
    }
  }
  by_columns<1>(A, R, to - (to - from) % 4, to, out);
}

// o_c += Σ_i r_c[i] x_i over four rows x_i, for K ≤ 2 vectors: what fits the registers.
template <int K, class T>
inline void four_rows(const T* __restrict x, Index stride, const double* r, Index r_stride, Index width, double* __restrict o,
                      Index o_stride) {
  const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
  double f[K][4];
  for (int c = 0; c < K; ++c)
    for (int i = 0; i < 4; ++i) f[c][i] = r[c * r_stride + i];
  for (Index j = 0; j < width; ++j) {
    const double v0 = static_cast<double>(x[j]), v1 = static_cast<double>(x1[j]), v2 = static_cast<double>(x2[j]),
                 v3 = static_cast<double>(x3[j]);
    for (int c = 0; c < K; ++c) o[c * o_stride + j] += (f[c][0] * v0 + f[c][1] * v1) + (f[c][2] * v2 + f[c][3] * v3);
  }
}

// Row-major: rows [from, to) of all columns, four rows at a time, a stretch of columns that stays in the cache.
template <int C, class T>
void by_rows(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  constexpr Index stretch = 512;
  for (Index left = 0; left < A.p; left += stretch) {
    const Index width = std::min(stretch, A.p - left);
    Index i = from;
    for (; i + 4 <= to; i += 4) {
      const T* x = A.X + i * A.stride + left;
      for (int c = 0; c + 2 <= C; c += 2) four_rows<2>(x, A.stride, R + c * A.n + i, A.n, width, out + c * A.p + left, A.p);
      if constexpr (C % 2 == 1) four_rows<1>(x, A.stride, R + (C - 1) * A.n + i, A.n, width, out + (C - 1) * A.p + left, A.p);
    }
    for (; i < to; ++i)
      for (int c = 0; c < C; ++c) {
        const double r = R[c * A.n + i];
        const T* x = A.X + i * A.stride + left;
        double* o = out + c * A.p + left;
        for (Index j = 0; j < width; ++j) o[j] += r * static_cast<double>(x[j]);
      }
  }
}

template <int C, class T>
void pass(const Table<T>& A, bool row_major, const double* R, double* out, int n_threads) {
  if (!row_major) {
    parallel_for(static_cast<std::size_t>((A.count + column_block - 1) / column_block), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * column_block, to = std::min(A.count, from + column_block);
      if constexpr (C == 1)
        by_four_columns(A, R, from, to, out);
      else
        by_columns<C>(A, R, from, to, out);
    });
    return;
  }
  const Index n_parts = std::clamp<Index>(A.n / 64, 1, 8);   // fixed by the shape: the same sums for any number of threads
  std::vector<double> parts(n_parts * C * A.p, 0.0);
  parallel_for(static_cast<std::size_t>(n_parts), n_threads, [&](std::size_t t, int) {
    const Index k = static_cast<Index>(t);
    by_rows<C>(A, R, A.n * k / n_parts, A.n * (k + 1) / n_parts, parts.data() + k * C * A.p);
  });
  for (Index k = 0; k < n_parts; ++k)
    for (Index j = 0; j < C * A.p; ++j) out[j] += parts[k * C * A.p + j];
}

template <class T>
void all_passes(const Table<T>& A, bool row_major, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const Index n = A.n, p = A.count, m = static_cast<Index>(R.shape(0));
  std::fill(out.data(), out.data() + m * p, 0.0);
  Signals signals;
  for (Index c = 0; c < m; c += at_once) {
    signals.check();
    const double* r = R.data() + c * n;
    double* o = out.data() + c * p;
    switch (std::min(at_once, m - c)) {
      case 1: pass<1>(A, row_major, r, o, n_threads); break;
      case 2: pass<2>(A, row_major, r, o, n_threads); break;
      case 3: pass<3>(A, row_major, r, o, n_threads); break;
      default: pass<4>(A, row_major, r, o, n_threads);
    }
  }
}

// out (m, p) = R X for R (m, n): the correlations of every column with each row of R.
template <class T>
void correlate(Columns<T> X, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const bool row_major = X.stride(0) != 1;
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1));
  all_passes(Table<T>{X.data(), n, p, row_major ? X.stride(0) : X.stride(1)}, row_major, R, out, n_threads);
}

// out (m, |wanted|): the same for some columns of a column-major X.
template <class T>
void correlate_some(Columns<T> X, Vector<const Index> wanted, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1)), count = static_cast<Index>(wanted.size());
  all_passes(Table<T>{X.data(), n, p, X.stride(1), wanted.data(), count}, false, R, out, n_threads);
}

}  // namespace

void register_correlate(nb::module_& m) {
  m.def("correlate", &correlate<float>, nogil());
  m.def("correlate", &correlate<double>, nogil());
  m.def("correlate_some", &correlate_some<float>, nogil());
  m.def("correlate_some", &correlate_some<double>, nogil());
}

}  // namespace tamis
