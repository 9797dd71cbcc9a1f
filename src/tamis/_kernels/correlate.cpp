// Xᵀ R for a few vectors R at once: X is read once for four of them, whatever its order, and sums are in double.
#include "correlate.hpp"

namespace tamis {
namespace {

constexpr Index at_once = 4;                // vectors per reading of X

template <class T>
void all_passes(const Table<T>& A, bool row_major, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const Index n = A.n, p = A.count, m = static_cast<Index>(R.shape(0));
  std::fill(out.data(), out.data() + m * p, 0.0);
  std::vector<double> parts;
  Signals signals;
  for (Index c = 0; c < m; c += at_once) {
    signals.check();
    const double* r = R.data() + c * n;
    double* o = out.data() + c * p;
    switch (std::min(at_once, m - c)) {
      case 1: pass<1>(A, row_major, r, o, parts, n_threads); break;
      case 2: pass<2>(A, row_major, r, o, parts, n_threads); break;
      case 3: pass<3>(A, row_major, r, o, parts, n_threads); break;
      default: pass<4>(A, row_major, r, o, parts, n_threads);
    }
  }
}

// out (m, p) = R X for R (m, n): the correlations of every column with each row of R.
template <class T>
void correlate(Columns<T> X, Matrix<const double> R, Matrix<double> out, int n_threads) {
  bool row_major;
  const Table<T> A = table_of(X, row_major);
  all_passes(A, row_major, R, out, n_threads);
}

// out (m, |wanted|): the same for some columns of a column-major X.
template <class T>
void correlate_some(Columns<T> X, Vector<const Index> wanted, Matrix<const double> R, Matrix<double> out, int n_threads) {
  const Index n = static_cast<Index>(X.shape(0)), p = static_cast<Index>(X.shape(1)), count = static_cast<Index>(wanted.size());
  require_neighbours(n, X.stride(0));
  all_passes(Table<T>{X.data(), n, p, X.stride(1), wanted.data(), count}, false, R, out, n_threads);
}

}  // namespace

void register_correlate(nb::module_& m) {
  define(m, "correlate", &correlate<float>, nogil());
  define(m, "correlate", &correlate<double>, nogil());
  define(m, "correlate_some", &correlate_some<float>, nogil());
  define(m, "correlate_some", &correlate_some<double>, nogil());
}

}  // namespace tamis
