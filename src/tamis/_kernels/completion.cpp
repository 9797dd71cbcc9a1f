// What a matrix known at some entries asks of a pair of factors: entries of their product, and the best row of one given the other.
// Observed entries are listed row by row (CSR). Factors are in double, their rows padded with zeros to a multiple of `pad` numbers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lanes.hpp"

namespace tamis {
namespace {

constexpr Index pad = 4;
constexpr Index rows_per_task = 64;
using Lane = typename Lanes<double>::Lane;
constexpr Index lanes = Lanes<double>::lanes;
static_assert(pad % lanes == 0, "padded rows are read by whole registers");

inline double dot_padded(const double* a, const double* b, Index k) {
  Lane sum = {};
  for (Index t = 0; t < k; t += lanes) sum += load(a + t) * load(b + t);
  alignas(Lane) double each[lanes];
  store(sum, each);
  double total = 0;
  for (Index e = 0; e < lanes; ++e) total += each[e];
  return total;
}

template <class F>
void by_rows(Index m, int n_threads, F&& task) {
  parallel_for(static_cast<std::size_t>((m + rows_per_task - 1) / rows_per_task), n_threads, [&](std::size_t t, int) {
    const Index begin = static_cast<Index>(t) * rows_per_task;
    task(begin, std::min(m, begin + rows_per_task));
  });
}

// out[e] = ⟨uᵢ, vⱼ⟩ at the observed entries e = (i, j).
template <class T, class I>
void observed_products(Vector<const I> indptr, Vector<const std::int32_t> indices, Matrix<const double> U, Matrix<const double> V,
                       Vector<T> out, int n_threads) {
  const Index k = static_cast<Index>(U.shape(1));
  by_rows(static_cast<Index>(U.shape(0)), n_threads, [&](Index begin, Index end) {
    Signals signals;
    for (Index i = begin; i < end; ++i) {
      const double* u = U.data() + i * k;
      for (Index e = indptr.data()[i]; e < indptr.data()[i + 1]; ++e)
        out.data()[e] = static_cast<T>(dot_padded(u, V.data() + indices.data()[e] * k, k));
    }
    signals.check();
  });
}

// The lower triangle of Σ vⱼvⱼᵀ over some entries and Σ xⱼvⱼ, four entries in each reading of the sums.
class Normal {
 public:
  Normal(Index k, Index width) : k(k), width(width), G(static_cast<std::size_t>(k * width)), b(static_cast<std::size_t>(width)) {}

  void clear(const double* ridge) {
    std::fill(G.begin(), G.end(), 0.0);
    std::fill(b.begin(), b.end(), 0.0);
    for (Index a = 0; a < k; ++a) G[a * width + a] = ridge[a];
  }

  void add_four(const double* const (&v)[4], const double (&x)[4]) {
    for (Index a = 0; a < k; ++a) {
      const Lane w0 = Lane{} + v[0][a], w1 = Lane{} + v[1][a], w2 = Lane{} + v[2][a], w3 = Lane{} + v[3][a];
      double* g = G.data() + a * width;
      for (Index c = 0; c <= a; c += lanes)
        store(load(g + c) + w0 * load(v[0] + c) + w1 * load(v[1] + c) + w2 * load(v[2] + c) + w3 * load(v[3] + c), g + c);
    }
    for (Index c = 0; c < width; c += lanes)
      store(load(b.data() + c) + x[0] * load(v[0] + c) + x[1] * load(v[1] + c) + x[2] * load(v[2] + c) + x[3] * load(v[3] + c),
            b.data() + c);
  }

  void add(const double* v, double x) {
    for (Index a = 0; a < k; ++a) {
      double* g = G.data() + a * width;
      for (Index c = 0; c <= a; c += lanes) store(load(g + c) + v[a] * load(v + c), g + c);
    }
    for (Index c = 0; c < width; c += lanes) store(load(b.data() + c) + x * load(v + c), b.data() + c);
  }

  // G = L Lᵀ in place. A direction that the others explain to rounding is left out: its row of L is 0 and so is its coefficient.
  void factor() {
    for (Index a = 0; a < k; ++a) {
      double* g = G.data() + a * width;
      const double whole = g[a];
      for (Index c = 0; c < a; ++c) {
        const double* h = G.data() + c * width;
        double sum = g[c];
        for (Index t = 0; t < c; ++t) sum -= g[t] * h[t];
        g[c] = h[c] > 0 ? sum / h[c] : 0.0;
      }
      double rest = whole;
      for (Index t = 0; t < a; ++t) rest -= g[t] * g[t];
      if (rest > 1e-12 * whole) {
        g[a] = std::sqrt(rest);
      } else {
        std::fill(g, g + a + 1, 0.0);
      }
    }
  }

