// Atoms given codes, and what codes are given atoms that are orthonormal. Codes Z (n, k) come in CSR, atoms are the rows of D (k, p).
#include <algorithm>
#include <cmath>
#include <vector>

#include "small_factor.hpp"

namespace tamis {
namespace {

// ---- the K largest entries of each row ------------------------------------------------------------------------------------------

template <class T>
Index above(const T* a, Index n, T t) {
  Index count = 0;
  for (Index j = 0; j < n; ++j) count += a[j] > t;
  return count;
}

// A threshold t with #{a > t} = most; where equal entries leave none, the value of which `at` more are taken.
template <class T>
T cut(const T* a, Index n, Index most, Index& at) {
  at = 0;
  if (above(a, n, T(0)) <= most) return T(0);
  T low = 0, high = *std::max_element(a, a + n);
  for (;;) {
    const T middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    const Index count = above(a, n, middle);
    if (count == most) return middle;
    (count > most ? low : high) = middle;
  }
  at = most - above(a, n, high);                           // no number lies between low and high: the entries there are equal
  return high;
}

// Row i of indices and values receives the counts[i] largest |q| of row i of Q (largest q, where `positive`), by ascending atom; of
// equal ones those of the lowest index. Zeros are left out.
template <class T>
void largest_codes(Matrix<const T> Q, bool positive, int n_threads, Matrix<std::int32_t> indices, Matrix<T> values,
                   Vector<std::int64_t> counts) {
  const Index n = static_cast<Index>(Q.shape(0)), k = static_cast<Index>(Q.shape(1)), most = static_cast<Index>(indices.shape(1));
  constexpr Index together = 256;
  std::vector<std::vector<T>> sizes(n_threads, std::vector<T>(k));
  parallel_for((n + together - 1) / together, n_threads, [&](std::size_t task, int worker) {
    T* a = sizes[worker].data();
    const Index from = static_cast<Index>(task) * together;
    for (Index i = from; i < std::min(n, from + together); ++i) {
      const T* q = Q.data() + i * k;
      for (Index j = 0; j < k; ++j) a[j] = positive ? std::max(q[j], T(0)) : std::abs(q[j]);
      Index equal, count = 0;
      const T t = cut(a, k, most, equal);
      std::int32_t* to = indices.data() + i * most;
      T* value = values.data() + i * most;
      for (Index j = 0; j < k; ++j) {
        const bool taken = a[j] > t || (equal > 0 && a[j] == t && equal-- > 0);
        if (!taken) continue;
        to[count] = static_cast<std::int32_t>(j);
        value[count++] = q[j];
      }
      counts(i) = count;
    }
  });
}

// ---- codes fitted again to the atoms they use -----------------------------------------------------------------------------------

// ‖x − zD‖² over the entries of x that are not NaN; z has n entries.
template <class T>
double residual_square(const T* __restrict x, Index p, const T* D, const std::int32_t* indices, const T* values, Index n, T* __restrict r) {
  std::copy(x, x + p, r);
  for (Index e = 0; e < n; ++e) {
    const T* __restrict d = D + static_cast<Index>(indices[e]) * p;
    const T z = values[e];
    for (Index t = 0; t < p; ++t) r[t] -= z * d[t];
  }
  double sum = 0;
  for (Index t = 0; t < p; ++t) sum += std::isnan(r[t]) ? 0.0 : static_cast<double>(r[t]) * static_cast<double>(r[t]);
  return sum;
}

constexpr Index rows_together = 16;                        // signals of one task

// squares(i) = ‖x_i − z_i D‖² over the entries of x_i that are not NaN.
template <class T>
void code_residuals(Matrix<const T> X, Matrix<const T> D, Vector<const std::int64_t> starts, Vector<const std::int32_t> indices,
                    Vector<const T> values, Vector<double> squares, int n_threads) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1));
  std::vector<std::vector<T>> residuals(n_threads, std::vector<T>(p));
  parallel_for((n + rows_together - 1) / rows_together, n_threads, [&](std::size_t task, int worker) {
    const Index from = static_cast<Index>(task) * rows_together;
    for (Index i = from; i < std::min(n, from + rows_together); ++i)
      squares(i) = residual_square(X.data() + i * p, p, D.data(), indices.data() + starts(i), values.data() + starts(i),
                                   static_cast<Index>(starts(i + 1) - starts(i)), residuals[worker].data());
  });
}

