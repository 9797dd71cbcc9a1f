// Lasso codes of many signals on one Gram: z minimises ½ zGzᵀ − qz + α‖z‖₁ with G = D Dᵀ and q = x Dᵀ. An active set A with signs s is
// searched in float; in double it is confirmed, or corrected, and the duality gap is computed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "small_factor.hpp"

namespace tamis {
namespace {

constexpr Index lane = 32;                                 // rows of G are padded with zeros to a multiple of it

template <class S>
struct CodeGram {
  const S* G;
  Index ld, k;
  const S* row(Index j) const { return G + j * ld; }
};

template <class C>
struct Four {                                              // Σ_h w_h G_h over four rows
  template <class S>
  static void subtract(const S* const* g, const C* w, Index n, C* __restrict c) {
    const S *__restrict a = g[0], *__restrict b = g[1], *__restrict d = g[2], *__restrict e = g[3];
    const C x = w[0], y = w[1], z = w[2], t = w[3];
    for (Index j = 0; j < n; ++j) c[j] -= x * a[j] + y * b[j] + (z * d[j] + t * e[j]);
  }
};

// Feature-sign search (Lee et al. 2007) of one signal after the other: the atom that violates |c_j| ≤ α most joins A, where
// c = q − zG; z moves to G_AA⁻¹(q_A − α s_A), and whoever meets zero on the way leaves.
template <class S, class C>
class CodeSearch {
 public:
  CodeSearch(const CodeGram<S>& gram, Index room, bool positive, double dependent = 64 * static_cast<double>(std::numeric_limits<C>::epsilon()))
      : gram(gram), positive(positive), factor(room, dependent), c(gram.ld), q(gram.ld), score(gram.ld), target(room) {}

  template <class Q>
  void begin(const Q* from, double alpha_) {
    std::copy(from, from + gram.k, q.begin());
    alpha = static_cast<C>(alpha_);
    members.clear(), sign.clear(), w.clear(), refused.clear();
    factor.clear();
  }

  // Takes atom j into A with this sign and value.
  bool join(Index j, C s, C value) {
    const S* g = gram.row(j);
    for (std::size_t i = 0; i < members.size(); ++i) factor.incoming()[i] = static_cast<C>(g[members[i]]);
    if (!factor.append(static_cast<C>(g[j]), q[j], s)) return false;
    members.push_back(j), sign.push_back(s), w.push_back(value);
    return true;
  }

  // From A as it stands to the minimum; false where the search was given up.
  bool run(double scale) {
    const C slack = 8 * std::numeric_limits<C>::epsilon() * static_cast<C>(scale);
    for (Index patience = 20 + 4 * gram.k; patience > 0; --patience) {
      if (!settle()) return false;
      correlate();
      const Index j = strongest();
      if (j < 0 || !(score[j] > alpha + slack)) return true;
      const C s = c[j] > 0 ? C(1) : C(-1);
      if (!join(j, s, C(0)) && !exchange(j, s)) refused.push_back(j);
    }
    return false;
  }

  // One atom more, the strongest, until `most` are in use or what is left of xx = ‖x‖² is at most `limit`; that.
  double pursue(double xx, Index most, double limit) {
    const C slack = 64 * std::numeric_limits<C>::epsilon() * static_cast<C>(std::sqrt(xx));
    for (;;) {
      double left = xx;
      for (std::size_t i = 0; i < members.size(); ++i) left -= static_cast<double>(w[i]) * static_cast<double>(q[members[i]]);
      if (left <= limit || static_cast<Index>(members.size()) >= most) return std::max(0.0, left);
      correlate();
      const Index j = strongest();
      if (j < 0 || !(score[j] > slack)) return std::max(0.0, left);
      if (!join(j, c[j] > 0 ? C(1) : C(-1), C(0))) refused.push_back(j);
      if (!settle()) return std::max(0.0, left);
    }
  }

  std::vector<Index> members;
  std::vector<C> sign, w;
  std::vector<C>& correlations() { return c; }

 private:
  // Atom j is a combination of the members: z_j grows and they make up for it, so that zD stays while ‖z‖₁ falls, until one of them is
  // zero and leaves.
  bool exchange(Index j, C s) {
    factor.combination(target.data());
    const Index n = factor.size();
    C reach = 0;
    Index first = -1;
    for (Index i = 0; i < n; ++i) {
      if (!(sign[i] * s * target[i] > 0)) continue;
      const C t = w[i] / (s * target[i]);
      if (first < 0 || t < reach) reach = t, first = i;
    }
    if (first < 0) return false;
    for (Index i = 0; i < n; ++i) w[i] -= reach * s * target[i];
    leave(first);
    return join(j, s, s * reach);
  }

