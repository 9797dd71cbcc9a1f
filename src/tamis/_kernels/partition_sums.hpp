// Sums over the cells of a partition of the rows by coded columns, beside the class: what the counting kernels share.
// y holds classes 0 … K − 1; without weights every row counts once.
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace tamis {

using Int = std::int32_t;

// A table of levels × classes that is too large, or whose rows are too long to walk, is sorted instead of counted.
inline bool countable(Index levels, Index K) { return levels * K <= 1 << 20 && K <= 256; }

// The classes, and how their counts are weighed: x log₂ x comes from a table for the whole counts that have one.
struct Target {
  const Int* y;
  const double* weight;      // null: all ones
  Index n, K;
  double total;
  const double* xlogx;
  Index known;

  Target(const Int* y_, Index n_, Index K_, const double* weight_, double total_, const double* table, Index known_)
      : y(y_), weight(weight_), n(n_), K(K_), total(total_), xlogx(table), known(known_) {}

  double log_times(Int c) const {
    return c < known ? xlogx[c] : static_cast<double>(c) * std::log2(static_cast<double>(c));
  }
  double log_times(double c) const { return c > 0 ? c * std::log2(c) : 0.0; }
  template <class Count>
  Count one(Index i) const {
    if constexpr (std::is_same_v<Count, double>) return weight[i];
    else return 1;
  }
};

// One cell of a partition: its weight, Σ c log₂ c and Σ c² over its classes, the largest class, how many classes it has.
template <class Count>
struct Cell {
  Count N = 0, most = 0;
  double inner = 0, squares = 0;
  int n_classes = 0;
  void add(const Target& D, Count c) {
    N += c;
    most = std::max(most, c);
    inner += D.log_times(c);
    squares += static_cast<double>(c) * static_cast<double>(c);
    ++n_classes;
  }
};

template <class Count>
Cell<Count> cell_of(const Target& D, const Count* counts) {
  Cell<Count> cell;
  for (Index c = 0; c < D.K; ++c)
    if (counts[c] != 0) cell.add(D, counts[c]);
  return cell;
}

// What is summed over the cells. Σ N·Ent in bits, exactly 0 for a pure cell: no refinement gives it impurity again, so it may be left out.
struct Impurity {
  static constexpr Index width = 1;
  static constexpr bool leaves_pure_out = true;
  template <class Count>
  static void add(const Target& D, const Cell<Count>& cell, double* sums) {
    if (cell.n_classes > 1) sums[0] += std::max(0.0, D.log_times(cell.N) - cell.inner);
  }
};

// What every comparison of two partitions is made of: Σ N log₂ N, Σ c log₂ c, Σ N², Σ c², Σ max c.
struct Sums {
  static constexpr Index width = 5;
  static constexpr bool leaves_pure_out = false;
  template <class Count>
  static void add(const Target& D, const Cell<Count>& cell, double* sums) {
    sums[0] += D.log_times(cell.N);
    sums[1] += cell.inner;
    sums[2] += static_cast<double>(cell.N) * static_cast<double>(cell.N);
    sums[3] += cell.squares;
    sums[4] += static_cast<double>(cell.most);
  }
};

// Cell c of a partition holds rows[starts[c] … starts[c + 1]).
struct View {
  const Int *rows, *starts;
  Index n_cells;
};

// Scratch of one worker: counts per (code, class), how often each code was met, and keys to sort where the table would be too large.
template <class Count>
struct Scratch {
  std::vector<Count> table, spare;
  std::vector<Int> met;
  std::vector<std::pair<Index, Count>> keys;
  void reserve(Index levels, Index K) {
    if (countable(levels, K) && static_cast<Index>(table.size()) < levels * K) table.assign(static_cast<std::size_t>(levels * K), 0);
    if (static_cast<Index>(met.size()) < levels) met.assign(static_cast<std::size_t>(levels), 0);
  }
};

// The sums over the codes, from (code, class) keys that are sorted here.
template <class M, class Count>
void add_sorted(const Target& D, std::vector<std::pair<Index, Count>>& keys, double* sums) {
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < keys.size();) {
    const Index code = keys[i].first / D.K;
    Cell<Count> cell;
    while (i < keys.size() && keys[i].first / D.K == code) {
      const Index key = keys[i].first;
      Count c = 0;
      for (; i < keys.size() && keys[i].first == key; ++i) c += keys[i].second;
      cell.add(D, c);
    }
    M::add(D, cell, sums);
  }
}

// The sums over one cell split by a column; the scratch is left clean.
template <class M, class Code, class Count>
void add_split(const Target& D, const Code* codes, Index levels, const Int* from, const Int* to, Scratch<Count>& s, double* sums) {
  if (!countable(levels, D.K)) {
    s.keys.clear();
    for (const Int* r = from; r < to; ++r) s.keys.emplace_back(codes[*r] * D.K + D.y[*r], D.one<Count>(*r));
    add_sorted<M>(D, s.keys, sums);
    return;
  }
  for (const Int* r = from; r < to; ++r) {
    ++s.met[codes[*r]];
    s.table[codes[*r] * D.K + D.y[*r]] += D.one<Count>(*r);
  }
  for (const Int* r = from; r < to; ++r) {
    const Index v = codes[*r];
    if (s.met[v] == 0) continue;
    Count* counts = s.table.data() + v * D.K;
    if (s.met[v] > 1) {
      M::add(D, cell_of(D, counts), sums);
      std::fill(counts, counts + D.K, Count(0));
    } else {
      Cell<Count> single;
      single.add(D, counts[D.y[*r]]);
      M::add(D, single, sums);
      counts[D.y[*r]] = 0;
    }
    s.met[v] = 0;
  }
}

// f(a measure, a count) of the types that the width of the sums and the weights ask for.
template <class F>
void with_types(Index width, const Target& D, F f) {
  if (width == Impurity::width) D.weight ? f(Impurity{}, double{}) : f(Impurity{}, Int{});
  else D.weight ? f(Sums{}, double{}) : f(Sums{}, Int{});
}

}  // namespace tamis
