// Orthogonal matching pursuit of many signals on one Gram: a partial Cholesky factorisation whose pivots each signal chooses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

enum Stop : std::int8_t { reached, full, exhausted };      // in the order of tamis.solvers.omp.Stop

constexpr Index lane = 32;                                 // rows are padded to a multiple of it

// What the signals share: the Gram of the atoms scaled to unit length, its rows padded with zeros to `ld`.
template <class T>
struct Atoms {
  const T* G;
  Index ld;
  const T* scale;                                          // 1/‖d_j‖, 0 for a zero atom
  Index n_atoms;
};

template <class T>
struct Rows {                                              // Σ_h l_h u_h over four rows of U
  const T* u[4];
  T l[4];
};

template <class T>
void subtract(const Rows<T>& rows, Index n, T* __restrict u) {
  const T *__restrict a = rows.u[0], *__restrict b = rows.u[1], *__restrict c = rows.u[2], *__restrict d = rows.u[3];
  const T x = rows.l[0], y = rows.l[1], z = rows.l[2], w = rows.l[3];
  for (Index t = 0; t < n; ++t) u[t] -= x * a[t] + y * b[t] + z * c[t] + w * d[t];
}

// The last of u_k = (G_j − Σ_{i<k} L_ki u_i)/L_kk, and what follows from it: r −= c_k u_k, outside −= u_k², and the scores |r| of the
// atoms that are independent of those chosen.
template <class T>
void project(const Rows<T>& rows, Index n, T inverse, T step, T* __restrict u, T* __restrict r, T* __restrict outside,
             T* __restrict score) {
  constexpr T dependent = 512 * std::numeric_limits<T>::epsilon();
  const T *__restrict a = rows.u[0], *__restrict b = rows.u[1], *__restrict c = rows.u[2], *__restrict d = rows.u[3];
  const T x = rows.l[0], y = rows.l[1], z = rows.l[2], w = rows.l[3];
  for (Index t = 0; t < n; ++t) {
    const T now = (u[t] - (x * a[t] + y * b[t] + z * c[t] + w * d[t])) * inverse;
    const T left = r[t] - step * now, beyond = outside[t] - now * now;
    u[t] = now;
    r[t] = left;
    outside[t] = beyond;
    score[t] = beyond > dependent ? std::abs(left) : T(0);
  }
}

// One worker's pursuit. With chosen atoms A and G_AA = L Lᵀ the rows of U are L⁻¹ G_A: u_k[j] is the part of atom j along the k-th
// orthonormalised atom. So U holds L already, and both r = ⟨d_j, residual⟩ and outside = ‖d_j‖² beyond the span of A follow by
// r −= c_k u_k and outside −= u_k².
template <class T>
class Pursuit {
 public:
  explicit Pursuit(const Atoms<T>& atoms) : atoms(atoms), r(atoms.ld), outside(atoms.ld), score(atoms.ld) {}

  Stop run(const T* q, double yy, Index most, double limit) {
    start(q);
    rest = yy;
    const T slack = 64 * eps * static_cast<T>(std::sqrt(yy));                  // what rounding leaves in r
    while (rest > limit) {
      if (size() == most) return full;
      const Index j = strongest();
      if (!(score[j] > slack)) return rest > 64 * eps * yy ? exhausted : reached;
      take(j, size() + 1 == most);
    }
    return reached;
  }

  Index size() const { return static_cast<Index>(chosen.size()); }
  double squares() const { return std::max(0.0, rest); }

