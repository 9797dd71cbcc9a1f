// As many numbers as a register holds, of any alignment in memory.
#pragma once
#include <cmath>
#include <type_traits>

#include "kernels.hpp"

namespace tamis {

#if defined(__GNUC__)
#if defined(__AVX__)
constexpr Index lane_bytes = 32;
#else
constexpr Index lane_bytes = 16;
#endif

template <class T, Index bytes = lane_bytes>
struct Lanes {
  static constexpr Index lanes = bytes / static_cast<Index>(sizeof(T));
  typedef T Lane __attribute__((vector_size(bytes)));
  typedef T Stored __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
};

template <class T>
inline typename Lanes<T>::Lane magnitude(typename Lanes<T>::Lane x) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  typedef Bits Mask __attribute__((vector_size(lane_bytes)));
  return reinterpret_cast<typename Lanes<T>::Lane>(reinterpret_cast<Mask>(x) & (~Bits{0} >> 1));
}

inline Lanes<double>::Lane load_wide(const double* x) { return *reinterpret_cast<const Lanes<double>::Stored*>(x); }
inline Lanes<double>::Lane load_wide(const float* x) {
  typedef float Half __attribute__((vector_size(lane_bytes / 2), aligned(alignof(float)), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Half*>(x), Lanes<double>::Lane);
}

inline void soon(const void* x) { __builtin_prefetch(x); }

// 1 in each lane where the bytes are equal.
inline Lanes<std::uint8_t>::Lane equal(Lanes<std::uint8_t>::Lane a, Lanes<std::uint8_t>::Lane b) {
  return -reinterpret_cast<Lanes<std::uint8_t>::Lane>(a == b);
}

// The sum of the bytes, two by two, then four words of four sums each, then these.
inline Index total(Lanes<std::uint8_t>::Lane x) {
  constexpr std::uint64_t even = 0x00ff00ff00ff00ff, ones = 0x0001000100010001;
  const auto words = reinterpret_cast<Lanes<std::uint64_t>::Lane>(x);
  const auto pairs = (words & even) + ((words >> 8) & even);
  std::uint64_t sums = 0;
  for (Index k = 0; k < lane_bytes / 8; ++k) sums += pairs[k];
  return static_cast<Index>((sums * ones) >> 48);
}
#else
constexpr Index lane_bytes = 1;

template <class T, Index bytes = lane_bytes>
struct Lanes {
  static constexpr Index lanes = 1;
  using Lane = T;
  using Stored = T;
};

template <class T>
inline T magnitude(T x) {
  return std::abs(x);
}
inline double load_wide(const double* x) { return *x; }
inline double load_wide(const float* x) { return *x; }
inline void soon(const void*) {}
inline std::uint8_t equal(std::uint8_t a, std::uint8_t b) { return a == b; }
inline Index total(std::uint8_t x) { return x; }
#endif

template <class T>
inline typename Lanes<T>::Lane load(const T* x) {
  return *reinterpret_cast<const typename Lanes<T>::Stored*>(x);
}
template <class T>
inline void store(typename Lanes<T>::Lane x, T* to) {
  *reinterpret_cast<typename Lanes<T>::Stored*>(to) = x;
}

}  // namespace tamis
