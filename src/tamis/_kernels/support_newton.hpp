// Newton's direction on the support of a grouped quadratic, by conjugate gradients on a copy of the support's part of H.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace tamis {

// The lower triangle of H_SS in single precision for the groups that have been on the support. A group that leaves keeps its rows until many have left, one
// that enters adds its own, so that the copy costs little from one α to the next. It lives in the caller's memory between calls,
// who empties it when H has changed.
class Gathered {
 public:
  Gathered(float* S, Index capacity, Index stride, std::int64_t* features, std::int64_t* n)
      : S(S), capacity(capacity), stride(stride), features(features), n(n) {}

  Index size() const { return *n; }
  const float* row(Index i) const { return S + i * stride; }
  float at(Index i, Index j) const { return S[i * stride + j]; }

  // Makes room for the features of `groups`, given as pairs (begin, end); place[j] is where feature j then stands.
  void follow(const double* H, Index ld, const std::vector<std::pair<Index, Index>>& groups, std::vector<Index>& place) {
    Index wanted = 0;
    for (auto& g : groups) wanted += g.second - g.first;
    std::fill(place.begin(), place.end(), -1);
    for (Index i = 0; i < *n; ++i) place[features[i]] = i;
    Index entering = 0;
    for (auto& g : groups)
      if (place[g.first] < 0) entering += g.second - g.first;
    if (*n + entering > wanted + wanted / 8 + 16 || *n + entering > capacity) {
      *n = 0;
      std::fill(place.begin(), place.end(), -1);
    }
    const Index old = *n;
    for (auto& g : groups)
      if (place[g.first] < 0)
        for (Index j = g.first; j < g.second; ++j) features[place[j] = (*n)++] = j;
    copy(H, ld, old);
  }

 private:
  void copy(const double* H, Index ld, Index old) {
    for (Index i = old; i < *n; ++i) {
      const double* h = H + features[i] * ld;
      for (Index j = 0; j <= i; ++j) S[i * stride + j] = static_cast<float>(h[features[j]]);
    }
  }

  float* S;
  Index capacity, stride;
  std::int64_t *features, *n;
};

struct ActiveGroup {
  Index group, first, m;                         // its number, its first row in the copy, how many rows
  double pull;                                   // α group_g / ‖w_g‖
};

// The curvature at w is H + α l2 + Σ_g pull_g (I − uuᵀ), u = w_g/‖w_g‖. Single precision is enough for a direction: the gradient it
// starts from is exact, so what is lost in one step is found by the next.
class SupportNewton {
 public:
  SupportNewton(Gathered& S, Index n_outputs) : S(S), n_outputs(n_outputs) {}

  std::vector<ActiveGroup> groups;
  std::vector<double> w, e, d, ridge;            // n_outputs × rows of the copy: the point, minus the gradient, the direction; α l2
  std::vector<char> moves;                       // entries that may leave their place

  void clear() {
    groups.clear();
    for (auto* x : {&w, &e, &d, &ridge}) x->assign(S.size() * n_outputs, 0.0);
    moves.assign(S.size() * n_outputs, 0);
  }

  // d with ‖e − curvature · d‖ ≤ accuracy ‖e‖ in the norm of the preconditioner; e is used up.
  int solve(double accuracy, int max_iter, int n_threads) {
    const Index total = S.size() * n_outputs;
    factorise();
    v.assign(total, 0.0);
    Cv.assign(total, 0.0);
    narrow.resize(total);
    double rho = 0, first = 0;
    for (int n = 0; n < max_iter; ++n) {
      apply_inverse();
      const double now = product(e, z);
      if (n == 0) first = now;
      if (!(now > accuracy * accuracy * first)) return n;
      const double beta = n == 0 ? 0.0 : now / rho;
      rho = now;
      for (Index i = 0; i < total; ++i) v[i] = z[i] + beta * v[i];
      curvature(n_threads);
      const double vCv = product(v, Cv);
      if (!(vCv > 0)) return n;
      for (Index i = 0; i < total; ++i) {
        d[i] += rho / vCv * v[i];
        e[i] -= rho / vCv * Cv[i];
      }
    }
    return max_iter;
  }

 private:
  static double product(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }

  static int exponent(const std::vector<double>& x) {   // of the largest entry
    double most = 0;
    for (double value : x) most = std::max(most, std::abs(value));
    int e = 0;
    std::frexp(most, &e);
    return e;
  }

  template <class Visit>
  void each(const ActiveGroup& g, Visit visit) const {
    for (Index o = 0; o < n_outputs; ++o)
      for (Index i = o * S.size() + g.first; i < o * S.size() + g.first + g.m; ++i) visit(i);
  }

  double inner(const ActiveGroup& g, const double* x, const double* y) const {
    double sum = 0;
    each(g, [&](Index i) { sum += x[i] * y[i]; });
    return sum;
  }

