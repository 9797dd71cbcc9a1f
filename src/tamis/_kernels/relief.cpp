// Relief: the nearest rows of every class, the rows within a radius, and how far each column differs from them.
#include <bitset>

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

inline Index lowest(std::uint64_t bits) { return static_cast<Index>(std::bitset<64>(~bits & (bits - 1)).count()); }

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

// Of `apiece` rows, as bits, those of class c, for every class that is among them.
constexpr Index apiece = relief::stretch;

struct Some {
  Int c;
  std::uint64_t rows[apiece / 64];
};

std::vector<std::vector<Some>> by_class(In<Int> y) {
  const Index n = static_cast<Index>(y.size());
  std::vector<std::vector<Some>> all(static_cast<std::size_t>(ceil_div(n, apiece)));
  for (Index r = 0; r < n; ++r) {
    auto& some = all[static_cast<std::size_t>(r / apiece)];
    const Int c = y.data()[r];
    auto found = std::find_if(some.begin(), some.end(), [c](const Some& s) { return s.c == c; });
    if (found == some.end()) found = some.insert(found, {c, {}});
    found->rows[r % apiece / 64] |= std::uint64_t{1} << (r % 64);
  }
  return all;
}

// How many rows row r of the table counts as for row `self` of it, by its weight; of itself one less.
struct Multiplicity {
  const double* weight;
  Index self;

  Multiplicity(In<double> w, Index id) : weight(w.size() ? w.data() : nullptr), self(id) {}
  double operator()(Index r) const {
    if (!weight) return r == self ? 0.0 : 1.0;
    return r == self ? std::max(weight[r] - 1.0, 0.0) : weight[r];
  }
};

// The rows nearer than mean − ½ standard deviation of a row's distances as bits, itself left out unless it stands for more than one;
// and what those of each class stand for together.
void rows_within(InMatrix<double> D, In<Index> ids, In<Int> y, In<double> weight, Matrix<std::uint64_t> near, Matrix<double> totals,
                 int n_threads) {
  const Index n = static_cast<Index>(D.shape(1)), K = static_cast<Index>(totals.shape(1)), n_words = static_cast<Index>(near.shape(1));
  const auto classes = by_class(y);
  parallel_for(D.shape(0), n_threads, [&](std::size_t t, int) {
    const double* d = D.data() + static_cast<Index>(t) * n;
    const Multiplicity of(weight, ids.data()[t]);
    const Spread spread(d, n, of.weight, of.self, of(of.self));
    const double limit = spread.mean - 0.5 * spread.deviation;
    std::uint64_t* bits = near.data() + static_cast<Index>(t) * n_words;
    for (Index w = 0; w < n_words; ++w) {
      const Index first = w * 64, count = std::min<Index>(64, n - first);
      bits[w] = 0;
      for (Index r = 0; r < count; ++r) bits[w] |= static_cast<std::uint64_t>(d[first + r] < limit) << r;
    }
    if (!(of(of.self) > 0.0)) bits[of.self / 64] &= ~(std::uint64_t{1} << (of.self % 64));
    double* total = totals.data() + static_cast<Index>(t) * K;
    std::fill(total, total + K, 0.0);
    for (std::size_t s = 0; s < classes.size(); ++s)
      for (const Some& some : classes[s])
        for (Index k = 0; k < apiece / 64; ++k) {
          const Index w = static_cast<Index>(s) * apiece / 64 + k;
          if (!some.rows[k]) continue;
          const std::uint64_t here = bits[w] & some.rows[k];
          if (!of.weight) total[some.c] += static_cast<double>(std::bitset<64>(here).count());
          for (std::uint64_t left = of.weight ? here : 0; left; left &= left - 1) total[some.c] += of(w * 64 + lowest(left));
        }
  });
}

// Where the differences of a row from its neighbours go; over `block` rows those of all pairs are added up.
constexpr Index block = 256;

struct RowSums {
  double *differences, *pooled;
  const double* weight;
  Index p;

  RowSums(Matrix<double> differences, Matrix<double> pooled, In<double> weight)
      : differences(differences.data()), pooled(pooled.data()), weight(weight.data()), p(static_cast<Index>(differences.shape(1))) {}
  relief::Sums of(Index i) const {
    double* pairs = pooled + i / block * 2 * p;
    return {differences + i * p, pairs, pairs + p, weight[i]};
  }
};

// Neighbours of some of the queried rows: runs of the same share.
struct Runs {
  struct Run {
    Index i, from, count;
    double share;
  };
  std::vector<Int> rows;
  std::vector<Run> runs;

  void clear() {
    rows.clear();
    runs.clear();
  }
  void add(Index i, Int row, double share) {
    if (runs.empty() || runs.back().i != i || runs.back().share != share)
      runs.push_back({i, static_cast<Index>(rows.size()), 0, share});
    rows.push_back(row);
    ++runs.back().count;
  }
};

