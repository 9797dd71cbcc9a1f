#include "syrk.hpp"

#include "lanes.hpp"

namespace tamis {
namespace {

#if defined(__GNUC__)
constexpr Index vectors = lane_bytes == 32 ? 3 : 2;  // 12 sums, 3 loads and a broadcast fill the 16 registers
#else
constexpr Index vectors = 4;
#endif

constexpr Index high = 4;                   // rows at a time: their numbers are spread over all lanes

// c[j, :] = Σ_k b_k[j] a_k[:], or c += that, for `high` rows and `across` columns of a tile.
template <class T, Index stride>
class PartOfTile {
 public:
  // Rows of a are `stride` apart, those of b `down`, and the numbers of a row of b `over`.
  template <Index down, Index over>
  inline void add(const T* a, const T* b, Index m) {
    for (Index k = 0; k < m; ++k, a += stride, b += down) {
      Lane x[vectors];
      for (Index v = 0; v < vectors; ++v) x[v] = load(a + v * Lanes<T>::lanes);
      for (Index j = 0; j < high; ++j)
        for (Index v = 0; v < vectors; ++v) sum[j][v] += x[v] * b[j * over];
    }
  }

  inline void put_to(T* c, bool fresh) const {
    for (Index j = 0; j < high; ++j)
      for (Index v = 0; v < vectors; ++v) {
        T* to = c + j * stride + v * Lanes<T>::lanes;
        store(fresh ? sum[j][v] : load(to) + sum[j][v], to);
      }
  }

 private:
  using Lane = typename Lanes<T>::Lane;
  Lane sum[high][vectors] = {};
};

// The part of `soon` that falls to one of n_tiles tiles.
inline void call_for([[maybe_unused]] Soon soon, [[maybe_unused]] Index tile, [[maybe_unused]] Index n_tiles) {
#if defined(__GNUC__)
  constexpr Index line = 64;
  for (Index at = soon.bytes * tile / n_tiles / line * line; at < soon.bytes * (tile + 1) / n_tiles; at += line)
    __builtin_prefetch(soon.from + at);
#endif
}

}  // namespace

template <class T>
void add_squares(const T* packed, Index stride, Index m, Index P, bool fresh, T* tiles, Soon soon, int n_threads) {
  constexpr Index across = Lanes<T>::lanes * vectors;
  static_assert(panel % across == 0 && panel % high == 0);
  const Index n = n_panels(P), n_tiles = n * (n + 1) / 2;
  parallel_for(static_cast<std::size_t>(n), n_threads, [&](std::size_t t, int) {
    const Index r = n - 1 - static_cast<Index>(t);           // the longest first; panel r stays in the cache while all others pass
    const T* a = packed + r * stride;
    for (Index q = 0; q <= r; ++q) {
      T* tile = tile_of(tiles, q, r);
      call_for(soon, (tile - tiles) / (panel * panel), n_tiles);
      for (Index left = 0; left < panel; left += across)
        for (Index top = 0; top < panel; top += high) {
          PartOfTile<T, panel> part;
          part.template add<panel, 1>(a + left, packed + q * stride + top, m);
          part.put_to(tile + top * panel + left, fresh);
        }
    }
  });
}

template void add_squares(const double*, Index, Index, Index, bool, double*, Soon, int);
template void add_squares(const float*, Index, Index, Index, bool, float*, Soon, int);

void add_product(const double* a, const double* b, Index m, bool fresh, double* c) {
  constexpr Index across = Lanes<double>::lanes * vectors;
  static_assert(square % across == 0 && square % high == 0);
  for (Index left = 0; left < square; left += across)
    for (Index top = 0; top < square; top += high) {
      PartOfTile<double, square> part;
      part.add<square, 1>(a + left, b + top, m);
      part.put_to(c + top * square + left, fresh);
    }
}

void add_turned(const double* a, const double* b, Index apart, Index m, double* c) {
  constexpr Index across = Lanes<double>::lanes * vectors;
  for (Index left = 0; left < square; left += across)
    for (Index top = 0; top < square; top += high) {
      PartOfTile<double, square> part;
      const double *x = a + left, *y = b + top * square;
      Index k = 0;
      for (; k + square <= m; k += square, x += square * square, y += apart) part.add<1, square>(x, y, square);
      part.add<1, square>(x, y, m - k);
      part.put_to(c + top * square + left, false);
    }
}

}  // namespace tamis
