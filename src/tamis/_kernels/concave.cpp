// min ½ wᵀHw − qᵀw + Σ Ω_{αⱼ}(wⱼ), αⱼ = α l1ⱼ, for penalties Ω that flatten out: MCP and SCAD; and Ω = λⱼ t^q with 0 ≤ q < 1, of which αⱼ is
// the correlation from which a coefficient leaves 0. Coordinate descent, each step to the global minimum along its coordinate; while every
// coefficient stays on its piece of Ω the rest is quadratic and finished by conjugate gradients. No step raises the objective.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

// On its pieces Ω_a(t) = linear·t + bend·t²/2 + constant for t ≥ 0; the pieces end at the knots.
struct Piece {
  int number;
  double linear, bend;
};

struct Mcp {                                               // a t − t²/(2γ) up to γa, then γa²/2
  double gamma;
  static constexpr bool quadratic = true;
  Piece piece(double t, double a, double) const { return t < gamma * a ? Piece{0, a, -1 / gamma} : Piece{1, 0.0, 0.0}; }
  double value(double t, double a) const { return t < gamma * a ? a * t - t * t / (2 * gamma) : 0.5 * gamma * a * a; }
  // argmin over t ≥ 0 of ½h t² − b t + Ω_a(t), b ≥ 0.
  double minimum(double h, double b, double a) const {
    const double bent = h - 1 / gamma;
    if (bent > 0) {
      if (b <= a) return 0.0;
      const double t = (b - a) / bent;
      return t < gamma * a ? t : b / h;
    }
    const double far = std::max(gamma * a, b / h);         // the first piece is concave: its minimum is at an end
    return 0.5 * h * far * far - b * far + value(far, a) < 0 ? far : 0.0;
  }
};

struct Scad {                                              // slope a up to a, (γa − t)/(γ − 1) up to γa, then 0
  double gamma;
  static constexpr bool quadratic = true;
  Piece piece(double t, double a, double) const {
    if (t <= a) return {0, a, 0.0};
    return t < gamma * a ? Piece{1, gamma * a / (gamma - 1), -1 / (gamma - 1)} : Piece{2, 0.0, 0.0};
  }
  double value(double t, double a) const {
    const double s = std::min(t, gamma * a), bend = std::max(s - a, 0.0);
    return a * s - bend * bend / (2 * (gamma - 1));
  }
  double minimum(double h, double b, double a) const {
    const double bent = h - 1 / (gamma - 1);
    if (bent > 0) {
      if (b <= a) return 0.0;
      if (b <= a * (1 + h)) return (b - a) / h;
      const double t = (b - gamma * a / (gamma - 1)) / bent;
      return t < gamma * a ? t : b / h;
    }
    const double near = std::clamp((b - a) / h, 0.0, a), far = std::max(gamma * a, b / h);
    const auto cost = [&](double t) { return 0.5 * h * t * t - b * t + value(t, a); };
    const double best = cost(near) < 0 ? near : 0.0;
    return cost(far) < cost(best) ? far : best;
  }
};

struct Power {                                             // λ t^q; λ follows from the threshold a and the curvature h
  double q, r, factor;
  static constexpr bool quadratic = false;
  explicit Power(double q) : q(q), r(1 / (2 - q)), factor((2 - q) * std::pow(2 * (1 - q), r - 1)) {}
  double level(double a, double h) const { return std::pow(a / (factor * std::pow(h, 1 - r)), 2 - q); }
  Piece piece(double t, double a, double h) const {        // with the slope and the curvature of Ω at t
    if (q == 0) return {0, 0.0, 0.0};
    const double slope = q * level(a, h) * std::pow(t, q - 1), bend = (q - 1) * slope / t;
    return {0, slope - bend * t, bend};
  }
  double value(double t, double a, double h) const { return t == 0 ? 0.0 : level(a, h) * (q == 0 ? 1.0 : std::pow(t, q)); }
  double minimum(double h, double b, double a) const {
    if (b <= a) return 0.0;
    if (q == 0) return b / h;
    const double pull = q * level(a, h);
    double t = b / h;                                      // from there Newton comes down to the larger root of h t + Ω'(t) = b
    for (int n = 0; n < 100; ++n) {
      const double slope = pull * std::pow(t, q - 1), step = (h * t + slope - b) / (h - (1 - q) * slope / t);
      t -= step;
      if (!(std::abs(step) > 1e-15 * t)) break;
    }
    return t;
  }
};

template <class Penalty>
class Descent {
 public:
  Descent(const Penalty& penalty, const double* H, Index ld, const double* q, Index k, const double* l1, double* w)
      : penalty(penalty), H(H), ld(ld), q(q), k(k), l1(l1), w(w), r(k) {
    refresh();
  }

  // Rounds until no coordinate misses stationarity by more than `limit`; whether it came to that.
  bool solve(double alpha, double limit, int max_iter, std::int64_t& rounds) {
    for (rounds = 1; rounds <= max_iter; ++rounds) {
      signals.check();
      for (Index j = 0; j < k; ++j) step(j, alpha);
      support();
      for (int inner = 0; inner < 5; ++inner)
        for (Index j : S) step(j, alpha);
      support();
      finish(alpha, limit);
      if (missed(alpha) <= limit) return true;
    }
    return false;
  }

 private:
  void refresh() {                                         // r = q − Hw
    std::copy(q, q + k, r.begin());
    for (Index j = 0; j < k; ++j)
      if (w[j] != 0) add(j, -w[j]);
  }

  void add(Index j, double d) {
    const double* h = H + j * ld;
    for (Index i = 0; i < k; ++i) r[i] += d * h[i];
  }