  // The coefficients z of Lᵀ z = c, in the atoms' own scale, by ascending atom.
  void write(std::int32_t* indices, T* values) {
    const Index n = size();
    order.resize(n);
    for (Index k = n; k-- > 0;) {
      for (Index i = k + 1; i < n; ++i) c[k] -= row(k)[chosen[i]] * c[i];
      c[k] /= pivot[k];
      order[k] = k;
    }
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return chosen[a] < chosen[b]; });
    for (Index k = 0; k < n; ++k) {
      const Index j = chosen[order[k]];
      indices[k] = static_cast<std::int32_t>(j);
      values[k] = static_cast<T>(c[order[k]] * atoms.scale[j]);
    }
  }

 private:
  static constexpr T eps = std::numeric_limits<T>::epsilon();

  T* row(Index k) { return U.data() + k * atoms.ld; }

  void start(const T* q) {
    chosen.clear();
    c.clear();
    pivot.clear();
    for (Index j = 0; j < atoms.n_atoms; ++j) {
      r[j] = q[j] * atoms.scale[j];
      outside[j] = atoms.scale[j] > 0 ? T(1) : T(0);
      score[j] = std::abs(r[j]);
    }
  }

  // The atom of the highest score, the lowest index among equals: the lanes' maxima first, then only the lanes that hold the highest.
  Index strongest() const {
    T top[lane] = {};
    const T* s = score.data();
    for (Index from = 0; from < atoms.ld; from += lane)
      for (Index l = 0; l < lane; ++l) top[l] = s[from + l] > top[l] ? s[from + l] : top[l];
    const T best = *std::max_element(top, top + lane);
    Index found = atoms.n_atoms - 1;
    for (Index l = 0; l < lane; ++l)
      if (top[l] == best)
        for (Index j = l; j < found; j += lane)
          if (s[j] == best) found = j;
    return found;
  }

  // Of the last atom nothing but its own coefficient is asked.
  void take(Index j, bool last) {
    const Index k = size();
    if (static_cast<Index>(U.size()) < (k + 1) * atoms.ld) U.resize((2 * k + 8) * atoms.ld);
    const double length = std::sqrt(static_cast<double>(outside[j])), step = r[j] / length;
    rest -= step * step;
    chosen.push_back(j);
    c.push_back(step);
    pivot.push_back(length);
    if (last) return;
    outside[j] = 0;
    const T* g = atoms.G + j * atoms.ld;
    T* u = row(k);
    std::copy(g, g + atoms.ld, u);
    Index i = 0;
    for (; i + 4 < k; i += 4) subtract(above(i, k, j, g), atoms.ld, u);
    project(above(i, k, j, g), atoms.ld, static_cast<T>(1 / length), static_cast<T>(step), u, r.data(), outside.data(), score.data());
  }

  // Rows of U from i on, above row k, with L_ki = u_i[j]; zero multiples of `other` where there are less than four.
  Rows<T> above(Index i, Index k, Index j, const T* other) {
    Rows<T> rows;
    for (Index h = 0; h < 4; ++h) {
      rows.u[h] = i + h < k ? row(i + h) : other;
      rows.l[h] = i + h < k ? rows.u[h][j] : T(0);
    }
    return rows;
  }

  const Atoms<T>& atoms;
  std::vector<T> U, r, outside, score;
  std::vector<Index> chosen, order;
  std::vector<double> c, pivot;
  double rest = 0;
};

// What comes out: row i of indices and values receives the counts[i] coefficients of signal i.
template <class T>
struct Codes {
  Matrix<std::int32_t> indices;
  Matrix<T> values;
  Vector<std::int64_t> counts;
  Vector<double> squares;
  Vector<std::int8_t> stops;

  Index most() const { return static_cast<Index>(indices.shape(1)); }

  void fill(Index i, Pursuit<T>& pursuit, const T* q, double yy, double limit) {
    stops(i) = pursuit.run(q, yy, most(), limit);
    counts(i) = pursuit.size();
    squares(i) = pursuit.squares();
    pursuit.write(indices.data() + i * most(), values.data() + i * most());
  }

  // squares(i) = ‖x − zD‖² from the signal itself.
  void measure(Index i, const T* x, const T* D, Index p, T* r) {
    std::copy(x, x + p, r);
    for (std::int64_t e = 0; e < counts(i); ++e) {
      const T z = values(i, e), *__restrict d = D + static_cast<Index>(indices(i, e)) * p;
      for (Index t = 0; t < p; ++t) r[t] -= z * d[t];
    }
    squares(i) = 0;
    for (Index t = 0; t < p; ++t) squares(i) += static_cast<double>(r[t]) * static_cast<double>(r[t]);
  }
};

constexpr Index together = 16;                             // signals of one task

