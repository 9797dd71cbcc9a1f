// Relief: the nearest rows of every class, and how far each column differs from them.
// Rows hold continuous columns scaled to [0, 1], discrete columns as bytes, and columns with missing values apart. The difference of
// two rows in a column is |a − b|, or 0 where discrete values are equal and 1 where not; their distance is Σ difference^power.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

using Int = std::int32_t;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr Index side = 32;       // rows of a tile
constexpr Index chunk = 256;     // columns taken together: a tile's rows of them stay in the cache
constexpr double steps = 4294967296.0;      // distances are told apart to 2⁻³²: rounding in their sums decides nothing

// Columns with missing values. Values (continuous) or codes (discrete) of the rows with a gap as NaN; what a gap is expected to differ
// by from row i's value, if the row with the gap is of class c: single[j][i][c]; from another gap, of class d: both[j][c][d].
struct Gaps {
  const double *values, *single, *both;
  const std::uint8_t* discrete;
  Index n, p, K;
  double operator()(Index j, Index i, Index q, const Int* y, bool squared) const {
    const double a = values[j * n + i], b = values[j * n + q];
    if (a != a) return b != b ? both[(j * K + y[i]) * K + y[q]] : single[(j * n + q) * K + y[i]];
    if (b != b) return single[(j * n + i) * K + y[q]];
    if (discrete[j]) return a != b ? 1.0 : 0.0;
    const double d = std::abs(a - b);
    return squared ? d * d : d;
  }
};

template <class T>
struct Rows {
  const T* x;                    // (n, p) continuous
  const std::uint8_t* codes;     // (n, m) discrete
  const Int* y;
  Gaps gaps;
  Index n, p, m;
  bool squared;
};

template <bool squared, class T>
inline T differ(T a, T b) {
  const T d = a - b;
  return squared ? d * d : std::abs(d);
}

// sums[4 r + c] += Σ difference of the rows a[r] and b[c] over f columns.
template <bool squared, class T>
void two_by_four(const T* __restrict a0, const T* __restrict a1, const T* __restrict b0, const T* __restrict b1,
                 const T* __restrict b2, const T* __restrict b3, Index f, double* sums) {
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
  for (Index k = 0; k < f; ++k) {
    const T u = a0[k], v = a1[k];
    s0 += differ<squared>(u, b0[k]);
    s1 += differ<squared>(u, b1[k]);
    s2 += differ<squared>(u, b2[k]);
    s3 += differ<squared>(u, b3[k]);
    t0 += differ<squared>(v, b0[k]);
    t1 += differ<squared>(v, b1[k]);
    t2 += differ<squared>(v, b2[k]);
    t3 += differ<squared>(v, b3[k]);
  }
  const T all[8] = {s0, s1, s2, s3, t0, t1, t2, t3};
  for (int k = 0; k < 8; ++k) sums[k] += static_cast<double>(all[k]);
}

template <bool squared, class T>
double one_by_one(const T* __restrict a, const T* __restrict b, Index f) {
  T s = 0;
  for (Index k = 0; k < f; ++k) s += differ<squared>(a[k], b[k]);
  return static_cast<double>(s);
}

// How many of m bytes differ: counts of a byte each, emptied before they are full.
inline Index mismatches(const std::uint8_t* __restrict a, const std::uint8_t* __restrict b, Index m) {
  constexpr Index lanes = 32, full = 255;
  Index total = 0, k = 0;
  while (k + lanes <= m) {
    std::uint8_t counts[lanes] = {};
    const Index last = std::min(m - lanes, k + (full - 1) * lanes);
    for (; k <= last; k += lanes)
      for (Index l = 0; l < lanes; ++l) counts[l] = static_cast<std::uint8_t>(counts[l] + (a[k + l] != b[k + l]));
    for (Index l = 0; l < lanes; ++l) total += counts[l];
  }
  for (; k < m; ++k) total += a[k] != b[k];
  return total;
}

