// Products with compressed X along either axis, four vectors per reading of X; and the survey of all correlations that follows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

constexpr int ahead = 24;                             // entries whose numbers of R are on their way to the cache

inline void prefetch([[maybe_unused]] const double* r) {
#if defined(__GNUC__)
  __builtin_prefetch(r);
#endif
}

// The columns to be read: the `count` that are wanted, or the first ones.
struct Chosen {
  const Index* wanted;
  Index count;

  Index column(Index k) const { return wanted ? wanted[k] : k; }
};

template <int C, class T, class I>
void columns(const T* data, const I* indices, const I* indptr, const double* R, const Chosen& S, double* out, int n_threads) {
  constexpr Index block = 1024;
  parallel_for(static_cast<std::size_t>((S.count + block - 1) / block), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * block, to = std::min(S.count, from + block);
    for (Index k = from; k < to; ++k) {
      const Index j = S.column(k);
      const I end = S.wanted ? 0 : indptr[to];       // the entries ahead are those of the next column only where all are read
      if (S.wanted && k + 1 < to)
        for (I e = indptr[S.wanted[k + 1]]; e < indptr[S.wanted[k + 1] + 1]; ++e) prefetch(R + static_cast<Index>(indices[e]) * C);
      double sum[C] = {};
      for (I e = indptr[j]; e < indptr[j + 1]; ++e) {
        if (e + ahead < end) prefetch(R + static_cast<Index>(indices[e + ahead]) * C);
        const double x = static_cast<double>(data[e]);
        const double* r = R + static_cast<Index>(indices[e]) * C;
        for (int c = 0; c < C; ++c) sum[c] += x * r[c];
      }
      for (int c = 0; c < C; ++c) out[c * S.count + k] = sum[c];
    }
  });
}

template <class T, class I>
void passes(const T* data, const I* indices, const I* indptr, const Chosen& S, Matrix<const double> R, Matrix<double> out,
            int n_threads) {
  const Index n = static_cast<Index>(R.shape(1)), m = static_cast<Index>(R.shape(0)), p = S.count;
  std::vector<double> side(4 * n);                   // the vectors side by side: one place in memory per row of X
  Signals signals;
  for (Index c = 0; c < m; c += 4) {
    signals.check();
    const Index width = std::min<Index>(4, m - c), wide = width == 3 ? 4 : width;
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < wide; ++k) side[i * wide + k] = k < width ? R.data()[(c + k) * n + i] : 0.0;
    double* o = out.data() + c * p;
    if (width == 1)
      columns<1>(data, indices, indptr, side.data(), S, o, n_threads);
    else if (width == 2)
      columns<2>(data, indices, indptr, side.data(), S, o, n_threads);
    else if (width == 4)
      columns<4>(data, indices, indptr, side.data(), S, o, n_threads);
    else {
      std::vector<double> four(4 * p);
      columns<4>(data, indices, indptr, side.data(), S, four.data(), n_threads);
      std::copy(four.begin(), four.begin() + 3 * p, o);
    }
  }
}

// out (m, p) = R X for R (m, n).
template <class T, class I>
void correlate_sparse(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Matrix<const double> R,
                      Matrix<double> out, int n_threads) {
  passes(data.data(), indices.data(), indptr.data(), Chosen{nullptr, static_cast<Index>(out.shape(1))}, R, out, n_threads);
}

// out (m, |wanted|): the same for some columns.
template <class T, class I>
void correlate_sparse_some(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Vector<const Index> wanted,
                           Matrix<const double> R, Matrix<double> out, int n_threads) {
  passes(data.data(), indices.data(), indptr.data(), Chosen{wanted.data(), static_cast<Index>(wanted.size())}, R, out, n_threads);
}

// Σ_i r_i x_i over the compressed slices x_i of [from, to), for C vectors r side by side: total has C numbers per place.
template <int C, class T, class I>
void scatter(const T* data, const I* indices, const I* indptr, const double* R, Index from, Index to, Index width, double* total) {
  std::fill(total, total + C * width, 0.0);
  for (Index i = from; i < to; ++i) {
    const double* r = R + i * C;
    for (I e = indptr[i]; e < indptr[i + 1]; ++e) {
      const double x = static_cast<double>(data[e]);
      double* t = total + static_cast<Index>(indices[e]) * C;
      for (int c = 0; c < C; ++c) t[c] += x * r[c];
    }
  }
}

