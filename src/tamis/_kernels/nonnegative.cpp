// Rows w ≥ 0 with x ≈ w H, each on its own: coordinate descent on normal equations, and Newton steps for the Kullback–Leibler divergence.
#include <algorithm>
#include <cmath>
#include <vector>

#include <nanobind/stl/optional.h>

#include "dots.hpp"
#include "scratch.hpp"
#include "small_factor.hpp"

namespace tamis {
namespace {

constexpr Index side = 32;          // rows that descend side by side
constexpr Index chunk = 192;        // columns at a time: as many of 20 rows of H fit the nearest cache
constexpr Index rows_per_task = 32;
constexpr double floor_of_z = 1e-100;   // below it x/z² would leave the range of numbers

// ---- many rows on one quadratic --------------------------------------------------------------------------------------------------

// Sweeps over the coordinates of `m` ≤ side rows: ½ w B wᵀ − a wᵀ, w ≥ 0. `a` and `w` are (k, side), turned.
void descend_together(const double* __restrict B, Index k, Index sweeps, double shrink, const double* __restrict a, double* __restrict w) {
  double first = 0;
  for (Index sweep = 0; sweep < sweeps; ++sweep) {
    double change = 0;
    for (Index c = 0; c < k; ++c) {
      const double curvature = B[c * k + c];
      if (!(curvature > 0)) {                        // a row of zeros in H: the coordinate explains nothing, and may cost something
        for (Index e = 0; e < side; ++e)
          if (a[c * side + e] < 0) w[c * side + e] = 0;
        continue;
      }
      double left[side];
      for (Index e = 0; e < side; ++e) left[e] = a[c * side + e];
      for (Index l = 0; l < k; ++l) {
        const double b = B[c * k + l];
        const double* __restrict from = w + l * side;
        for (Index e = 0; e < side; ++e) left[e] -= b * from[e];
      }
      double* __restrict to = w + c * side;
      const double inverse = 1 / curvature;
      for (Index e = 0; e < side; ++e) {
        const double next = std::max(0.0, to[e] + left[e] * inverse), step = next - to[e];
        change += curvature * step * step;
        to[e] = next;
      }
    }
    if (sweep == 0) first = change;
    if (change <= shrink * first) break;
  }
}

// Rows of W: argmin ½ w B wᵀ − a wᵀ over w ≥ 0, by `sweeps` of coordinate descent from where they are; fewer where a sweep has become
// `shrink` times as short as the first, in its square.
void nonnegative_rows(Matrix<const double> A_, Matrix<const double> B_, Matrix<double> W_, int sweeps, double shrink, int n_threads) {
  const Index n = static_cast<Index>(W_.shape(0)), k = static_cast<Index>(W_.shape(1));
  const double *A = A_.data(), *B = B_.data();
  double* W = W_.data();
  std::vector<Scratch> work;
  for (int t = 0; t < n_threads; ++t) work.emplace_back(2 * k * side);
  parallel_for(static_cast<std::size_t>((n + side - 1) / side), n_threads, [&](std::size_t task, int worker) {
    const Index from = static_cast<Index>(task) * side, m = std::min(side, n - from);
    double *a = work[worker].get(), *w = a + k * side;
    std::fill(a, a + 2 * k * side, 0.0);
    for (Index e = 0; e < m; ++e)
      for (Index c = 0; c < k; ++c) {
        a[c * side + e] = A[(from + e) * k + c];
        w[c * side + e] = W[(from + e) * k + c];
      }
    descend_together(B, k, sweeps, shrink, a, w);
    for (Index e = 0; e < m; ++e)
      for (Index c = 0; c < k; ++c) W[(from + e) * k + c] = w[c * side + e];
  });
}

// ---- one row on a quadratic of its own -------------------------------------------------------------------------------------------

// What the descent of one row needs beside its quadratic.
struct Corner {
  static constexpr double dependent = 1e-12;         // rounding of a Gram: coordinates that others explain to it stay where they are
  explicit Corner(Index k) : factor(k, dependent), step(k) { free.reserve(k); }
  SmallFactor<double> factor;
  std::vector<double> step;
  std::vector<Index> free;
};

// u moves to the minimum over its coordinates above zero; where one would fall below, it stops at zero and the others go on.
void settle(const double* __restrict Q, Index ld, Index k, double* __restrict slope, double* __restrict u, Corner& o) {
  for (Index round = 0; round <= k; ++round) {
    o.factor.clear();
    o.free.clear();
    for (Index c = 0; c < k; ++c) {
      if (!(u[c] > 0)) continue;
      for (std::size_t i = 0; i < o.free.size(); ++i) o.factor.incoming()[i] = Q[c * ld + o.free[i]];
      if (o.factor.append(Q[c * ld + c], -slope[c], 0)) o.free.push_back(c);
    }
    o.factor.solve(0, o.step.data());
    double t = 1;
    Index stops = -1;
    for (std::size_t i = 0; i < o.free.size(); ++i)
      if (u[o.free[i]] + t * o.step[i] < 0) t = -u[o.free[i]] / o.step[i], stops = static_cast<Index>(i);
    for (std::size_t i = 0; i < o.free.size(); ++i) {
      const Index c = o.free[i];
      const double next = static_cast<Index>(i) == stops ? 0.0 : std::max(0.0, u[c] + t * o.step[i]), move = next - u[c];
      u[c] = next;
      for (Index l = 0; l < k; ++l) slope[l] += move * Q[c * ld + l];
    }
    if (stops < 0) return;
  }
}

// u: argmin gᵀ(u − w) + ½ (u − w)ᵀ Q (u − w) over u ≥ 0, from u = w; `slope` is scratch and begins as g. Sweeps over the coordinates
// find which are above zero, and every fourth sweep is followed by the minimum over those: sweeps alone end late where columns of Q are
// nearly dependent.
void descend_alone(const double* __restrict Q, Index ld, Index k, Index sweeps, double* __restrict slope, double* __restrict u, Corner& o) {
  constexpr double settled = 1e-24, rounding = 1e-30;   // squares of steps, against the first sweep and against u
  double first = 0;
  for (Index sweep = 0; sweep < sweeps; ++sweep) {
    double change = 0, size = 0;
    for (Index c = 0; c < k; ++c) {
      const double curvature = Q[c * ld + c];
      double next = u[c];
      if (curvature > 0) next = std::max(0.0, u[c] - slope[c] / curvature);
      else if (slope[c] > 0) next = 0;               // nothing but a cost
      const double step = next - u[c];
      size += curvature * next * next;
      if (step == 0) continue;
      change += curvature * step * step;
      u[c] = next;
      for (Index l = 0; l < k; ++l) slope[l] += step * Q[c * ld + l];
    }
    if (sweep == 0) first = change;
    if (change <= std::max(settled * first, rounding * size)) return;
    if (sweep % 4 == 3) settle(Q, ld, k, slope, u, o);
  }
}

inline Index fours(Index k) { return (k + 3) / 4 * 4; }

// H with rows of zeros up to a multiple of four, so that inner products go by fours.
std::vector<double> padded(const double* H, Index k, Index p) {
  std::vector<double> out(static_cast<std::size_t>(fours(k) * p), 0.0);
  std::copy(H, H + k * p, out.begin());
  return out;
}

// Q (K × K) += Σ_j q_j h_j h_jᵀ on columns [from, from + m) of H (K rows, K a multiple of 4), upper tiles only.
void add_curvature(const double* H, Index p, Index K, Index from, Index m, const double* q, double* scaled, double* Q) {
  for (Index a = 0; a < K; a += 4) {
    const double* rows[4];
    const double* weighed[4];
    for (int r = 0; r < 4; ++r) {
      rows[r] = H + (a + r) * p + from;
      double* s = scaled + r * chunk;
      for (Index t = 0; t < m; ++t) s[t] = rows[r][t] * q[t];
      weighed[r] = s;
    }
    for (Index b = a; b < K; b += 4) {
      const double* others[4] = {H + b * p + from, H + (b + 1) * p + from, H + (b + 2) * p + from, H + (b + 3) * p + from};
      double sums[4][4];
      dots(others, weighed, m, sums);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) Q[(a + c) * K + b + r] += sums[r][c];
    }
  }
}

void mirror(double* Q, Index K) {
  for (Index a = 0; a < K; ++a)
    for (Index b = a + 1; b < K; ++b) Q[b * K + a] = Q[a * K + b];
}

// g (K) += H r on columns [from, from + m).
void add_products(const double* H, Index p, Index K, Index from, Index m, const double* r, double* g) {
  const double* right[1] = {r};
  for (Index a = 0; a < K; a += 4) {
    const double* rows[4] = {H + a * p + from, H + (a + 1) * p + from, H + (a + 2) * p + from, H + (a + 3) * p + from};
    double sums[4][1];
    dots(rows, right, m, sums);
    for (int e = 0; e < 4; ++e) g[a + e] += sums[e][0];
  }
}

// z = w H on columns [from, from + m).
void combine(const double* __restrict H, Index p, Index K, const double* w, Index from, Index m, double* __restrict z) {
  std::fill(z, z + m, 0.0);
  for (Index a = 0; a < K; a += 4) {
    const double *h0 = H + a * p + from, *h1 = h0 + p, *h2 = h1 + p, *h3 = h2 + p;
    const double w0 = w[a], w1 = w[a + 1], w2 = w[a + 2], w3 = w[a + 3];
    if (w0 == 0 && w1 == 0 && w2 == 0 && w3 == 0) continue;
    for (Index t = 0; t < m; ++t) z[t] += (w0 * h0[t] + w1 * h1[t]) + (w2 * h2[t] + w3 * h3[t]);
  }
}

// An upper bound of −log(1 + u) that is exact to the third order: 2u/(2 + u) ≤ log(1 + u) for u ≥ 0, u/√(1 + u) below.
inline double minus_log(double u) { return u >= 0 ? -2 * u / (2 + u) : 1 + u > 0 ? -u / std::sqrt(1 + u) : 1e300; }

// Of one row: l1 Σ w + l2/2 Σ w².
struct Penalty {
  double l1, l2;
};

// What a worker needs for one row.
struct Work {
  double *z, *dz, *r, *q, *scaled, *g, *slope, *u, *d, *w, *Q;
  Corner corner;
  Work(double* memory, Index length, Index K) : corner(K) {
    auto take = [&](Index size) { return std::exchange(memory, memory + size); };
    z = take(length), dz = take(length), r = take(chunk), q = take(chunk), scaled = take(4 * chunk);
    g = take(K), slope = take(K), u = take(K), d = take(K), w = take(K), Q = take(K * K);
  }
  static Index size(Index length, Index K) { return 2 * length + 6 * chunk + 5 * K + K * K; }
};

constexpr double least_gain = 1e-28;                 // of a Newton step, relative to the sum of the row: slopes are known to 1e-14 or so

// The penalty's part of g and Q, and the step to the minimum of the quadratic model: d = u − w. False where it gains nothing; `total` is
// the sum of the row.
bool model_step(Work& o, Index k, Index K, Penalty penalty, double total) {
  for (Index c = 0; c < k; ++c) {
    o.g[c] += penalty.l1 + penalty.l2 * o.w[c];
    o.Q[c * K + c] += penalty.l2;
  }
  std::copy(o.g, o.g + K, o.slope);
  std::copy(o.w, o.w + K, o.u);
  descend_alone(o.Q, K, k, 50, o.slope, o.u, o.corner);
  double gain = 0;
  for (Index c = 0; c < K; ++c) gain -= o.g[c] * (o.d[c] = c < k ? o.u[c] - o.w[c] : 0.0);
  return gain > least_gain * total;
}

// What the penalty gains by a step t d.
double penalty_change(const Work& o, Index k, Penalty penalty, double t) {
  double sum = 0;
  for (Index c = 0; c < k; ++c) sum += t * o.d[c] * (penalty.l1 + penalty.l2 * (o.w[c] + 0.5 * t * o.d[c]));
  return sum;
}

// The longest of the steps d, d/2, d/4, … that is known to lower the objective; `bound(t)` is an upper bound of what it changes. False
// where there is none.
template <class Bound>
bool take_step(Work& o, Index k, Bound bound) {
  double t = 1;
  for (int halvings = 0; halvings < 30; ++halvings, t *= 0.5)
    if (bound(t) <= 0) {
      for (Index c = 0; c < k; ++c) o.w[c] = t == 1 ? o.u[c] : std::max(0.0, o.w[c] + t * o.d[c]);
      return true;
    }
  return false;
}

// One Newton step of min Σ_j m_j (z_j − x_j log z_j) + l1 Σ w + l2/2 Σ w², z = w H; m = null: all ones, and `sums` are those of the rows of H.
// False where the row is at its minimum.
template <class T>
bool newton_dense(const T* x, const T* m, const double* H, Index k, Index K, Index p, const double* sums, Penalty penalty, Work& o) {
  double total = 0;
  std::fill(o.Q, o.Q + K * K, 0.0);
  for (Index c = 0; c < K; ++c) o.g[c] = m ? 0.0 : sums[c];
  for (Index from = 0; from < p; from += chunk) {
    const Index length = std::min(chunk, p - from);
    double* z = o.z + from;
    combine(H, p, K, o.w, from, length, z);
    for (Index t = 0; t < length; ++t) {
      const double share = m ? static_cast<double>(m[from + t]) : 1.0, inverse = 1 / (z[t] = std::max(z[t], floor_of_z));
      const double amount = share * static_cast<double>(x[from + t]), ratio = amount * inverse;
      total += amount;
      o.r[t] = (m ? share : 0.0) - ratio;
      o.q[t] = ratio * inverse;
    }
    add_products(H, p, K, from, length, o.r, o.g);
    add_curvature(H, p, K, from, length, o.q, o.scaled, o.Q);
  }
  mirror(o.Q, K);
  if (!model_step(o, k, K, penalty, total)) return false;
  for (Index from = 0; from < p; from += chunk) combine(H, p, K, o.d, from, std::min(chunk, p - from), o.dz + from);
  return take_step(o, k, [&](double t) {
    double sum = penalty_change(o, k, penalty, t);
    for (Index j = 0; j < p; ++j) {
      const double share = m ? static_cast<double>(m[j]) : 1.0, step = t * o.dz[j];
      sum += share * (step + (x[j] > 0 ? static_cast<double>(x[j]) * minus_log(step / o.z[j]) : 0.0));
    }
    return sum;
  });
}

template <class T>
void kl_newton_rows(Matrix<const T> X_, std::optional<Matrix<const T>> M_, Matrix<const double> H_, Matrix<double> W_, Vector<const double> l1,
                    Vector<const double> l2, int steps, int n_threads) {
  const Index n = static_cast<Index>(W_.shape(0)), k = static_cast<Index>(W_.shape(1)), p = static_cast<Index>(H_.shape(1)), K = fours(k);
  const std::vector<double> H = padded(H_.data(), k, p);
  std::vector<double> sums(K, 0.0);
  for (Index c = 0; c < k; ++c)
    for (Index j = 0; j < p; ++j) sums[c] += H[c * p + j];
  std::vector<Scratch> memory;
  for (int t = 0; t < n_threads; ++t) memory.emplace_back(Work::size(p, K));
  parallel_for(static_cast<std::size_t>((n + rows_per_task - 1) / rows_per_task), n_threads, [&](std::size_t task, int worker) {
    Signals signals;
    Work o(memory[worker].get(), p, K);
    std::fill(o.w, o.w + K, 0.0);
    const Index first = static_cast<Index>(task) * rows_per_task;
    for (Index i = first; i < std::min(n, first + rows_per_task); ++i) {
      double* w = W_.data() + i * k;
      std::copy(w, w + k, o.w);
      for (int s = 0; s < steps; ++s)
        if (!newton_dense(X_.data() + i * p, M_ ? M_->data() + i * p : nullptr, H.data(), k, K, p, sums.data(),
                          {l1.data()[i], l2.data()[i]}, o))
          break;
      std::copy(o.w, o.w + k, w);
      signals.check();
    }
  });
}

// The same for rows of which only some entries are stored, the others being zeros; Ht (p, k) are the columns of H.
template <class T, class I>
bool newton_sparse(const T* x, const I* columns, Index stored, const double* Ht, Index k, const double* sums, Penalty penalty, Work& o) {
  double total = 0;
  std::fill(o.Q, o.Q + k * k, 0.0);
  std::copy(sums, sums + k, o.g);
  for (Index e = 0; e < stored; ++e) {
    const double* h = Ht + static_cast<Index>(columns[e]) * k;
    double z = 0;
    for (Index c = 0; c < k; ++c) z += o.w[c] * h[c];
    const double inverse = 1 / (o.z[e] = std::max(z, floor_of_z)), ratio = static_cast<double>(x[e]) * inverse;
    total += static_cast<double>(x[e]);
    for (Index c = 0; c < k; ++c) o.g[c] -= ratio * h[c];
    for (Index c = 0; c < k; ++c) {
      const double scaled = ratio * inverse * h[c];
      double* row = o.Q + c * k;
      if (scaled != 0)
        for (Index l = c; l < k; ++l) row[l] += scaled * h[l];
    }
  }
  mirror(o.Q, k);
  if (!model_step(o, k, k, penalty, total)) return false;
  double everywhere = 0;
  for (Index c = 0; c < k; ++c) everywhere += o.d[c] * sums[c];
  for (Index e = 0; e < stored; ++e) {
    const double* h = Ht + static_cast<Index>(columns[e]) * k;
    double step = 0;
    for (Index c = 0; c < k; ++c) step += o.d[c] * h[c];
    o.dz[e] = step;
  }
  return take_step(o, k, [&](double t) {
    double sum = penalty_change(o, k, penalty, t) + t * everywhere;
    for (Index e = 0; e < stored; ++e)
      if (x[e] > 0) sum += static_cast<double>(x[e]) * minus_log(t * o.dz[e] / o.z[e]);
    return sum;
  });
}

template <class T, class I>
void kl_newton_rows_sparse(Vector<const T> data, Vector<const I> indices, Vector<const I> indptr, Matrix<const double> Ht, Vector<const double> sums,
                           Matrix<double> W_, Vector<const double> l1, Vector<const double> l2, int steps, int n_threads) {
  const Index n = static_cast<Index>(W_.shape(0)), k = static_cast<Index>(W_.shape(1));
  Index longest = 0;
  for (Index i = 0; i < n; ++i) longest = std::max<Index>(longest, indptr.data()[i + 1] - indptr.data()[i]);
  std::vector<Scratch> memory;
  for (int t = 0; t < n_threads; ++t) memory.emplace_back(Work::size(longest, k));
  parallel_for(static_cast<std::size_t>((n + rows_per_task - 1) / rows_per_task), n_threads, [&](std::size_t task, int worker) {
    Signals signals;
    Work o(memory[worker].get(), longest, k);
    const Index first = static_cast<Index>(task) * rows_per_task;
    for (Index i = first; i < std::min(n, first + rows_per_task); ++i) {
      double* w = W_.data() + i * k;
      const I begin = indptr.data()[i];
      std::copy(w, w + k, o.w);
      for (int s = 0; s < steps; ++s)
        if (!newton_sparse(data.data() + begin, indices.data() + begin, static_cast<Index>(indptr.data()[i + 1] - begin), Ht.data(), k,
                           sums.data(), {l1.data()[i], l2.data()[i]}, o))
          break;
      std::copy(o.w, o.w + k, w);
      signals.check();
    }
  });
}

// Rows of W: argmin ½ Σ_j m_j (x_j − (w H)_j)² + l1 Σ w + l2/2 Σ w² over w ≥ 0, with l1 and l2 of each row: normal equations of its own
// entries, then sweeps.
template <class T>
void weighted_rows(Matrix<const T> X_, Matrix<const T> M_, Matrix<const double> H_, Matrix<double> W_, Vector<const double> l1,
                   Vector<const double> l2, int sweeps, int n_threads) {
  const Index n = static_cast<Index>(W_.shape(0)), k = static_cast<Index>(W_.shape(1)), p = static_cast<Index>(H_.shape(1)), K = fours(k);
  const std::vector<double> H = padded(H_.data(), k, p);
  std::vector<Scratch> memory;
  for (int t = 0; t < n_threads; ++t) memory.emplace_back(Work::size(0, K));
  parallel_for(static_cast<std::size_t>((n + rows_per_task - 1) / rows_per_task), n_threads, [&](std::size_t task, int worker) {
    Signals signals;
    Work o(memory[worker].get(), 0, K);
    const Index first = static_cast<Index>(task) * rows_per_task;
    for (Index i = first; i < std::min(n, first + rows_per_task); ++i) {
      const T *x = X_.data() + i * p, *m = M_.data() + i * p;
      double* w = W_.data() + i * k;
      std::fill(o.Q, o.Q + K * K, 0.0);
      std::fill(o.g, o.g + K, 0.0);
      for (Index from = 0; from < p; from += chunk) {
        const Index length = std::min(chunk, p - from);
        for (Index t = 0; t < length; ++t) {
          o.q[t] = static_cast<double>(m[from + t]);
          o.r[t] = o.q[t] == 0 ? 0.0 : -o.q[t] * static_cast<double>(x[from + t]);       // what is not observed may hold anything
        }
        add_products(H.data(), p, K, from, length, o.r, o.g);
        add_curvature(H.data(), p, K, from, length, o.q, o.scaled, o.Q);
      }
      mirror(o.Q, K);
      for (Index c = 0; c < k; ++c) o.Q[c * K + c] += l2.data()[i];
      for (Index c = 0; c < k; ++c) {
        o.slope[c] = o.g[c] + l1.data()[i];
        for (Index l = 0; l < k; ++l) o.slope[c] += o.Q[c * K + l] * w[l];
      }
      descend_alone(o.Q, K, k, sweeps, o.slope, w, o.corner);
      signals.check();
    }
  });
}

}  // namespace

void register_nonnegative(nb::module_& m) {
  define(m, "nonnegative_rows", &nonnegative_rows, nogil());
  define(m, "kl_newton_rows", &kl_newton_rows<float>, nogil());
  define(m, "kl_newton_rows", &kl_newton_rows<double>, nogil());
  define(m, "kl_newton_rows_sparse", &kl_newton_rows_sparse<float, std::int32_t>, nogil());
  define(m, "kl_newton_rows_sparse", &kl_newton_rows_sparse<double, std::int32_t>, nogil());
  define(m, "kl_newton_rows_sparse", &kl_newton_rows_sparse<float, std::int64_t>, nogil());
  define(m, "kl_newton_rows_sparse", &kl_newton_rows_sparse<double, std::int64_t>, nogil());
  define(m, "weighted_rows", &weighted_rows<float>, nogil());
  define(m, "weighted_rows", &weighted_rows<double>, nogil());
}

}  // namespace tamis