// Distances of rows[0 … n_a) of `from` and rows [b, b + n_b): D[r * side + c].
template <bool squared, class T>
void continuous_tile(const Rows<T>& X, const Index* a, Index n_a, Index b, Index n_b, double* D) {
  for (Index first = 0; first < X.p; first += chunk) {
    const Index f = std::min(chunk, X.p - first);
    const T* x = X.x + first;
    for (Index r = 0; r < n_a; r += 2) {
      const bool pair = r + 1 < n_a;
      for (Index c = 0; c < n_b; c += 4) {
        if (pair && c + 4 <= n_b) {
          double sums[8] = {};
          const T* y = x + (b + c) * X.p;
          two_by_four<squared>(x + a[r] * X.p, x + a[r + 1] * X.p, y, y + X.p, y + 2 * X.p, y + 3 * X.p, f, sums);
          for (Index k = 0; k < 4; ++k) {
            D[r * side + c + k] += sums[k];
            D[(r + 1) * side + c + k] += sums[4 + k];
          }
        } else {
          for (Index s = r; s < std::min(r + 2, n_a); ++s)
            for (Index k = c; k < std::min(c + 4, n_b); ++k)
              D[s * side + k] += one_by_one<squared>(x + a[s] * X.p, x + (b + k) * X.p, f);
        }
      }
    }
  }
}

template <class T>
void tile(const Rows<T>& X, const Index* a, Index n_a, Index b, Index n_b, double* D) {
  std::fill(D, D + side * side, 0.0);
  (X.squared ? continuous_tile<true, T> : continuous_tile<false, T>)(X, a, n_a, b, n_b, D);
  constexpr Index bytes = 1 << 13;
  for (Index first = 0; first < X.m; first += bytes) {
    const Index f = std::min(bytes, X.m - first);
    for (Index r = 0; r < n_a; ++r)
      for (Index c = 0; c < n_b; ++c)
        D[r * side + c] += static_cast<double>(mismatches(X.codes + a[r] * X.m + first, X.codes + (b + c) * X.m + first, f));
  }
  for (Index j = 0; j < X.gaps.p; ++j)
    for (Index r = 0; r < n_a; ++r)
      for (Index c = 0; c < n_b; ++c) D[r * side + c] += X.gaps(j, a[r], b + c, X.y, X.squared);
  for (Index k = 0; k < side * side; ++k) D[k] = std::nearbyint(D[k] * steps) / steps;
}

// The k nearest rows of each class of one row, nearest first, of equal ones the lowest: whatever the order in which they come.
class Nearest {
 public:
  Nearest(Index m, Index K, Index k, Int* rows, double* distances) : K_(K), k_(k), rows_(rows), distances_(distances) {
    std::fill(rows, rows + m * K * k, Int(-1));
    std::fill(distances, distances + m * K * k, std::numeric_limits<double>::infinity());
  }
  void offer(Index query, Int c, Int row, double d) {
    Int* rows = rows_ + (query * K_ + c) * k_;
    double* distances = distances_ + (query * K_ + c) * k_;
    if (d > distances[k_ - 1] || (d == distances[k_ - 1] && rows[k_ - 1] >= 0 && row > rows[k_ - 1])) return;
    Index at = k_ - 1;
    for (; at > 0 && (distances[at - 1] > d || (distances[at - 1] == d && rows[at - 1] > row)); --at) {
      distances[at] = distances[at - 1];
      rows[at] = rows[at - 1];
    }
    distances[at] = d;
    rows[at] = row;
  }

 private:
  Index K_, k_;
  Int* rows_;
  double* distances_;
};

// Some rows against all.
template <class T>
void of_some(const Rows<T>& X, const In<Index>& queries, Nearest& nearest, int n_threads) {
  const Index m = static_cast<Index>(queries.size()), n_tiles = (m + side - 1) / side;
  parallel_for(static_cast<std::size_t>(n_tiles), n_threads, [&](std::size_t t, int) {
    std::vector<double> D(side * side);
    const Index first = static_cast<Index>(t) * side, n_a = std::min(side, m - first);
    const Index* a = queries.data() + first;
    for (Index b = 0; b < X.n; b += side) {
      const Index n_b = std::min(side, X.n - b);
      tile(X, a, n_a, b, n_b, D.data());
      for (Index r = 0; r < n_a; ++r)
        for (Index c = 0; c < n_b; ++c)
          if (a[r] != b + c) nearest.offer(first + r, X.y[b + c], static_cast<Int>(b + c), D[r * side + c]);
    }
  });
}

