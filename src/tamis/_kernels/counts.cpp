// Counting coded columns against the class, and the information they carry together.
// codes are (p, n), one contiguous row per column; y holds classes 0 … K − 1; an empty weight array stands for all ones.
#include "partition_sums.hpp"

namespace tamis {
namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Target target(const In<Int>& y, Index K, const In<double>& weight, double total, const In<double>& xlogx) {
  return {y.data(), static_cast<Index>(y.size()), K, weight.size() ? weight.data() : nullptr, total, xlogx.data(),
          static_cast<Index>(xlogx.size())};
}

// ---- one column against the class -----------------------------------------------------------------------------------------------

// table[code, class] += weight. Four tables in turn, so that runs of equal rows do not wait for each other's store.
template <class Code, class Count>
void count(const Target& D, const Code* codes, Index levels, Count* table, std::vector<Count>& spare) {
  const Index size = levels * D.K;
  Index i = 0;
  if constexpr (!std::is_same_v<Count, double>) {
    if (size <= 4096) {
      spare.assign(static_cast<std::size_t>(3 * size), 0);
      Count *a = table, *b = spare.data(), *c = b + size, *d = c + size;
      for (; i + 4 <= D.n; i += 4) {
        ++a[codes[i] * D.K + D.y[i]];
        ++b[codes[i + 1] * D.K + D.y[i + 1]];
        ++c[codes[i + 2] * D.K + D.y[i + 2]];
        ++d[codes[i + 3] * D.K + D.y[i + 3]];
      }
      for (Index s = 0; s < size; ++s) a[s] += b[s] + c[s] + d[s];
    }
  }
  for (; i < D.n; ++i) table[codes[i] * D.K + D.y[i]] += D.one<Count>(i);
}

template <class M, class Code, class Count>
void add_column(const Target& D, const Code* codes, Index levels, Scratch<Count>& s, double* sums) {
  if (!countable(levels, D.K)) {
    s.keys.clear();
    for (Index i = 0; i < D.n; ++i) s.keys.emplace_back(codes[i] * D.K + D.y[i], D.one<Count>(i));
    add_sorted<M>(D, s.keys, sums);
    return;
  }
  s.table.assign(static_cast<std::size_t>(levels * D.K), 0);
  count(D, codes, levels, s.table.data(), s.spare);
  for (Index v = 0; v < levels; ++v) M::add(D, cell_of(D, s.table.data() + v * D.K), sums);
}

template <class Count>
void sums_of_classes(const Target& D, double* sums) {
  std::vector<Count> counts(static_cast<std::size_t>(D.K), 0);
  for (Index i = 0; i < D.n; ++i) counts[D.y[i]] += D.one<Count>(i);
  Sums::add(D, cell_of(D, counts.data()), sums);
}

// The sums of the whole table as one cell.
void class_sums(In<Int> y, Index K, In<double> weight, double total, In<double> xlogx, Vector<double> out) {
  const Target D = target(y, K, weight, total, xlogx);
  std::fill(out.data(), out.data() + Sums::width, 0.0);
  (D.weight ? sums_of_classes<double> : sums_of_classes<Int>)(D, out.data());
}

template <class M, class Code, class Count>
void sums_of_columns(const Target& D, const Code* codes, const In<Int>& levels, double* out, int n_threads) {
  std::vector<Scratch<Count>> scratch(static_cast<std::size_t>(n_threads));
  parallel_for(levels.size(), n_threads, [&](std::size_t j, int worker) {
    double* sums = out + static_cast<Index>(j) * M::width;
    std::fill(sums, sums + M::width, 0.0);
    add_column<M>(D, codes + static_cast<Index>(j) * D.n, levels.data()[j], scratch[worker], sums);
  });
}

// out[j] = the sums over the partition by column j.
template <class Code>
void column_sums(InMatrix<Code> codes, In<Int> levels, In<Int> y, Index K, In<double> weight, double total, In<double> xlogx,
                 Matrix<double> out, int n_threads) {
  const Target D = target(y, K, weight, total, xlogx);
  with_types(static_cast<Index>(out.shape(1)), D, [&](auto measure, auto one) {
    sums_of_columns<decltype(measure), Code, decltype(one)>(D, codes.data(), levels, out.data(), n_threads);
  });
}

// table[starts[j] + code, class] += weight for every column: the counts that are merged over blocks.
template <class Code>
void joint_counts(InMatrix<Code> codes, In<Index> starts, In<Int> y, In<double> weight, Matrix<double> table, int n_threads) {
  const Index n = static_cast<Index>(codes.shape(1)), K = static_cast<Index>(table.shape(1));
  const double* w = weight.size() ? weight.data() : nullptr;
  parallel_for(codes.shape(0), n_threads, [&](std::size_t j, int) {
    const Code* column = codes.data() + static_cast<Index>(j) * n;
    double* counts = table.data() + starts.data()[j] * K;
    for (Index i = 0; i < n; ++i) counts[column[i] * K + y.data()[i]] += w ? w[i] : 1.0;
  });
}

// ---- a partition of the rows, refined by one more column ------------------------------------------------------------------------

struct Partition {
  std::vector<Int> rows, starts;
  View view() const { return {rows.data(), starts.data(), static_cast<Index>(starts.size()) - 1}; }
};

template <class M, class Code, class Count>
void sums_of_refinements(const Target& D, const Code* codes, const In<Int>& levels, View P, const In<Index>& candidates, double* out,
                         int n_threads) {
  std::vector<Scratch<Count>> scratch(static_cast<std::size_t>(n_threads));
  parallel_for(candidates.size(), n_threads, [&](std::size_t k, int worker) {
    const Index j = candidates.data()[k], L = levels.data()[j];
    scratch[worker].reserve(L, D.K);
    double* sums = out + static_cast<Index>(k) * M::width;
    std::fill(sums, sums + M::width, 0.0);
    for (Index c = 0; c < P.n_cells; ++c)
      add_split<M>(D, codes + j * D.n, L, P.rows + P.starts[c], P.rows + P.starts[c + 1], scratch[worker], sums);
  });
}

// out[k] = the sums over the partition refined by column candidates[k].
template <class Code>
void refined_sums(InMatrix<Code> codes, In<Int> levels, In<Int> rows, In<Int> starts, In<Index> candidates, In<Int> y, Index K,
                  In<double> weight, double total, In<double> xlogx, Matrix<double> out, int n_threads) {
  const Target D = target(y, K, weight, total, xlogx);
  const View P{rows.data(), starts.data(), static_cast<Index>(starts.size()) - 1};
  with_types(static_cast<Index>(out.shape(1)), D, [&](auto measure, auto one) {
    sums_of_refinements<decltype(measure), Code, decltype(one)>(D, codes.data(), levels, P, candidates, out.data(), n_threads);
  });
}

// What a code has met within one cell: how many rows, their first class, whether it stays a cell, where its rows go.
struct Met {
  Int count = 0, first_class = 0, stays = 0, next = 0;
};

// Splits every cell by a column, rows in order, sub-cells by first appearance; pure ones may be left out. `met` has an entry per level
// and is left clean.
template <class Code>
void split(const Int* y, const Code* codes, View P, bool leave_pure_out, std::vector<Met>& met, std::vector<Int>& seen, Partition& out) {
  out.rows.clear();
  out.starts.assign(1, 0);
  for (Index c = 0; c < P.n_cells; ++c) {
    const Int *from = P.rows + P.starts[c], *to = P.rows + P.starts[c + 1];
    seen.clear();
    for (const Int* r = from; r < to; ++r) {
      Met& m = met[codes[*r]];
      if (m.count++ == 0) {
        seen.push_back(static_cast<Int>(codes[*r]));
        m.first_class = y[*r];
        m.stays = !leave_pure_out;
      } else {
        m.stays |= y[*r] != m.first_class;
      }
    }
    Int end = out.starts.back();
    for (Int v : seen) {
      if (!met[v].stays) continue;
      met[v].next = end;
      out.starts.push_back(end += met[v].count);
    }
    out.rows.resize(static_cast<std::size_t>(end));
    for (const Int* r = from; r < to; ++r)
      if (Met& m = met[codes[*r]]; m.stays) out.rows[m.next++] = *r;
    for (Int v : seen) met[v] = Met{};
  }
}

nb::object as_array(const std::vector<Int>& values) {
  auto* kept = new std::vector<Int>(values);
  nb::capsule owner(kept, [](void* v) noexcept { delete static_cast<std::vector<Int>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, Int, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// The partition refined by the columns one after another: (rows, starts).
template <class Code>
nb::tuple refine(InMatrix<Code> codes, In<Int> levels, In<Int> rows, In<Int> starts, In<Index> columns, In<Int> y, bool leave_pure_out) {
  const Index n = static_cast<Index>(codes.shape(1));
  Partition a, b;
  {
    nb::gil_scoped_release release;
    a.rows.assign(rows.data(), rows.data() + rows.size());
    a.starts.assign(starts.data(), starts.data() + starts.size());
    std::vector<Met> met;
    std::vector<Int> seen;
    for (std::size_t k = 0; k < columns.size() && !a.rows.empty(); ++k) {
      const Index j = columns.data()[k];
      if (static_cast<Index>(met.size()) < levels.data()[j]) met.resize(static_cast<std::size_t>(levels.data()[j]));
      split(y.data(), codes.data() + j * n, a.view(), leave_pure_out, met, seen, b);
      std::swap(a, b);
    }
  }
  return nb::make_tuple(as_array(a.rows), as_array(a.starts));
}

// ---- leaving one column out -----------------------------------------------------------------------------------------------------

// Halving: the partition by all columns outside [lo, hi) is refined by one half of [lo, hi) to go on with the other half, so each
// column is left out after log₂ of their number refinements instead of all of them. depth[d] holds the partition of one level.
template <class M, class Code, class Count>
class LeaveOut {
 public:
  LeaveOut(const Target& D, const Code* codes, const In<Int>& levels, const Index* columns, double* out)
      : D_(D), codes_(codes), columns_(columns), out_(out), counts_(static_cast<std::size_t>(D.K), 0) {
    Int most = 1;
    for (std::size_t j = 0; j < levels.size(); ++j) most = std::max(most, levels.data()[j]);
    met_.resize(static_cast<std::size_t>(most));
  }

  // Fills out[t] for lo ≤ t < hi, given the partition by every column but these.
  void solve(View P, Index lo, Index hi, std::size_t depth = 0) {
    if (hi - lo == 1) {
      add_all(P, out_ + lo * M::width);
      return;
    }
    const Index mid = (lo + hi) / 2;
    solve(refined(P, mid, hi, depth), lo, mid, depth + 1);
    solve(refined(P, lo, mid, depth), mid, hi, depth + 1);
  }

  // The partition P refined by columns [lo, hi), kept at this depth.
  View refined(View P, Index lo, Index hi, std::size_t depth) {
    if (levels_.size() <= depth) levels_.resize(depth + 1);
    Partition& at = levels_[depth];
    for (Index t = lo; t < hi && P.n_cells > 0; ++t) {
      split(D_.y, codes_ + columns_[t] * D_.n, P, M::leaves_pure_out, met_, seen_, spare_);
      std::swap(at, spare_);
      P = at.view();
    }
    return P;
  }

 private:
  void add_all(View P, double* sums) {
    std::fill(sums, sums + M::width, 0.0);
    for (Index c = 0; c < P.n_cells; ++c) {
      std::fill(counts_.begin(), counts_.end(), Count(0));
      for (Int r = P.starts[c]; r < P.starts[c + 1]; ++r) counts_[D_.y[P.rows[r]]] += D_.template one<Count>(P.rows[r]);
      M::add(D_, cell_of(D_, counts_.data()), sums);
    }
  }

  const Target& D_;
  const Code* codes_;
  const Index* columns_;
  double* out_;
  std::vector<Count> counts_;
  std::vector<Met> met_;
  std::vector<Int> seen_;
  std::vector<Partition> levels_;
  Partition spare_;
};

constexpr Index leave_out_tasks = 8;       // fixed, so that the result does not depend on the number of threads

template <class M, class Code, class Count>
void leave_out(const Target& D, const Code* codes, const In<Int>& levels, View P, const In<Index>& columns, double* out, int n_threads) {
  const Index m = static_cast<Index>(columns.size()), n_tasks = std::min(m, leave_out_tasks);
  parallel_for(static_cast<std::size_t>(n_tasks), n_threads, [&](std::size_t t, int) {
    const Index lo = m * static_cast<Index>(t) / n_tasks, hi = m * (static_cast<Index>(t) + 1) / n_tasks;
    LeaveOut<M, Code, Count> work(D, codes, levels, columns.data(), out);
    const View before = work.refined(P, 0, lo, 0);
    const View outside = work.refined(before, hi, m, 1);
    work.solve(outside, lo, hi, 2);
  });
}

// out[t] = the sums over the partition refined by all the columns but columns[t].
template <class Code>
void leave_out_sums(InMatrix<Code> codes, In<Int> levels, In<Int> rows, In<Int> starts, In<Index> columns, In<Int> y, Index K,
                    In<double> weight, double total, In<double> xlogx, Matrix<double> out, int n_threads) {
  const Target D = target(y, K, weight, total, xlogx);
  const View P{rows.data(), starts.data(), static_cast<Index>(starts.size()) - 1};
  with_types(static_cast<Index>(out.shape(1)), D, [&](auto measure, auto one) {
    leave_out<decltype(measure), Code, decltype(one)>(D, codes.data(), levels, P, columns, out.data(), n_threads);
  });
}

template <class Code>
void register_for(nb::module_& m) {
  define(m, "column_sums", &column_sums<Code>, nogil());
  define(m, "joint_counts", &joint_counts<Code>, nogil());
  define(m, "refined_sums", &refined_sums<Code>, nogil());
  define(m, "refine", &refine<Code>);
  define(m, "leave_out_sums", &leave_out_sums<Code>, nogil());
}

}  // namespace

void register_counts(nb::module_& m) {
  m.def("class_sums", &class_sums, nogil());
  register_for<std::uint8_t>(m);
  register_for<std::uint16_t>(m);
  register_for<std::int32_t>(m);
}

}  // namespace tamis
