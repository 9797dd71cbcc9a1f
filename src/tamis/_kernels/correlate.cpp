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
struct Table {
  const T* X;
  Index n, p, stride;                       // stride: between columns (column-major) or rows (row-major)
};

// Column-major: sum[c, j] over a block of columns, C vectors.
template <int C, class T>
void by_columns(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  for (Index start = 0; start < A.n; start += row_block) {
    const Index m = std::min(row_block, A.n - start);
    for (Index j = from; j < to; ++j) {
      const T* x = A.X + j * A.stride + start;
      const double* r = R + start;
      double sum[C] = {};
      for (Index i = 0; i < m; ++i) {
        const double v = static_cast<double>(x[i]);
        for (int c = 0; c < C; ++c) sum[c] += v * r[c * A.n + i];
      }
      for (int c = 0; c < C; ++c) out[c * A.p + j] += sum[c];
    }
  }
}

// The same for one vector, four columns side by side: one alone would wait for its own sum.
template <class T>
void by_four_columns(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  for (Index start = 0; start < A.n; start += row_block) {
    const Index m = std::min(row_block, A.n - start);
    const double* r = R + start;
    for (Index j = from; j + 4 <= to; j += 4) {
      const T* x = A.X + j * A.stride + start;
      const T *x1 = x + A.stride, *x2 = x1 + A.stride, *x3 = x2 + A.stride;
      double a = 0, b = 0, c = 0, d = 0;
      for (Index i = 0; i < m; ++i) {
        a += r[i] * static_cast<double>(x[i]);
        b += r[i] * static_cast<double>(x1[i]);
        c += r[i] * static_cast<double>(x2[i]);
        d += r[i] * static_cast<double>(x3[i]);
      }
      out[j] += a, out[j + 1] += b, out[j + 2] += c, out[j + 3] += d;
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
    parallel_for(static_cast<std::size_t>((A.p + column_block - 1) / column_block), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * column_block;
      if constexpr (C == 1)
        by_four_columns(A, R, from, std::min(A.p, from + column_block), out);
      else
        by_columns<C>(A, R, from, std::min(A.p, from + column_block), out);
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

// out (m, p) = R X for R (m, n): the correlations of every column with each row of R.
template <class T>
void correlate(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const bool row_major = X.stride(0) != 1;
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1)), m = static_cast<Index>(R.shape(0));
  const Table<T> A{X.data(), n, p, row_major ? X.stride(0) : X.stride(1)};
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

}  // namespace

void register_correlate(nb::module_& m) {
  m.def("correlate", &correlate<float>, nogil());
  m.def("correlate", &correlate<double>, nogil());
}

}  // namespace tamis
