// Orthogonal matching pursuit of one signal on a matrix in memory: one reading of A and one step of Gram and Schmidt for each column.
// Where several columns are wanted, A is read in single precision: whichever may be the best by the bound of its rounding is compared
// in double, so that the choice is that of double throughout.
#include <cmath>
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
constexpr Index several = 6;         // columns for which it pays to keep A in single precision
constexpr Index kept_at_most = Index{1} << 27;   // entries of A

// The columns of A scaled to unit length, in single precision, `side` of them side by side.
class SingleColumns {
 public:
  template <class T>
  SingleColumns(const Table<T>& A, bool row_major, const double* inverse, int n_threads)
      : m(A.n), p(A.p), n_threads(n_threads), memory(tiles() * side * m / 2 + 1), packed(reinterpret_cast<float*>(memory.get())), unit(m), scores(tiles() * side) {
    parallel_for(static_cast<std::size_t>(tiles()), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * side, width = std::min(side, p - from);
      float* tile = packed + from * m;
      if (width < side) std::fill_n(tile, side * m, 0.0f);
      if (row_major) {
        for (Index i = 0; i < m; ++i)
          for (Index e = 0; e < width; ++e) tile[i * side + e] = scaled(A.X[i * A.stride + from + e], inverse[from + e]);
      } else {
        for (Index e = 0; e < width; ++e)
          for (Index i = 0; i < m; ++i) tile[i * side + e] = scaled(A.X[(from + e) * A.stride + i], inverse[from + e]);
      }
    });
  }

  // |⟨a_j, r⟩| / (‖a_j‖ ‖r‖) of every column, each wrong by at most `error()`.
  const double* correlate(const double* r, double norm) {
    for (Index i = 0; i < m; ++i) unit[i] = static_cast<float>(r[i] / norm);
    const Index n_tasks = (tiles() + per_task - 1) / per_task;
    parallel_for(static_cast<std::size_t>(n_tasks), n_threads, [&](std::size_t t, int) {
      const Index from = static_cast<Index>(t) * per_task;
      for (Index tile = from; tile < std::min(tiles(), from + per_task); ++tile)
        products(packed + tile * side * m, scores.data() + tile * side);
    });
    return scores.data();
  }

  // Sums of `depth` products, whose factors and product round as well: Σ|a_i r_i| ≤ 1 times a rounding for each; and denormal numbers.
  double error() const { return static_cast<double>(std::min(depth, m) + 4) * std::ldexp(1.0, -24) + m * std::ldexp(1.0, -140); }

 private:
  static constexpr Index lanes = Lanes<float>::lanes, registers = 8, side = registers * lanes, depth = 256, per_task = 4;

  template <class T>
  static float scaled(T x, double inverse) { return static_cast<float>(static_cast<double>(x) * inverse); }
  Index tiles() const { return (p + side - 1) / side; }

  void products(const float* tile, double* out) const {
    std::fill_n(out, side, 0.0);
    for (Index start = 0; start < m; start += depth) {
      Lanes<float>::Lane sums[registers] = {};
      for (Index i = start; i < std::min(m, start + depth); ++i)
        for (Index v = 0; v < registers; ++v) sums[v] += unit[i] * load(tile + i * side + v * lanes);
      float each[side];
      for (Index v = 0; v < registers; ++v) store(sums[v], each + v * lanes);
      for (Index e = 0; e < side; ++e) out[e] += each[e];
    }
    for (Index e = 0; e < side; ++e) out[e] = std::abs(out[e]);
  }

  Index m, p;
  int n_threads;
  Scratch memory;
  float* packed;
  std::vector<float> unit;
  std::vector<double> scores;
};

// Rows of Q are orthonormal; the column that joined k-th is Σ R[k, i] Q[i] over i ≤ k; r is what they leave of the signal.
template <class T>
class Pursuit {
 public:
  Pursuit(Columns<T> X, Vector<const double> inverse, Vector<bool> possible, Matrix<double> Q, Matrix<double> R, Vector<double> r,
          Vector<Index> members, Vector<double> norms, Index k, int n_threads)
      : A(table_of(X, row_major)), inverse(inverse.data()), possible(possible.data()), Q(Q.data()), R(R.data()), r(r.data()),
        members(members.data()), norms(norms.data()), most(static_cast<Index>(Q.shape(0))), k(k), n_threads(n_threads), c(A.p), q(A.n),
        along(most), more(most) {
    if (most - k >= several && A.n * A.p <= kept_at_most) single = std::make_unique<SingleColumns>(A, row_major, this->inverse, n_threads);
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
    if (single)
      candidates_in_single();
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

  // Those that may be the best, or tied with it, by the error of single precision.
  void candidates_in_single() {
    const double* scores = single->correlate(r, norms[k]);
    double highest = 0;
    for (Index j = 0; j < A.p; ++j)
      if (possible[j]) highest = std::max(highest, scores[j]);
    const double least = highest - 2 * single->error() - tied;
    candidates.clear();
    for (Index j = 0; j < A.p; ++j)
      if (possible[j] && scores[j] >= least) {
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
  const double* inverse;
  bool* possible;
  double *Q, *R, *r;
  Index* members;
  double* norms;
  Index most, k, held = -1;                             // held: the column that q is
  int n_threads;
  std::vector<double> c, q, along, more, parts;
  std::vector<Candidate> candidates;
  std::unique_ptr<SingleColumns> single;
};

// From `state[0]` columns inside on, those of `first` first, at most `limit` more; norms[k] = ‖r‖ with k columns inside.
template <class T>
int pursue(Columns<T> X, Vector<const double> inverse, Vector<bool> possible, Matrix<double> Q, Matrix<double> R, Vector<double> r,
           Vector<Index> members, Vector<double> norms, Vector<Index> state, Vector<const Index> first, double goal, double rounding,
           Index limit, int n_threads) {
  Pursuit<T> pursuit(X, inverse, possible, Q, R, r, members, norms, state(0), n_threads);
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
