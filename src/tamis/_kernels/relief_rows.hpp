// Rows as Relief compares them. The difference of two rows in a column is |a − b|^power of values scaled to [0, 1], or 0 where discrete
// values are equal and 1 where not; their distance is the sum over the columns. Two forms, dense and sparse, with the same face:
//   columns()                    how many numbers a row says: a column each
//   tile(Q, a, n_a, b, n_b, …)   distances of the rows a[0 … n_a) of Q and the own rows [b, b + n_b)
//   hold(part, first, last, …)   which rows are compared next, in part of the columns; packed if often
//   add(Q, i, part, rows, …)     how far row i of Q differs from some of those, each times the same share
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "lanes.hpp"

namespace tamis::relief {

using Int = std::int32_t;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr Index side = 32;              // rows of a tile
constexpr Index stretch = 2048;         // rows of which a part is kept together, in the second cache
constexpr double steps = 4294967296.0;  // distances are told apart to 2⁻³²: rounding in their sums decides nothing

template <bool squared, class T>
inline T differ(T a, T b) {
  const T d = a - b;
  return squared ? d * d : std::abs(d);
}

// Where a row's differences d go, a number for each column: differences += share Σ d; and over all pairs of some rows of weight w
// hits += w |share| Σ d where the share is below 0, squares += w |share| Σ d² (not of bytes, for which they are the differences).
struct Sums {
  double *differences, *hits, *squares, weight;

  Sums from(Index j) const { return {differences + j, hits + j, squares + j, weight}; }
  void put(Index j, double share, double sum, double square) const { put(j, 1, share, &sum, &square); }
  template <class T>
  void put(Index first, Index f, double share, const T* __restrict sum) const {
    double *__restrict to = differences + first, *__restrict to_hits = hits + first;
    for (Index j = 0; j < f; ++j) to[j] += share * static_cast<double>(sum[j]);
    if (share < 0.0)
      for (Index j = 0; j < f; ++j) to_hits[j] -= weight * share * static_cast<double>(sum[j]);
  }
  template <class T>
  void put(Index first, Index f, double share, const T* __restrict sum, const T* __restrict square) const {
    put(first, f, share, sum);
    double* __restrict to_squares = squares + first;
    for (Index j = 0; j < f; ++j) to_squares[j] += weight * std::abs(share) * static_cast<double>(square[j]);
  }
};

// Columns with missing values: values (continuous) or codes (discrete), NaN in the gaps. What a gap is expected to differ by from row
// i's value, if the row with the gap is of class c: single[j][i][c]; from another gap, of class d: both[j][c][d].
struct Gaps {
  InMatrix<double> values_;
  In<double> single_, both_;
  In<std::uint8_t> discrete_;
  In<Int> y_;
  Index n, p, K;
  bool squared;

  Gaps(InMatrix<double> values, In<double> single, In<double> both, In<std::uint8_t> discrete, In<Int> y, Index classes, bool square)
      : values_(values), single_(single), both_(both), discrete_(discrete), y_(y), n(static_cast<Index>(y.size())),
        p(static_cast<Index>(discrete.size())), K(classes), squared(square) {}

