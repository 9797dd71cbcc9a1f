// What the kernels that read columns of any numbers share: X is (n, p) with any strides; a missing value is NaN.
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace tamis {

template <class T>
using Cells = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
struct Table {
  const T* data;
  Index row_stride, column_stride, n, p;
  explicit Table(const Cells<T>& X)
      : data(X.data()), row_stride(X.stride(0)), column_stride(X.stride(1)),
        n(static_cast<Index>(X.shape(0))), p(static_cast<Index>(X.shape(1))) {}
  const T& operator()(Index i, Index j) const { return data[i * row_stride + j * column_stride]; }
  bool by_rows() const { return column_stride < row_stride; }
};

template <class T>
inline bool is_missing(T x) {
  if constexpr (std::is_floating_point_v<T>) return x != x;
  return false;
}

// A vector handed over to NumPy.
inline nb::object as_array(std::vector<double>&& values) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* v) noexcept { delete static_cast<std::vector<double>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace tamis
