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

template <class T>
struct Lanes {
  static constexpr Index lanes = lane_bytes / static_cast<Index>(sizeof(T));
  typedef T Lane __attribute__((vector_size(lane_bytes)));
  typedef T Stored __attribute__((vector_size(lane_bytes), aligned(alignof(T)), may_alias));
};

template <class T>
inline typename Lanes<T>::Lane magnitude(typename Lanes<T>::Lane x) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  typedef Bits Mask __attribute__((vector_size(lane_bytes)));
  return reinterpret_cast<typename Lanes<T>::Lane>(reinterpret_cast<Mask>(x) & (~Bits{0} >> 1));
}
#else
template <class T>
struct Lanes {
  static constexpr Index lanes = 1;
  using Lane = T;
  using Stored = T;
};

template <class T>
inline T magnitude(T x) {
  return std::abs(x);
}
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