// values = argmin ‖x − zD‖ over z with the support of row i, squares(i) its ‖x − zD‖²; G = D Dᵀ. Atoms that depend on those before get
// zero.
template <class T>
void refit_codes(Matrix<const T> X, Matrix<const T> D, Matrix<const double> G, Vector<const std::int64_t> starts,
                 Vector<const std::int32_t> indices, Vector<T> values, Vector<double> squares, Index room, int n_threads) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1)), k = static_cast<Index>(D.shape(0));
  struct Workspace {
    SmallFactor<double> factor;
    std::vector<double> z;
    std::vector<T> r;
    std::vector<std::int64_t> in;
  };
  std::vector<Workspace> spaces(n_threads, Workspace{SmallFactor<double>(room), std::vector<double>(room), std::vector<T>(p), {}});
  parallel_for((n + rows_together - 1) / rows_together, n_threads, [&](std::size_t task, int worker) {
    auto& [factor, z, r, in] = spaces[worker];
    const Index from = static_cast<Index>(task) * rows_together;
    for (Index i = from; i < std::min(n, from + rows_together); ++i) {
      const T* x = X.data() + i * p;
      factor.clear(), in.clear();
      for (std::int64_t e = starts(i); e < starts(i + 1); ++e) {
        const Index j = indices(e);
        values(e) = 0;
        if (factor.full()) continue;
        const double* g = G.data() + j * k;
        for (std::size_t h = 0; h < in.size(); ++h) factor.incoming()[h] = g[indices(in[h])];
        const T* d = D.data() + j * p;
        double q = 0;
        for (Index t = 0; t < p; ++t) q += static_cast<double>(d[t]) * static_cast<double>(x[t]);
        if (factor.append(g[j], q, 0)) in.push_back(e);
      }
      factor.solve(0, z.data());
      for (std::size_t h = 0; h < in.size(); ++h) values(in[h]) = static_cast<T>(z[h]);
      squares(i) = residual_square(x, p, D.data(), indices.data() + starts(i), values.data() + starts(i),
                                   static_cast<Index>(starts(i + 1) - starts(i)), r.data());
    }
  });
}

// ---- matching pursuit on what is observed -------------------------------------------------------------------------------------------

// One worker's pursuit of a signal of which only the columns `seen` count: Q = Σ_c x_c D_c and the squares of the atoms there come from
// the columns of D, which are the rows of C (p, k); each chosen atom costs one more product of that kind.
template <class T>
class ObservedPursuit {
 public:
  ObservedPursuit(const T* C, Index p, Index k, Index room)
      : C(C), p(p), k(k), factor(room, dependent_share<T>), q(k), lengths(k), c(k), whole(k), rows(room * k), z(room) {
    for (Index t = 0; t < p; ++t)
      for (Index j = 0; j < k; ++j) whole[j] += C[t * k + j] * C[t * k + j];
  }

  double run(const T* x, const std::uint8_t* mask, Index most, double limit) {
    look(x, mask);
    double left = xx;
    for (;;) {
      if (left <= limit || static_cast<Index>(chosen.size()) >= most) break;
      const Index j = strongest();
      if (j < 0) break;
      if (!take(j)) {
        lengths[j] = 0;
        continue;
      }
      factor.solve(0, z.data());
      correlate();
      left = xx;
      for (std::size_t i = 0; i < chosen.size(); ++i) left -= z[i] * q[chosen[i]];
    }
    return std::max(0.0, left);
  }

  std::vector<Index> chosen;
  const std::vector<double>& values() const { return z; }

 private:
  void look(const T* x, const std::uint8_t* mask) {
    chosen.clear(), seen.clear(), factor.clear();
    std::fill(q.begin(), q.end(), T(0));
    std::fill(lengths.begin(), lengths.end(), T(0));
    xx = 0;
    for (Index t = 0; t < p; ++t) {
      if (!mask[t]) continue;
      seen.push_back(t);
      const T* __restrict column = C + t * k;
      T *__restrict to = q.data(), *__restrict square = lengths.data();
      const T v = x[t];
      xx += static_cast<double>(v) * static_cast<double>(v);
      for (Index j = 0; j < k; ++j) to[j] += v * column[j], square[j] += column[j] * column[j];
    }
    for (Index j = 0; j < k; ++j)
      if (!(lengths[j] > unseen * whole[j])) lengths[j] = 0;
    c = q;
  }

  Index strongest() const {                                // the largest |c_j|/‖d_j‖ over the columns seen
    double best = 0;
    Index found = -1;
    const double slack = 4096.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(std::numeric_limits<T>::epsilon()) * xx;
    for (Index j = 0; j < k; ++j) {
      if (!(lengths[j] > 0)) continue;
      const double score = static_cast<double>(c[j]) * static_cast<double>(c[j]) / static_cast<double>(lengths[j]);
      if (score > best && score > slack) best = score, found = j;
    }
    return found;
  }

