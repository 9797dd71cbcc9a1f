// ℓ(y, z) = log(1 + e^(−yz)) with its first two derivatives, all from one exponential per row.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

// e^x for x ≤ 0 to 1 ulp or so: x = k ln 2 + f, |f| ≤ ln 2 / 2, a polynomial in f, k added to the exponent. 0 below −708.
inline double exp_negative(double x) {
  constexpr double log2e = 1.4426950408889634074, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr double magic = 6755399441055744.0;            // 1.5 · 2^52: adding it puts an integer into the low bits
  const double clipped = x < -708.0 ? -708.0 : x;
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
  std::int64_t bits, power;
  std::memcpy(&bits, &shifted, 8);
  std::memcpy(&power, &e, 8);
  power += bits << 52;
  double result;
  std::memcpy(&result, &power, 8);
  return x < -708.0 ? 0.0 : result;
}

// log(1 + t) for t in [0, 1]: 2 atanh(u), u = t/(2 + t) ≤ 1/3, by its series.
inline double log_one_plus(double t) {
  const double u = t / (2.0 + t), v = u * u;
  double s = 1.0 / 33.0;
  for (int k = 31; k >= 1; k -= 2) s = s * v + 1.0 / k;
  return 2.0 * u * s;
}

// g_i = share_i ℓ'(y_i, z_i), h_i = share_i ℓ''; returns Σ share_i ℓ_i. `share` has n entries or one for all.
double logistic(Vector<const double> y, Vector<const double> z, Vector<const double> share, Vector<double> g, Vector<double> h) {
  const Index n = static_cast<Index>(y.size()), each = share.size() > 1;
  const double *Y = y.data(), *Z = z.data(), *S = share.data();
  double *G = g.data(), *H = h.data();
  constexpr Index block = 256;
  double total = 0;
  for (Index from = 0; from < n; from += block) {
    const Index to = std::min(n, from + block);
    double loss[block], sum[4] = {};
    for (Index i = from; i < to; ++i) {
      const double m = Y[i] * Z[i], s = S[each * i];
      const double t = exp_negative(m < 0 ? m : -m);       // e^(−|m|)
      const double over = 1.0 / (1.0 + t), small = t * over;
      const double q = m < 0 ? over : small;               // 1/(1 + e^m)
      loss[i - from] = s * (log_one_plus(t) + (m < 0 ? -m : 0.0));
      G[i] = -s * Y[i] * q;
      H[i] = s * over * small;
    }
    for (Index i = 0; i < to - from; ++i) sum[i % 4] += loss[i];
    total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  return total;
}

}  // namespace

void register_logistic(nb::module_& m) { m.def("logistic", &logistic, nogil()); }

}  // namespace tamis
