// The supervised cuts of every column of a table.
#include <algorithm>

#include "cells.hpp"
#include "supervised_cuts.hpp"

namespace tamis {
namespace {

using Int = std::int32_t;

template <class T>
Sorted sorted_column(const Table<T>& X, Index j, const Int* y, const double* weight) {
  std::vector<std::pair<T, Index>> keys;
  keys.reserve(static_cast<std::size_t>(X.n));
  for (Index i = 0; i < X.n; ++i)
    if (!is_missing(X(i, j)) && (!weight || weight[i] > 0)) keys.emplace_back(X(i, j), i);
  std::sort(keys.begin(), keys.end());
  Sorted v;
  v.x.reserve(keys.size());
  if (weight) v.w.reserve(keys.size());
  v.c.reserve(keys.size());
  for (const auto& [x, i] : keys) {
    v.x.push_back(static_cast<double>(x));
    if (weight) v.w.push_back(weight[i]);
    v.c.push_back(y[i]);
  }
  return v;
}

// For each of the columns its cuts in order.
template <class T>
nb::list supervised_cuts(Cells<T> X_, In<Index> columns, In<Int> y, Index K, In<double> weight, int n_threads) {
  const Table<T> X(X_);
  std::vector<std::vector<double>> found(columns.size());
  {
    nb::gil_scoped_release release;
    const Logs f(X.n);
    parallel_for(columns.size(), n_threads, [&](std::size_t k, int) {
      const Sorted v = sorted_column(X, columns.data()[k], y.data(), weight.size() ? weight.data() : nullptr);
      found[k] = weight.size() ? Cutter<double>(f, K).cuts(v) : Cutter<Int>(f, K).cuts(v);
    });
  }
  nb::list out;
  for (auto& cuts : found) out.append(as_array(std::move(cuts)));
  return out;
}

}  // namespace

void register_supervised(nb::module_& m) {
  define(m, "supervised_cuts", &supervised_cuts<std::uint8_t>);
  define(m, "supervised_cuts", &supervised_cuts<std::int32_t>);
  define(m, "supervised_cuts", &supervised_cuts<std::int64_t>);
  define(m, "supervised_cuts", &supervised_cuts<float>);
  define(m, "supervised_cuts", &supervised_cuts<double>);
}

}  // namespace tamis
