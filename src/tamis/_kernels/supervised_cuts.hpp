// Where to cut a column so that its bins tell the classes, as far as the description gets shorter (Fayyad and Irani 1993).
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace tamis {

inline constexpr Index most_logs = 1 << 16;
inline constexpr double same = 1e-9;      // bits per row: cuts that differ by less are equal, and the lowest is taken

// x log₂ x, from a table for whole numbers.
class Logs {
 public:
  explicit Logs(Index n) : table_(static_cast<std::size_t>(std::min(n + 1, most_logs)), 0.0) {
    for (std::size_t x = 2; x < table_.size(); ++x) table_[x] = static_cast<double>(x) * std::log2(static_cast<double>(x));
  }
  // All of them up to n, or null.
  const double* up_to(Index n) const { return n < static_cast<Index>(table_.size()) ? table_.data() : nullptr; }
  double operator()(std::int32_t x) const {
    const auto at = static_cast<std::size_t>(x);
    return at < table_.size() ? table_[at] : static_cast<double>(x) * std::log2(static_cast<double>(x));
  }
  double operator()(double x) const {
    if (x <= 0) return 0.0;
    const auto whole = static_cast<std::size_t>(x);
    if (whole < table_.size() && static_cast<double>(whole) == x) return table_[whole];
    return x * std::log2(x);
  }

 private:
  std::vector<double> table_;
};

// The classes of some rows: their weights, the weight of all, Σ c log₂ c. Count: whole numbers where every row counts once.
template <class Count>
struct Side {
  std::vector<Count> counts;
  Count N = 0;
  double inner = 0;
  explicit Side(Index K) : counts(static_cast<std::size_t>(K), Count(0)) {}
  void clear() {
    std::fill(counts.begin(), counts.end(), Count(0));
    N = 0;
    inner = 0;
  }
  void change(const Logs& f, std::int32_t c, Count w) {
    Count& count = counts[static_cast<std::size_t>(c)];
    inner -= f(count);
    count = std::max(Count(0), count + w);
    inner += f(count);
    N += w;
  }
  double impurity(const Logs& f) const { return std::max(0.0, f(N) - inner); }       // N·Ent in bits
  // Σ again from the counts, without what rounding left.
  void settle(const Logs& f) {
    inner = 0;
    N = 0;
    for (Count c : counts) {
      inner += f(c);
      N += c;
    }
  }
  double n_classes() const {
    return static_cast<double>(std::count_if(counts.begin(), counts.end(), [](Count c) { return c > 0; }));
  }
};

// One column: the values in order, their classes and weights (none where every row counts once).
struct Sorted {
  std::vector<double> x, w;
  std::vector<std::int32_t> c;
  Index size() const { return static_cast<Index>(x.size()); }
};

template <class Count>
class Cutter {
 public:
  Cutter(const Logs& f, Index K) : f_(f), left_(K), right_(K) {}

  // The cuts of the column, in order.
  std::vector<double> cuts(const Sorted& v) {
    std::vector<double> found;
    std::vector<std::pair<Index, Index>> open{{0, v.size()}};
    while (!open.empty()) {
      const auto [lo, hi] = open.back();
      open.pop_back();
      const Index at = best(v, lo, hi);
      if (at < 0 || !pays(v, lo, at, hi)) continue;
      found.push_back(v.x[at - 1]);
      open.emplace_back(lo, at);
      open.emplace_back(at, hi);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static Count weight(const Sorted& v, Index i) {
    if constexpr (std::is_same_v<Count, double>) return v.w[i];
    else return 1;
  }

  void fill(Side<Count>& side, const Sorted& v, Index lo, Index hi) {
    side.clear();
    for (Index i = lo; i < hi; ++i) side.counts[static_cast<std::size_t>(v.c[i])] += weight(v, i);
    side.settle(f_);
  }

  // The first row of the right side where both sides together are least impure; −1 where nothing can be told apart.
  Index best(const Sorted& v, Index lo, Index hi) {
    fill(right_, v, lo, hi);
    left_.clear();
    const auto N = static_cast<double>(right_.N);
    Index at = -1;
    double least = 0;
    if (right_.n_classes() < 2) return at;
    if constexpr (!std::is_same_v<Count, double>)
      if (const double* t = f_.up_to(hi - lo); t && right_.counts.size() == 2) return best_of_two(v, lo, hi, t);
    for (Index i = lo; i + 1 < hi; ++i) {
      left_.change(f_, v.c[i], weight(v, i));
      right_.change(f_, v.c[i], -weight(v, i));
      if (v.x[i] == v.x[i + 1]) continue;
      const double rest = left_.impurity(f_) + right_.impurity(f_);
      if (at < 0 || rest < least - same * N) {
        least = rest;
        at = i + 1;
      }
    }
    return at;
  }

  // The same for two classes whose rows count once: every entropy is looked up, none waits for the one before.
  Index best_of_two(const Sorted& v, Index lo, Index hi, const double* t) const {
    const Index n = hi - lo, zeros = right_.counts[0], ones = right_.counts[1];
    const double tie = same * static_cast<double>(n);
    Index at = -1, b = 0;
    double least = 0;
    for (Index i = lo; i + 1 < hi; ++i) {
      b += v.c[i];
      if (v.x[i] == v.x[i + 1]) continue;
      const Index m = i + 1 - lo, a = m - b;
      const double rest = std::max(0.0, t[m] - t[a] - t[b]) + std::max(0.0, t[n - m] - t[zeros - a] - t[ones - b]);
      if (at < 0 || rest < least - tie) {
        least = rest;
        at = i + 1;
      }
    }
    return at;
  }

  // N·Gain > log₂(N − 1) + log₂(3^k − 2) − (k Ent − k₁ Ent₁ − k₂ Ent₂).
  bool pays(const Sorted& v, Index lo, Index at, Index hi) {
    fill(left_, v, lo, hi);
    const double N = static_cast<double>(left_.N), whole = left_.impurity(f_), k = left_.n_classes();
    if (N <= 1) return false;
    fill(left_, v, lo, at);
    fill(right_, v, at, hi);
    const double l = left_.impurity(f_), r = right_.impurity(f_);
    const double price = k > 40 ? k * std::log2(3.0) : std::log2(std::pow(3.0, k) - 2);
    const double spared = k * whole / N - left_.n_classes() * l / static_cast<double>(left_.N) -
                          right_.n_classes() * r / static_cast<double>(right_.N);
    return whole - l - r > std::log2(N - 1) + price - spared;
  }

  const Logs& f_;
  Side<Count> left_, right_;
};

}  // namespace tamis
