// What columns have to do with the residuals of a whole path: C[k, j] = Σ_i s_i x_ij (y_i − x_iᵀw_k), in one pass over the rows.
#include <algorithm>
#include <limits>
#include <vector>

#include <nanobind/stl/optional.h>

#include <optional>

#include "lanes.hpp"
#include "scratch.hpp"
#include "syrk.hpp"

namespace tamis {
namespace {

constexpr Index rows_at_once = 96;
constexpr Index most_parts = 8;             // of the rows; fixed by the shape, so sums are the same for any number of threads

inline Index squares(Index n) { return (n + square - 1) / square; }

// Columns S of a table about `mean`, and a target about y_mean; rows without weight are zero, whatever they hold.
struct Centred {
  const double* X;
  Index down, across, width;
  const double* y;
  double y_mean;
  const std::int64_t* S;
  const double* mean;
  const double* weight;     // null: all ones
  Index p;

  bool used(Index i) const { return !weight || weight[i] != 0; }
  double target(Index i) const { return used(i) ? y[i] - y_mean : 0.0; }

  // Rows [from, from + m), 12 columns side by side for each row. Columns come in any order, so a row that lies in one piece is first
  // read from end to end, into `row`.
  void pack(Index from, Index m, double* row, double* packed) const {
    for (Index i = 0; i < m; ++i) {
      if (!used(from + i)) {
        for (Index k = 0; k < squares(p); ++k) std::fill_n(packed + (k * rows_at_once + i) * square, square, 0.0);
        continue;
      }
      const double* x = X + (from + i) * down;
      if (across == 1) x = std::copy(x, x + width, row) - width;
      double* to = packed + i * square;
      Index k = 0;
      for (; k + square <= p; k += square, to += rows_at_once * square)
        for (Index e = 0; e < square; ++e) to[e] = x[S[k + e] * across] - mean[k + e];
      for (Index e = 0; k + e < p; ++e) to[e] = x[S[k + e] * across] - mean[k + e];
    }
  }
};

// Alphas by twelves; where they do not divide, the first lack some: there are the fewest columns.
struct Twelves {
  Index n_alphas, lead = squares(n_alphas) * square - n_alphas;

  Index of(Index alpha) const { return (alpha + lead) / square; }
  Index place(Index alpha) const { return (alpha + lead) % square; }
  Index end(Index alpha) const { return (of(alpha) + 1) * square - lead; }
};

// Minus the coefficients of the first counts[a] columns, which are all that matter at the 12 alphas of panel a, these side by side.
struct Panels {
  std::vector<Index> counts;
  std::vector<double> w;

  Panels(const Centred& Z, const std::int64_t* begins, const double* coefs, Twelves alphas)
      : counts(squares(alphas.n_alphas)), w(counts.size() * Z.p * square, 0.0) {
    for (Index k = 0; k < alphas.n_alphas; ++k) {
      const Index a = alphas.of(k);
      counts[a] = std::lower_bound(begins, begins + Z.p, alphas.end(k)) - begins;
      for (Index j = 0; j < counts[a]; ++j) w[(a * Z.p + j) * square + alphas.place(k)] = -coefs[k * Z.width + Z.S[j]];
    }
  }
};

// tiles (12 columns × 12 alphas each) = the sums over rows [from, to).
void part_of_rows(const Centred& Z, Index from, Index to, const Panels& W, double* work, double* tiles) {
  const Index q = squares(Z.p), n_panels = static_cast<Index>(W.counts.size());
  double *packed = work, *r = packed + q * square * rows_at_once, *row = r + square * rows_at_once;
  std::fill(work, r, 0.0);                                    // what fills up the last panels
  for (Index start = from; start < to; start += rows_at_once) {
    const Index m = std::min(to, start + rows_at_once) - start;
    Z.pack(start, m, row, packed);
    for (Index a = 0; a < n_panels; ++a) {
      for (Index i = 0; i < m; ++i) std::fill_n(r + i * square, square, Z.target(start + i));
      for (Index t = 0; t < m; t += square)
        add_turned(W.w.data() + a * Z.p * square, packed + t * square, square * rows_at_once, W.counts[a], r + t * square);
      for (Index i = 0; Z.weight && i < m; ++i)
        for (Index e = 0; e < square; ++e) r[i * square + e] *= Z.weight[start + i];
      for (Index c = 0; c < squares(W.counts[a]); ++c)
        add_product(r, packed + c * square * rows_at_once, m, start == from, tiles + (a * q + c) * square * square);
    }
  }
}

// `begins`, ascending: column S[j] matters from alpha number begins[j] on, and its w is zero before. An entry of `out` is NaN where
// none of the 12 alphas it is computed with has reached that number.
void path_residuals(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> X, Vector<const double> y, double y_mean,
                    std::optional<Vector<const double>> weight, Vector<const std::int64_t> S, Vector<const double> mean,
                    Vector<const std::int64_t> begins, Matrix<const double> coefs, Matrix<double> out, int n_threads) {
  const Index p = static_cast<Index>(S.size()), n_alphas = static_cast<Index>(out.shape(0)), n = static_cast<Index>(X.shape(0));
  const Centred Z{X.data(), X.stride(0), X.stride(1), static_cast<Index>(X.shape(1)), y.data(), y_mean, S.data(), mean.data(),
                  weight ? weight->data() : nullptr, p};
  const Twelves alphas{n_alphas};
  const Panels W(Z, begins.data(), coefs.data(), alphas);
  const Index n_blocks = (n + rows_at_once - 1) / rows_at_once, n_parts = std::min(n_blocks, most_parts);
  std::vector<Scratch> tiles, work;
  for (Index part = 0; part < n_parts; ++part) tiles.emplace_back(squares(p) * squares(n_alphas) * square * square);
  for (int t = 0; t < n_threads; ++t) work.emplace_back((squares(p) + 1) * square * rows_at_once + Z.width);
  parallel_for(static_cast<std::size_t>(n_parts), n_threads, [&](std::size_t t, int worker) {
    const Index part = static_cast<Index>(t), to = std::min(n, n_blocks * (part + 1) / n_parts * rows_at_once);
    part_of_rows(Z, n_blocks * part / n_parts * rows_at_once, to, W, work[worker].get(), tiles[part].get());
  });
  for (Index k = 0; k < n_alphas; ++k) {
    const Index a = alphas.of(k);
    for (Index j = 0; j < p; ++j) {
      const Index at = ((a * squares(p) + j / square) * square + j % square) * square + alphas.place(k);
      double sum = j < W.counts[a] ? 0.0 : std::numeric_limits<double>::quiet_NaN();
      if (j < W.counts[a])
        for (const Scratch& part : tiles) sum += part.get()[at];
      out.data()[k * p + j] = sum;
    }
  }
}

}  // namespace

void register_residuals(nb::module_& m) { m.def("path_residuals", &path_residuals, nogil()); }

}  // namespace tamis
