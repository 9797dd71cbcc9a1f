// The upper triangle of Σ a_i a_iᵀ, as square tiles in one piece of memory each, from rows packed in panels of columns.
#pragma once
#include <algorithm>

#include "kernels.hpp"

namespace tamis {

#if defined(__GNUC__) && defined(__AVX512F__)
constexpr Index panel = 48;
#else
constexpr Index panel = 24;                 // columns side by side in a packed panel: (rows, 24), one panel after the other
#endif

inline Index n_panels(Index P) { return (P + panel - 1) / panel; }
inline Index tiles_size(Index P) { return n_panels(P) * (n_panels(P) + 1) / 2 * panel * panel; }

// The tile of panels q (rows) ≤ r (columns).
template <class T>
inline T* tile_of(T* tiles, Index q, Index r) { return tiles + (r * (r + 1) / 2 + q) * panel * panel; }

// Memory that will be read next; it is called for while there is other work to do.
struct Soon {
  const char* from = nullptr;
  Index bytes = 0;
};

// tiles = Σ over the m packed rows, or tiles += that sum, all in T: on and above the diagonal, of the first P columns. `stride` numbers
// lead from one panel to the next; what fills up the last panel must be finite.
template <class T>
void add_squares(const T* packed, Index stride, Index m, Index P, bool fresh, T* tiles, Soon soon, int n_threads);

// c[j, :] (12 numbers apart, 12 of them) for j < 12: = or += Σ_k b_k[j] a_k[:], k < m; rows of a and b are 12 numbers apart too.
constexpr Index square = 12;
void add_product(const double* a, const double* b, Index m, bool fresh, double* c);

// c += the same for b that lie the other way: b_k[j] = b[12 j + k] for the first 12 k, the next 12 `apart` numbers on, and so forth.
void add_turned(const double* a, const double* b, Index apart, Index m, double* c);

}  // namespace tamis
