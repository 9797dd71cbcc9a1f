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

constexpr Index most_subs = 32;             // per chunk: shifting by the first sub-block's mean costs at most this factor in rounding
constexpr Index wide = 1024;                // up to this width chunks run side by side, each with a scatter matrix of its own;
constexpr Index wave = 8;                   // beyond it threads share the tiles of one chunk's scatter matrix

template <class A>
constexpr Index step = sizeof(A) < 8 ? 128 : panel > 24 ? 64 : 96;   // rows at a time: two packed panels of them fit the nearest cache, or nearly

// Whether products with the target are summed in double beside the packed rows, which would round them.
template <class A>
constexpr bool exact_cross = sizeof(A) < sizeof(double);

// Packed rows √w_i (z_i − c), in panels of columns that are `stride` apart; sum += w_i (z_i − c), and diagonal, unless it is null,
// += w_i (z_i − c)². For row-major X.
template <class A, class T>
void centre_by_rows(const Rows<T>& R, Index from, Index to, const double* c, Index stride, A* out, double* sum, double* cross,
                    double* diagonal) {
  const Index p = R.p, P = R.width(), whole = p / panel * panel;
  for (Index i = from; i < to; ++i, out += panel) {
    const Index row = R.at(i);
    const T* x = R.X + row * R.row_stride;
    const double w = R.weight ? R.weight[row] : 1.0;
    const double root = std::sqrt(w);
    if (w == 0) {                       // an unused row may hold anything, NaN included
      for (Index q = 0; q < n_panels(P); ++q) std::fill(out + q * stride, out + q * stride + panel, A(0));
      continue;
    }
    const double wy = R.y ? w * (R.y[row] - c[p]) : 0.0;
    for (Index j = 0; j < whole; j += panel) {
      A* o = out + j / panel * stride;
      for (Index e = 0; e < panel; ++e) {
        const double d = static_cast<double>(x[j + e]) - c[j + e];
        sum[j + e] += w * d;
        if constexpr (exact_cross<A>) cross[j + e] += wy * d;
        o[e] = static_cast<A>(root * d);
      }
      if (diagonal)
        for (Index e = 0; e < panel; ++e) {
          const double d = static_cast<double>(x[j + e]) - c[j + e];
          diagonal[j + e] += w * d * d;
        }
    }
    for (Index j = whole; j < P; ++j) {
      const double d = (j < p ? static_cast<double>(x[j]) : R.y[row]) - c[j];
      sum[j] += w * d;
      if constexpr (exact_cross<A>) cross[j] += wy * d;
      if (diagonal) diagonal[j] += w * d * d;
      out[j / panel * stride + j % panel] = static_cast<A>(root * d);
    }
  }
}

