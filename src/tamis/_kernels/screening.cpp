// Who can be left unread: moments of columns, and the two tests that hold every column against a ball of dual points.
#include <algorithm>
#include <cmath>

#include "kernels.hpp"

namespace tamis {
namespace {

constexpr Index column_block = 32, wide_block = 4096;

inline double strength(double c, bool positive) { return positive ? c : std::abs(c); }

// Mean and variance of the columns of a column-major X with row weights that sum to 1. The variance is taken about a first
// mean, and the mean corrected by what is left, so that a large one costs no digits.
template <class T>
void column_moments(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, Vector<const double> share, Vector<double> mean,
                    Vector<double> variance, int n_threads) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1)), stride = X.stride(1);
  require_neighbours(n, X.stride(0));
  const double* s = share.data();
  parallel_for(static_cast<std::size_t>((p + column_block - 1) / column_block), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * column_block, to = std::min(p, from + column_block);
    for (Index j = from; j < to; ++j) {
      const T* x = X.data() + j * stride;
      double first = 0, shift = 0, squares = 0;
      for (Index i = 0; i < n; ++i) first += s[i] * static_cast<double>(x[i]);
      for (Index i = 0; i < n; ++i) {
        const double d = static_cast<double>(x[i]) - first;
        shift += s[i] * d;
        squares += s[i] * d * d;
      }
      mean.data()[j] = first + shift;
      variance.data()[j] = squares - shift * shift;
    }
  });
}

// The same for compressed columns: the entries that are not there are −first, with what weight they have together.
template <class T, class I>
void column_moments_sparse(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Vector<const double> share,
                           Vector<double> mean, Vector<double> variance, int n_threads) {
  const Index n = static_cast<Index>(share.size()), p = static_cast<Index>(mean.size());
  const double* s = share.data();
  constexpr Index block = 1024;
  parallel_for(static_cast<std::size_t>((p + block - 1) / block), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * block, to = std::min(p, from + block);
    for (Index j = from; j < to; ++j) {
      const Index start = indptr.data()[j], end = indptr.data()[j + 1];
      double first = 0, there = 0, shift = 0, squares = 0;
      for (Index e = start; e < end; ++e) {
        const double weight = s[indices.data()[e]];
        first += weight * static_cast<double>(data.data()[e]);
        there += weight;
      }
      for (Index e = start; e < end; ++e) {
        const double weight = s[indices.data()[e]], d = static_cast<double>(data.data()[e]) - first;
        shift += weight * d;
        squares += weight * d * d;
      }
      const double absent = end - start == n ? 0.0 : std::max(0.0, 1.0 - there);   // a full column, whatever the rounding
      shift -= absent * first;
      squares += absent * first * first;
      mean.data()[j] = first + shift;
      variance.data()[j] = squares - shift * shift;
    }
  });
}

// From correlations C (q, p) of known vectors, those of combinations A (m, q) of them: estimates (m, p) = A C. What they
// stand for is at most `away` (m,) further, so column j is open for the k-th when strength + away_k norm_j > α_k l1_j − slack_k.
void estimate_correlations(Matrix<const double> C, Matrix<const double> A, Vector<const double> away, Vector<const double> norms,
             Vector<const double> l1, Vector<const double> alphas, Vector<const double> slack, bool positive,
             Matrix<double> estimates, Matrix<bool> open, int n_threads) {
  const Index q = static_cast<Index>(C.shape(0)), p = static_cast<Index>(C.shape(1)), m = static_cast<Index>(A.shape(0));
  parallel_for(static_cast<std::size_t>((p + wide_block - 1) / wide_block), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * wide_block, to = std::min(p, from + wide_block);
    for (Index k = 0; k < m; ++k) {
      double* c = estimates.data() + k * p;
      std::fill(c + from, c + to, 0.0);
      for (Index i = 0; i < q; ++i) {
        const double a = A.data()[k * q + i];
        const double* known = C.data() + i * p;
        for (Index j = from; j < to; ++j) c[j] += a * known[j];
      }
      const double d = away.data()[k], alpha = alphas.data()[k], less = slack.data()[k];
      bool* o = open.data() + k * p;
      for (Index j = from; j < to; ++j) o[j] = !(strength(c[j], positive) + d * norms.data()[j] <= alpha * l1.data()[j] - less);
    }
  });
}

// Columns for which no point of the ball of this radius around t·(dual point) reaches the border: t strength + radius norm_j <
// α l1_j − slack. How many they are.
Index proved_zero_columns(Vector<const double> c, double t, double radius, Vector<const double> norms, Vector<const double> l1, double alpha,
                   double slack, bool positive, Vector<bool> out) {
  const Index p = static_cast<Index>(c.size());
  Index count = 0;
  for (Index j = 0; j < p; ++j) {
    const bool zero = t * strength(c.data()[j], positive) + radius * norms.data()[j] < alpha * l1.data()[j] - slack;
    out.data()[j] = zero;
    count += zero;
  }
  return count;
}

}  // namespace

void register_screening(nb::module_& m) {
  define(m, "column_moments", &column_moments<float>, nogil());
  define(m, "column_moments", &column_moments<double>, nogil());
  define(m, "column_moments_sparse", &column_moments_sparse<float, std::int32_t>, nogil());
  define(m, "column_moments_sparse", &column_moments_sparse<double, std::int32_t>, nogil());
  define(m, "column_moments_sparse", &column_moments_sparse<float, std::int64_t>, nogil());
  define(m, "column_moments_sparse", &column_moments_sparse<double, std::int64_t>, nogil());
  m.def("estimate_correlations", &estimate_correlations, nogil());
  m.def("proved_zero_columns", &proved_zero_columns, nogil());
}

}  // namespace tamis
