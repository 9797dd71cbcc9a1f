// Moments of weighted rows and how several of them become one.
#pragma once
#include <vector>

#include "syrk.hpp"

namespace tamis {

// Sum of weights, mean = centre + offset (kept apart: the sum would round at the size of the mean, not of the spread),
// and the tiles of Σ w (z − about)(z − about)ᵀ. `cross` is the last column of that in double where the tiles are rounded, `squares` the
// tiles' diagonals as they were before merging, and `diagonal` in double what the tiles' diagonals are when all is merged, or null.
// Vectors are as long as the panels, zero beyond the last column.
template <class A>
struct Moments {
  double weight = 0;
  double* centre;
  double* offset;
  double* cross;
  double* squares;
  double* diagonal;
  A* tiles;
};

// total, whose tiles are about its mean, := moments of its rows and those of all parts, whose tiles are about their centres
// (Chan, Golub and LeVeque 1983).
template <class A>
void merge(Moments<double>& total, const std::vector<Moments<A>>& parts, Index P, int n_threads);

}  // namespace tamis
