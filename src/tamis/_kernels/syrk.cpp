#include "syrk.hpp"

#include "lanes.hpp"

namespace tamis {
namespace {

// The registers in which a part of a tile is summed: `vectors` columns of sums, as many loads and a broadcast for `high` rows.
template <Index bytes, Index high_, Index vectors_>
struct Shape {
  static constexpr Index width = bytes, high = high_, vectors = vectors_;
};

#if !defined(__GNUC__)
using Narrow = Shape<1, 4, 4>;
using Wide = Narrow;
#elif defined(__AVX512F__)
using Narrow = Shape<32, 4, 3>;
using Wide = Shape<64, 8, 3>;               // of 32 registers
#else
using Narrow = Shape<lane_bytes, 4, lane_bytes == 32 ? 3 : 2>;  // of 16 registers
using Wide = Narrow;
#endif

// c[j, :] = Σ_k b_k[j] a_k[:], or c += that, for `high` rows and `across` columns of a tile.
template <class T, Index stride, class Shape>
class PartOfTile {
 public:
  static constexpr Index high = Shape::high, vectors = Shape::vectors, lanes = Lanes<T, Shape::width>::lanes, across = lanes * vectors;
  static_assert(stride % across == 0 && stride % high == 0);

  // Rows of a are `stride` apart, those of b `down`, and the numbers of a row of b `over`.
  template <Index down, Index over>
  inline void add(const T* a, const T* b, Index m) {
    for (Index k = 0; k < m; ++k, a += stride, b += down) {
      Lane x[vectors];
      for (Index v = 0; v < vectors; ++v) x[v] = *reinterpret_cast<const Stored*>(a + v * lanes);
      for (Index j = 0; j < high; ++j)
        for (Index v = 0; v < vectors; ++v) sum[j][v] += x[v] * b[j * over];
    }
  }

  static void clear(T* c) {
    for (Index j = 0; j < high; ++j) std::fill(c + j * stride, c + j * stride + across, T(0));
  }

  inline void put_to(T* c, bool fresh) const {
    for (Index j = 0; j < high; ++j)
      for (Index v = 0; v < vectors; ++v) {
        Stored* to = reinterpret_cast<Stored*>(c + j * stride + v * lanes);
        *to = fresh ? sum[j][v] : *to + sum[j][v];
      }
  }

 private:
  using Lane = typename Lanes<T, Shape::width>::Lane;
  using Stored = typename Lanes<T, Shape::width>::Stored;
  Lane sum[high][vectors] = {};
};

using PartOfSquare = PartOfTile<double, square, Narrow>;

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
  using Part = PartOfTile<T, panel, Wide>;
  const Index n = n_panels(P), n_tiles = n * (n + 1) / 2;
  parallel_for(static_cast<std::size_t>(n), n_threads, [&](std::size_t t, int) {
    const Index r = n - 1 - static_cast<Index>(t);           // the longest first; panel r stays in the cache while all others pass
    const T* a = packed + r * stride;
    for (Index q = 0; q <= r; ++q) {
      T* tile = tile_of(tiles, q, r);
      call_for(soon, (tile - tiles) / (panel * panel), n_tiles);
      for (Index left = 0; left < panel; left += Part::across)
        for (Index top = 0; top < panel; top += Part::high) {
          // parts beyond the last column, and those below the diagonal, stay zero
          const bool needed = r * panel + left < P && q * panel + top < std::min(P, r * panel + left + Part::across);
          if (!needed) {
            if (fresh) Part::clear(tile + top * panel + left);
            continue;
          }
          Part part;
          part.template add<panel, 1>(a + left, packed + q * stride + top, m);
          part.put_to(tile + top * panel + left, fresh);
        }
    }
  });
}

template void add_squares(const double*, Index, Index, Index, bool, double*, Soon, int);
template void add_squares(const float*, Index, Index, Index, bool, float*, Soon, int);

void add_product(const double* a, const double* b, Index m, bool fresh, double* c) {
  for (Index left = 0; left < square; left += PartOfSquare::across)
    for (Index top = 0; top < square; top += PartOfSquare::high) {
      PartOfSquare part;
      part.add<square, 1>(a + left, b + top, m);
      part.put_to(c + top * square + left, fresh);
    }
}

void add_turned(const double* a, const double* b, Index apart, Index m, double* c) {
  for (Index left = 0; left < square; left += PartOfSquare::across)
    for (Index top = 0; top < square; top += PartOfSquare::high) {
      PartOfSquare part;
      const double *x = a + left, *y = b + top * square;
      Index k = 0;
      for (; k + square <= m; k += square, x += square * square, y += apart) part.add<1, square>(x, y, square);
      part.add<1, square>(x, y, m - k);
      part.put_to(c + top * square + left, false);
    }
}

}  // namespace tamis