// out (m, width) = R X for R (m, n) and X (n, width) compressed along its n slices. Each part of the slices has sums of its own; how
// many parts there are depends on the numbers stored, not on the threads.
template <class T, class I>
void spread_sparse(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Matrix<const double> R, Matrix<double> out,
                   int n_threads) {
  constexpr Index most = 8, side = 4;
  const Index n = static_cast<Index>(R.shape(1)), m = static_cast<Index>(R.shape(0)), width = static_cast<Index>(out.shape(1));
  const Index C = m == 1 ? 1 : side;                                // one vector alone, or four of which some may be nothing
  const Index n_parts = std::clamp<Index>(static_cast<Index>(data.size()) / (8 * width), 1, most);   // adding up is to cost little
  const std::unique_ptr<double[]> beside(new double[C * n]), sums(new double[n_parts * C * width]);
  Signals signals;
  for (Index c = 0; c < m; c += side) {
    signals.check();
    const Index count = std::min(side, m - c);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < C; ++k) beside[i * C + k] = k < count ? R.data()[(c + k) * n + i] : 0.0;
    parallel_for(static_cast<std::size_t>(n_parts), n_threads, [&](std::size_t t, int) {
      const Index part = static_cast<Index>(t);
      const auto run = C == 1 ? scatter<1, T, I> : scatter<side, T, I>;
      run(data.data(), indices.data(), indptr.data(), beside.get(), n * part / n_parts, n * (part + 1) / n_parts, width,
          sums.get() + part * C * width);
    });
    for (Index k = 0; k < count; ++k)
      for (Index j = 0; j < width; ++j) {
        double sum = 0;
        for (Index t = 0; t < n_parts; ++t) sum += sums[(t * width + j) * C + k];
        out.data()[(c + k) * width + j] = sum;
      }
  }
}

// out (n, m) = X V for X compressed along its n slices and V (p, m): many vectors at one reading of X, a line of V for each entry.
template <class T, class I>
void sparse_times(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Matrix<const double> V, Matrix<double> out,
                  int n_threads) {
  constexpr Index entries = 1 << 15;                 // of a task, nearly
  const Index n = static_cast<Index>(out.shape(0)), m = static_cast<Index>(out.shape(1));
  const I* first = indptr.data();
  std::vector<Index> starts{0};
  for (Index i = 1; i <= n; ++i)
    if (i == n || (first[i] - first[starts.back()] >= entries) || i - starts.back() >= entries) starts.push_back(i);
  parallel_for(starts.size() - 1, n_threads, [&](std::size_t t, int) {
    Signals signals;
    for (Index i = starts[t]; i < starts[t + 1]; ++i) {
      double* __restrict to = out.data() + i * m;
      std::fill(to, to + m, 0.0);
      for (I e = first[i]; e < first[i + 1]; ++e) {
        if (e + 2 < first[n])                        // the first two lines of the cache; the machine guesses the others
          for (int line = 0; line < 2; ++line) prefetch(V.data() + static_cast<Index>(indices.data()[e + 2]) * m + 8 * line);
        const double x = static_cast<double>(data.data()[e]);
        const double* __restrict v = V.data() + static_cast<Index>(indices.data()[e]) * m;
        for (Index c = 0; c < m; ++c) to[c] += x * v[c];
      }
    }
    signals.check();
  });
}

// H[new, :] = X_newᵀ diag(h) X for the columns from `start` on, as rows; h has n entries or one for all.
template <class T, class I>
void gram_sparse(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Index start, Vector<const double> h,
                 Matrix<double> out, Index n, int n_threads) {
  const Index k = static_cast<Index>(out.shape(1)), m = static_cast<Index>(out.shape(0)), each = h.size() > 1;
  const T* x = data.data();
  const I *row = indices.data(), *first = indptr.data();
  constexpr Index some = 4;                          // new columns at a time
  parallel_for(static_cast<std::size_t>((m + some - 1) / some), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * some, width = std::min(some, m - from);
    std::vector<double> side(some * n, 0.0);         // row by row, the new columns beside each other
    for (Index c = 0; c < width; ++c)
      for (I e = first[start + from + c]; e < first[start + from + c + 1]; ++e)
        side[static_cast<Index>(row[e]) * some + c] = static_cast<double>(x[e]) * h.data()[each * static_cast<Index>(row[e])];
    for (Index j = 0; j < k; ++j) {
      double sum[some] = {};
      for (I e = first[j]; e < first[j + 1]; ++e)
        for (Index c = 0; c < some; ++c) sum[c] += static_cast<double>(x[e]) * side[static_cast<Index>(row[e]) * some + c];
      for (Index c = 0; c < width; ++c) out.data()[(from + c) * k + j] = sum[c];
    }
  });
}