  double operator()(const Gaps& Q, Index i, Index j, Index r) const {
    const double a = Q.values_.data()[j * Q.n + i], b = values_.data()[j * n + r];
    const Int c = Q.y_.data()[i], d = y_.data()[r];
    if (a != a) return b != b ? both_.data()[(j * K + c) * K + d] : single_.data()[(j * n + r) * K + c];
    if (b != b) return Q.single_.data()[(j * Q.n + i) * K + d];
    if (discrete_.data()[j]) return a != b ? 1.0 : 0.0;
    return squared ? differ<true>(a, b) : differ<false>(a, b);
  }
  void tile(const Gaps& Q, const Index* a, Index n_a, Index b, Index n_b, double* D) const {
    for (Index j = 0; j < p; ++j)
      for (Index r = 0; r < n_a; ++r)
        for (Index c = 0; c < n_b; ++c) D[r * side + c] += (*this)(Q, a[r], j, b + c);
  }
  void add(const Gaps& Q, Index i, const Int* rows, Index count, double share, const Sums& to) const {
    for (Index j = 0; j < p; ++j) {
      double sum = 0.0, square = 0.0;
      for (Index t = 0; t < count; ++t) {
        const double d = (*this)(Q, i, j, rows[t]);
        sum += d;
        square += d * d;
      }
      to.put(j, share, sum, square);
    }
  }
};

inline void round_tile(double* D) {
  for (Index k = 0; k < side * side; ++k) D[k] = std::nearbyint(D[k] * steps) / steps;
}

// ---- dense -------------------------------------------------------------------------------------------------------------------------

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

inline Index mismatches(const std::uint8_t* __restrict a, const std::uint8_t* __restrict b, Index m) {
  Index total = 0;
  for (Index k = 0; k < m; ++k) total += a[k] != b[k];
  return total;
}

// sums[r × side + c] += how many of m bytes of a[r] and b + c × stride differ, for A rows and four.
template <Index A>
void mismatches_by_four(const std::uint8_t* const* a, const std::uint8_t* b, Index stride, Index m, double* sums) {
  constexpr Index lanes = Lanes<std::uint8_t>::lanes, full = 255;  // a count of a byte in each lane, emptied before it is full
  Index k = 0;
  while (k + lanes <= m) {
    typename Lanes<std::uint8_t>::Lane counts[A][4] = {};
    const Index start = k, last = std::min(m - lanes, k + (full - 1) * lanes);
    for (; k <= last; k += lanes)
      for (Index c = 0; c < 4; ++c) {
        const auto x = load(b + c * stride + k);
        for (Index r = 0; r < A; ++r) counts[r][c] += equal(load(a[r] + k), x);
      }
    for (Index r = 0; r < A; ++r)
      for (Index c = 0; c < 4; ++c) sums[r * side + c] += static_cast<double>(k - start - total(counts[r][c]));
  }
  for (Index r = 0; r < A; ++r)
    for (Index c = 0; c < 4; ++c) sums[r * side + c] += static_cast<double>(mismatches(a[r] + k, b + c * stride + k, m - k));
}

template <class T>
class DenseRows {
 public:
  static constexpr Index chunk = 512;   // columns taken together: what a tile needs of them stays in the cache
  static constexpr Index part = 4 * Lanes<T>::lanes;  // columns of a row's answer that are worked out together
  struct Scratch {
    const T* held = nullptr;  // a part of the rows first, first + 1, …
    const std::uint8_t* codes = nullptr;
    Index first = 0, stride = 0, wide = 0;
    std::vector<T> packed;
    std::vector<std::uint8_t> packed_codes;
  };

  DenseRows(InMatrix<T> x, InMatrix<std::uint8_t> codes, const Gaps& gaps)
      : x_(x), codes_(codes), gaps_(gaps), n(gaps.n), p(static_cast<Index>(x.shape(1))), m(static_cast<Index>(codes.shape(1))) {}

  const InMatrix<T> x_;
  const InMatrix<std::uint8_t> codes_;
  const Gaps gaps_;
  const Index n, p, m;

  const Int* y() const { return gaps_.y_.data(); }
  Index columns() const { return p + m + gaps_.p; }
  Index parts(bool often) const { return parts_of_x() + (m + wide(often) - 1) / wide(often) + 1; }
  Scratch scratch() const { return {}; }

  void tile(const DenseRows& Q, const Index* a, Index n_a, Index b, Index n_b, double* D, Scratch&) const {
    std::fill(D, D + side * side, 0.0);
    gaps_.squared ? continuous<true>(Q, a, n_a, b, n_b, D) : continuous<false>(Q, a, n_a, b, n_b, D);
    for (Index first = 0; first < m; first += near_bytes) discrete(Q, a, n_a, b, n_b, first, std::min(near_bytes, m - first), D);
    gaps_.tile(Q.gaps_, a, n_a, b, n_b, D);
    round_tile(D);
  }

  void hold(Index which, Index first, Index last, bool often, Scratch& s) const {
    s.first = first;
    s.wide = wide(often);
    if (which < parts_of_x()) {
      const Index from = which * part;
      s.held = row(first) + from;
      s.stride = p;
      if (often) s.held = packed(s.held, p, last - first, std::min(part, p - from), s.stride = part, s.packed);
    } else if (const Index from = (which - parts_of_x()) * s.wide; from < m) {
      s.codes = code(first) + from;
      s.stride = m;
      if (often) s.codes = packed(s.codes, m, last - first, std::min(s.wide, m - from), s.stride = s.wide, s.packed_codes);
    }
  }

