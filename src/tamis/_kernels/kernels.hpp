// What every kernel file shares: array types and how a kernel is handed to Python.
// A kernel is a plain function on contiguous arrays; Python has checked everything before it is called.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "parallel.hpp"

namespace tamis {

namespace nb = nanobind;
using Index = std::int64_t;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using nogil = nb::call_guard<nb::gil_scoped_release>;

template <class A>
struct Arrays {
  static auto taken() { return nb::arg(); }
};
template <class... P>
struct Arrays<nb::ndarray<P...>> {
  static auto taken() { return nb::arg().noconvert(); }
};
template <class... P>
struct Arrays<std::optional<nb::ndarray<P...>>> {
  static auto taken() { return nb::arg().none().noconvert(); }
};

// A kernel that takes its arrays as they are or not at all (TypeError). Of several under one name nanobind would else
// convert to the element type of whichever comes first: float64 that lies apart in memory to float32, or to bytes.
template <class R, class... A, class... Extra>
void define(nb::module_& m, const char* name, R (*kernel)(A...), const Extra&... extra) {
  m.def(name, kernel, Arrays<std::decay_t<A>>::taken()..., extra...);
}

// A TypeError where neighbours along an axis of this length lie apart in memory: the kernel would read others.
inline void require_neighbours(Index length, Index stride) {
  if (length > 1 && stride != 1) throw nb::type_error("a kernel was given an array whose entries lie apart in memory");
}

}  // namespace tamis
