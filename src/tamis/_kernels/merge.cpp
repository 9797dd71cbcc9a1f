// Compiled without reassociation: (b.centre − a.centre) + b.offset must be summed in this order.
#include <algorithm>

#include "moments.hpp"

namespace tamis {

template <class A>
void merge(Moments<double>& total, const std::vector<Moments<A>>& parts, Index P, int n_threads) {
  const Index n = n_panels(P), length = n * panel;
  struct Vector {                                            // adds factor · v vᵀ
    double factor;
    std::vector<double> v;
  };
  std::vector<Vector> shifts;
  std::vector<const A*> tiles;
  const bool fresh = total.weight <= 0;
  double weight = fresh ? 0.0 : total.weight;
  std::vector<double> mean(length, 0.0);                     // of all, less total.centre
  for (const Moments<A>& part : parts) {
    if (part.weight <= 0) continue;
    if (weight <= 0) std::copy(part.centre, part.centre + length, total.centre);
    std::vector<double> away(length);
    for (Index j = 0; j < length; ++j) away[j] = (part.centre[j] - total.centre[j]) + part.offset[j];
    shifts.push_back({-part.weight, std::vector<double>(part.offset, part.offset + length)});
    shifts.push_back({part.weight, std::move(away)});
    tiles.push_back(part.tiles);
    for (Index j = 0; j < length; ++j) {
      total.cross[j] += part.cross[j];
      total.squares[j] += part.squares[j];
      if (total.diagonal) total.diagonal[j] += part.diagonal[j];
    }
    weight += part.weight;
  }
  if (tiles.empty()) return;
  if (!fresh) shifts.push_back({total.weight, std::vector<double>(total.offset, total.offset + length)});
  for (const Vector& s : shifts)
    if (s.factor > 0)
      for (Index j = 0; j < length; ++j) mean[j] += s.factor / weight * s.v[j];
  for (Vector& s : shifts)
    if (s.factor > 0)
      for (Index j = 0; j < length; ++j) s.v[j] -= mean[j];
  parallel_for(static_cast<std::size_t>(n), n_threads, [&](std::size_t t, int) {
    const Index r = n - 1 - static_cast<Index>(t);
    for (Index q = 0; q <= r; ++q) {
      double* to = tile_of(total.tiles, q, r);
      const Index at = to - total.tiles;
      if (fresh) std::fill(to, to + panel * panel, 0.0);
      for (const A* from : tiles)
        for (Index e = 0; e < panel * panel; ++e) to[e] += from[at + e];
      for (const Vector& s : shifts)
        for (Index j = 0; j < panel; ++j) {
          const double f = s.factor * s.v[q * panel + j], *v = s.v.data() + r * panel;
          for (Index k = 0; k < panel; ++k) to[j * panel + k] += f * v[k];
        }
    }
  });
  for (const Vector& s : shifts)
    for (Index j = 0; j < length; ++j) {
      total.cross[j] += s.factor * s.v[P - 1] * s.v[j];
      if (total.diagonal) total.diagonal[j] += s.factor * s.v[j] * s.v[j];
    }
  std::copy(mean.begin(), mean.end(), total.offset);
  total.weight = weight;
}

template void merge(Moments<double>&, const std::vector<Moments<float>>&, Index, int);
template void merge(Moments<double>&, const std::vector<Moments<double>>&, Index, int);

}  // namespace tamis
