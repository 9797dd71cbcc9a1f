#include "kernels.hpp"

#include <nanobind/stl/vector.h>

// One line a file with kernels: its register_<file>(m) hands them to Python.
#define KERNEL_FILES(X) \
  X(gram) \
  X(descent) \
  X(concave) \
  X(chain) \
  X(subsets) \
  X(correlate) \
  X(losses) \
  X(sparse) \
  X(working) \
  X(coding) \
  X(supervised) \
  X(counts) \
  X(shuffled) \
  X(relief) \
  X(lars) \
  X(homotopy) \
  X(omp) \
  X(pursuit) \
  X(lasso_codes) \
  X(dictionary) \
  X(blocks) \
  X(residuals) \
  X(screening) \
  X(hadamard) \
  X(pairs) \
  X(random_signs) \
  X(nonnegative) \
  X(completion) \
  X(separation)

namespace tamis {

#define DECLARE(file) void register_##file(nb::module_&);
KERNEL_FILES(DECLARE)
#undef DECLARE

namespace {

// The level of x86-64 that this CPU runs: 2, 3 (AVX2) or 4 (AVX-512).
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
#define REGISTER(file) register_##file(m);
  KERNEL_FILES(REGISTER)
#undef REGISTER
}
