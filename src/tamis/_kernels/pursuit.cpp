// Orthogonal matching pursuit of one signal on a matrix in memory: one reading of A and one step of Gram and Schmidt for each column.
// Where several columns are wanted, A is read in numbers of 16 bits: whichever may be the best by the bound of their rounding is compared
// in double, so that the choice is that of double throughout.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "correlate.hpp"
#include "dots.hpp"
#include "scratch.hpp"

namespace tamis {
namespace {

enum Outcome : int { paused = 0, reached = 1, full = 2, exhausted = 3 };

constexpr double depends = 1e-13;    // of a column's square: what lies beyond the span of others is rounding
constexpr double much = 0.5;         // of a column's square: what is beyond the span of others lost no digits
constexpr double tied = 1e-12;       // relative: correlations that differ by less are equal
constexpr Index several = 6;         // columns for which it pays to keep A in few bits
constexpr Index kept_at_most = Index{1} << 27;   // entries of A

#if defined(__GNUC__)
// Each word holds two numbers of 16 bits: the sums of their products, a_low b_low + a_high b_high.
inline Lanes<std::int32_t>::Lane pair_products(Lanes<std::int32_t>::Lane a, Lanes<std::int32_t>::Lane b) {
#if defined(__AVX2__) || (defined(__SSE2__) && !defined(__AVX__))
  typedef short Pairs __attribute__((vector_size(lane_bytes)));
#if defined(__AVX2__)
  return reinterpret_cast<Lanes<std::int32_t>::Lane>(__builtin_ia32_pmaddwd256(reinterpret_cast<Pairs>(a), reinterpret_cast<Pairs>(b)));
#else
  return reinterpret_cast<Lanes<std::int32_t>::Lane>(__builtin_ia32_pmaddwd128(reinterpret_cast<Pairs>(a), reinterpret_cast<Pairs>(b)));
#endif
#else
  typedef std::uint32_t Bits __attribute__((vector_size(lane_bytes)));
  const auto low = [](auto x) { return reinterpret_cast<Lanes<std::int32_t>::Lane>(reinterpret_cast<Bits>(x) << 16) >> 16; };
  return low(a) * low(b) + (a >> 16) * (b >> 16);
#endif
}
#else
inline std::int32_t pair_products(std::int32_t a, std::int32_t b) {
  const auto low = [](std::int32_t x) { return static_cast<std::int32_t>(static_cast<std::int16_t>(x)); };
  return low(a) * low(b) + (a >> 16) * (b >> 16);
}
#endif

// The columns of A scaled to length `whole` and rounded to whole numbers of 16 bits: `side` columns side by side, two rows in a word.
class RoundedColumns {
 public:
  template <class T>
  RoundedColumns(const Table<T>& A, bool row_major, const double* lengths, int n_threads)
      : m(A.n), p(A.p), n_threads(n_threads), memory(tiles() * side * words() / 2 + 1), packed(reinterpret_cast<std::int32_t*>(memory.get())),
        unit(words()), scores(tiles() * side) {
    parallel_for(static_cast<std::size_t>(tiles()), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * side, width = std::min(side, p - from);
      std::int32_t* tile = packed + from * words();
      double factors[side] = {};
      for (Index e = 0; e < width; ++e) factors[e] = lengths[from + e] > 0 ? whole / lengths[from + e] : 0.0;
      if (width < side) std::fill_n(tile, side * words(), 0);
      if (row_major)
        by_rows(A, from, width, factors, tile);
      else
        by_columns(A, from, width, factors, tile);
    });
  }

  // |⟨a_j, r⟩| / (‖a_j‖ ‖r‖) of every column, each wrong by at most `error()`.
  const double* correlate(const double* r, double norm) {
    const double factor = whole / norm;
    for (Index w = 0; w < words(); ++w) unit[w] = pair(rounded(r[2 * w] * factor), 2 * w + 1 < m ? rounded(r[2 * w + 1] * factor) : 0);
    const Index n_tasks = (tiles() + per_task - 1) / per_task;
    parallel_for(static_cast<std::size_t>(n_tasks), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * per_task;
      for (Index tile = from; tile < std::min(tiles(), from + per_task); ++tile)
        products(packed + tile * side * words(), scores.data() + tile * side);
    });
    return scores.data();
  }

  // |⟨a, r⟩ − ⟨ā, r̄⟩| ≤ ‖a − ā‖ ‖r‖ + ‖a‖ ‖r − r̄‖ + ‖a − ā‖ ‖r − r̄‖, where each entry differs by half a whole number, rounding apart.
  double error() const {
    const double half = 0.51 / whole * std::sqrt(static_cast<double>(m));
    return half * (2 + half);
  }

 private:
  static constexpr Index lanes = Lanes<std::int32_t>::lanes, registers = 8, side = registers * lanes, per_task = 4;
  static constexpr double whole = 32000;    // sums of products are at most its square, by Cauchy and Schwarz, and rounding: within 32 bits

  Index tiles() const { return (p + side - 1) / side; }
  Index words() const { return (m + 1) / 2; }