  bool settle() {
    for (Index patience = 20 + 4 * gram.k; patience > 0; --patience) {
      const Index n = factor.size();
      factor.solve(alpha, target.data());
      C reach = 1;
      Index first = -1;
      for (Index i = 0; i < n; ++i) {
        if (sign[i] * target[i] > 0) continue;
        const C t = w[i] == target[i] ? C(0) : w[i] / (w[i] - target[i]);
        if (first < 0 || t < reach) reach = t, first = i;
      }
      if (first < 0) {
        std::copy(target.begin(), target.begin() + n, w.begin());
        return true;
      }
      if (w[first] == 0 && first + 1 == n) refused.push_back(members[first]);        // only rounding let it in
      for (Index i = 0; i < n; ++i) w[i] += reach * (target[i] - w[i]);
      leave(first);
    }
    return false;
  }

  void leave(Index i) {
    factor.remove(i);
    members.erase(members.begin() + i);
    sign.erase(sign.begin() + i);
    w.erase(w.begin() + i);
  }

  void correlate() {
    std::copy(q.begin(), q.end(), c.begin());
    const Index n = static_cast<Index>(members.size());
    for (Index from = 0; from < n; from += 4) {
      const S* g[4];
      C x[4] = {};
      for (Index h = 0; h < 4; ++h) {
        const bool there = from + h < n;
        g[h] = gram.row(members[there ? from + h : from]);
        if (there) x[h] = w[from + h];
      }
      Four<C>::subtract(g, x, gram.ld, c.data());
    }
    if (positive)
      for (Index j = 0; j < gram.ld; ++j) score[j] = c[j];
    else
      for (Index j = 0; j < gram.ld; ++j) score[j] = std::abs(c[j]);
    for (Index j : members) score[j] = 0;
    for (Index j : refused) score[j] = 0;
  }

  // The lowest index of the highest score: the lanes' maxima first, then only the lanes that hold the highest.
  Index strongest() const {
    C top[lane] = {};
    const C* s = score.data();
    for (Index from = 0; from < gram.ld; from += lane)
      for (Index l = 0; l < lane; ++l) top[l] = s[from + l] > top[l] ? s[from + l] : top[l];
    const C best = *std::max_element(top, top + lane);
    if (!(best > 0)) return -1;
    Index found = gram.k - 1;
    for (Index l = 0; l < lane; ++l)
      if (top[l] == best)
        for (Index j = l; j < found; j += lane)
          if (s[j] == best) found = j;
    return found;
  }

  CodeGram<S> gram;
  bool positive;
  SmallFactor<C> factor;
  C alpha = 0;
  std::vector<C> c, q, score, target;
  std::vector<Index> refused;
};

// z and c = q − zG of one signal, and what they prove.
struct Code {
  std::vector<double> z, c;

  // ½‖x − zD‖² + α‖z‖₁ minus the dual value at the multiple of the residual r that is feasible or, if that is better, optimal.
  template <class T>
  double gap(const T* q, double xx, double alpha, bool positive) const {
    double along = 0, left = 0, norm = 0, most = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      along += z[j] * static_cast<double>(q[j]);
      left += z[j] * c[j];
      norm += std::abs(z[j]);
      most = std::max(most, positive ? c[j] : std::abs(c[j]));
    }
    const double rr = std::max(0.0, xx - along - left), xr = xx - along;              // ‖r‖², ⟨x, r⟩
    const double feasible = most > 0 ? alpha / most : std::numeric_limits<double>::infinity();
    const double best = rr > 0 ? xr / rr : 1.0, share = std::max(0.0, std::min(best, feasible));
    return std::max(0.0, 0.5 * rr + alpha * norm - share * xr + 0.5 * share * share * rr);
  }

