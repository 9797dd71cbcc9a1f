// Compiled without reassociation: (b.centre − a.centre) + (b.offset − a.offset) must be summed in this order.
#include <algorithm>
#include <vector>

#include "moments.hpp"

namespace tamis {

void merge(Moments& a, const Moments& b, Index P, int n_threads) {
  if (b.weight <= 0) return;
  if (a.weight <= 0) {
    std::copy(b.centre, b.centre + P, a.centre);
    std::copy(b.offset, b.offset + P, a.offset);
    std::copy(b.scatter, b.scatter + P * P, a.scatter);
    a.weight = b.weight;
    return;
  }
  std::vector<double> delta(P);
  for (Index j = 0; j < P; ++j) delta[j] = (b.centre[j] - a.centre[j]) + (b.offset[j] - a.offset[j]);
  const double total = a.weight + b.weight, share = b.weight / total, factor = a.weight * share;
  const Index band = 64;
  parallel_for(static_cast<std::size_t>((P + band - 1) / band), n_threads, [&](std::size_t t, int) {
    const Index first = static_cast<Index>(t) * band;
    for (Index j = first; j < std::min(P, first + band); ++j) {
      double* to = a.scatter + j * P;
      const double* from = b.scatter + j * P;
      const double f = factor * delta[j];
      for (Index k = j; k < P; ++k) to[k] += from[k] + f * delta[k];
    }
  });
  for (Index j = 0; j < P; ++j) a.offset[j] += share * delta[j];
  a.weight = total;
}

}  // namespace tamis
