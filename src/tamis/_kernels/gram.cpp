// Centred second moments of rows, blocked for the cache and stable for any mean.
#include <algorithm>
#include <cmath>
#include <vector>

#include <nanobind/stl/optional.h>

#include <optional>

#include "moments.hpp"
#include "scratch.hpp"

namespace tamis {
namespace {

// The rows z_i = (x_i, y_i) that a call is about, with their weights: row i of the list is row `at(i)` of the arrays.
template <class T>
struct Rows {
  const T* X;
  Index row_stride, column_stride, n, p;
  const double* y;        // null: no target column
  const double* weight;   // null: all ones
  const Index* picked;    // null: all rows in order
  Index width() const { return p + (y != nullptr); }
  Index at(Index i) const { return picked ? picked[i] : i; }
};

Index padded(Index width) { return (width + 7) / 8 * 8; }     // rows of the copy begin on cache lines

constexpr Index sub_bytes = 1 << 19;        // a sub-block of centred rows stays in the cache between writing and dsyrk
constexpr Index most_subs = 32;             // per chunk: shifting by the first sub-block's mean costs at most this factor in rounding
constexpr Index wide = 1024;                // up to this width chunks run side by side, each with a scatter matrix of its own;
constexpr Index wave = 8;                   // beyond it one chunk at a time is cut into tiles of the scatter matrix
constexpr Index tile = 512;

Index sub_rows(Index P) { return std::clamp<Index>(sub_bytes / (8 * P) / 64 * 64, 256, 4096); }

// buffer[i, :] = √w_i (z_i − c), sum += w_i (z_i − c): row-major copy of rows [from, to) for row-major X.
template <class T>
void centre_by_rows(const Rows<T>& R, Index from, Index to, const double* c, double* out, double* sum) {
  const Index p = R.p, P = R.width(), ld = padded(P);
  for (Index i = from; i < to; ++i, out += ld) {
    const Index row = R.at(i);
    const T* x = R.X + row * R.row_stride;
    const double w = R.weight ? R.weight[row] : 1.0;
    if (w == 0) {                       // an unused row may hold anything, NaN included
      std::fill(out, out + P, 0.0);
      continue;
    }
    const double root = std::sqrt(w);
    for (Index j = 0; j < p; ++j) {
      const double d = static_cast<double>(x[j]) - c[j];
      sum[j] += w * d;
      out[j] = root * d;
    }
    if (R.y) {
      const double d = R.y[row] - c[p];
      sum[p] += w * d;
      out[p] = root * d;
    }
  }
}

// The same for column-major X: the copy is column-major with leading dimension to − from.
template <class T>
void centre_by_columns(const Rows<T>& R, Index from, Index to, const double* c, double* out, double* sum) {
  const Index m = to - from, P = R.width();
  for (Index j = 0; j < P; ++j, out += m) {
    double s = 0;
    for (Index i = 0; i < m; ++i) {
      const Index row = R.at(from + i);
      const double w = R.weight ? R.weight[row] : 1.0;
      const double z = j < R.p ? static_cast<double>(R.X[row + j * R.column_stride]) : R.y[row];
      const double d = w == 0 ? 0.0 : z - c[j];
      s += w * d;
      out[i] = std::sqrt(w) * d;
    }
    sum[j] += s;
  }
}

// Mean of rows [from, to) that have weight; 0 where none has.
template <class T>
void rough_mean(const Rows<T>& R, Index from, Index to, double* c) {
  const Index P = R.width();
  std::fill(c, c + P, 0.0);
  Index used = 0;
  for (Index i = from; i < to; ++i) used += !R.weight || R.weight[R.at(i)] != 0;
  if (R.column_stride == 1) {
    for (Index i = from; i < to; ++i) {
      const Index row = R.at(i);
      if (R.weight && R.weight[row] == 0) continue;
      const T* x = R.X + row * R.row_stride;
      for (Index j = 0; j < R.p; ++j) c[j] += static_cast<double>(x[j]);
    }
  } else {
    for (Index j = 0; j < R.p; ++j)
      for (Index i = from; i < to; ++i) {
        const Index row = R.at(i);
        if (!R.weight || R.weight[row] != 0) c[j] += static_cast<double>(R.X[row + j * R.column_stride]);
      }
  }
  if (R.y)
    for (Index i = from; i < to; ++i)
      if (!R.weight || R.weight[R.at(i)] != 0) c[R.p] += R.y[R.at(i)];
  for (Index j = 0; j < P; ++j) c[j] /= static_cast<double>(std::max<Index>(used, 1));
}

// Upper triangle of scatter (row-major) = beta · itself + Σ_i a_i a_iᵀ over m rows a_i, row-major or column-major with leading dimension ld.
void accumulate(double* a, Index ld, bool by_rows, Index P, Index m, double beta, double* scatter, int n_threads) {
  const Index size = P <= wide ? P : tile, n_tiles = (P + size - 1) / size, stride = by_rows ? 1 : ld;
  parallel_for(static_cast<std::size_t>(n_tiles * (n_tiles + 1) / 2), n_threads, [&](std::size_t t, int) {
    Index i = 0, j = static_cast<Index>(t);
    while (j > i) j -= ++i;                                  // t numbers the pairs j ≤ i
    int h = static_cast<int>(std::min(size, P - i * size)), v = static_cast<int>(std::min(size, P - j * size));
    int k = static_cast<int>(m), lda = static_cast<int>(ld), ldc = static_cast<int>(P);
    double one = 1.0, *c = scatter + j * size * P + i * size;
    char lower = 'L', plain = by_rows ? 'N' : 'T', turned = by_rows ? 'T' : 'N';     // Fortran's lower triangle is our upper one
    if (i == j)
      dsyrk(&lower, &plain, &h, &k, &one, a + i * size * stride, &lda, &beta, c, &ldc);
    else
      dgemm(&plain, &turned, &h, &v, &k, &one, a + i * size * stride, &lda, a + j * size * stride, &lda, &beta, c, &ldc);
  });
}

// Moments of rows [from, to): Σ w (z − c)(z − c)ᵀ about a point c near the mean, from shifted copies of the rows that stay in the
// cache, then the small correction to the mean itself.
template <class T>
void chunk_moments(const Rows<T>& R, Index from, Index to, Index step, double* work, int n_threads, Moments& out) {
  const bool by_rows = R.column_stride == 1;
  const Index P = R.width();
  std::vector<double> sum(P, 0.0);
  rough_mean(R, from, std::min(to, from + step), out.centre);
  double beta = 0.0;
  for (Index start = from; start < to; start += step, beta = 1.0) {
    const Index m = std::min(to, start + step) - start;
    (by_rows ? centre_by_rows<T> : centre_by_columns<T>)(R, start, start + m, out.centre, work, sum.data());
    accumulate(work, by_rows ? padded(P) : m, by_rows, P, m, beta, out.scatter, n_threads);
  }
  double weight = 0;
  for (Index i = from; i < to; ++i) weight += R.weight ? R.weight[R.at(i)] : 1.0;
  out.weight = weight;
  const double inverse = weight > 0 ? 1.0 / weight : 0.0;
  for (Index j = 0; j < P; ++j) {
    const double s = out.offset[j] = sum[j] * inverse;
    double* row = out.scatter + j * P;
    for (Index k = j; k < P; ++k) row[k] -= s * sum[k];
  }
}

template <class T>
double moments(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, std::optional<Vector<const double>> y,
               std::optional<Vector<const double>> weight, std::optional<Vector<const Index>> picked, Vector<double> centre,
               Vector<double> offset, Matrix<double> scatter, int n_threads) {
  const Rows<T> R{X.data(),
                  X.stride(0),
                  X.stride(1),
                  static_cast<Index>(picked ? picked->size() : X.shape(0)),
                  static_cast<Index>(X.shape(1)),
                  y ? y->data() : nullptr,
                  weight ? weight->data() : nullptr,
                  picked ? picked->data() : nullptr};
  const Index P = R.width(), step = sub_rows(P), n_subs = (R.n + step - 1) / step;
  const Index at_once = P > wide ? 1 : std::clamp<Index>(n_subs, 1, wave);
  Index n_chunks = (n_subs + most_subs - 1) / most_subs;
  n_chunks = std::min(n_subs, (n_chunks + at_once - 1) / at_once * at_once);
  Moments total{0, centre.data(), offset.data(), scatter.data()};
  std::fill(total.centre, total.centre + P, 0.0);
  std::fill(total.offset, total.offset + P, 0.0);
  if (n_subs == 0) std::fill(total.scatter, total.scatter + P * P, 0.0);

  const int workers = static_cast<int>(std::min<Index>(n_threads, at_once));
  std::vector<Scratch> work, means_of, scatter_of;
  for (int t = 0; t < workers; ++t) work.emplace_back(step * padded(P));
  for (Index k = 0; k < at_once; ++k) means_of.emplace_back(2 * P);
  // The very first chunk writes straight into the result; a later wave needs memory for its first chunk too.
  for (Index k = n_chunks > at_once ? 0 : 1; k < at_once; ++k) scatter_of.emplace_back(P * P);
  for (Index first = 0; first < n_chunks; first += at_once) {
    const Index here = std::min(at_once, n_chunks - first);
    std::vector<Moments> part(here);
    for (Index k = 0; k < here; ++k) {
      double* scatter = first == 0 && k == 0 ? total.scatter : scatter_of[n_chunks > at_once ? k : k - 1].get();
      part[k] = {0, means_of[k].get(), means_of[k].get() + P, scatter};
    }
    parallel_for(static_cast<std::size_t>(here), workers, [&](std::size_t k, int worker) {
      const Index chunk = first + static_cast<Index>(k);
      const Index from = n_subs * chunk / n_chunks * step, to = std::min(R.n, n_subs * (chunk + 1) / n_chunks * step);
      chunk_moments(R, from, to, step, work[worker].get(), n_threads, part[k]);
    });
    for (Index k = 0; k < here; ++k) {
      if (first == 0 && k == 0) {
        std::copy(part[0].centre, part[0].centre + P, total.centre);
        std::copy(part[0].offset, part[0].offset + P, total.offset);
        total.weight = part[0].weight;
      } else {
        merge(total, part[k], P, n_threads);
      }
    }
  }
  parallel_for(static_cast<std::size_t>((P + 63) / 64), n_threads, [&](std::size_t t, int) {   // mirror, tile by tile
    const Index a = static_cast<Index>(t) * 64, b = std::min<Index>(P, a + 64);
    for (Index c = 0; c <= a; c += 64)
      for (Index j = a; j < b; ++j)
        for (Index k = c; k < std::min(j, c + 64); ++k) total.scatter[j * P + k] = total.scatter[k * P + j];
  });
  return total.weight;
}

}  // namespace

void register_gram(nb::module_& m) {
  m.def("moments", &moments<float>, nogil());
  m.def("moments", &moments<double>, nogil());
}

}  // namespace tamis