  // Coordinate descent, for the rare signal that no search settles: atoms that all but depend on each other.
  template <class T>
  void descend(const CodeGram<T>& gram, double alpha, bool positive, int sweeps) {
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (Index j = 0; j < gram.k; ++j) {
        const T* g = gram.row(j);
        const double curve = g[j];
        if (!(curve > 0)) continue;
        const double v = c[j] + curve * z[j];
        double to = std::max(0.0, (positive ? v : std::abs(v)) - alpha) / curve;
        if (v < 0) to = -to;
        const double step = to - z[j];
        if (step == 0) continue;
        z[j] = to;
        for (Index t = 0; t < gram.k; ++t) c[t] -= step * g[t];
      }
  }
};

template <class V>
nb::object hand_over(std::vector<V>&& values) {
  auto* kept = new std::vector<V>(std::move(values));
  nb::capsule owner(kept, [](void* v) noexcept { delete static_cast<std::vector<V>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, V, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

template <class T>
class Coder {
 public:
  Coder(const CodeGram<T>& gram, const CodeGram<float>& rough, Index room, double alpha, bool positive, double tol)
      : gram(gram), quick(rough, room, positive), exact(gram, room, positive), alpha(alpha), positive(positive), tol(tol) {}

  // Codes a signal from the atoms [start, end) in use before, or from none; the gap.
  double run(const T* q, double xx, const std::int32_t* start, const std::int32_t* end, const T* before) {
    const double scale = std::sqrt(xx);
    quick.begin(q, alpha);
    for (; start != end; ++start, ++before)
      if (*before != 0 && !(positive && *before < 0)) quick.join(*start, *before > 0 ? 1.f : -1.f, static_cast<float>(*before));
    quick.run(scale);
    exact.begin(q, alpha);
    for (std::size_t i = 0; i < quick.members.size(); ++i) exact.join(quick.members[i], quick.sign[i], quick.w[i]);
    exact.run(scale);
    gather();
    double gap = code.gap(q, xx, alpha, positive);
    for (int round = 0; gap > tol * xx / 2 && round < 500; ++round) {
      signals.check();
      code.descend(gram, alpha, positive, 10);
      gap = code.gap(q, xx, alpha, positive);
    }
    return gap;
  }

  void write(std::vector<std::int32_t>& indices, std::vector<T>& values) const {
    for (Index j = 0; j < gram.k; ++j)
      if (const T z = static_cast<T>(code.z[j]); z != 0) indices.push_back(static_cast<std::int32_t>(j)), values.push_back(z);
  }

  Signals signals;

 private:
  void gather() {
    code.z.assign(gram.k, 0.0);
    for (std::size_t i = 0; i < exact.members.size(); ++i) code.z[exact.members[i]] = exact.w[i];
    code.c.assign(exact.correlations().begin(), exact.correlations().begin() + gram.k);
  }

  CodeGram<T> gram;
  CodeSearch<float, float> quick;
  CodeSearch<T, double> exact;
  Code code;
  double alpha;
  bool positive;
  double tol;
};

// Codes of the signals whose correlations with the atoms are the rows of Q: indices and values of all, counts[i] of signal i. `rough`
// is G in float. The codes to start from are in CSR, or empty.
template <class T>
nb::tuple lasso_codes(Matrix<const T> G, Matrix<const float> rough, Matrix<const T> Q, Vector<const double> xx, double alpha,
                      bool positive, double tol, Index room, Vector<const std::int64_t> starts, Vector<const std::int32_t> start_indices,
                      Vector<const T> start_values, Vector<std::int64_t> counts, Vector<double> gaps) {
  std::vector<std::int32_t> indices;
  std::vector<T> values;
  {
    nb::gil_scoped_release release;
    const Index k = static_cast<Index>(G.shape(0));
    const CodeGram<T> gram{G.data(), static_cast<Index>(G.shape(1)), k};
    Coder<T> coder(gram, {rough.data(), static_cast<Index>(rough.shape(1)), k}, room, alpha, positive, tol);
    const bool warm = starts.size() > 0;
    for (Index i = 0; i < static_cast<Index>(Q.shape(0)); ++i) {
      coder.signals.check();
      const std::int64_t from = warm ? starts(i) : 0, to = warm ? starts(i + 1) : 0;
      const std::size_t so_far = indices.size();
      gaps(i) = coder.run(Q.data() + i * k, xx(i), start_indices.data() + from, start_indices.data() + to, start_values.data() + from);
      coder.write(indices, values);
      counts(i) = static_cast<std::int64_t>(indices.size() - so_far);
    }
  }
  return nb::make_tuple(hand_over(std::move(indices)), hand_over(std::move(values)));
}

// Orthogonal matching pursuit with z ≥ 0: the atom of the largest positive correlation joins, z is the non-negative least squares fit on
// the atoms in use, and those that become zero leave (Bruckstein, Elad & Zibulevsky 2008).
template <class T>
nb::tuple positive_omp(Matrix<const T> G, Matrix<const T> Q, Vector<const double> xx, Vector<const double> limits, Index most, Index room,
                       Vector<std::int64_t> counts, Vector<double> squares) {
  std::vector<std::int32_t> indices;
  std::vector<T> values;
  {
    nb::gil_scoped_release release;
    const Index k = static_cast<Index>(G.shape(0));
    CodeSearch<T, double> search({G.data(), static_cast<Index>(G.shape(1)), k}, room, true, dependent_share<T>);
    std::vector<Index> order;
    Signals signals;
    for (Index i = 0; i < static_cast<Index>(Q.shape(0)); ++i) {
      signals.check();
      search.begin(Q.data() + i * k, 0.0);
      squares(i) = search.pursue(xx(i), most, limits(i));
      counts(i) = static_cast<std::int64_t>(search.members.size());
      order.resize(search.members.size());
      for (std::size_t h = 0; h < order.size(); ++h) order[h] = static_cast<Index>(h);
      std::sort(order.begin(), order.end(), [&](Index a, Index b) { return search.members[a] < search.members[b]; });
      for (Index h : order) {
        indices.push_back(static_cast<std::int32_t>(search.members[h]));
        values.push_back(static_cast<T>(search.w[h]));
      }
    }
  }
  return nb::make_tuple(hand_over(std::move(indices)), hand_over(std::move(values)));
}

}  // namespace

void register_lasso_codes(nb::module_& m) {
  define(m, "lasso_codes", &lasso_codes<float>);
  define(m, "lasso_codes", &lasso_codes<double>);
  define(m, "positive_omp", &positive_omp<float>);
  define(m, "positive_omp", &positive_omp<double>);
}

}  // namespace tamis
