// Relief: the nearest rows of every class, the rows within a radius, and how far each column differs from them.
#include <limits>

#include "relief_rows.hpp"

namespace tamis {
namespace {

using relief::DenseRows;
using relief::Gaps;
using relief::In;
using relief::InMatrix;
using relief::Int;
using relief::side;
using relief::SparseRows;

inline Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

template <class R>
std::vector<typename R::Scratch> scratches(const R& rows, int n_threads) {
  std::vector<typename R::Scratch> all;
  for (int t = 0; t < n_threads; ++t) all.push_back(rows.scratch());
  return all;
}

// The k nearest rows of each class of one row, nearest first, of equal ones the lowest: whatever the order in which they come.
class Nearest {
 public:
  Nearest(Index K, Index k, Int* rows, double* distances) : K_(K), k_(k), rows_(rows), distances_(distances) {}
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

// Some rows of Q, ids[i] in the whole table, against all rows of C, which start at row `offset` of it. A row is a neighbour of itself
// where `again` says so: it stands for several.
template <class R>
void nearest_among(const R& Q, In<Index> queries, In<Index> ids, const R& C, Index offset, In<std::uint8_t> again, Index k,
                   Vector<Int> rows, Vector<double> distances, int n_threads) {
  const Index m = static_cast<Index>(queries.size());
  Nearest nearest(C.gaps_.K, k, rows.data(), distances.data());
  auto scratch = scratches(C, n_threads);
  parallel_for(static_cast<std::size_t>(ceil_div(m, side)), n_threads, [&](std::size_t t, int thread) {
    double D[side * side];
    const Index first = static_cast<Index>(t) * side, n_a = std::min(side, m - first);
    for (Index b = 0; b < C.n; b += side) {
      const Index n_b = std::min(side, C.n - b);
      C.tile(Q, queries.data() + first, n_a, b, n_b, D, scratch[static_cast<std::size_t>(thread)]);
      for (Index r = 0; r < n_a; ++r)
        for (Index c = 0; c < n_b; ++c) {
          const Index id = offset + b + c;
          if (ids.data()[first + r] != id || again.data()[first + r])
            nearest.offer(first + r, C.y()[b + c], static_cast<Int>(id), D[r * side + c]);
        }
    }
  });
}

// All rows against each other, every pair once. In each round of a tournament no two tiles share rows.
template <class R>
void nearest_all(const R& X, In<std::uint8_t> again, Index k, Vector<Int> rows, Vector<double> distances, int n_threads) {
  Nearest nearest(X.gaps_.K, k, rows.data(), distances.data());
  auto scratch = scratches(X, n_threads);
  const Index n_blocks = ceil_div(X.n, side), seats = n_blocks + n_blocks % 2;
  auto play = [&](Index one, Index other, int thread) {
    if (one >= n_blocks || other >= n_blocks) return;
    double D[side * side];
    Index a[side] = {};
    const Index first = one * side, n_a = std::min(side, X.n - first), b = other * side, n_b = std::min(side, X.n - b);
    for (Index r = 0; r < n_a; ++r) a[r] = first + r;
    X.tile(X, a, n_a, b, n_b, D, scratch[static_cast<std::size_t>(thread)]);
    for (Index r = 0; r < n_a; ++r)
      for (Index c = 0; c < n_b; ++c) {
        if (one == other && r == c && !again.data()[a[r]]) continue;
        nearest.offer(a[r], X.y()[b + c], static_cast<Int>(b + c), D[r * side + c]);
        if (one != other) nearest.offer(b + c, X.y()[a[r]], static_cast<Int>(a[r]), D[r * side + c]);
      }
  };
  parallel_for(static_cast<std::size_t>(n_blocks), n_threads,
               [&](std::size_t t, int thread) { play(static_cast<Index>(t), static_cast<Index>(t), thread); });
  for (Index round = 0; round + 1 < seats; ++round)
    parallel_for(static_cast<std::size_t>(seats / 2), n_threads, [&](std::size_t t, int thread) {
      const Index k_th = static_cast<Index>(t), turn = seats - 1;
      const Index one = k_th == 0 ? turn : (round + k_th) % turn, other = (round + turn - k_th) % turn;
      play(std::min(one, other), std::max(one, other), thread);
    });
}

// D[i, offset + r] = the distance of row queries[i] of Q and row r of C. Where the queries are rows `mirrored`, mirrored + 1, … of C,
// every pair of them is compared once; `mirrored` is a multiple of `side`, or −1.
template <class R>
void row_distances(const R& Q, In<Index> queries, const R& C, Index offset, Index mirrored, Matrix<double> D, int n_threads) {
  const Index m = static_cast<Index>(queries.size()), n = static_cast<Index>(D.shape(1));
  constexpr Index stretch = 16 * side;
  const Index across = ceil_div(C.n, stretch), end = mirrored < 0 ? -1 : mirrored + m;
  auto scratch = scratches(C, n_threads);
  parallel_for(static_cast<std::size_t>(ceil_div(m, side) * across), n_threads, [&](std::size_t t, int thread) {
    double tile[side * side];
    const Index first = static_cast<Index>(t) / across * side, n_a = std::min(side, m - first);
    const Index from = static_cast<Index>(t) % across * stretch, to = std::min(C.n, from + stretch);
    for (Index b = from; b < to; b += side) {
      const bool both = b >= mirrored && b < end;
      if (both && b < mirrored + first) continue;
      const Index n_b = std::min(side, to - b);
      C.tile(Q, queries.data() + first, n_a, b, n_b, tile, scratch[static_cast<std::size_t>(thread)]);
      for (Index r = 0; r < n_a; ++r) std::copy(tile + r * side, tile + r * side + n_b, D.data() + (first + r) * n + offset + b);
      if (both && b > mirrored + first)
        for (Index c = 0; c < std::min(n_b, end - b); ++c)
          for (Index r = 0; r < n_a; ++r) D.data()[(b - mirrored + c) * n + offset + mirrored + first + r] = tile[r * side + c];
    }
  });
}

// Mean and standard deviation of a row's n distances; every other row counts its weight, the row itself `own`.
struct Spread {
  double mean = 0.0, deviation = 0.0;
  Spread(const double* d, Index n, const double* w, Index self, double own) {
    double total = own, sum = own * d[self], square = 0.0;
    auto add = [&](Index from, Index to) {
      for (Index r = from; r < to; ++r) {
        total += w ? w[r] : 1.0;
        sum += w ? w[r] * d[r] : d[r];
      }
    };
    add(0, self);
    add(self + 1, n);
    if (!(total > 0.0)) return;
    mean = sum / total;
    for (Index r = 0; r < n; ++r) square += (w ? w[r] : 1.0) * (d[r] - mean) * (d[r] - mean);
    square += (own - (w ? w[self] : 1.0)) * (d[self] - mean) * (d[self] - mean);
    deviation = std::sqrt(std::max(0.0, square / total));
  }
};

// The rows nearer than mean − ½ standard deviation of a row's distances, itself left out unless weight[i] > 1 (then weight − 1 of it):
// rows[i, :used[i]] in stretches of 64 rows, by class within each, and their shares in the place of the distances. The share of a row
// of class d to one of class c is worth[c, d] × its weight over the weight of all near rows of class d.
void rows_within(Matrix<double> D, In<Index> ids, In<Int> classes, In<Int> y, In<double> weight, InMatrix<double> worth,
                 Matrix<Int> rows, Vector<Index> used, int n_threads) {
  const Index n = static_cast<Index>(D.shape(1)), K = static_cast<Index>(worth.shape(0));
  const double* w = weight.size() ? weight.data() : nullptr;
  parallel_for(D.shape(0), n_threads, [&](std::size_t t, int) {
    double* d = D.data() + static_cast<Index>(t) * n;
    Int* list = rows.data() + static_cast<Index>(t) * n;
    const Index self = ids.data()[t];
    const double own = w ? std::max(w[self] - 1.0, 0.0) : 0.0;  // of itself, beside the one that is asked for
    auto of = [&](Index r) { return r == self ? own : w ? w[r] : 1.0; };
    const Spread spread(d, n, w, self, own);
    const double limit = spread.mean - 0.5 * spread.deviation;
    Index count = 0;  // stays below n: not all rows are nearer than their mean
    for (Index first = 0; first < n; first += 64) {
      const Index last = std::min(n, first + 64);
      Int near[64];
      Index held = 0;
      for (Index r = first; r < last; ++r) {
        near[held] = static_cast<Int>(r);
        held += d[r] < limit && (r != self || own > 0.0);
      }
      for (Int c = 0; c < K && held; ++c)
        for (Index k = 0; k < held; ++k) {
          list[count] = near[k];
          count += y.data()[near[k]] == c;
        }
    }
    const double* own_worth = worth.data() + classes.data()[t] * K;
    std::vector<double> of_class(static_cast<std::size_t>(K), 0.0);
    auto total = [&](Index r) -> double& { return of_class[static_cast<std::size_t>(y.data()[r])]; };
    for (Index k = 0; k < count; ++k) total(list[k]) += of(list[k]);
    for (Index c = 0; c < K; ++c) of_class[static_cast<std::size_t>(c)] = own_worth[c] / of_class[static_cast<std::size_t>(c)];
    for (Index k = 0; k < count; ++k) d[k] = total(list[k]) * of(list[k]);
    used.data()[t] = count;
  });
}

// out[i, j] += Σ_t share_it difference_j(row queries[i] of Q, row rows_it of the table), where that row is one of C.
template <class R>
void add_differences(const R& Q, In<Index> queries, const R& C, Index offset, InMatrix<Int> rows, InMatrix<double> shares,
                     In<Index> used, bool ordered, Matrix<double> out, int n_threads) {
  const Index m = static_cast<Index>(queries.size()), width = static_cast<Index>(rows.shape(1)), parts = C.parts();
  auto scratch = scratches(C, n_threads);
  // Lists that go through the table in order are taken a stretch at a time for all rows of a tile, so that it stays in the cache.
  const Index stretch = ordered ? 64 : std::numeric_limits<Int>::max();
  parallel_for(static_cast<std::size_t>(ceil_div(m, side) * parts), n_threads, [&](std::size_t t, int thread) {
    const Index first = static_cast<Index>(t) / parts * side, n_a = std::min(side, m - first), part = static_cast<Index>(t) % parts;
    Index at[side] = {};
    for (Index end = stretch;; end += stretch) {
      bool more = false;
      for (Index r = 0; r < n_a; ++r) {
        const Index i = first + r, count = used.data()[i];
        const Int* list = rows.data() + i * width;
        Index to = at[r];
        while (to < count && list[to] < end) ++to;
        C.add(Q, queries.data()[i], part, list + at[r], shares.data() + i * width + at[r], to - at[r], offset,
              out.data() + i * static_cast<Index>(out.shape(1)), scratch[static_cast<std::size_t>(thread)]);
        at[r] = to;
        more = more || to < count;
      }
      if (!more) break;
    }
  });
}

// sum[j] += Σ_i weight_i rows[i, j] and square[j] += Σ_i weight_i rows[i, j]². Threads take columns: the sums do not depend on them.
void fold_rows(InMatrix<double> rows, In<double> weight, Vector<double> sum, Vector<double> square, int n_threads) {
  const Index m = static_cast<Index>(rows.shape(0)), p = static_cast<Index>(rows.shape(1));
  constexpr Index step = 256;
  parallel_for(static_cast<std::size_t>(ceil_div(p, step)), n_threads, [&](std::size_t t, int) {
    const Index first = static_cast<Index>(t) * step, last = std::min(p, first + step);
    for (Index i = 0; i < m; ++i) {
      const double w = weight.data()[i], *r = rows.data() + i * p;
      for (Index j = first; j < last; ++j) {
        sum.data()[j] += w * r[j];
        square.data()[j] += w * r[j] * r[j];
      }
    }
  });
}

template <class R>
nb::class_<R> register_for(nb::module_& m, const char* name) {
  nb::class_<R> rows(m, name);
  m.def("nearest_among", &nearest_among<R>, nogil());
  m.def("nearest_all", &nearest_all<R>, nogil());
  m.def("row_distances", &row_distances<R>, nogil());
  m.def("add_differences", &add_differences<R>, nogil());
  return rows;
}

template <class T>
void register_dense(nb::module_& m, const char* name) {
  register_for<DenseRows<T>>(m, name);
  m.def("dense_rows", [](InMatrix<T> x, InMatrix<std::uint8_t> codes, const Gaps& gaps) { return DenseRows<T>(x, codes, gaps); });
}

}  // namespace

void register_relief(nb::module_& m) {
  nb::class_<Gaps>(m, "Gaps").def(
      nb::init<InMatrix<double>, In<double>, In<double>, In<std::uint8_t>, In<Int>, Index, bool>());
  register_dense<float>(m, "DenseRows32");
  register_dense<double>(m, "DenseRows64");
  register_for<SparseRows>(m, "SparseRows")
      .def(nb::init<In<Index>, In<Int>, In<double>, In<std::uint8_t>, const Gaps&>());
  m.def("rows_within", &rows_within, nogil());
  m.def("fold_rows", &fold_rows, nogil());
}

}  // namespace tamis