  void add(const DenseRows& Q, Index i, Index which, const Int* rows, Index count, double share, const Sums& to, Scratch& s) const {
    if (which < parts_of_x()) {
      const Index first = which * part, f = std::min(part, p - first);
      gaps_.squared ? add_continuous<true>(Q.row(i) + first, f, rows, count, share, to.from(first), s)
                    : add_continuous<false>(Q.row(i) + first, f, rows, count, share, to.from(first), s);
    } else if (const Index first = (which - parts_of_x()) * s.wide; first < m) {
      add_codes(Q.code(i) + first, std::min(s.wide, m - first), rows, count, share, to.from(p + first), s);
    } else {
      gaps_.add(Q.gaps_, i, rows, count, share, to.from(p + m));
    }
  }

 private:
  static constexpr Index bytes = 1 << 13;   // discrete columns taken together,
  static constexpr Index near_bytes = 1 << 12;  // of them in a tile
  static constexpr Index few_bytes = 128;  // and where many rows are compared with the same
  static constexpr Index most = sizeof(T) == 8 ? stretch : 64;  // differences added up in T

  static Index wide(bool often) { return often ? few_bytes : bytes; }
  Index parts_of_x() const { return (p + part - 1) / part; }

  template <class V>
  static const V* packed(const V* from, Index stride, Index n_rows, Index f, Index to_stride, std::vector<V>& to) {
    to.resize(static_cast<std::size_t>(n_rows * to_stride));
    for (Index r = 0; r < n_rows; ++r) std::copy(from + r * stride, from + r * stride + f, to.data() + r * to_stride);
    return to.data();
  }

  const T* row(Index i) const { return x_.data() + i * p; }
  const std::uint8_t* code(Index i) const { return codes_.data() + i * m; }

  template <bool squared>
  void continuous(const DenseRows& Q, const Index* a, Index n_a, Index b, Index n_b, double* D) const {
    for (Index first = 0; first < p; first += chunk) {
      const Index f = std::min(chunk, p - first);
      for (Index r = 0; r < n_a; r += 2)
        for (Index c = 0; c < n_b; c += 4) {
          if (r + 1 < n_a && c + 4 <= n_b) {
            double sums[8] = {};
            const T* y = row(b + c) + first;
            two_by_four<squared>(Q.row(a[r]) + first, Q.row(a[r + 1]) + first, y, y + p, y + 2 * p, y + 3 * p, f, sums);
            for (Index k = 0; k < 4; ++k) {
              D[r * side + c + k] += sums[k];
              D[(r + 1) * side + c + k] += sums[4 + k];
            }
          } else {
            for (Index s = r; s < std::min(r + 2, n_a); ++s)
              for (Index k = c; k < std::min(c + 4, n_b); ++k)
                D[s * side + k] += one_by_one<squared>(Q.row(a[s]) + first, row(b + k) + first, f);
          }
        }
    }
  }

  template <bool squared>
  void add_continuous(const T* a, Index f, const Int* rows, Index count, double share, const Sums& to, const Scratch& s) const {
    constexpr Index size = Lanes<T>::lanes;
    for (Index t = 0; t < count; t += most) {
      const Index some = std::min(most, count - t);
      Index j = 0;
      if (f == part) {
        s.stride == part ? add_strip<squared, 4, part>(a, 0, rows + t, some, share, to, s)
                         : add_strip<squared, 4, 0>(a, 0, rows + t, some, share, to, s);
        continue;
      }
      for (; j + size <= f; j += size) add_strip<squared, 1, 0>(a + j, j, rows + t, some, share, to.from(j), s);
      for (; j < f; ++j) {
        T sum = 0, square = 0;
        for (Index k = t; k < t + some; ++k) {
          const T d = differ<squared>(a[j], s.held[(rows[k] - s.first) * s.stride + j]);
          sum += d;
          square += d * d;
        }
        to.put(j, share, static_cast<double>(sum), static_cast<double>(square));
      }
    }
  }