// The largest |c_j| / l1_j (c_j / l1_j where positive) over columns with l1_j > 0, and the columns outside the working set
// with |c_j| > α l1_j + slack, in order: all are counted, as many as there is room for are listed.
double survey(Vector<const double> c, Vector<const double> l1, Vector<const bool> inside, bool positive, double alpha, double slack,
              Vector<std::int64_t> found, Vector<std::int64_t> n_found) {
  const Index p = static_cast<Index>(c.size());
  const double *C = c.data(), *L = l1.data();
  const Index room = static_cast<Index>(found.size());
  constexpr Index block = 512;
  double largest = 0;
  Index count = 0;
  for (Index from = 0; from < p; from += block) {
    const Index to = std::min(p, from + block);
    double larger = -std::numeric_limits<double>::infinity(), over = larger;
    for (Index j = from; j < to; ++j) {              // no division where none can change the answer
      const double a = positive ? C[j] : std::abs(C[j]);
      larger = std::max(larger, a - largest * L[j]);
      over = std::max(over, a - alpha * L[j]);
    }
    if (larger > 0)
      for (Index j = from; j < to; ++j)
        if (L[j] > 0) largest = std::max(largest, (positive ? C[j] : std::abs(C[j])) / L[j]);
    if (!(over > slack)) continue;
    for (Index j = from; j < to; ++j) {
      if (inside.data()[j] || !((positive ? C[j] : std::abs(C[j])) > alpha * L[j] + slack)) continue;
      if (count < room) found.data()[count] = j;
      ++count;
    }
  }
  n_found.data()[0] = count;
  return largest;
}

}  // namespace

void register_sparse(nb::module_& m) {
  define(m, "correlate_sparse", &correlate_sparse<float, std::int32_t>, nogil());
  define(m, "spread_sparse", &spread_sparse<float, std::int32_t>, nogil());
  define(m, "correlate_sparse_some", &correlate_sparse_some<float, std::int32_t>, nogil());
  define(m, "correlate_sparse", &correlate_sparse<double, std::int32_t>, nogil());
  define(m, "spread_sparse", &spread_sparse<double, std::int32_t>, nogil());
  define(m, "correlate_sparse_some", &correlate_sparse_some<double, std::int32_t>, nogil());
  define(m, "correlate_sparse", &correlate_sparse<float, std::int64_t>, nogil());
  define(m, "spread_sparse", &spread_sparse<float, std::int64_t>, nogil());
  define(m, "correlate_sparse_some", &correlate_sparse_some<float, std::int64_t>, nogil());
  define(m, "correlate_sparse", &correlate_sparse<double, std::int64_t>, nogil());
  define(m, "spread_sparse", &spread_sparse<double, std::int64_t>, nogil());
  define(m, "correlate_sparse_some", &correlate_sparse_some<double, std::int64_t>, nogil());
  define(m, "sparse_times", &sparse_times<float, std::int32_t>, nogil());
  define(m, "sparse_times", &sparse_times<float, std::int64_t>, nogil());
  define(m, "sparse_times", &sparse_times<double, std::int32_t>, nogil());
  define(m, "sparse_times", &sparse_times<double, std::int64_t>, nogil());
  define(m, "gram_sparse", &gram_sparse<float, std::int32_t>, nogil());
  define(m, "gram_sparse", &gram_sparse<float, std::int64_t>, nogil());
  define(m, "gram_sparse", &gram_sparse<double, std::int32_t>, nogil());
  define(m, "gram_sparse", &gram_sparse<double, std::int64_t>, nogil());
  m.def("survey", &survey, nogil());
}

}  // namespace tamis
