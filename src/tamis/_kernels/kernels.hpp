// What every kernel file shares: array types and the list of registrations.
// A kernel is a plain function on contiguous arrays; Python has checked everything before it is called.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "parallel.hpp"

namespace tamis {

namespace nb = nanobind;
using Index = std::int64_t;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using nogil = nb::call_guard<nb::gil_scoped_release>;

double logistic_rows(Index n, const double* y, const double* z, const double* share, Index each, double* g, double* h);

void register_gram(nb::module_&);
void register_descent(nb::module_&);
void register_correlate(nb::module_&);
void register_logistic(nb::module_&);
void register_sparse(nb::module_&);
void register_working(nb::module_&);
void register_coding(nb::module_&);
void register_supervised(nb::module_&);
void register_counts(nb::module_&);
void register_relief(nb::module_&);
void register_lars(nb::module_&);
void register_omp(nb::module_&);
void register_blocks(nb::module_&);
void register_residuals(nb::module_&);
void register_screening(nb::module_&);
void register_hadamard(nb::module_&);
void register_random_signs(nb::module_&);

}  // namespace tamis
