// The losses of losses.cpp, for the kernels that take whole steps with them.
#pragma once
#include "kernels.hpp"

namespace tamis {

// Σ share_i ℓ_i of n rows, g_i = share_i ℓ'(y_i, z_i) and h_i = share_i ℓ''. `share` moves on by `each`, 0 or 1. `kind` is 0 logistic,
// 1 squared hinge, 2 Poisson, 3 gamma, 4 Huber with δ = `parameter`.
double loss_rows(int kind, double parameter, Index n, const double* y, const double* z, const double* share, Index each, double* g,
                 double* h);

}  // namespace tamis
