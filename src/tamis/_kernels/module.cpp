#include "kernels.hpp"

namespace tamis {

namespace {

// 3 where this CPU runs x86-64-v3 code, 2 elsewhere.
int cpu_level() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__amd64__))
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("bmi2")
             ? 3
             : 2;
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
}
