// Pairs of rows in the right order, under many weightings at once: what a resampled AUC needs.
#include <algorithm>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

constexpr Index width = 256;         // weightings that go through the rows together: their sums stay in the nearest cache

// Sums over the rows so far, and over those whose value equals the last one's, for the weightings of one stretch.
struct Sums {
  double won[width], below[width], level_plus[width], level_minus[width];
  Index n;

  explicit Sums(Index n_) : n(n_) {
    for (double* part : {won, below, level_plus, level_minus}) std::fill_n(part, width, 0.0);
  }
  void add(const double* w, bool positive) {
    double* into = positive ? level_plus : level_minus;
    for (Index b = 0; b < n; ++b) into[b] += w[b];
  }
  void next_level() {
    for (Index b = 0; b < n; ++b) {
      won[b] += level_plus[b] * (below[b] + 0.5 * level_minus[b]);
      below[b] += level_minus[b];
      level_plus[b] = level_minus[b] = 0.0;
    }
  }
};

// out[u, b] = Σ w_ib w_jb (1[v_ui > v_uj] + ½ 1[v_ui = v_uj]) over positive rows i and other rows j; order[u] sorts row u of values.
void concordant_pairs(Matrix<const double> values, Matrix<const Index> order, Vector<const bool> positive, Matrix<const double> W,
                      Matrix<double> out, int n_threads) {
  const Index m = static_cast<Index>(values.shape(1)), B = static_cast<Index>(W.shape(1));
  const Index stretches = (B + width - 1) / width;
  const auto work = [&](std::size_t task, int) {
    const Index u = static_cast<Index>(task) / stretches, first = static_cast<Index>(task) % stretches * width;
    const double* v = values.data() + u * m;
    const Index* at = order.data() + u * m;
    Sums sums(std::min(width, B - first));
    for (Index k = 0; k < m; ++k) {
      sums.add(W.data() + at[k] * B + first, positive.data()[at[k]]);
      if (k + 1 == m || v[at[k + 1]] != v[at[k]]) sums.next_level();
    }
    std::copy_n(sums.won, sums.n, out.data() + u * B + first);
  };
  parallel_for(values.shape(0) * static_cast<std::size_t>(stretches), n_threads, work);
}

}  // namespace

void register_pairs(nb::module_& m) { define(m, "concordant_pairs", &concordant_pairs, nogil()); }

}  // namespace tamis