// All rows against each other, every pair once. In each round of a tournament no two tiles share rows.
template <class T>
void of_all(const Rows<T>& X, Nearest& nearest, int n_threads) {
  const Index n_blocks = (X.n + side - 1) / side, seats = n_blocks + n_blocks % 2;
  auto play = [&](Index one, Index other) {
    if (one >= n_blocks || other >= n_blocks) return;
    double D[side * side];
    Index a[side];
    const Index first = one * side, n_a = std::min(side, X.n - first), b = other * side, n_b = std::min(side, X.n - b);
    for (Index r = 0; r < n_a; ++r) a[r] = first + r;
    tile(X, a, n_a, b, n_b, D);
    for (Index r = 0; r < n_a; ++r)
      for (Index c = 0; c < n_b; ++c) {
        if (one == other && r == c) continue;
        nearest.offer(a[r], X.y[b + c], static_cast<Int>(b + c), D[r * side + c]);
        if (one != other) nearest.offer(b + c, X.y[a[r]], static_cast<Int>(a[r]), D[r * side + c]);
      }
  };
  parallel_for(static_cast<std::size_t>(n_blocks), n_threads, [&](std::size_t t, int) { play(static_cast<Index>(t), static_cast<Index>(t)); });
  for (Index round = 0; round + 1 < seats; ++round)
    parallel_for(static_cast<std::size_t>(seats / 2), n_threads, [&](std::size_t t, int) {
      const Index k = static_cast<Index>(t), turn = seats - 1;
      const Index one = k == 0 ? turn : (round + k) % turn, other = (round + turn - k) % turn;
      play(std::min(one, other), std::max(one, other));
    });
}

template <class T>
Rows<T> rows_of(const InMatrix<T>& x, const InMatrix<std::uint8_t>& codes, const In<Int>& y, Index K, const InMatrix<double>& values,
                const In<std::uint8_t>& discrete, const In<double>& single, const In<double>& both, bool squared) {
  const Index n = static_cast<Index>(y.size());
  const Gaps gaps{values.data(), single.data(), both.data(), discrete.data(), n, static_cast<Index>(discrete.size()), K};
  return {x.data(), codes.data(), y.data(), gaps, n, static_cast<Index>(x.shape(1)), static_cast<Index>(codes.shape(1)), squared};
}

// rows[i, c] = the nearest rows of class c to row queries[i] without itself, −1 where there are no more; no queries: all rows.
template <class T>
void nearest_rows(InMatrix<T> x, InMatrix<std::uint8_t> codes, In<Int> y, Index K, InMatrix<double> values, In<std::uint8_t> discrete,
                  In<double> single, In<double> both, bool squared, In<Index> queries, Index k, Vector<Int> rows,
                  Vector<double> distances, int n_threads) {
  const Rows<T> X = rows_of(x, codes, y, K, values, discrete, single, both, squared);
  const Index m = queries.size() ? static_cast<Index>(queries.size()) : X.n;
  Nearest nearest(m, K, k, rows.data(), distances.data());
  if (queries.size()) of_some(X, queries, nearest, n_threads);
  else of_all(X, nearest, n_threads);
}

// What a row says of columns [first, last): Σ over its neighbours of share × difference.
template <class T>
struct Saying {
  const Rows<T>& X;
  const Int* neighbours;
  const double* shares;
  Index width;                 // neighbours of a row
  double* sum;
  double* square;
  double* row;

