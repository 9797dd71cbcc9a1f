// The columns of a working set, kept as rows of one array: gathered from X, and one Newton step in one reading of them.
#include <algorithm>
#include <vector>

#include "losses.hpp"
#include "scratch.hpp"

namespace tamis {
namespace {

constexpr Index span = 256;                 // rows of X that a step holds in the cache at a time
constexpr Index most_parts = 64;            // of the rows; fixed by the shape, so sums are the same for any number of threads

// An array of doubles, uninitialised, whose memory returns to the scratch when Python is done with it.
nb::ndarray<nb::numpy, double, nb::ndim<1>> workspace(Index size) {
  auto* scratch = new Scratch(size);
  nb::capsule owner(scratch, [](void* held) noexcept { delete static_cast<Scratch*>(held); });
  return nb::ndarray<nb::numpy, double, nb::ndim<1>>(scratch->get(), {static_cast<std::size_t>(size)}, owner);
}

// put(k n + i, X[i, S_k] − mean[S_k]) for all columns of S and all rows, some rows at a time.
template <class T, class Put>
void each_of(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, Vector<const std::int64_t> S, Vector<const double> mean,
             int n_threads, const Put& put) {
  const Index n = static_cast<Index>(X.shape(0)), m = static_cast<Index>(S.size());
  const Index down = X.stride(0), across = X.stride(1);
  constexpr Index block = 128;
  parallel_for(static_cast<std::size_t>((n + block - 1) / block), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * block, to = std::min(n, from + block);
    for (Index k = 0; k < m; ++k) {
      const Index j = S.data()[k];
      const T* x = X.data() + j * across;
      const double centre = mean.data()[j];
      for (Index i = from; i < to; ++i) put(k * n + i, static_cast<double>(x[i * down]) - centre);
    }
  });
}

// out[k, i] = X[i, S_k] − mean[S_k].
template <class T>
void gather(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, Vector<const std::int64_t> S, Vector<const double> mean,
            Matrix<T> out, int n_threads) {
  T* to = out.data();
  each_of(X, S, mean, n_threads, [=](Index at, double value) { to[at] = static_cast<T>(value); });
}

// The same in two halves: out + rest is X[i, S_k] − mean[S_k] to 48 bits.
void gather_halves(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> X, Vector<const std::int64_t> S, Vector<const double> mean,
                   Matrix<float> out, Matrix<float> rest, int n_threads) {
  float *to = out.data(), *left = rest.data();
  each_of(X, S, mean, n_threads, [=](Index at, double value) {
    to[at] = static_cast<float>(value);
    left[at] = static_cast<float>(value - static_cast<double>(to[at]));
  });
}

// u += Σ d_k x_k over the columns `moved`, four at a time.
template <class T>
void add_columns(const T* X, Index stride, const std::vector<Index>& moved, const double* d, Index m, double* u) {
  std::size_t q = 0;
  for (; q + 4 <= moved.size(); q += 4) {
    const Index *k = moved.data() + q;
    const T *a = X + k[0] * stride, *b = X + k[1] * stride, *c = X + k[2] * stride, *e = X + k[3] * stride;
    const double da = d[k[0]], db = d[k[1]], dc = d[k[2]], de = d[k[3]];
    for (Index i = 0; i < m; ++i)
      u[i] += (da * static_cast<double>(a[i]) + db * static_cast<double>(b[i])) +
              (dc * static_cast<double>(c[i]) + de * static_cast<double>(e[i]));
  }
  for (; q < moved.size(); ++q) {
    const T* a = X + moved[q] * stride;
    const double da = d[moved[q]];
    for (Index i = 0; i < m; ++i) u[i] += da * static_cast<double>(a[i]);
  }
}

// pull_k += x_kᵀ g for all columns, four at a time.
template <class T>
void add_products(const T* X, Index stride, Index k, const double* g, Index m, double* pull) {
  Index j = 0;
  for (; j + 4 <= k; j += 4) {
    const T *a = X + j * stride, *b = a + stride, *c = b + stride, *e = c + stride;
    double sa = 0, sb = 0, sc = 0, se = 0;
    for (Index i = 0; i < m; ++i) {
      sa += g[i] * static_cast<double>(a[i]);
      sb += g[i] * static_cast<double>(b[i]);
      sc += g[i] * static_cast<double>(c[i]);
      se += g[i] * static_cast<double>(e[i]);
    }
    pull[j] += sa, pull[j + 1] += sb, pull[j + 2] += sc, pull[j + 3] += se;
  }
  for (; j < k; ++j) {
    double sum = 0;
    for (Index i = 0; i < m; ++i) sum += g[i] * static_cast<double>(X[j * stride + i]);
    pull[j] += sum;
  }
}

std::vector<Index> moving(const double* d, Index k) {
  std::vector<Index> moved;
  for (Index j = 0; j < k; ++j)
    if (d[j] != 0) moved.push_back(j);
  return moved;
}

// out[m, :] = Σ_k d[m, k] x_k, in one reading of the columns.
template <class T>
void sum_columns(Matrix<const T> X, Matrix<const double> D, Matrix<double> out, int n_threads) {
  const Index n = static_cast<Index>(X.shape(1)), k = static_cast<Index>(D.shape(1)), rows = static_cast<Index>(D.shape(0));
  std::vector<std::vector<Index>> moved;
  for (Index r = 0; r < rows; ++r) moved.push_back(moving(D.data() + r * k, k));
  parallel_for(static_cast<std::size_t>((n + span - 1) / span), n_threads, [&](std::size_t t, int) {
    const Index from = static_cast<Index>(t) * span, m = std::min(span, n - from);
    for (Index r = 0; r < rows; ++r) {
      double* to = out.data() + r * n + from;
      std::fill(to, to + m, 0.0);
      add_columns(X.data() + from, n, moved[static_cast<std::size_t>(r)], D.data() + r * k, m, to);
    }
  });
}

// From z by u = X d + shift: z, the loss's derivatives g and h there, pull = Xᵀg, and the gradient
// θ = g_before + curvature · u that the quadratic model has there. sums = Σ loss, Σ g, Σ h. The columns are X, or X + rest where this
// has as many.
template <class T>
void loss_step(int kind, double parameter, Matrix<const T> X, Matrix<const T> rest, Vector<const double> d, double shift, Vector<const double> y, Vector<const double> share,
                   Vector<const double> z, Vector<const double> g_before, Vector<const double> curvature, double ratio,
                   Vector<double> z_new, Vector<double> g, Vector<double> h, Vector<double> theta, Vector<double> pull,
                   Vector<double> sums, int n_threads) {
  const Index k = static_cast<Index>(X.shape(0)), n = static_cast<Index>(X.shape(1)), each = share.size() > 1;
  const std::vector<Index> moved = moving(d.data(), k);
  const bool both = rest.shape(0) > 0;
  const Index n_parts = std::clamp<Index>((n + span - 1) / span, 1, most_parts), width = k + 3;
  std::vector<double> parts(n_parts * width, 0.0);
  parallel_for(static_cast<std::size_t>(n_parts), n_threads, [&](std::size_t t, int) {
    const Index part = static_cast<Index>(t), end = n * (part + 1) / n_parts;
    double *mine = parts.data() + part * width, u[span];
    for (Index from = n * part / n_parts; from < end; from += span) {
      const Index m = std::min(span, end - from);
      const T* block = X.data() + from;
      std::fill(u, u + m, shift);
      add_columns(block, n, moved, d.data(), m, u);
      if (both) add_columns(rest.data() + from, n, moved, d.data(), m, u);
      double *znew = z_new.data() + from, *gnew = g.data() + from, *hnew = h.data() + from;
      for (Index i = 0; i < m; ++i) {
        znew[i] = z.data()[from + i] + u[i];
        theta.data()[from + i] = g_before.data()[from + i] + ratio * curvature.data()[from + i] * u[i];
      }
      mine[k] += loss_rows(kind, parameter, m, y.data() + from, znew, share.data() + each * from, each, gnew, hnew);
      double sum_g = 0, sum_h = 0;
      for (Index i = 0; i < m; ++i) sum_g += gnew[i], sum_h += hnew[i];
      mine[k + 1] += sum_g, mine[k + 2] += sum_h;
      add_products(block, n, k, gnew, m, mine);
      if (both) add_products(rest.data() + from, n, k, gnew, m, mine);
    }
  });
  std::fill(pull.data(), pull.data() + k, 0.0);
  std::fill(sums.data(), sums.data() + 3, 0.0);
  for (Index part = 0; part < n_parts; ++part) {
    const double* mine = parts.data() + part * width;
    for (Index j = 0; j < k; ++j) pull.data()[j] += mine[j];
    for (Index j = 0; j < 3; ++j) sums.data()[j] += mine[k + j];
  }
}

// sum[a, b] += x_aᵀ z_b for four weighted rows x and three rows z of m numbers: twelve sums fill the registers.
template <class A, class T>
inline void four_by_three(const A* x, Index x_stride, const T* z, Index z_stride, Index m, double (*sum)[3]) {
  const A *x1 = x + x_stride, *x2 = x1 + x_stride, *x3 = x2 + x_stride;
  const T *z1 = z + z_stride, *z2 = z1 + z_stride;
  A s00 = 0, s01 = 0, s02 = 0, s10 = 0, s11 = 0, s12 = 0, s20 = 0, s21 = 0, s22 = 0, s30 = 0, s31 = 0, s32 = 0;
  for (Index i = 0; i < m; ++i) {
    const A a = static_cast<A>(z[i]), b = static_cast<A>(z1[i]), c = static_cast<A>(z2[i]);
    s00 += x[i] * a, s01 += x[i] * b, s02 += x[i] * c;
    s10 += x1[i] * a, s11 += x1[i] * b, s12 += x1[i] * c;
    s20 += x2[i] * a, s21 += x2[i] * b, s22 += x2[i] * c;
    s30 += x3[i] * a, s31 += x3[i] * b, s32 += x3[i] * c;
  }
  sum[0][0] += s00, sum[0][1] += s01, sum[0][2] += s02, sum[1][0] += s10, sum[1][1] += s11, sum[1][2] += s12;
  sum[2][0] += s20, sum[2][1] += s21, sum[2][2] += s22, sum[3][0] += s30, sum[3][1] += s31, sum[3][2] += s32;
}

// out = the rows from `start` on, weighted by h, times all rows of X: rows of X diag(h) Xᵀ. Weighted rows, and sums over 512 entries,
// are of type A.
template <class A, class T>
void weighted_products(Matrix<const T> X, Index start, Vector<const double> h, Matrix<double> out, int n_threads) {
  const Index k = static_cast<Index>(X.shape(0)), n = static_cast<Index>(X.shape(1)), m = k - start;
  constexpr Index block = 512, share = 48;
  const Index padded = (m + 3) / 4 * 4;
  Scratch room(padded * n * static_cast<Index>(sizeof(A)) / 8 + 1);
  A* weighted = reinterpret_cast<A*>(room.get());
  parallel_for(static_cast<std::size_t>(padded), n_threads, [&](std::size_t t, int) {
    const Index j = static_cast<Index>(t);
    A* to = weighted + j * n;
    if (j >= m) return std::fill(to, to + n, A(0));
    const T* x = X.data() + (start + j) * n;
    for (Index i = 0; i < n; ++i) to[i] = static_cast<A>(h.data()[i] * static_cast<double>(x[i]));
  });
  parallel_for(static_cast<std::size_t>((k + share - 1) / share), n_threads, [&](std::size_t t, int) {
    const Index first = static_cast<Index>(t) * share, width = std::min(share, k - first), whole = width / 3 * 3;
    std::vector<double> sums(padded * share, 0.0);           // 4 × 3 tiles, one after the other
    for (Index from = 0; from < n; from += block) {
      const Index length = std::min(block, n - from);
      for (Index q = 0; q < padded; q += 4) {
        const A* x = weighted + q * n + from;
        double* tile = sums.data() + q * share;
        for (Index j = 0; j < whole; j += 3, tile += 12)
          four_by_three(x, n, X.data() + (first + j) * n + from, n, length, reinterpret_cast<double(*)[3]>(tile));
        for (Index j = whole; j < width; ++j)
          for (Index a = 0; a < 4; ++a) {
            const T* z = X.data() + (first + j) * n + from;
            double sum = 0;
            for (Index i = 0; i < length; ++i) sum += static_cast<double>(x[a * n + i]) * static_cast<double>(z[i]);
            tile[a * 3 + j - whole] += sum;
          }
      }
    }
    for (Index q = 0; q < m; ++q)
      for (Index j = 0; j < width; ++j)
        out.data()[q * k + first + j] = sums[q / 4 * 4 * share + j / 3 * 12 + q % 4 * 3 + j % 3];
  });
}

}  // namespace

void register_working(nb::module_& m) {
  m.def("workspace", &workspace);
  define(m, "gather", &gather<float>, nogil());
  define(m, "gather", &gather<double>, nogil());
  m.def("gather_halves", &gather_halves, nogil());
  m.def("sum_columns", &sum_columns<float>, nogil());
  define(m, "weighted_products", &weighted_products<double, float>, nogil());
  define(m, "weighted_products", &weighted_products<double, double>, nogil());
  m.def("rough_products", &weighted_products<float, float>, nogil());
  define(m, "loss_step", &loss_step<float>, nogil());
  define(m, "loss_step", &loss_step<double>, nogil());
}

}  // namespace tamis