  // The last 16 bits of it are those of the nearest whole number: 1.5 · 2²³ leaves no room for fractions.
  static std::uint32_t rounded(double x) {
    const float shifted = static_cast<float>(x) + 12582912.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    return bits;
  }
  static std::int32_t pair(std::uint32_t low, std::uint32_t high) { return static_cast<std::int32_t>((low & 0xffffu) | (high << 16)); }

  template <class T>
  void by_rows(const Table<T>& A, Index from, Index width, const double* factors, std::int32_t* tile) const {
    for (Index w = 0; w < words(); ++w) {
      const T* low = A.X + 2 * w * A.stride + from;
      std::int32_t* out = tile + w * side;
      if (2 * w + 1 < m) {
        const T* high = low + A.stride;
        for (Index e = 0; e < width; ++e) out[e] = pair(rounded(low[e] * factors[e]), rounded(high[e] * factors[e]));
      } else {
        for (Index e = 0; e < width; ++e) out[e] = pair(rounded(low[e] * factors[e]), 0);
      }
    }
  }

  template <class T>
  void by_columns(const Table<T>& A, Index from, Index width, const double* factors, std::int32_t* tile) const {
    for (Index e = 0; e < width; ++e) {
      const T* x = A.X + (from + e) * A.stride;
      for (Index w = 0; w < m / 2; ++w) tile[w * side + e] = pair(rounded(x[2 * w] * factors[e]), rounded(x[2 * w + 1] * factors[e]));
      if (m % 2) tile[(words() - 1) * side + e] = pair(rounded(x[m - 1] * factors[e]), 0);
    }
  }

  void products(const std::int32_t* tile, double* out) const {
    Lanes<std::int32_t>::Lane sums[registers] = {};
    for (Index w = 0; w < words(); ++w) {
      const Lanes<std::int32_t>::Lane both = unit[w] + Lanes<std::int32_t>::Lane{};
      for (Index v = 0; v < registers; ++v) sums[v] += pair_products(load(tile + w * side + v * lanes), both);
    }
    std::int32_t each[side];
    for (Index v = 0; v < registers; ++v) store(sums[v], each + v * lanes);
    for (Index e = 0; e < side; ++e) out[e] = std::abs(static_cast<double>(each[e])) / (whole * whole);
  }

  Index m, p;
  int n_threads;
  Scratch memory;
  std::int32_t* packed;
  std::vector<std::int32_t> unit;
  std::vector<double> scores;
};

// Rows of Q are orthonormal; the column that joined k-th is Σ R[k, i] Q[i] over i ≤ k; r is what they leave of the signal.
template <class T>
class Pursuit {
 public:
  Pursuit(Columns<T> X, Vector<const double> lengths, Vector<const double> inverse, Vector<bool> possible, Matrix<double> Q, Matrix<double> R, Vector<double> r,
          Vector<Index> members, Vector<double> norms, Index k, int n_threads)
      : A(table_of(X, row_major)), lengths(lengths.data()), inverse(inverse.data()), possible(possible.data()), Q(Q.data()), R(R.data()), r(r.data()),
        members(members.data()), norms(norms.data()), most(static_cast<Index>(Q.shape(0))), k(k), n_threads(n_threads), c(A.p), q(A.n),
        along(most), more(most) {
    if (most - k >= several && A.n * A.p <= kept_at_most) few_bits = std::make_unique<RoundedColumns>(A, row_major, this->lengths, n_threads);
  }

  int run(Vector<const Index> first, double goal, double rounding, Index limit) {
    for (Index i = 0; i < static_cast<Index>(first.size()) && k < most; ++i) take(first(i));
    Signals signals;
    for (;;) {
      signals.check();
      if (norms[k] * norms[k] <= goal) return reached;
      if (k == most) return full;
      if (limit-- == 0) return paused;
      const Index j = best(rounding);
      if (j < 0) return exhausted;
      take(j);
    }
  }

  Index size() const { return k; }