  void step(Index j, double alpha) {
    const double h = H[j * ld + j];
    if (!(h > 0)) return;
    const double b = r[j] + h * w[j], a = alpha * l1[j];
    const double t = a > 0 ? penalty.minimum(h, std::abs(b), a) : std::abs(b) / h;
    const double to = b < 0 ? -t : t, d = to - w[j];
    if (d == 0) return;
    w[j] = to;
    add(j, -d);
  }

  void support() {
    S.clear();
    for (Index j = 0; j < k; ++j)
      if (w[j] != 0) S.push_back(j);
  }

  Piece piece(Index j, double alpha) const { return l1[j] > 0 ? penalty.piece(std::abs(w[j]), alpha * l1[j], H[j * ld + j]) : Piece{-1, 0.0, 0.0}; }

  double slope(Index j, double alpha) const {              // Ω' at w_j ≠ 0
    const Piece at = piece(j, alpha);
    return (w[j] < 0 ? -at.linear : at.linear) + at.bend * w[j];
  }

  double missed(double alpha) const {
    double most = 0;
    for (Index j = 0; j < k; ++j)
      most = std::max(most, w[j] == 0 ? std::abs(r[j]) - alpha * l1[j] : std::abs(r[j] - slope(j, alpha)));
    return most;
  }

  double objective(double alpha) const {                   // of the support: ½wᵀHw − qᵀw + Ω(w)
    double sum = 0;
    if constexpr (!Penalty::quadratic)
      for (Index j : S) {
        sum -= 0.5 * (q[j] + r[j]) * w[j];
        if (l1[j] > 0) sum += penalty.value(std::abs(w[j]), alpha * l1[j], H[j * ld + j]);
      }
    return sum;
  }

  // Conjugate gradients on the support towards the minimum of its pieces; taken where every coefficient stays on its piece.
  void finish(double alpha, double limit) {
    const Index m = static_cast<Index>(S.size());
    if (m == 0) return;
    std::vector<double> e(m), d(m, 0.0), v(m), Cv(m), bend(m);
    std::vector<int> number(m);
    double before = 0;
    for (Index i = 0; i < m; ++i) {
      const Piece at = piece(S[i], alpha);
      e[i] = v[i] = r[S[i]] - slope(S[i], alpha);
      bend[i] = at.bend, number[i] = at.number;
      before += e[i] * e[i];
    }
    for (int n = 0; n < 60 && before > 0.01 * limit * limit; ++n) {
      double vCv = 0;
      for (Index i = 0; i < m; ++i) {
        const double* h = H + S[i] * ld;
        double sum = bend[i] * v[i];
        for (Index s = 0; s < m; ++s) sum += h[S[s]] * v[s];
        Cv[i] = sum;
        vCv += v[i] * sum;
      }
      if (!(vCv > 0)) break;                               // no minimum that way: descent goes on by coordinates
      double now = 0;
      for (Index i = 0; i < m; ++i) {
        d[i] += before / vCv * v[i];
        e[i] -= before / vCv * Cv[i];
        now += e[i] * e[i];
      }
      for (Index i = 0; i < m; ++i) v[i] = e[i] + now / before * v[i];
      before = now;
    }
    std::vector<double> old(m);
    const double was = objective(alpha);
    bool stays = true;
    for (Index i = 0; i < m; ++i) {
      old[i] = w[S[i]];
      w[S[i]] += d[i];
      stays = stays && w[S[i]] * old[i] > 0 && piece(S[i], alpha).number == number[i];
    }
    refresh();
    if (stays && !(objective(alpha) > was)) return;
    for (Index i = 0; i < m; ++i) w[S[i]] = old[i];
    refresh();
  }

  const Penalty penalty;
  const double* H;
  Index ld;
  const double* q;
  Index k;
  const double* l1;
  double* w;
  std::vector<double> r;
  std::vector<Index> S;
  Signals signals;
};

template <class Penalty>
void run(const Penalty& penalty, const double* H, Index ld, Vector<const double> q, Vector<const double> l1, Vector<const double> alphas,
         double limit, int max_iter, Vector<double> w, Matrix<double> coefs, Vector<std::int64_t> n_iter, Vector<bool> converged) {
  const Index k = static_cast<Index>(q.size());
  Descent<Penalty> descent(penalty, H, ld, q.data(), k, l1.data(), w.data());
  for (std::size_t m = 0; m < alphas.size(); ++m) {
    std::int64_t rounds = 0;
    converged(m) = descent.solve(alphas(m), limit, max_iter, rounds);
    n_iter(m) = rounds;
    std::copy(w.data(), w.data() + k, coefs.data() + static_cast<Index>(m) * k);
  }
}

// Stationary points for descending alphas from w, which ends as the last; `kind` 0 is MCP, 1 SCAD, 2 a power of gamma. Stops at a distance to stationarity
// of `limit`.
void concave_path(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> H, Vector<const double> q, Vector<const double> l1,
                  Vector<const double> alphas, int kind, double gamma, double limit, int max_iter, Vector<double> w,
                  Matrix<double> coefs, Vector<std::int64_t> n_iter, Vector<bool> converged) {
  require_neighbours(static_cast<Index>(q.size()), H.stride(1));
  if (kind == 0)
    run(Mcp{gamma}, H.data(), H.stride(0), q, l1, alphas, limit, max_iter, w, coefs, n_iter, converged);
  else if (kind == 2)
    run(Power(gamma), H.data(), H.stride(0), q, l1, alphas, limit, max_iter, w, coefs, n_iter, converged);
  else
    run(Scad{gamma}, H.data(), H.stride(0), q, l1, alphas, limit, max_iter, w, coefs, n_iter, converged);
}

}  // namespace

void register_concave(nb::module_& m) { define(m, "concave_path", &concave_path, nogil()); }

}  // namespace tamis
