#include "syrk.hpp"

namespace tamis {
namespace {

#if defined(__GNUC__)
#if defined(__AVX__)
constexpr Index lanes = 4, vectors = 3;     // 12 sums, 3 loads and a broadcast fill the 16 registers
#else
constexpr Index lanes = 2, vectors = 2;
#endif
typedef double Lane __attribute__((vector_size(lanes * sizeof(double))));
typedef double Stored __attribute__((vector_size(lanes * sizeof(double)), aligned(8), may_alias));
#else
constexpr Index lanes = 1, vectors = 4;
using Lane = double;
using Stored = double;
#endif

constexpr Index high = 4;                   // rows at a time: their numbers are spread over all lanes
constexpr Index across = lanes * vectors;   // columns at a time
static_assert(panel % across == 0 && panel % high == 0);

// c[j, :] = Σ_k b_k[j] a_k[:], or c += that, for `high` rows and `across` columns of a tile.
inline void part_of_tile(const double* a, const double* b, Index m, bool fresh, double* c) {
  Lane sum[high][vectors];
  for (Index j = 0; j < high; ++j)
    for (Index v = 0; v < vectors; ++v) sum[j][v] = Lane{};
  for (Index k = 0; k < m; ++k, a += panel, b += panel) {
    Lane x[vectors];
    for (Index v = 0; v < vectors; ++v) x[v] = reinterpret_cast<const Stored*>(a)[v];
    for (Index j = 0; j < high; ++j)
      for (Index v = 0; v < vectors; ++v) sum[j][v] += x[v] * b[j];
  }
  for (Index j = 0; j < high; ++j) {
    Stored* to = reinterpret_cast<Stored*>(c + j * panel);
    for (Index v = 0; v < vectors; ++v) to[v] = fresh ? sum[j][v] : to[v] + sum[j][v];
  }
}

// The part of `soon` that falls to one of n_tiles tiles.
inline void call_for([[maybe_unused]] Soon soon, [[maybe_unused]] Index tile, [[maybe_unused]] Index n_tiles) {
#if defined(__GNUC__)
  constexpr Index line = 64;
  for (Index at = soon.bytes * tile / n_tiles / line * line; at < soon.bytes * (tile + 1) / n_tiles; at += line)
    __builtin_prefetch(soon.from + at);
#endif
}

}  // namespace

void add_squares(const double* packed, Index stride, Index m, Index P, bool fresh, double* tiles, Soon soon, int n_threads) {
  const Index n = n_panels(P), n_tiles = n * (n + 1) / 2;
  parallel_for(static_cast<std::size_t>(n), n_threads, [&](std::size_t t, int) {
    const Index r = n - 1 - static_cast<Index>(t);           // the longest first; panel r stays in the cache while all others pass
    const double* a = packed + r * stride;
    for (Index q = 0; q <= r; ++q) {
      double* tile = tile_of(tiles, q, r);
      call_for(soon, (tile - tiles) / (panel * panel), n_tiles);
      for (Index top = 0; top < panel; top += high)
        for (Index left = 0; left < panel; left += across)
          part_of_tile(a + left, packed + q * stride + top, m, fresh, tile + top * panel + left);
    }
  });
}

}  // namespace tamis