  void forward(double* x) const {           // L⁻¹x
    for (Index a = 0; a < k; ++a) {
      const double* g = G.data() + a * width;
      double sum = x[a];
      for (Index t = 0; t < a; ++t) sum -= g[t] * x[t];
      x[a] = g[a] > 0 ? sum / g[a] : 0.0;
    }
  }

  void solve(double* x) const {             // (L Lᵀ)⁻¹x
    forward(x);
    for (Index a = k - 1; a >= 0; --a) {
      const double* g = G.data() + a * width;
      x[a] = g[a] > 0 ? x[a] / g[a] : 0.0;
      for (Index t = 0; t < a; ++t) x[t] -= g[t] * x[a];
    }
  }

  Index k, width;
  std::vector<double> G, b;
};

// The normal equations of row i: values x − offset where there are values, else the Gram alone.
template <class T, class I>
void collect(Normal& normal, const I* indptr, const std::int32_t* indices, const T* values, const double* offset,
             const double* V, const double* ridge, Index i) {
  normal.clear(ridge);
  const Index end = indptr[i + 1];
  Index e = indptr[i];
  const auto target = [&](Index at) { return values ? static_cast<double>(values[at]) - offset[indices[at]] : 0.0; };
  for (; e + 4 <= end; e += 4) {
    const double* const v[4] = {V + indices[e] * normal.width, V + indices[e + 1] * normal.width, V + indices[e + 2] * normal.width,
                                V + indices[e + 3] * normal.width};
    if (e + 12 <= end)
      for (Index ahead = 8; ahead < 12; ++ahead) soon(V + indices[e + ahead] * normal.width);
    const double x[4] = {target(e), target(e + 1), target(e + 2), target(e + 3)};
    normal.add_four(v, x);
  }
  for (; e < end; ++e) normal.add(V + indices[e] * normal.width, target(e));
}

// uᵢ = argmin ½ Σⱼ (x_ij − offsetⱼ − ⟨u, vⱼ⟩)² + ½ Σₐ ridgeₐ uₐ² for every row, over its observed entries; a row without any: 0.
template <class T, class I>
void solve_rows(Vector<const I> indptr, Vector<const std::int32_t> indices, Vector<const T> values, Vector<const double> offset,
                Matrix<const double> V, Vector<const double> ridge, Matrix<double> U, int n_threads) {
  const Index k = static_cast<Index>(ridge.size()), width = static_cast<Index>(V.shape(1));
  by_rows(static_cast<Index>(U.shape(0)), n_threads, [&](Index begin, Index end) {
    Signals signals;
    Normal normal(k, width);
    for (Index i = begin; i < end; ++i) {
      double* u = U.data() + i * width;
      collect(normal, indptr.data(), indices.data(), values.data(), offset.data(), V.data(), ridge.data(), i);
      normal.factor();
      normal.solve(normal.b.data());
      std::copy_n(normal.b.data(), k, u);
      std::fill(u + k, u + width, 0.0);
      signals.check();
    }
  });
}

// out[t] = qᵀ (Σⱼ vⱼvⱼᵀ + ridge)⁻¹ q over the observed entries of row rows[t], q the t-th row of Q: the variance of ⟨u, q⟩ over σ².
template <class I>
void row_leverages(Vector<const I> indptr, Vector<const std::int32_t> indices, Matrix<const double> V, Vector<const double> ridge,
                   Vector<const Index> rows, Matrix<const double> Q, Vector<double> out, int n_threads) {
  const Index k = static_cast<Index>(ridge.size()), width = static_cast<Index>(V.shape(1));
  by_rows(static_cast<Index>(rows.size()), n_threads, [&](Index begin, Index end) {
    Signals signals;
    Normal normal(k, width);
    std::vector<double> q(static_cast<std::size_t>(width));
    for (Index t = begin; t < end; ++t) {
      if (t == begin || rows.data()[t] != rows.data()[t - 1]) {
        collect<double>(normal, indptr.data(), indices.data(), nullptr, nullptr, V.data(), ridge.data(), rows.data()[t]);
        normal.factor();
      }
      std::copy_n(Q.data() + t * width, width, q.begin());
      normal.forward(q.data());
      double sum = 0;
      for (Index a = 0; a < k; ++a) sum += q[a] * q[a];
      out.data()[t] = sum;
      signals.check();
    }
  });
}

template <class I>
void register_for(nb::module_& m) {
  define(m, "observed_products", &observed_products<float, I>, nogil());
  define(m, "observed_products", &observed_products<double, I>, nogil());
  define(m, "solve_rows", &solve_rows<float, I>, nogil());
  define(m, "solve_rows", &solve_rows<double, I>, nogil());
  define(m, "row_leverages", &row_leverages<I>, nogil());
}

}  // namespace

void register_completion(nb::module_& m) {
  register_for<std::int32_t>(m);
  register_for<std::int64_t>(m);
}

}  // namespace tamis
