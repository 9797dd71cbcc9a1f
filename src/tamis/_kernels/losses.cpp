// Losses ℓ(y, z) of rows with their first two derivatives, from one exponential per row at most.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "losses.hpp"

namespace tamis {
namespace {

// e^x for |x| ≤ 708 to 1 ulp or so: x = k ln 2 + f, |f| ≤ ln 2 / 2, a polynomial in f, k added to the exponent.
inline double exponential(double clipped) {
  constexpr double log2e = 1.4426950408889634074, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr double magic = 6755399441055744.0;            // 1.5 · 2^52: adding it puts an integer into the low bits
  const double k = std::rint(clipped * log2e), shifted = k + magic;
  const double f = (clipped - k * ln2_high) - k * ln2_low;
  double e = 1.0 / 6227020800.0;
  e = e * f + 1.0 / 479001600.0;
  e = e * f + 1.0 / 39916800.0;
  e = e * f + 1.0 / 3628800.0;
  e = e * f + 1.0 / 362880.0;
  e = e * f + 1.0 / 40320.0;
  e = e * f + 1.0 / 5040.0;
  e = e * f + 1.0 / 720.0;
  e = e * f + 1.0 / 120.0;
  e = e * f + 1.0 / 24.0;
  e = e * f + 1.0 / 6.0;
  e = e * f + 0.5;
  e = e * f + 1.0;
  e = e * f + 1.0;
  std::uint64_t bits, power;                       // unsigned: the bits above the exponent are shifted out
  std::memcpy(&bits, &shifted, 8);
  std::memcpy(&power, &e, 8);
  power += bits << 52;
  double result;
  std::memcpy(&result, &power, 8);
  return result;
}

// e^x for x ≤ 0, 0 below −708.
inline double exp_negative(double x) {
  const double e = exponential(x < -708.0 ? -708.0 : x);
  return x < -708.0 ? 0.0 : e;
}

// e^x, 0 below −708 and e^708 above 708: what is larger is no mean of a row, and a line search takes it back.
inline double exp_any(double x) {
  const double e = exponential(x < -708.0 ? -708.0 : x > 708.0 ? 708.0 : x);
  return x < -708.0 ? 0.0 : e;
}

// log(1 + t) for t in [0, 1]: 2 atanh(u), u = t/(2 + t) ≤ 1/3, by its series.
inline double log_one_plus(double t) {
  const double u = t / (2.0 + t), v = u * u;
  double s = 1.0 / 33.0;
  for (int k = 31; k >= 1; k -= 2) s = s * v + 1.0 / k;
  return 2.0 * u * s;
}


// log x for normal x > 0: x = 2^e m with m in [√½, √2), log m = 2 atanh(u), u = (m − 1)/(m + 1), by its series.
inline double log_normal(double x) {
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10, root_half = 0.70710678118654752440;
  constexpr std::uint64_t one = std::uint64_t{1023} << 52, exponent = std::uint64_t{4095} << 52;
  std::uint64_t bits, half;
  std::memcpy(&bits, &x, 8);
  std::memcpy(&half, &root_half, 8);
  const std::uint64_t above = bits - half + one;                           // its exponent is e; unsigned, for vectors shift no other
  constexpr double magic = 6755399441055744.0;
  const std::uint64_t power = (above >> 52) + UINT64_C(0x4338000000000000), scaled = bits - (above & exponent) + one;
  double e, m;
  std::memcpy(&e, &power, 8);
  e = (e - magic) - 1023.0;
  std::memcpy(&m, &scaled, 8);
  const double u = (m - 1.0) / (m + 1.0), v = u * u;
  double s = 1.0 / 21.0;
  for (int k = 19; k >= 1; k -= 2) s = s * v + 1.0 / k;
  return e * ln2_high + (2.0 * u * s + e * ln2_low);
}

// v log v, 0 at 0 and where v is below all normal numbers.
inline double v_log_v(double v) {
  constexpr double least = 2.2250738585072014e-308;
  return v < least ? 0.0 : v * log_normal(v < least ? 1.0 : v);
}

struct Row {
  double loss, slope, curvature;
};

struct Logistic {                                          // log(1 + e^(−yz)), y = ±1
  inline Row operator()(double y, double z) const {
    const double m = y * z;
    const double t = exp_negative(m < 0 ? m : -m);         // e^(−|m|)
    const double over = 1.0 / (1.0 + t), small = t * over;
    const double q = m < 0 ? over : small;                 // 1/(1 + e^m)
    return {log_one_plus(t) + (m < 0 ? -m : 0.0), -y * q, over * small};
  }
};

struct SquaredHinge {                                      // max(0, 1 − yz)², y = ±1
  inline Row operator()(double y, double z) const {
    const double m = 1.0 - y * z, short_by = m > 0 ? m : 0.0;
    return {short_by * short_by, -2.0 * y * short_by, m > 0 ? 2.0 : 0.0};
  }
};

struct Poisson {                                           // e^z − yz
  inline Row operator()(double y, double z) const {
    const double mean = exp_any(z);
    return {mean - y * z, mean - y, mean};
  }
};

struct Gamma {                                             // y e^(−z) + z
  inline Row operator()(double y, double z) const {
    const double ratio = y * exp_any(-z);
    return {ratio + z, 1.0 - ratio, ratio};
  }
};

// ½ r² up to |r| = δ, then δ|r| − ½δ²; r = z − y. Beyond δ the loss is straight, and a share of the curvature of the parabola that lies
// above it stands in for 0, so that the model of a step is never flat.
struct Huber {
  double delta;
  static constexpr double kept = 0.1;
  inline Row operator()(double y, double z) const {
    const double r = z - y, size = r < 0 ? -r : r, inside = size < delta ? size : delta;
    return {inside * (size - 0.5 * inside), r < 0 ? -inside : inside, size <= delta ? 1.0 : kept * delta / size};
  }
};

template <class Loss>
double rows_of(const Loss& loss_of, Index n, const double* Y, const double* Z, const double* S, Index each, double* G, double* H) {
  constexpr Index block = 256;
  double total = 0;
  for (Index from = 0; from < n; from += block) {
    const Index to = std::min(n, from + block);
    double loss[block], sum[4] = {};
    for (Index i = from; i < to; ++i) {
      const double s = S[each * i];
      const Row row = loss_of(Y[i], Z[i]);
      loss[i - from] = s * row.loss;
      G[i] = s * row.slope;
      H[i] = s * row.curvature;
    }
    for (Index i = 0; i < to - from; ++i) sum[i % 4] += loss[i];
    total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  return total;
}

}  // namespace

double loss_rows(int kind, double parameter, Index n, const double* Y, const double* Z, const double* S, Index each, double* G, double* H) {
  switch (kind) {
    case 1: return rows_of(SquaredHinge{}, n, Y, Z, S, each, G, H);
    case 2: return rows_of(Poisson{}, n, Y, Z, S, each, G, H);
    case 3: return rows_of(Gamma{}, n, Y, Z, S, each, G, H);
    case 4: return rows_of(Huber{parameter}, n, Y, Z, S, each, G, H);
    default: return rows_of(Logistic{}, n, Y, Z, S, each, G, H);
  }
}

namespace {

// Σ share_i ℓ*(θ_i / share_i) = Σ share_i (v log v + (1 − v) log(1 − v)), v = −y_i θ_i / share_i; infinite outside [0, 1].
double logistic_conjugate(Vector<const double> y, Vector<const double> theta, Vector<const double> share) {
  const Index n = static_cast<Index>(y.size()), each = share.size() > 1;
  const double *Y = y.data(), *D = theta.data(), *S = share.data();
  constexpr Index block = 256;
  double total = 0;
  bool inside = true;
  for (Index from = 0; from < n; from += block) {
    const Index to = std::min(n, from + block);
    const Index m = to - from;
    double value[block], v[block], part[block], sum[4] = {};      // loop after loop, so that each is done in vectors
    for (Index i = 0; i < m; ++i) part[i] = S[each * (from + i)];
    for (Index i = 0; i < m; ++i) {
      const double at = -Y[from + i] * D[from + i];
      v[i] = part[i] > 0 ? at / part[i] : (at == 0 ? 0.0 : 2.0);
    }
    for (Index i = 0; i < m; ++i) value[i] = part[i] * (v_log_v(v[i]) + v_log_v(1.0 - v[i]));
    for (Index i = 0; i < m; ++i) inside = inside && v[i] >= 0.0 && v[i] <= 1.0;
    for (Index i = 0; i < m; ++i) sum[i % 4] += value[i];
    total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  return inside ? total : std::numeric_limits<double>::infinity();
}

double losses(int kind, double parameter, Vector<const double> y, Vector<const double> z, Vector<const double> share, Vector<double> g,
              Vector<double> h) {
  return loss_rows(kind, parameter, static_cast<Index>(y.size()), y.data(), z.data(), share.data(), share.size() > 1, g.data(), h.data());
}

}  // namespace

void register_losses(nb::module_& m) {
  m.def("losses", &losses, nogil());
  m.def("logistic_conjugate", &logistic_conjugate, nogil());
}

}  // namespace tamis