  bool take(Index j) {
    const Index n = static_cast<Index>(chosen.size());
    T* __restrict g = rows.data() + n * k;
    std::fill(g, g + k, T(0));
    for (Index t : seen) {
      const T* __restrict column = C + t * k;
      const T v = column[j];
      for (Index l = 0; l < k; ++l) g[l] += v * column[l];
    }
    for (Index i = 0; i < n; ++i) factor.incoming()[i] = g[chosen[i]];
    if (!factor.append(g[j], q[j], 0)) return false;
    chosen.push_back(j);
    lengths[j] = 0;
    return true;
  }

  void correlate() {
    c = q;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const T* __restrict g = rows.data() + static_cast<Index>(i) * k;
      T* __restrict to = c.data();
      const T v = static_cast<T>(z[i]);
      for (Index j = 0; j < k; ++j) to[j] -= v * g[j];
    }
  }

  static constexpr T unseen = T(1e-6);                     // of ‖d‖²: an atom of which no more is seen says nothing
  const T* C;
  Index p, k;
  SmallFactor<double> factor;
  std::vector<T> q, lengths, c, whole, rows;
  std::vector<double> z;
  std::vector<Index> seen;
  double xx = 0;
};

// Orthogonal matching pursuit of the rows of X on the entries where mask is not 0; C is Dᵀ (p, k). Row i of indices and values receives
// its counts[i] coefficients, in the order in which they were taken.
template <class T>
void observed_omp(Matrix<const T> C, Matrix<const T> X, Matrix<const std::uint8_t> mask, Vector<const double> limits, int n_threads,
                  Matrix<std::int32_t> indices, Matrix<T> values, Vector<std::int64_t> counts, Vector<double> squares) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(C.shape(0)), k = static_cast<Index>(C.shape(1));
  const Index most = static_cast<Index>(indices.shape(1));
  constexpr Index together = 16;
  std::vector<ObservedPursuit<T>> pursuits(n_threads, ObservedPursuit<T>(C.data(), p, k, most));
  parallel_for((n + together - 1) / together, n_threads, [&](std::size_t task, int worker) {
    ObservedPursuit<T>& pursuit = pursuits[worker];
    const Index from = static_cast<Index>(task) * together;
    for (Index i = from; i < std::min(n, from + together); ++i) {
      squares(i) = pursuit.run(X.data() + i * p, mask.data() + i * p, most, limits(i));
      counts(i) = static_cast<std::int64_t>(pursuit.chosen.size());
      for (std::size_t e = 0; e < pursuit.chosen.size(); ++e) {
        indices.data()[i * most + static_cast<Index>(e)] = static_cast<std::int32_t>(pursuit.chosen[e]);
        values.data()[i * most + static_cast<Index>(e)] = static_cast<T>(pursuit.values()[e]);
      }
    }
  });
}

// ---- K-SVD ----------------------------------------------------------------------------------------------------------------------

// One sweep over the atoms, each with the signals that use it: E = R + z d is their residual without the atom; one power step gives
// d ← Eᵀz/‖Eᵀz‖ and z ← E d (max(E d, 0), where `positive`), which never makes ‖E − z d‖ larger. Column j of the codes has its rows in
// rows[starts[j] … starts[j + 1]), their places in values in `places`. R = X − Z D is kept.
template <class T>
void ksvd_sweep(Matrix<T> D, Matrix<T> R, Vector<const std::int64_t> starts, Vector<const std::int32_t> rows,
                Vector<const std::int64_t> places, Vector<T> values, bool positive) {
  const Index k = static_cast<Index>(D.shape(0)), p = static_cast<Index>(D.shape(1));
  std::vector<T> fresh(p);
  std::vector<double> g(p);
  Signals signals;
  for (Index j = 0; j < k; ++j) {
    signals.check();
    T* __restrict d = D.data() + j * p;
    T* __restrict to = fresh.data();
    const std::int64_t from = starts(j), end = starts(j + 1);
    double zz = 0, length = 0, along = 0;
    std::fill(fresh.begin(), fresh.end(), T(0));
    for (std::int64_t e = from; e < end; ++e) {
      const T z = values(places(e));
      const T* __restrict r = R.data() + static_cast<Index>(rows(e)) * p;
      zz += static_cast<double>(z) * static_cast<double>(z);
      for (Index t = 0; t < p; ++t) to[t] += z * r[t];
    }
    for (Index t = 0; t < p; ++t) g[t] = to[t] + zz * d[t], length += g[t] * g[t];
    length = std::sqrt(length);
    if (!(length > 0)) continue;                           // nobody uses it
    for (Index t = 0; t < p; ++t) to[t] = static_cast<T>(g[t] / length), along += static_cast<double>(to[t]) * static_cast<double>(d[t]);
    for (std::int64_t e = from; e < end; ++e) {
      T& z = values(places(e));
      T* __restrict r = R.data() + static_cast<Index>(rows(e)) * p;
      T now = z * static_cast<T>(along);
      for (Index t = 0; t < p; ++t) now += r[t] * to[t];
      if (positive && now < 0) now = 0;
      const T before = z;
      for (Index t = 0; t < p; ++t) r[t] += before * d[t] - now * to[t];
      z = now;
    }
    std::copy(fresh.begin(), fresh.end(), d);
  }
}