 private:
  // The column that correlates most with r, of equals the first; −1 where none does beyond rounding.
  Index best(double rounding) {
    if (few_bits)
      candidates_in_few_bits();
    else
      all_in_double();
    double highest = 0;
    for (const Candidate& a : candidates) highest = std::max(highest, a.score);
    if (!(highest > rounding)) return -1;
    return std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& a) { return a.score >= highest * (1 - tied); })->j;
  }

  void all_in_double() {
    std::fill(c.begin(), c.end(), 0.0);
    pass<1>(A, row_major, r, c.data(), parts, n_threads);
    candidates.clear();
    for (Index j = 0; j < A.p; ++j)
      if (possible[j]) candidates.push_back({j, std::abs(c[j]) * inverse[j]});
  }

  // Those that may be the best, or tied with it, by the error of few bits.
  void candidates_in_few_bits() {
    const double* scores = few_bits->correlate(r, norms[k]);
    const double error = few_bits->error();
    double highest = 0;
    for (Index j = 0; j < A.p; ++j)
      if (possible[j]) highest = std::max(highest, (scores[j] - error) * lengths[j] * inverse[j]);
    const double least = highest * (1 - tied);
    candidates.clear();
    for (Index j = 0; j < A.p; ++j)
      if (possible[j] && (scores[j] + error) * lengths[j] * inverse[j] >= least) {
        read(j);
        candidates.push_back({j, std::abs(dot(q.data(), r, A.n)) * inverse[j]});
      }
  }

  void read(Index j) {
    if (j == held) return;
    held = j;
    for (Index t = 0; t < A.n; ++t) q[t] = static_cast<double>(row_major ? A.X[t * A.stride + j] : A.X[j * A.stride + t]);
  }

  // Column j joins, unless it depends on those inside.
  void take(Index j) {
    possible[j] = false;
    const Index m = A.n;
    read(j);
    const double whole = dot(q.data(), q.data(), m);
    double square = whole;
    held = -1;                                          // q is about to change
    std::fill_n(along.begin(), k, 0.0);
    for (int turn = 0; turn < 2; ++turn) {              // the second removes what rounding in the first left, where little is left
      square = project(m);
      if (square > much * whole) break;
    }
    if (!(square > depends * whole)) return;
    const double length = std::sqrt(square), amount = dot(q.data(), r, m) / length;
    double *direction = Q + k * m, *row = R + k * most;
    for (Index t = 0; t < m; ++t) direction[t] = q[t] / length, r[t] -= amount * direction[t];
    std::copy_n(along.begin(), k, row);
    row[k] = length;
    members[k] = j;
    norms[++k] = std::sqrt(dot(r, r, m));
  }

  // q loses its part along the rows of Q, which is added to `along`; the square of what is left.
  double project(Index m) {
    Index i = 0;
    for (; i + 4 <= k; i += 4) {
      const double* const four[4] = {Q + i * m, Q + (i + 1) * m, Q + (i + 2) * m, Q + (i + 3) * m};
      const double* const one[1] = {q.data()};
      double sums[4][1];
      dots<4, 1, double>(four, one, m, sums);
      for (int e = 0; e < 4; ++e) more[i + e] = sums[e][0];
    }
    for (; i < k; ++i) more[i] = dot(Q + i * m, q.data(), m);
    for (i = 0; i + 4 <= k; i += 4) {
      const double *a = Q + i * m, *b = a + m, *d = b + m, *e = d + m;
      const double x = more[i], y = more[i + 1], z = more[i + 2], w = more[i + 3];
      for (Index t = 0; t < m; ++t) q[t] -= x * a[t] + y * b[t] + z * d[t] + w * e[t];
    }
    for (; i < k; ++i)
      for (Index t = 0; t < m; ++t) q[t] -= more[i] * Q[i * m + t];
    for (i = 0; i < k; ++i) along[i] += more[i];
    return dot(q.data(), q.data(), m);
  }

  struct Candidate {
    Index j;
    double score;
  };

  bool row_major;
  Table<T> A;
  const double *lengths, *inverse;                      // of the columns, and over the lengths by which they are compared
  bool* possible;
  double *Q, *R, *r;
  Index* members;
  double* norms;
  Index most, k, held = -1;                             // held: the column that q is
  int n_threads;
  std::vector<double> c, q, along, more, parts;
  std::vector<Candidate> candidates;
  std::unique_ptr<RoundedColumns> few_bits;
};

// From `state[0]` columns inside on, those of `first` first, at most `limit` more; norms[k] = ‖r‖ with k columns inside.
template <class T>
int pursue(Columns<T> X, Vector<const double> lengths, Vector<const double> inverse, Vector<bool> possible, Matrix<double> Q, Matrix<double> R, Vector<double> r,
           Vector<Index> members, Vector<double> norms, Vector<Index> state, Vector<const Index> first, double goal, double rounding,
           Index limit, int n_threads) {
  Pursuit<T> pursuit(X, lengths, inverse, possible, Q, R, r, members, norms, state(0), n_threads);
  const int outcome = pursuit.run(first, goal, rounding, limit);
  state(0) = pursuit.size();
  return outcome;
}

// ‖x_j‖² of every column.
template <class T>
void column_squares(Columns<T> X, Vector<double> out, int n_threads) {
  bool row_major;
  const Table<T> A = table_of(X, row_major);
  constexpr Index wide = 256;
  parallel_for(static_cast<std::size_t>((A.p + wide - 1) / wide), n_threads, [&](std::size_t task, int) {
    const Index from = static_cast<Index>(task) * wide, to = std::min(A.p, from + wide);
    if (!row_major) {
      for (Index j = from; j < to; ++j) {
        const T* x = A.X + j * A.stride;
        double sum = 0;
        for (Index i = 0; i < A.n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        out(j) = sum;
      }
      return;
    }
    double sums[wide] = {};
    for (Index i = 0; i < A.n; ++i) {
      const T* x = A.X + i * A.stride + from;
      for (Index j = 0; j < to - from; ++j) sums[j] += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    }
    std::copy_n(sums, to - from, out.data() + from);
  });
}

}  // namespace

void register_pursuit(nb::module_& m) {
  define(m, "pursue", &pursue<float>, nogil());
  define(m, "pursue", &pursue<double>, nogil());
  define(m, "column_squares", &column_squares<float>, nogil());
  define(m, "column_squares", &column_squares<double>, nogil());
}

}  // namespace tamis
