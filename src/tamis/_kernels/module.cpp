#include "kernels.hpp"

#include <nanobind/stl/vector.h>

namespace tamis {

namespace {

// 3 where this CPU runs x86-64-v3 code, 2 elsewhere.
// Of x86-64: 2, 3 (AVX2) or 4 (AVX-512).
int cpu_level() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__amd64__))
  __builtin_cpu_init();
  const bool third = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                     __builtin_cpu_supports("bmi2");
  const bool fourth = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return third ? (fourth ? 4 : 3) : 2;
#else
  return 2;
#endif
}

// Writes the worker-independent value i² into out[i], one task per entry: the pool's own test.
void squares(Vector<double> out, int n_threads, int spin) {
  double* o = out.data();
  parallel_for(out.size(), n_threads, [&](std::size_t i, int) {
    volatile double waste = 0;
    for (int k = 0; k < spin; ++k) waste = waste + k;
    o[i] = static_cast<double>(i) * static_cast<double>(i);
  });
}

}  // namespace
}  // namespace tamis

NB_MODULE(TAMIS_MODULE, m) {
  using namespace tamis;
  m.def("cpu_level", &cpu_level);
  m.def("squares", &squares, nogil());
  m.def("set_pool_cores", &set_pool_cores);
  nb::class_<Cancel>(m, "Cancel").def(nb::init<>()).def("set", &Cancel::set).def("is_set", &Cancel::is_set);
  m.def("watch", &watch, nb::arg("flag").none());
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Cancelled&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  register_gram(m);
  register_descent(m);
  register_correlate(m);
  register_logistic(m);
  register_sparse(m);
  register_working(m);
  register_coding(m);
  register_supervised(m);
  register_counts(m);
  register_relief(m);
  register_lars(m);
  register_omp(m);
  register_blocks(m);
  register_residuals(m);
  register_screening(m);
  register_hadamard(m);
  register_random_signs(m);
}