  void curvature(int n_threads) {                // Cv = curvature · v
    const Index n = S.size();
    const int size = exponent(v);                // w and v may lie far outside the range of single precision
    for (Index i = 0; i < n * n_outputs; ++i) narrow[i] = static_cast<float>(std::ldexp(v[i], -size));
    parts.assign(n_parts * n * n_outputs, 0.0f);
    parallel_for(n_parts, n * n * n_outputs < 200000 ? 1 : n_threads, [&](std::size_t part, int) {
      const Index p = static_cast<Index>(part), to = p + 1 == n_parts ? n : boundary(p + 1);
      for (Index i = boundary(p); i < to; i += 4)
        for (Index o = 0; o < n_outputs; ++o) rows(i, narrow.data() + o * n, parts.data() + (p * n_outputs + o) * n);
    });
    for (Index i = 0; i < n * n_outputs; ++i) {
      Cv[i] = 0;
      for (Index p = 0; p < n_parts; ++p) Cv[i] += parts[p * n * n_outputs + i];
      Cv[i] = std::ldexp(Cv[i], size);
    }
    for (std::size_t a = 0; a < groups.size(); ++a) {
      const double along = bend[a] * inner(groups[a], w.data(), v.data());
      each(groups[a], [&](Index i) { Cv[i] += (ridge[i] + groups[a].pull) * v[i] - along * w[i]; });
    }
    for (Index i = 0; i < n * n_outputs; ++i)
      if (!moves[i]) Cv[i] = 0;
  }

  // Parts of the lower triangle of about the same area; their sums are added in order, whoever computed them.
  static constexpr Index n_parts = 8;
  Index boundary(Index part) const {
    return static_cast<Index>(std::sqrt(static_cast<double>(part) / n_parts) * static_cast<double>(S.size())) / 4 * 4;
  }

  // What rows i … i + 3 of the lower triangle add to y = S x, by symmetry both as rows and as columns.
  void rows(Index i, const float* x, float* __restrict y) const {
    const Index n = S.size(), m = std::min<Index>(4, n - i);
    if (m == 4) {
      const float *s0 = S.row(i), *s1 = S.row(i + 1), *s2 = S.row(i + 2), *s3 = S.row(i + 3);
      const float x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
      float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
      for (Index t = 0; t < i; ++t) {
        sum0 += s0[t] * x[t];
        sum1 += s1[t] * x[t];
        sum2 += s2[t] * x[t];
        sum3 += s3[t] * x[t];
        y[t] += s0[t] * x0 + s1[t] * x1 + s2[t] * x2 + s3[t] * x3;
      }
      y[i] += sum0;
      y[i + 1] += sum1;
      y[i + 2] += sum2;
      y[i + 3] += sum3;
    }
    for (Index a = i; a < i + m; ++a)
      for (Index t = m == 4 ? i : 0; t <= a; ++t) {
        y[a] += S.at(a, t) * x[t];
        if (t < a) y[t] += S.at(a, t) * x[a];
      }
  }

  // The preconditioner is the curvature's own block for each group, B − bend wwᵀ with B = H_gg + α l2 + pull_g; where some entries of a
  // group stay at zero, only the diagonal of H_gg.
  void factorise() {
    bend.resize(groups.size());
    rest.resize(groups.size());
    L.clear();
    Bw = w;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      const ActiveGroup& g = groups[a];
      L.resize(L.size() + g.m * g.m);
      double* l = L.data() + L.size() - g.m * g.m;
      cholesky(g, l);
      for (Index o = 0; o < n_outputs; ++o) substitute(l, g.m, Bw.data() + o * S.size() + g.first);
      each(g, [&](Index i) { Bw[i] *= moves[i]; });
      bend[a] = g.pull / inner(g, w.data(), w.data());
      const double left = 1 - bend[a] * inner(g, w.data(), Bw.data());           // 0 where H_gg w = 0
      rest[a] = left > 1e-8 ? bend[a] / left : 0.0;
    }
  }

  void cholesky(const ActiveGroup& g, double* l) const {
    bool whole = true;
    each(g, [&](Index i) { whole = whole && moves[i]; });
    for (Index i = 0; i < g.m; ++i)
      for (Index j = 0; j <= i; ++j) {
        const double h = S.at(g.first + i, g.first + j);
        double left = i == j ? h + ridge[g.first + i] + g.pull : whole ? h : 0.0;
        for (Index s = 0; s < j; ++s) left -= l[i * g.m + s] * l[j * g.m + s];
        l[i * g.m + j] = i == j ? std::sqrt(std::max(left, 1e-6 * (std::abs(h) + g.pull) + 1e-300)) : left / l[j * g.m + j];
      }
  }

  static void substitute(const double* l, Index m, double* x) {          // x := (L Lᵀ)⁻¹ x
    for (Index i = 0; i < m; ++i) {
      for (Index s = 0; s < i; ++s) x[i] -= l[i * m + s] * x[s];
      x[i] /= l[i * m + i];
    }
    for (Index i = m; i-- > 0;) {
      for (Index s = i + 1; s < m; ++s) x[i] -= l[s * m + i] * x[s];
      x[i] /= l[i * m + i];
    }
  }

  void apply_inverse() {                         // z = (B − bend wwᵀ)⁻¹ e = B⁻¹e + bend / (1 − bend wᵀB⁻¹w) · B⁻¹w wᵀB⁻¹e
    z = e;
    const double* l = L.data();
    for (std::size_t a = 0; a < groups.size(); ++a) {
      const ActiveGroup& g = groups[a];
      for (Index o = 0; o < n_outputs; ++o) substitute(l, g.m, z.data() + o * S.size() + g.first);
      const double along = rest[a] * inner(g, Bw.data(), e.data());
      each(g, [&](Index i) { z[i] = moves[i] ? z[i] + along * Bw[i] : 0.0; });
      l += g.m * g.m;
    }
  }

  Gathered& S;
  const Index n_outputs;
  std::vector<float> narrow, parts;
  std::vector<double> v, Cv, z, L, Bw, bend, rest;
};

}  // namespace tamis