// ---- statistics of codes --------------------------------------------------------------------------------------------------------

// A += s ZᵀZ and B += s ZᵀX for the sign s; X may have no columns. Rows are split into parts that do not depend on the threads.
template <class T>
void code_statistics(Vector<const std::int64_t> starts, Vector<const std::int32_t> indices, Vector<const T> values, Matrix<const T> X,
                     double s, Index parts, int n_threads, Matrix<double> A, Matrix<double> B) {
  const Index n = static_cast<Index>(starts.size()) - 1, k = static_cast<Index>(A.shape(0)), p = static_cast<Index>(X.shape(1));
  const Index each = (n + parts - 1) / parts, size = k * k + k * p;
  std::vector<double> sums(parts > 1 ? (parts - 1) * size : 0, 0.0);
  parallel_for(parts, n_threads, [&](std::size_t part, int) {
    double* a = part == 0 ? A.data() : sums.data() + (static_cast<Index>(part) - 1) * size;
    double* b = part == 0 ? B.data() : a + k * k;
    for (Index i = static_cast<Index>(part) * each; i < std::min(n, (static_cast<Index>(part) + 1) * each); ++i) {
      const T* x = X.data() + i * p;
      for (std::int64_t e = starts(i); e < starts(i + 1); ++e) {
        const double z = s * static_cast<double>(values(e));
        double* __restrict to = a + indices(e) * k;
        for (std::int64_t f = starts(i); f < starts(i + 1); ++f) to[indices(f)] += z * static_cast<double>(values(f));
        double* __restrict along = b + indices(e) * p;
        for (Index t = 0; t < p; ++t) along[t] += z * static_cast<double>(x[t]);
      }
    }
  });
  for (Index part = 1; part < parts; ++part) {
    const double* from = sums.data() + (part - 1) * size;
    for (Index t = 0; t < k * k; ++t) A.data()[t] += from[t];
    for (Index t = 0; t < k * p; ++t) B.data()[t] += from[k * k + t];
  }
}

// Atoms from `first` on, as many as P (b, p) has rows, one after the other: P = B − A D holds what is left of their equations, and
// d_j ← Π(d_j + P_j/A_jj), Π the projection onto ‖d‖ ≤ 1. Atoms that no code uses stay as they are.
void atom_descent(Matrix<const double> A, Index first, Matrix<double> P, Matrix<double> D, double unused) {
  const Index k = static_cast<Index>(A.shape(0)), b = static_cast<Index>(P.shape(0)), p = static_cast<Index>(P.shape(1));
  std::vector<double> step(p);
  for (Index j = 0; j < b; ++j) {
    const double* a = A.data() + (first + j) * k + first;
    if (!(a[j] > unused)) continue;
    double* __restrict d = D.data() + (first + j) * p;
    const double* __restrict left = P.data() + j * p;
    double* __restrict s = step.data();
    double square = 0;
    for (Index t = 0; t < p; ++t) s[t] = d[t] + left[t] / a[j], square += s[t] * s[t];
    const double shrink = square > 1 ? 1 / std::sqrt(square) : 1.0;
    for (Index t = 0; t < p; ++t) s[t] = shrink * s[t] - d[t], d[t] += s[t];
    for (Index i = j + 1; i < b; ++i) {
      double* __restrict other = P.data() + i * p;
      for (Index t = 0; t < p; ++t) other[t] -= a[i] * s[t];
    }
  }
}

template <class T>
void register_for(nb::module_& m) {
  define(m, "largest_codes", &largest_codes<T>, nogil());
  define(m, "code_residuals", &code_residuals<T>, nogil());
  define(m, "refit_codes", &refit_codes<T>, nogil());
  define(m, "observed_omp", &observed_omp<T>, nogil());
  define(m, "ksvd_sweep", &ksvd_sweep<T>, nogil());
  define(m, "code_statistics", &code_statistics<T>, nogil());
}

}  // namespace

void register_dictionary(nb::module_& m) {
  register_for<float>(m);
  register_for<double>(m);
  define(m, "atom_descent", &atom_descent, nogil());
}

}  // namespace tamis
