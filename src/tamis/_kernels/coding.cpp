// From column values to small codes: extents, distinct values, quantile cuts, and the codes themselves.
// X is (n, p) with any strides; codes are (p, n), one contiguous row per column of X. A missing value (NaN) gets the last code.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "cells.hpp"

namespace tamis {
namespace {

// ---- extents: lowest and highest value, how many are missing, how many are not whole numbers -----------------------------------

template <class T>
struct Extents {
  std::vector<T> low, high;
  std::vector<double> missing, broken;
  explicit Extents(Index p)
      : low(p, std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max()),
        high(p, std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest()),
        missing(p, 0.0), broken(p, 0.0) {}
};

template <class T>
void widen_by_row(const T* __restrict x, Index p, T* __restrict low, T* __restrict high, double* __restrict missing,
                  double* __restrict broken) {
  for (Index j = 0; j < p; ++j) {
    const T v = x[j];
    low[j] = v < low[j] ? v : low[j];          // false for NaN
    high[j] = v > high[j] ? v : high[j];
    if constexpr (std::is_floating_point_v<T>) {
      missing[j] += v != v ? 1.0 : 0.0;
      broken[j] += v != std::floor(v) ? 1.0 : 0.0;
    }
  }
}

template <class T>
void widen_by_column(const Table<T>& X, Index j, Extents<T>& e) {
  T low = e.low[j], high = e.high[j];
  Index missing = 0, broken = 0;
  const T* x = &X(0, j);
  const Index stride = X.row_stride;
  for (Index i = 0; i < X.n; ++i) {
    const T v = x[i * stride];
    low = v < low ? v : low;
    high = v > high ? v : high;
    if constexpr (std::is_floating_point_v<T>) {
      missing += v != v;
      broken += v != std::floor(v);
    }
  }
  e.low[j] = low;
  e.high[j] = high;
  e.missing[j] = static_cast<double>(missing);
  e.broken[j] = static_cast<double>(broken);
}

template <class T>
void join(Extents<T>& a, const Extents<T>& b) {
  for (std::size_t j = 0; j < a.low.size(); ++j) {
    a.low[j] = std::min(a.low[j], b.low[j]);
    a.high[j] = std::max(a.high[j], b.high[j]);
    a.missing[j] += b.missing[j];
    a.broken[j] += b.broken[j];
  }
}

template <class T>
Extents<T> extents_of(const Table<T>& X, int n_threads) {
  Extents<T> all(X.p);
  if (!X.by_rows() || X.column_stride != 1) {
    parallel_for(static_cast<std::size_t>(X.p), n_threads,
                 [&](std::size_t j, int) { widen_by_column(X, static_cast<Index>(j), all); });
    return all;
  }
  const Index step = std::max<Index>(256, (X.n + 63) / 64), n_parts = (X.n + step - 1) / step;
  std::vector<Extents<T>> parts(static_cast<std::size_t>(n_parts), Extents<T>(X.p));
  parallel_for(parts.size(), n_threads, [&](std::size_t t, int) {
    Extents<T>& e = parts[t];
    const Index from = static_cast<Index>(t) * step, to = std::min(X.n, from + step);
    for (Index i = from; i < to; ++i)
      widen_by_row(&X(i, 0), X.p, e.low.data(), e.high.data(), e.missing.data(), e.broken.data());
  });
  for (const Extents<T>& part : parts) join(all, part);
  return all;
}

// low > high where a column has no value at all. Infinities show as low = −∞ or high = ∞.
template <class T>
void extents(Cells<T> X, Vector<double> low, Vector<double> high, Vector<Index> missing, Vector<std::uint8_t> whole, int n_threads) {
  const Table<T> table(X);
  const Extents<T> e = extents_of(table, n_threads);
  for (Index j = 0; j < table.p; ++j) {
    low.data()[j] = static_cast<double>(e.low[j]);
    high.data()[j] = static_cast<double>(e.high[j]);
    missing.data()[j] = static_cast<Index>(e.missing[j]);
    whole.data()[j] = e.broken[j] == e.missing[j];       // NaN ≠ ⌊NaN⌋ as well
  }
}

// ---- codes of whole numbers in a small range: x − low ---------------------------------------------------------------------------

// The range is below 2⁸, so whole numbers may be cut to the code's width before the difference is taken: it is right modulo 2⁸.
template <class T, class Code>
inline Code offset_code(T x, T low, Code missing_code) {
  if constexpr (std::is_floating_point_v<T>) return x != x ? missing_code : static_cast<Code>(static_cast<std::int32_t>(x - low));
  else return static_cast<Code>(static_cast<Code>(x) - static_cast<Code>(low));
}

// The same as the lowest byte of a word, in operations that vectorise: a whole double below 2⁵² shows in the last bits of x + 2⁵².
template <class T>
inline std::uint64_t offset_byte(T x, T low, std::uint64_t missing_code) {
  if constexpr (std::is_floating_point_v<T>) {
    const double shifted = static_cast<double>(x) - static_cast<double>(low) + 4503599627370496.0;
    std::uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    return x != x ? missing_code : bits & 0xFF;
  } else {
    return (static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low)) & 0xFF;
  }
}

constexpr Index tile = 64;      // columns and rows taken together: one cache line of codes per column

// Eight rows at a time, a column's eight codes in one word (its first row in the lowest byte, as the memory of our machines has it).
template <class T>
void offset_words(const Table<T>& X, Index from, Index to, const Index* columns, Index m, const T* __restrict low,
                  const std::uint64_t* __restrict missing, std::uint8_t* codes) {
  std::uint64_t words[tile];
  for (Index i = from; i + 8 <= to; i += 8) {
    const T* __restrict x = &X(i, columns[0]);
    const Index s = X.row_stride;
    for (Index k = 0; k < m; ++k) {
      const T a = low[k];
      const std::uint64_t b = missing[k];
      words[k] = offset_byte(x[k], a, b) | offset_byte(x[k + s], a, b) << 8 | offset_byte(x[k + 2 * s], a, b) << 16 |
                 offset_byte(x[k + 3 * s], a, b) << 24 | offset_byte(x[k + 4 * s], a, b) << 32 |
                 offset_byte(x[k + 5 * s], a, b) << 40 | offset_byte(x[k + 6 * s], a, b) << 48 |
                 offset_byte(x[k + 7 * s], a, b) << 56;
    }
    for (Index k = 0; k < m; ++k) std::memcpy(codes + columns[k] * X.n + i, words + k, 8);
  }
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
constexpr bool words_fit = false;
#else
constexpr bool words_fit = true;
#endif

template <class T, class Code>
void offset_tile(const Table<T>& X, Index from, Index to, const Index* columns, Index m, const T* low, const std::uint64_t* missing,
                 Code* codes) {
  if constexpr (std::is_same_v<Code, std::uint8_t> && words_fit)
    if (X.column_stride == 1 && columns[m - 1] - columns[0] == m - 1) {
      offset_words(X, from, to, columns, m, low, missing, codes);
      from += (to - from) / 8 * 8;
    }
  for (Index i = from; i < to; ++i)
    for (Index k = 0; k < m; ++k)
      codes[columns[k] * X.n + i] = offset_code(X(i, columns[k]), low[k], static_cast<Code>(missing[k]));
}

template <class T, class Code>
void offset_column(const T* __restrict x, Index stride, Index n, T low, Code missing, Code* __restrict out) {
  if (stride == 1)
    for (Index i = 0; i < n; ++i) out[i] = offset_code(x[i], low, missing);
  else
    for (Index i = 0; i < n; ++i) out[i] = offset_code(x[i * stride], low, missing);
}

template <class T, class Code>
void offsets(Cells<T> X_, In<Index> columns_, In<double> low_, In<std::int32_t> levels_, Matrix<Code> codes_, int n_threads) {
  const Table<T> X(X_);
  const Index m = static_cast<Index>(columns_.size());
  const Index* columns = columns_.data();
  Code* codes = codes_.data();
  std::vector<T> low(m);
  std::vector<std::uint64_t> missing(m);
  for (Index k = 0; k < m; ++k) {
    low[k] = static_cast<T>(low_.data()[columns[k]]);
    missing[k] = static_cast<std::uint64_t>(levels_.data()[columns[k]] - 1);
  }
  if (!X.by_rows()) {
    parallel_for(static_cast<std::size_t>(m), n_threads, [&](std::size_t k, int) {
      offset_column(&X(0, columns[k]), X.row_stride, X.n, low[k], static_cast<Code>(missing[k]), codes + columns[k] * X.n);
    });
    return;
  }
  parallel_for(static_cast<std::size_t>((X.n + tile - 1) / tile), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * tile, to = std::min(X.n, from + tile);
    for (Index first = 0; first < m; first += tile)
      offset_tile(X, from, to, columns + first, std::min(tile, m - first), low.data() + first, missing.data() + first, codes);
  });
}

// ---- distinct values ------------------------------------------------------------------------------------------------------------

// An open-addressing set of doubles that are not NaN; −0 is 0.
class Values {
 public:
  explicit Values(std::size_t slots = 64) : slots_(slots, empty()) {}
  std::size_t size() const { return size_; }
  void insert(double v) {
    if (v == last_) return;
    last_ = v;
    if (2 * (size_ + 1) > slots_.size()) grow();
    size_ += place(slots_, v + 0.0);
  }
  std::vector<double> sorted() const {
    std::vector<double> out;
    out.reserve(size_);
    for (double v : slots_)
      if (v == v) out.push_back(v);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  static double empty() { return std::numeric_limits<double>::quiet_NaN(); }
  static bool place(std::vector<double>& slots, double v) {
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    const std::size_t mask = slots.size() - 1;
    for (std::size_t s = (bits ^ bits >> 32) * 0x9E3779B97F4A7C15u >> 20 & mask;; s = (s + 1) & mask) {
      if (slots[s] == v) return false;
      if (slots[s] != slots[s]) {
        slots[s] = v;
        return true;
      }
    }
  }
  void grow() {
    std::vector<double> wider(2 * slots_.size(), empty());
    for (double v : slots_)
      if (v == v) place(wider, v);
    slots_.swap(wider);
  }
  std::vector<double> slots_;
  std::size_t size_ = 0;
  double last_ = empty();
};

// For each of the columns its distinct values in order, or None where there are more than `most`.
template <class T>
nb::list distinct(Cells<T> X_, In<Index> columns, Index most, int n_threads) {
  const Table<T> X(X_);
  std::vector<std::vector<double>> found(columns.size());
  std::vector<char> over(columns.size(), 0);
  {
    nb::gil_scoped_release release;
    parallel_for(columns.size(), n_threads, [&](std::size_t k, int) {
      Values values;
      for (Index i = 0; i < X.n && !over[k]; ++i) {
        const T x = X(i, columns.data()[k]);
        if (!is_missing(x)) values.insert(static_cast<double>(x));
        over[k] = static_cast<Index>(values.size()) > most;
      }
      if (!over[k]) found[k] = values.sorted();
    });
  }
  nb::list out;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (over[k]) out.append(nb::none());
    else out.append(as_array(std::move(found[k])));
  }
  return out;
}

// ---- quantile cuts --------------------------------------------------------------------------------------------------------------

// cuts[k] for first < k < last are order statistics number rank[k] of v[from, to): select the middle one, then both sides.
void select_cuts(double* v, Index from, Index to, const Index* rank, Index first, Index last, double* cuts) {
  if (last - first < 2 || from >= to) return;
  const Index k = (first + last) / 2;
  std::nth_element(v + from, v + rank[k], v + to);
  cuts[k] = v[rank[k]];
  Index before = k, after = k;                 // equal ranks give equal cuts
  while (before - 1 > first && rank[before - 1] == rank[k]) cuts[--before] = cuts[k];
  while (after + 1 < last && rank[after + 1] == rank[k]) cuts[++after] = cuts[k];
  select_cuts(v, from, rank[k], rank, first, before, cuts);
  select_cuts(v, rank[k] + 1, to, rank, after, last, cuts);
}

void plain_cuts(std::vector<double>& v, Index n_bins, double* cuts) {
  const Index n = static_cast<Index>(v.size());
  std::vector<Index> rank(n_bins + 1);
  for (Index k = 0; k <= n_bins; ++k) rank[k] = (k * n + n_bins - 1) / n_bins - 1;     // ⌈kn/B⌉-th smallest
  select_cuts(v.data(), 0, n, rank.data(), 0, n_bins, cuts);
}

void weighted_cuts(std::vector<std::pair<double, double>>& v, Index n_bins, double* cuts) {
  std::sort(v.begin(), v.end());
  double total = 0, below = 0;
  for (const auto& [x, w] : v) total += w;
  const double bins = static_cast<double>(n_bins);
  Index k = 1;
  for (const auto& [x, w] : v) {
    below += w;
    for (; k < n_bins && bins * below >= static_cast<double>(k) * total; ++k) cuts[k] = x;
  }
  for (; k < n_bins; ++k) cuts[k] = v.back().first;
}

// Row k of cuts (m, B − 1): the smallest values with at least 1/B, 2/B, … of the weight at or below them; NaN without any value.
template <class T>
void quantile_cuts(Cells<T> X_, In<Index> columns, In<double> weight, Matrix<double> cuts_, int n_threads) {
  const Table<T> X(X_);
  const Index n_bins = static_cast<Index>(cuts_.shape(1)) + 1;
  parallel_for(columns.size(), n_threads, [&](std::size_t t, int) {
    const Index j = columns.data()[t];
    double* cuts = cuts_.data() + static_cast<Index>(t) * (n_bins - 1) - 1;      // cuts[1 … B − 1]
    std::vector<double> plain;
    std::vector<std::pair<double, double>> weighted;
    if (weight.size() == 0) plain.reserve(static_cast<std::size_t>(X.n));
    else weighted.reserve(static_cast<std::size_t>(X.n));
    for (Index i = 0; i < X.n; ++i) {
      const T x = X(i, j);
      if (is_missing(x)) continue;
      if (weight.size() == 0) plain.push_back(static_cast<double>(x));
      else if (weight.data()[i] > 0) weighted.emplace_back(static_cast<double>(x), weight.data()[i]);
    }
    if (plain.empty() && weighted.empty()) std::fill(cuts + 1, cuts + n_bins, std::numeric_limits<double>::quiet_NaN());
    else if (weighted.empty()) plain_cuts(plain, n_bins, cuts);
    else weighted_cuts(weighted, n_bins, cuts);
  });
}

// ---- codes from cuts ------------------------------------------------------------------------------------------------------------

// code(x) = #{k : cut_k < x}, the bins (cut_{k−1}, cut_k]; missing: number of cuts + 1. Column k has cuts[starts[k] … starts[k + 1]).
template <class T, class Code>
void cut_codes(Cells<T> X_, In<Index> columns, In<double> cuts, In<Index> starts, Matrix<Code> codes, int n_threads) {
  const Table<T> X(X_);
  parallel_for(columns.size(), n_threads, [&](std::size_t k, int) {
    const Index j = columns.data()[k];
    const double* first = cuts.data() + starts.data()[k];
    const double* last = cuts.data() + starts.data()[k + 1];
    Code* out = codes.data() + j * X.n;
    const Code missing = static_cast<Code>(last - first + 1);
    for (Index i = 0; i < X.n; ++i) {
      const T x = X(i, j);
      out[i] = is_missing(x) ? missing : static_cast<Code>(std::lower_bound(first, last, static_cast<double>(x)) - first);
    }
  });
}

template <class T>
void register_for(nb::module_& m) {
  define(m, "extents", &extents<T>, nogil());
  define(m, "offset_codes", &offsets<T, std::uint8_t>, nogil());
  define(m, "offset_codes", &offsets<T, std::uint16_t>, nogil());
  define(m, "offset_codes", &offsets<T, std::int32_t>, nogil());
  define(m, "distinct_values", &distinct<T>);
  define(m, "quantile_cuts", &quantile_cuts<T>, nogil());
  define(m, "cut_codes", &cut_codes<T, std::uint8_t>, nogil());
  define(m, "cut_codes", &cut_codes<T, std::uint16_t>, nogil());
  define(m, "cut_codes", &cut_codes<T, std::int32_t>, nogil());
}

}  // namespace

void register_coding(nb::module_& m) {
  register_for<std::uint8_t>(m);
  register_for<std::int32_t>(m);
  register_for<std::int64_t>(m);
  register_for<float>(m);
  register_for<double>(m);
}

}  // namespace tamis