  void continuous(Index q, Index i, double s, Index first, Index last) {
    std::fill(row + first, row + last, 0.0);
    const T* a = X.x + i * X.p;
    for (Index t = 0; t < width; ++t) {
      const Int r = neighbours[q * width + t];
      if (r < 0) continue;
      const double share = shares[q * width + t];
      const T* b = X.x + r * X.p;
      if (X.squared)
        for (Index j = first; j < last; ++j) row[j] += share * static_cast<double>((a[j] - b[j]) * (a[j] - b[j]));
      else
        for (Index j = first; j < last; ++j) row[j] += share * static_cast<double>(std::abs(a[j] - b[j]));
    }
    add(s, first, last, 0);
  }
  void discrete(Index q, Index i, double s, Index first, Index last) {
    std::fill(row + first, row + last, 0.0);
    const std::uint8_t* a = X.codes + i * X.m;
    for (Index t = 0; t < width; ++t) {
      const Int r = neighbours[q * width + t];
      if (r < 0) continue;
      const double share = shares[q * width + t];
      const std::uint8_t* b = X.codes + r * X.m;
      for (Index j = first; j < last; ++j) row[j] += a[j] != b[j] ? share : 0.0;
    }
    add(s, first, last, X.p);
  }
  void gaps(Index q, Index i, double s, Index first, Index last) {
    for (Index j = first; j < last; ++j) {
      row[j] = 0;
      for (Index t = 0; t < width; ++t)
        if (const Int r = neighbours[q * width + t]; r >= 0) row[j] += shares[q * width + t] * X.gaps(j, i, r, X.y, X.squared);
    }
    add(s, first, last, X.p + X.m);
  }
  void add(double s, Index first, Index last, Index at) {
    for (Index j = first; j < last; ++j) {
      sum[at + j] += s * row[j];
      square[at + j] += s * row[j] * row[j];
    }
  }
};

// sum[j] = Σ_i weight_i r_ij and square[j] = Σ_i weight_i r_ij² of r_ij = Σ_t share_it difference_j(row i, neighbour t): continuous
// columns first, then discrete ones, then those with gaps. Threads take columns, so the sums do not depend on their number.
template <class T>
void relief_sums(InMatrix<T> x, InMatrix<std::uint8_t> codes, In<Int> y, Index K, InMatrix<double> values, In<std::uint8_t> discrete,
                 In<double> single, In<double> both, bool squared, In<Index> queries, In<double> weight, InMatrix<Int> neighbours,
                 InMatrix<double> shares, Vector<double> sum, Vector<double> square, int n_threads) {
  const Rows<T> X = rows_of(x, codes, y, K, values, discrete, single, both, squared);
  std::fill(sum.data(), sum.data() + sum.size(), 0.0);
  std::fill(square.data(), square.data() + square.size(), 0.0);
  const Index m = static_cast<Index>(queries.size()), widest = std::max({X.p, X.m, X.gaps.p});
  constexpr Index step = 512;
  auto work = [&](Index p, auto say) {
    parallel_for(static_cast<std::size_t>((p + step - 1) / step), n_threads, [&](std::size_t t, int) {
      std::vector<double> row(static_cast<std::size_t>(widest));
      Saying<T> saying{X, neighbours.data(), shares.data(), static_cast<Index>(neighbours.shape(1)), sum.data(), square.data(), row.data()};
      const Index first = static_cast<Index>(t) * step, last = std::min(p, first + step);
      for (Index q = 0; q < m; ++q) say(saying, q, queries.data()[q], weight.data()[q], first, last);
    });
  };
  work(X.p, [](auto& s, Index q, Index i, double w, Index a, Index b) { s.continuous(q, i, w, a, b); });
  work(X.m, [](auto& s, Index q, Index i, double w, Index a, Index b) { s.discrete(q, i, w, a, b); });
  work(X.gaps.p, [](auto& s, Index q, Index i, double w, Index a, Index b) { s.gaps(q, i, w, a, b); });
}

template <class T>
void register_for(nb::module_& m) {
  m.def("nearest_rows", &nearest_rows<T>, nogil());
  m.def("relief_sums", &relief_sums<T>, nogil());
}

}  // namespace

void register_relief(nb::module_& m) {
  register_for<float>(m);
  register_for<double>(m);
}

}  // namespace tamis