// A task is some of the queried rows and some parts of the columns: find(begin, end, add) gathers the neighbours of rows
// begin … end − 1 and calls add(runs, first, last) whenever it has those that are among the rows first … last − 1 of C. Where each of these is read
// `often` they are packed.
template <bool often, class R, class Find>
void add_runs(const R& Q, In<Index> queries, const R& C, const RowSums& sums, int n_threads, const Find& find) {
  const Index m = static_cast<Index>(queries.size()), n_blocks = ceil_div(m, block), n_parts = C.parts(often);
  // Parts of the columns for which neighbours are found once: as many as leave all threads enough to do.
  const Index together = std::clamp<Index>(n_parts * n_blocks / (4 * n_threads), 1, 16), across = ceil_div(n_parts, together);
  auto scratch = scratches(C, n_threads);
  parallel_for(static_cast<std::size_t>(n_blocks * across), n_threads, [&](std::size_t t, int thread) {
    const Index begin = static_cast<Index>(t) / across * block, end = std::min(m, begin + block);
    const Index from = static_cast<Index>(t) % across * together, to = std::min(n_parts, from + together);
    auto& room = scratch[static_cast<std::size_t>(thread)];
    find(begin, end, [&](const Runs& found, Index first, Index last) {
      for (Index part = from; part < to; ++part) {
        C.hold(part, first, last, often, room);
        for (const Runs::Run& run : found.runs)
          C.add(Q, queries.data()[run.i], part, found.rows.data() + run.from, run.count, run.share, sums.of(run.i), room);
      }
    });
  });
}

// The neighbours of row queries[i] of Q: rows[i, :] of the table with their shares, of which C is the part from row `offset` on.
template <class R>
void add_listed(const R& Q, In<Index> queries, const R& C, Index offset, InMatrix<Int> rows, InMatrix<double> shares,
                In<double> weight, Matrix<double> differences, Matrix<double> pooled, int n_threads) {
  const Index width = static_cast<Index>(rows.shape(1));
  add_runs<false>(Q, queries, C, RowSums(differences, pooled, weight), n_threads, [&](Index begin, Index end, const auto& add) {
    Runs found;
    for (Index i = begin; i < end; ++i)
      for (Index k = i * width; k < (i + 1) * width; ++k)
        if (const Index r = rows.data()[k] - offset; r >= 0 && r < C.n) found.add(i, static_cast<Int>(r), shares.data()[k]);
    add(found, 0, C.n);
  });
}

// The neighbours of row queries[i] of Q, which is ids[i] of the table: those near it; one of class c has scale[i, c] times what it
// stands for.
template <class R>
void add_within(const R& Q, In<Index> queries, In<Index> ids, const R& C, Index offset, InMatrix<std::uint64_t> near,
                InMatrix<double> scale, In<Int> y, In<double> table_weight, In<double> weight, Matrix<double> differences,
                Matrix<double> pooled, int n_threads) {
  const Index n_words = static_cast<Index>(near.shape(1)), K = static_cast<Index>(scale.shape(1));
  const auto classes = by_class(y);
  add_runs<true>(Q, queries, C, RowSums(differences, pooled, weight), n_threads, [&](Index begin, Index end, const auto& add) {
    Runs found;
    for (Index s = offset / apiece; s < ceil_div(offset + C.n, apiece); ++s) {
      const Index first = std::max<Index>(0, s * apiece - offset), last = std::min(C.n, (s + 1) * apiece - offset);
      found.clear();
      for (Index i = begin; i < end; ++i) {
        const Multiplicity of(table_weight, ids.data()[i]);
        for (const Some& some : classes[static_cast<std::size_t>(s)])
          for (Index k = 0; k < apiece / 64; ++k) {
            const Index w = s * apiece / 64 + k;
            for (std::uint64_t left = some.rows[k] ? near.data()[i * n_words + w] & some.rows[k] : 0; left; left &= left - 1) {
              const Index id = w * 64 + lowest(left), r = id - offset;
              if (r >= first && r < last) found.add(i, static_cast<Int>(r), scale.data()[i * K + some.c] * of(id));
            }
          }
      }
      add(found, first, last);
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
  define(m, "nearest_among", &nearest_among<R>, nogil());
  define(m, "nearest_all", &nearest_all<R>, nogil());
  define(m, "row_distances", &row_distances<R>, nogil());
  define(m, "add_listed", &add_listed<R>, nogil());
  define(m, "add_within", &add_within<R>, nogil());
  return rows;
}

template <class T>
void register_dense(nb::module_& m, const char* name) {
  register_for<DenseRows<T>>(m, name);
  define(m, "dense_rows", +[](InMatrix<T> x, InMatrix<std::uint8_t> codes, const Gaps& gaps) { return DenseRows<T>(x, codes, gaps); });
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
  m.attr("relief_block") = block;
}

}  // namespace tamis