// The same for column-major X.
template <class A, class T>
void centre_by_columns(const Rows<T>& R, Index from, Index to, const double* c, Index stride, A* out, double* sum, double* cross,
                       double* diagonal) {
  const Index m = to - from, P = R.width();
  std::vector<double> weight(m, 1.0), root(m, 1.0);
  for (Index i = 0; i < m; ++i)
    if (R.weight) root[i] = std::sqrt(weight[i] = R.weight[R.at(from + i)]);
  std::vector<double> wy(m, 0.0);
  for (Index i = 0; R.y && i < m; ++i) wy[i] = weight[i] == 0 ? 0.0 : weight[i] * (R.y[R.at(from + i)] - c[R.p]);
  for (Index j = 0; j < P; ++j) {
    double s = 0, sy = 0, ss = 0;
    A* o = out + j / panel * stride + j % panel;
    const T* x = R.X + j * R.column_stride;
    for (Index i = 0; i < m; ++i) {
      const Index row = R.at(from + i);
      const double z = j < R.p ? static_cast<double>(x[row]) : R.y[row];
      const double d = weight[i] == 0 ? 0.0 : z - c[j];
      s += weight[i] * d;
      if constexpr (exact_cross<A>) sy += wy[i] * d;
      if (diagonal) ss += weight[i] * d * d;
      o[i * panel] = static_cast<A>(root[i] * d);
    }
    sum[j] += s;
    if constexpr (exact_cross<A>) cross[j] += sy;
    if (diagonal) diagonal[j] += ss;
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

// Where rows [from, to) lie, if that is one stretch of memory.
template <class T>
Soon rows_after(const Rows<T>& R, Index from, Index to) {
  if (R.column_stride != 1 || R.picked || R.row_stride != R.p || from >= to) return {};
  return {reinterpret_cast<const char*>(R.X + from * R.row_stride), (to - from) * R.row_stride * static_cast<Index>(sizeof(T))};
}

// Moments of rows [from, to) about a point near their mean, from shifted copies of the rows that stay in the cache.
template <class A, class T>
void chunk_moments(const Rows<T>& R, Index from, Index to, A* work, int n_threads, Moments<A>& out) {
  constexpr Index step = tamis::step<A>;
  const bool by_rows = R.column_stride == 1;
  const Index P = R.width(), n = n_panels(P), stride = step * panel;
  std::fill(out.cross, out.cross + n * panel, 0.0);
  if (out.diagonal) std::fill(out.diagonal, out.diagonal + n * panel, 0.0);
  std::fill(out.centre, out.centre + n * panel, 0.0);
  std::fill(out.offset, out.offset + n * panel, 0.0);
  std::fill(work + (n - 1) * stride, work + n * stride, A(0));               // the columns that fill up the last panel
  rough_mean(R, from, std::min(to, from + step), out.centre);
  for (Index start = from; start < to; start += step) {
    const Index m = std::min(to, start + step) - start;
    (by_rows ? centre_by_rows<A, T> : centre_by_columns<A, T>)(R, start, start + m, out.centre, stride, work, out.offset, out.cross,
                                                               out.diagonal);
    add_squares(work, stride, m, P, start == from, out.tiles, rows_after(R, start + m, std::min(to, start + m + step)), n_threads);
  }
  for (Index j = 0; j < n * panel; ++j) out.squares[j] = tile_of(out.tiles, j / panel, j / panel)[j % panel * (panel + 1)];
  out.weight = 0;
  for (Index i = from; i < to; ++i) out.weight += R.weight ? R.weight[R.at(i)] : 1.0;
  for (Index j = 0; j < P; ++j) out.offset[j] = out.weight > 0 ? out.offset[j] / out.weight : 0.0;
}

// Both triangles of the first `side` rows and columns of a matrix from its tiles, over `by`; plus mean meanᵀ unless that is null.
template <class A>
void unpack(double* tiles, Index side, double by, const double* mean, A* out, int n_threads) {
  parallel_for(static_cast<std::size_t>(n_panels(side)), n_threads, [&](std::size_t t, int) {
    const Index band = static_cast<Index>(t), end = std::min(side, (band + 1) * panel);
    for (Index other = 0; other < n_panels(side); ++other) {
      const double* tile = tile_of(tiles, std::min(band, other), std::max(band, other));
      for (Index j = band * panel; j < end; ++j)
        for (Index k = other * panel; k < std::min(side, (other + 1) * panel); ++k) {
          const double sum = tile[std::min(j, k) % panel * panel + std::max(j, k) % panel];   // the upper triangle has both
          out[j * side + k] = static_cast<A>(sum / by + (mean ? mean[j] * mean[k] : 0.0));
        }
    }
  });
}

// The mean of the rows, as centre + offset, and what `finish` makes of their moments, with diagonals in double where asked for.
template <class A, class T, class F>
double moments_of(const Rows<T>& R, double* centre, double* offset, bool diagonals, int n_threads, F&& finish) {
  constexpr Index step = tamis::step<A>;
  const Index P = R.width(), n_subs = (R.n + step - 1) / step;
  const Index at_once = P > wide ? 1 : std::clamp<Index>(n_subs, 1, wave);
  Index n_chunks = (n_subs + most_subs - 1) / most_subs;
  n_chunks = std::min(n_subs, (n_chunks + at_once - 1) / at_once * at_once);
  const Index length = n_panels(P) * panel, size = tiles_size(P);
  const int workers = static_cast<int>(std::min<Index>(n_threads, at_once));
  std::vector<Scratch> work, held;
  for (int t = 0; t < workers; ++t) work.emplace_back(step * length * static_cast<Index>(sizeof(A)) / 8);
  for (Index k = 0; k <= at_once; ++k) held.emplace_back(5 * length + size);
  const auto in = [&](auto zero, Index k) {
    using B = decltype(zero);
    double* at = held[k].get();
    return Moments<B>{zero, at, at + length, at + 2 * length, at + 3 * length, diagonals ? at + 4 * length : nullptr,
                      reinterpret_cast<B*>(at + 5 * length)};
  };
  Moments<double> total = in(0.0, at_once);
  std::fill(total.centre, total.tiles + size, 0.0);
  for (Index first = 0; first < n_chunks; first += at_once) {
    std::vector<Moments<A>> parts;
    for (Index k = 0; k < std::min(at_once, n_chunks - first); ++k) parts.push_back(in(A(0), k));
    parallel_for(parts.size(), workers, [&](std::size_t k, int worker) {
      const Index chunk = first + static_cast<Index>(k);
      const Index from = n_subs * chunk / n_chunks * step, to = std::min(R.n, n_subs * (chunk + 1) / n_chunks * step);
      chunk_moments(R, from, to, reinterpret_cast<A*>(work[worker].get()), n_threads, parts[k]);
    });
    merge(total, parts, P, n_threads);
  }
  std::copy(total.centre, total.centre + P, centre);
  std::copy(total.offset, total.offset + P, offset);
  finish(total);
  return total.weight;
}

template <class T>
double moments(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, std::optional<Vector<const double>> y,
               std::optional<Vector<const double>> weight, std::optional<Vector<const Index>> picked, Vector<double> centre,
               Vector<double> offset, Matrix<double> scatter, int n_threads) {
  if (X.stride(0) != 1) require_neighbours(static_cast<Index>(X.shape(1)), X.stride(1));
  const Rows<T> R{X.data(),
                  X.stride(0),
                  X.stride(1),
                  static_cast<Index>(picked ? picked->size() : X.shape(0)),
                  static_cast<Index>(X.shape(1)),
                  y ? y->data() : nullptr,
                  weight ? weight->data() : nullptr,
                  picked ? picked->data() : nullptr};
  return moments_of<double>(R, centre.data(), offset.data(), false, n_threads, [&](const Moments<double>& total) {
    unpack(total.tiles, R.width(), 1.0, nullptr, scatter.data(), n_threads);
  });
}

// G = XᵀX / n about the means, or about zero, n being the sum of the weights, which is returned, and `cross` Σ w (z − mean)(y − mean)
// for the columns and y: the latter in double, the products of columns in float. Each of these is wrong by at most (rows of a step +
// steps of a chunk + 4) · 2⁻²⁴ √(squares_j squares_k) / n, where `squares` are taken about points near the means, and by one rounding
// of the entry itself. `diagonal` are the sums of squares about the means in double.
double single_precision_moments(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> X, Vector<const double> y,
                                std::optional<Vector<const double>> weight, bool about_means, Vector<double> centre,
                                Vector<double> offset, Vector<double> squares, Vector<double> cross,
                                std::optional<Vector<double>> diagonal, Matrix<float> G, int n_threads) {
  const Rows<double> R{X.data(), X.stride(0), X.stride(1), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1)),
                       y.data(), weight ? weight->data() : nullptr, nullptr};
  return moments_of<float>(R, centre.data(), offset.data(), diagonal.has_value(), n_threads, [&](const Moments<double>& total) {
    const Index P = R.width();
    std::copy(total.squares, total.squares + P, squares.data());
    std::copy(total.cross, total.cross + P, cross.data());
    if (diagonal) std::copy(total.diagonal, total.diagonal + P, diagonal->data());
    std::vector<double> mean(P);
    for (Index j = 0; j < P; ++j) mean[j] = total.centre[j] + total.offset[j];
    unpack(total.tiles, R.p, total.weight, about_means ? nullptr : mean.data(), G.data(), n_threads);
  });
}

}  // namespace

void register_gram(nb::module_& m) {
  define(m, "moments", &moments<float>, nogil());
  define(m, "moments", &moments<double>, nogil());
  m.def("single_precision_moments", &single_precision_moments, nogil());
}

}  // namespace tamis