  // Of f bytes from byte `first` on.
  void discrete(const DenseRows& Q, const Index* a, Index n_a, Index b, Index n_b, Index first, Index f, double* D) const {
    constexpr Index A = 2;
    for (Index r = 0; r < n_a; r += A) {
      const std::uint8_t* own[A];
      for (Index k = 0; k < A; ++k) own[k] = Q.code(a[std::min(r + k, n_a - 1)]) + first;
      Index c = 0;
      for (; c + 4 <= n_b; c += 4)
        r + A <= n_a ? mismatches_by_four<A>(own, code(b + c) + first, m, f, D + r * side + c)
                     : mismatches_by_four<1>(own, code(b + c) + first, m, f, D + r * side + c);
      for (; c < n_b; ++c)
        for (Index k = 0; k < std::min(A, n_a - r); ++k)
          D[(r + k) * side + c] += static_cast<double>(mismatches(own[k], code(b + c) + first, f));
    }
  }

  // V times Lanes<T>::lanes columns, in registers; `stride` of the held rows if it is known.
  template <bool squared, Index V, Index stride>
  void add_strip(const T* a, Index j, const Int* rows, Index count, double share, const Sums& to, const Scratch& s) const {
    using L = Lanes<T>;
    typename L::Lane own[V], sums[V] = {}, squares[V] = {};
    for (Index v = 0; v < V; ++v) own[v] = load(a + v * L::lanes);
    const T* held = s.held - s.first * s.stride + j;
    for (Index t = 0; t < count; ++t) {
      const T* b = held + rows[t] * (stride ? stride : s.stride);
#pragma GCC unroll 4
      for (Index v = 0; v < V; ++v) {
        const auto apart = own[v] - load(b + v * L::lanes);
        const auto d = squared ? apart * apart : magnitude<T>(apart);
        sums[v] += d;
        squares[v] += squared ? d * d : apart * apart;
      }
    }
    T sum[V * L::lanes], square[V * L::lanes];
    for (Index v = 0; v < V; ++v) {
      store(sums[v], sum + v * L::lanes);
      store(squares[v], square + v * L::lanes);
    }
    to.put(0, V * L::lanes, share, sum, square);
  }

  void add_codes(const std::uint8_t* a, Index f, const Int* rows, Index count, double share, const Sums& to, const Scratch& s) const {
    std::uint8_t counts[bytes];
    const auto at = [&](Index t) { return s.codes + (rows[t] - s.first) * s.stride; };
    for (Index t = 0; t < count; t += 255) {
      const Index end = std::min(count, t + 255);
      Index j = 0;
      for (; j + few_bytes <= f; j += few_bytes) count_few(a + j, t, end, [&](Index k) { return at(k) + j; }, counts + j);
      for (; j < f; ++j) {
        counts[j] = 0;
        for (Index k = t; k < end; ++k) counts[j] = static_cast<std::uint8_t>(counts[j] + (a[j] != at(k)[j]));
      }
      to.put(0, f, share, counts);
    }
  }

  // counts[j] = how many of the rows at(t), …, at(end − 1) differ from a in byte j of few_bytes, in registers.
  template <class At>
  static void count_few(const std::uint8_t* a, Index t, Index end, const At& at, std::uint8_t* counts) {
    constexpr Index lanes = Lanes<std::uint8_t>::lanes, V = 4;
    for (Index j = 0; j < few_bytes; j += V * lanes) {
      typename Lanes<std::uint8_t>::Lane own[V], sums[V] = {};
      for (Index v = 0; v < V; ++v) own[v] = load(a + j + v * lanes);
      for (Index k = t; k < end; ++k) {
        const std::uint8_t* b = at(k) + j;
        for (Index v = 0; v < V; ++v) sums[v] += equal(own[v], load(b + v * lanes));
      }
      for (Index v = 0; v < V; ++v) store(static_cast<std::uint8_t>(end - t) - sums[v], counts + j + v * lanes);
    }
  }
};

// ---- sparse ------------------------------------------------------------------------------------------------------------------------

// Rows of which only what differs from 0 is stored: Σ_j difference(a_j, b_j) = Σ_j difference(a_j, 0) + Σ over the stored b_j of
// difference(a_j, b_j) − difference(a_j, 0).
class SparseRows {
 public:
  static constexpr Index lanes = 8;  // rows of Q laid side by side, so that each stored value serves eight

  SparseRows(In<Index> starts, In<Int> indices, In<double> data, In<std::uint8_t> discrete, const Gaps& gaps)
      : starts_(starts), indices_(indices), data_(data), discrete_(discrete), gaps_(gaps), n(gaps.n),
        p(static_cast<Index>(discrete.size())) {}

