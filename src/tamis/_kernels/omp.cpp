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
      take(j);
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

  void take(Index j) {
    const Index k = size();
    if (static_cast<Index>(U.size()) < (k + 1) * atoms.ld) U.resize((2 * k + 8) * atoms.ld);
    const double length = std::sqrt(static_cast<double>(outside[j])), step = r[j] / length;
    rest -= step * step;
    chosen.push_back(j);
    c.push_back(step);
    pivot.push_back(length);
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

// Row i of indices and values receives the counts[i] coefficients of signal i, whose correlations with the atoms are Q[i].
template <class T>
void batch_omp(Matrix<const T> G, Vector<const T> scale, Matrix<const T> Q, Vector<const double> yy, Vector<const double> limits,
               int n_threads, Matrix<std::int32_t> indices, Matrix<T> values, Vector<std::int64_t> counts, Vector<double> squares,
               Vector<std::int8_t> stops) {
  const Atoms<T> atoms{G.data(), static_cast<Index>(G.shape(1)), scale.data(), static_cast<Index>(G.shape(0))};
  const Index n = static_cast<Index>(Q.shape(0)), most = static_cast<Index>(indices.shape(1));
  constexpr Index together = 16;                           // signals of one task
  std::vector<Pursuit<T>> pursuits(n_threads, Pursuit<T>(atoms));
  parallel_for((n + together - 1) / together, n_threads, [&](std::size_t task, int worker) {
    Pursuit<T>& pursuit = pursuits[worker];
    const Index from = static_cast<Index>(task) * together;
    for (Index i = from; i < std::min(n, from + together); ++i) {
      stops(i) = pursuit.run(Q.data() + i * atoms.n_atoms, yy(i), most, limits(i));
      counts(i) = pursuit.size();
      squares(i) = pursuit.squares();
      pursuit.write(indices.data() + i * most, values.data() + i * most);
    }
  });
}

}  // namespace

void register_omp(nb::module_& m) {
  define(m, "batch_omp", &batch_omp<float>, nogil());
  define(m, "batch_omp", &batch_omp<double>, nogil());
}

}  // namespace tamis
