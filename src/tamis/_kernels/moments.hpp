// Moments of weighted rows and how two of them become one.
#pragma once
#include "kernels.hpp"

namespace tamis {

// Sum of weights, mean = centre + offset (kept apart: the sum would round at the size of the mean, not of the spread),
// and scatter Σ w (z − mean)(z − mean)ᵀ: upper triangle, row-major.
struct Moments {
  double weight = 0;
  double* centre;    // (P)
  double* offset;    // (P)
  double* scatter;   // (P, P)
};

// a := moments of both sets of rows (Chan, Golub and LeVeque 1983).
void merge(Moments& a, const Moments& b, Index P, int n_threads);

}  // namespace tamis
