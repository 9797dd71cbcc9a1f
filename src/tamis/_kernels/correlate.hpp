// Xᵀ r for one to four vectors at once: X is read once for all of them, whatever its order, and sums are in double.
#pragma once
#include <algorithm>
#include <vector>

#include "lanes.hpp"

namespace tamis {

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

// A TypeError where neighbours lie apart in memory along both axes.
template <class T>
Table<T> table_of(const Columns<T>& X, bool& row_major) {
  row_major = X.stride(0) != 1;
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1));
  if (row_major) require_neighbours(p, X.stride(1));
  return Table<T>{X.data(), n, p, row_major ? X.stride(0) : X.stride(1)};
}

// The next column is fetched while this one is read: they are far apart in memory.
template <class T>
inline void fetch([[maybe_unused]] const Table<T>& A, [[maybe_unused]] Index k, [[maybe_unused]] Index to,
                  [[maybe_unused]] Index start, [[maybe_unused]] Index m) {
#if defined(__GNUC__)
  if (k >= to) return;
  const char* x = reinterpret_cast<const char*>(A.X + A.column(k) * A.stride + start);
  for (Index b = 0; b < static_cast<Index>(m * sizeof(T)); b += 64) __builtin_prefetch(x + b);
#endif
}

// sum[q, c] = x_qᵀ r_c over m rows, for B columns and C vectors.
template <int B, int C, class T>
inline void products(const T* const (&x)[B], const double* r, Index r_stride, Index m, double (&sum)[B][C]) {
  constexpr Index lanes = Lanes<double>::lanes;
  Lanes<double>::Lane sums[B][C] = {};
  Index i = 0;
  for (; i + lanes <= m; i += lanes) {
    Lanes<double>::Lane value[B];
    for (int q = 0; q < B; ++q) value[q] = load_wide(x[q] + i);
    for (int c = 0; c < C; ++c) {
      const auto factor = load(r + c * r_stride + i);
      for (int q = 0; q < B; ++q) sums[q][c] += value[q] * factor;
    }
  }
  for (int q = 0; q < B; ++q)
    for (int c = 0; c < C; ++c) {
      double each[lanes];
      store(sums[q][c], each);
      sum[q][c] = 0;
      for (Index l = 0; l < lanes; ++l) sum[q][c] += each[l];
      for (Index t = i; t < m; ++t) sum[q][c] += static_cast<double>(x[q][t]) * r[c * r_stride + t];
    }
}

// Column-major: sum[c, j] over a block of columns, C vectors, two columns side by side.
template <int C, class T>
void by_columns(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  constexpr Index high = row_block / C;
  for (Index start = 0; start < A.n; start += high) {
    const Index m = std::min(high, A.n - start);
    Index k = from;
    for (; k + 2 <= to; k += 2) {
      fetch(A, k + 2, to, start, m);
      fetch(A, k + 3, to, start, m);
      const T* const x[2] = {A.X + A.column(k) * A.stride + start, A.X + A.column(k + 1) * A.stride + start};
      double sum[2][C];
      products<2, C>(x, R + start, A.n, m, sum);
      for (int c = 0; c < C; ++c) out[c * A.count + k] += sum[0][c], out[c * A.count + k + 1] += sum[1][c];
    }
    for (; k < to; ++k) {
      const T* const x[1] = {A.X + A.column(k) * A.stride + start};
      double sum[1][C];
      products<1, C>(x, R + start, A.n, m, sum);
      for (int c = 0; c < C; ++c) out[c * A.count + k] += sum[0][c];
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

// Row-major: rows [from, to) of all columns, a few rows at a time, C sums of a few columns in registers.
template <int C, class T>
void by_rows(const Table<T>& A, const double* R, Index from, Index to, double* out) {
  constexpr Index high = 16, V = 2, lanes = Lanes<double>::lanes;
  for (Index i = from; i < to; i += high) {
    const Index m = std::min(high, to - i);
    const T* rows = A.X + i * A.stride;
    double f[high][C];
    for (Index k = 0; k < m; ++k)
      for (int c = 0; c < C; ++c) f[k][c] = R[c * A.n + i + k];
    Index j = 0;
    for (; j + V * lanes <= A.p; j += V * lanes) {
      Lanes<double>::Lane sums[C][V];
      for (int c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) sums[c][v] = load(out + c * A.p + j + v * lanes);
      for (Index k = 0; k < m; ++k) {
        const T* x = rows + k * A.stride + j;
        soon(x + high * A.stride);
        for (Index v = 0; v < V; ++v) {
          const auto value = load_wide(x + v * lanes);
          for (int c = 0; c < C; ++c) sums[c][v] += f[k][c] * value;
        }
      }
      for (int c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) store(sums[c][v], out + c * A.p + j + v * lanes);
    }
    for (; j < A.p; ++j)
      for (Index k = 0; k < m; ++k)
        for (int c = 0; c < C; ++c) out[c * A.p + j] += f[k][c] * static_cast<double>(rows[k * A.stride + j]);
  }
}

// out[c, j] += x_jᵀ r_c; `parts` is working memory.
template <int C, class T>
void pass(const Table<T>& A, bool row_major, const double* R, double* out, std::vector<double>& parts, int n_threads) {
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
  parts.resize(n_parts * C * A.p);
  parallel_for(static_cast<std::size_t>(n_parts), n_threads, [&](std::size_t t, int) {
    const Index k = static_cast<Index>(t);
    double* part = parts.data() + k * C * A.p;
    std::fill_n(part, C * A.p, 0.0);
    by_rows<C>(A, R, A.n * k / n_parts, A.n * (k + 1) / n_parts, part);
  });
  for (Index k = 0; k < n_parts; ++k)
    for (Index j = 0; j < C * A.p; ++j) out[j] += parts[k * C * A.p + j];
}

}  // namespace tamis