// Of signals whose correlations with the atoms are the rows of Q.
template <class T>
void batch_omp(Matrix<const T> G, Vector<const T> scale, Matrix<const T> Q, Vector<const double> yy, Vector<const double> limits,
               int n_threads, Matrix<std::int32_t> indices, Matrix<T> values, Vector<std::int64_t> counts, Vector<double> squares,
               Vector<std::int8_t> stops) {
  const Atoms<T> atoms{G.data(), static_cast<Index>(G.shape(1)), scale.data(), static_cast<Index>(G.shape(0))};
  const Index n = static_cast<Index>(Q.shape(0));
  Codes<T> codes{indices, values, counts, squares, stops};
  std::vector<Pursuit<T>> pursuits(n_threads, Pursuit<T>(atoms));
  parallel_for((n + together - 1) / together, n_threads, [&](std::size_t task, int worker) {
    const Index from = static_cast<Index>(task) * together;
    for (Index i = from; i < std::min(n, from + together); ++i)
      codes.fill(i, pursuits[worker], Q.data() + i * atoms.n_atoms, yy(i), limits(i));
  });
}

// Q = X C for four rows of X (p), C (p, ld) being Dᵀ; a tile of Q stays in registers.
template <class T>
void correlate(const T* const* x, Index p, const T* C, Index ld, T* const* q) {
  constexpr Index wide = 64 / sizeof(T);                   // a cache line of each of the four rows
  for (Index from = 0; from < ld; from += wide) {
    T sums[4][wide] = {};
    for (Index c = 0; c < p; ++c) {
      const T* __restrict column = C + c * ld + from;
      for (Index s = 0; s < 4; ++s) {
        const T v = x[s][c];
        for (Index t = 0; t < wide; ++t) sums[s][t] += v * column[t];
      }
    }
    for (Index s = 0; s < 4; ++s) std::copy(sums[s], sums[s] + wide, q[s] + from);
  }
}

// Of the rows of X on the rows of D (k, p), C (p, ld) being Dᵀ padded with zeros. Where ‖r‖² of the pursuit is below `resolved` ‖x‖²,
// it is computed again from the signal.
template <class T>
void omp_rows(Matrix<const T> G, Vector<const T> scale, Matrix<const T> C, Matrix<const T> D, Matrix<const T> X, Vector<const double> yy,
              Vector<const double> limits, double resolved, int n_threads, Matrix<std::int32_t> indices, Matrix<T> values,
              Vector<std::int64_t> counts, Vector<double> squares, Vector<std::int8_t> stops) {
  const Atoms<T> atoms{G.data(), static_cast<Index>(G.shape(1)), scale.data(), static_cast<Index>(G.shape(0))};
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1));
  Codes<T> codes{indices, values, counts, squares, stops};
  std::vector<Pursuit<T>> pursuits(n_threads, Pursuit<T>(atoms));
  std::vector<std::vector<T>> products(n_threads, std::vector<T>(4 * atoms.ld)), residuals(n_threads, std::vector<T>(p));
  parallel_for((n + together - 1) / together, n_threads, [&](std::size_t task, int worker) {
    const Index from = static_cast<Index>(task) * together, end = std::min(n, from + together);
    for (Index first = from; first < end; first += 4) {
      const T* x[4];
      T* q[4];
      for (Index s = 0; s < 4; ++s) {
        x[s] = X.data() + std::min(first + s, end - 1) * p;
        q[s] = products[worker].data() + s * atoms.ld;
      }
      correlate(x, p, C.data(), atoms.ld, q);
      for (Index i = first; i < std::min(end, first + 4); ++i) {
        codes.fill(i, pursuits[worker], q[i - first], yy(i), limits(i));
        if (squares(i) < resolved * yy(i)) codes.measure(i, X.data() + i * p, D.data(), p, residuals[worker].data());
      }
    }
  });
}

}  // namespace

void register_omp(nb::module_& m) {
  define(m, "batch_omp", &batch_omp<float>, nogil());
  define(m, "batch_omp", &batch_omp<double>, nogil());
  define(m, "omp_rows", &omp_rows<float>, nogil());
  define(m, "omp_rows", &omp_rows<double>, nogil());
}

}  // namespace tamis