  struct Scratch {
    std::vector<double> values;  // p × lanes, zero between uses
  };
  const In<Index> starts_;
  const In<Int> indices_;
  const In<double> data_;
  const In<std::uint8_t> discrete_;
  const Gaps gaps_;
  const Index n, p;

  const Int* y() const { return gaps_.y_.data(); }
  Index columns() const { return p + gaps_.p; }
  Index parts(bool) const { return 1; }
  Scratch scratch() const { return {std::vector<double>(static_cast<std::size_t>(p * lanes), 0.0)}; }

  void tile(const SparseRows& Q, const Index* a, Index n_a, Index b, Index n_b, double* D, Scratch& s) const {
    std::fill(D, D + side * side, 0.0);
    for (Index r = 0; r < n_a; r += lanes) {
      const Index w = std::min(lanes, n_a - r);
      double base[lanes] = {};
      for (Index l = 0; l < w; ++l) Q.spread(a[r + l], l, s, &base[l]);
      for (Index c = 0; c < n_b; ++c) {
        double sums[lanes];
        std::copy(base, base + lanes, sums);
        gaps_.squared ? against<true>(b + c, s, sums) : against<false>(b + c, s, sums);
        for (Index l = 0; l < w; ++l) D[(r + l) * side + c] += sums[l];
      }
      for (Index l = 0; l < w; ++l) Q.clear(a[r + l], l, s);
    }
    gaps_.tile(Q.gaps_, a, n_a, b, n_b, D);
    round_tile(D);
  }

  void hold(Index, Index, Index, bool, Scratch&) const {}

  void add(const SparseRows& Q, Index i, Index, const Int* rows, Index count, double share, const Sums& to, Scratch& s) const {
    double base = 0.0;
    Q.spread(i, 0, s, &base);
    for (Index t = 0; t < count; ++t)
      for (Index k = starts_.data()[rows[t]]; k < starts_.data()[rows[t] + 1]; ++k) {
        const Index j = indices_.data()[k];
        const double v = s.values[static_cast<std::size_t>(j * lanes)];
        const double d = apart(j, v, data_.data()[k]), zero = apart(j, v, 0.0);
        to.put(j, share, d - zero, d * d - zero * zero);
      }
    for (Index k = Q.starts_.data()[i]; k < Q.starts_.data()[i + 1]; ++k) {
      const Index j = Q.indices_.data()[k];
      const double zero = apart(j, Q.data_.data()[k], 0.0), all = static_cast<double>(count);
      to.put(j, share, all * zero, all * zero * zero);
    }
    Q.clear(i, 0, s);
    gaps_.add(Q.gaps_, i, rows, count, share, to.from(p));
  }

 private:
  double apart(Index j, double a, double b) const {
    if (discrete_.data()[j]) return a != b ? 1.0 : 0.0;
    return gaps_.squared ? differ<true>(a, b) : differ<false>(a, b);
  }
  void spread(Index i, Index lane, Scratch& s, double* base) const {
    for (Index k = starts_.data()[i]; k < starts_.data()[i + 1]; ++k) {
      s.values[static_cast<std::size_t>(indices_.data()[k] * lanes + lane)] = data_.data()[k];
      *base += apart(indices_.data()[k], data_.data()[k], 0.0);
    }
  }
  void clear(Index i, Index lane, Scratch& s) const {
    for (Index k = starts_.data()[i]; k < starts_.data()[i + 1]; ++k)
      s.values[static_cast<std::size_t>(indices_.data()[k] * lanes + lane)] = 0.0;
  }
  template <bool squared>
  void against(Index r, const Scratch& s, double* sums) const {
    for (Index k = starts_.data()[r]; k < starts_.data()[r + 1]; ++k) {
      const Index j = indices_.data()[k];
      const double x = data_.data()[k], *v = s.values.data() + j * lanes;
      if (discrete_.data()[j])
        for (Index l = 0; l < lanes; ++l) sums[l] += (v[l] != x ? 1.0 : 0.0) - (v[l] != 0.0 ? 1.0 : 0.0);
      else
        for (Index l = 0; l < lanes; ++l) sums[l] += differ<squared>(v[l], x) - differ<squared>(v[l], 0.0);
    }
  }
};

}  // namespace tamis::relief
