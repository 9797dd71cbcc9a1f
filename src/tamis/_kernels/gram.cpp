// Centred second moments of rows, blocked for the cache and stable for any mean.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

using Index = std::int64_t;

// The rows z_i = (x_i, y_i) that a call is about, with their weights: row i of the list is row `at(i)` of the arrays.
template <class T>
struct Rows {
  const T* X;
  Index row_stride, column_stride, n, p;
  const double* y;        // null: no target column
  const double* weight;   // null: all ones
  const Index* picked;    // null: all rows in order
  Index width() const { return p + (y != nullptr); }
  Index at(Index i) const { return picked ? picked[i] : i; }
};

// Sum of weights, mean and scatter Σ w (z − mean)(z − mean)ᵀ (upper triangle, row-major) of some rows.
struct Moments {
  double weight = 0;
  double* mean;      // (P)
  double* scatter;   // (P, P)
};

struct Free {
  void operator()(double* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<double, Free>;
Buffer buffer(Index size) { return Buffer(static_cast<double*>(std::malloc(sizeof(double) * static_cast<std::size_t>(size)))); }

constexpr Index sub_bytes = 1 << 20;        // a sub-block of centred rows stays in the cache between writing and dsyrk
constexpr Index most_subs = 32;             // per chunk: shifting by the first sub-block's mean costs at most this factor in rounding
constexpr Index wave_bytes = 64 << 20;      // scatter matrices alive at once

Index sub_rows(Index P) { return std::clamp<Index>(sub_bytes / (8 * P) / 64 * 64, 256, 4096); }
Index wave_size(Index P) { return std::clamp<Index>(wave_bytes / (8 * P * P), 1, 8); }

// buffer[i, :] = √w_i (z_i − c), sum += w_i (z_i − c): row-major copy of rows [from, to) for row-major X.
template <class T>
void centre_by_rows(const Rows<T>& R, Index from, Index to, const double* c, double* out, double* sum) {
  const Index p = R.p, P = R.width();
  for (Index i = from; i < to; ++i, out += P) {
    const Index row = R.at(i);
    const T* x = R.X + row * R.row_stride;
    const double w = R.weight ? R.weight[row] : 1.0;
    if (w == 0) {                       // an unused row may hold anything, NaN included
      std::fill(out, out + P, 0.0);
      continue;
    }
    const double root = std::sqrt(w);
    for (Index j = 0; j < p; ++j) {
      const double d = static_cast<double>(x[j]) - c[j];
      sum[j] += w * d;
      out[j] = root * d;
    }
    if (R.y) {
      const double d = R.y[row] - c[p];
      sum[p] += w * d;
      out[p] = root * d;
    }
  }
}

// The same for column-major X: the copy is column-major with leading dimension to − from.
template <class T>
void centre_by_columns(const Rows<T>& R, Index from, Index to, const double* c, double* out, double* sum) {
  const Index m = to - from, P = R.width();
  for (Index j = 0; j < P; ++j, out += m) {
    double s = 0;
    for (Index i = 0; i < m; ++i) {
      const Index row = R.at(from + i);
      const double w = R.weight ? R.weight[row] : 1.0;
      const double z = j < R.p ? static_cast<double>(R.X[row + j * R.column_stride]) : R.y[row];
      const double d = w == 0 ? 0.0 : z - c[j];
      s += w * d;
      out[i] = std::sqrt(w) * d;
    }
    sum[j] += s;
  }
}

// Mean of rows [from, to) that have weight; 0 where none has.
template <class T>
void rough_mean(const Rows<T>& R, Index from, Index to, double* c) {
  const Index P = R.width();
  std::fill(c, c + P, 0.0);
  Index used = 0;
  for (Index i = from; i < to; ++i) used += !R.weight || R.weight[R.at(i)] != 0;
  if (R.column_stride == 1) {
    for (Index i = from; i < to; ++i) {
      const Index row = R.at(i);
      if (R.weight && R.weight[row] == 0) continue;
      const T* x = R.X + row * R.row_stride;
      for (Index j = 0; j < R.p; ++j) c[j] += static_cast<double>(x[j]);
    }
  } else {
    for (Index j = 0; j < R.p; ++j)
      for (Index i = from; i < to; ++i) {
        const Index row = R.at(i);
        if (!R.weight || R.weight[row] != 0) c[j] += static_cast<double>(R.X[row + j * R.column_stride]);
      }
  }
  if (R.y)
    for (Index i = from; i < to; ++i)
      if (!R.weight || R.weight[R.at(i)] != 0) c[R.p] += R.y[R.at(i)];
  for (Index j = 0; j < P; ++j) c[j] /= static_cast<double>(std::max<Index>(used, 1));
}

// Moments of rows [from, to): Σ w (z − c)(z − c)ᵀ by dsyrk with c near the mean, then the small correction to the mean itself.
template <class T>
void chunk_moments(const Rows<T>& R, Index from, Index to, Index step, double* work, Moments& out) {
  const Index P = R.width();
  std::vector<double> c(P), sum(P, 0.0);
  rough_mean(R, from, std::min(to, from + step), c.data());
  const bool by_rows = R.column_stride == 1;
  double one = 1.0, beta = 0.0;
  int width = static_cast<int>(P);
  for (Index start = from; start < to; start += step, beta = 1.0) {
    const Index stop = std::min(to, start + step);
    int m = static_cast<int>(stop - start);
    (by_rows ? centre_by_rows<T> : centre_by_columns<T>)(R, start, stop, c.data(), work, sum.data());
    char lower = 'L', trans = by_rows ? 'N' : 'T';   // Fortran's lower triangle is our upper one
    dsyrk(&lower, &trans, &width, &m, &one, work, by_rows ? &width : &m, &beta, out.scatter, &width);
  }
  double weight = 0;
  for (Index i = from; i < to; ++i) weight += R.weight ? R.weight[R.at(i)] : 1.0;
  out.weight = weight;
  const double inverse = weight > 0 ? 1.0 / weight : 0.0;
  for (Index j = 0; j < P; ++j) {
    out.mean[j] = c[j] + sum[j] * inverse;
    double* row = out.scatter + j * P;
    const double s = sum[j] * inverse;
    for (Index k = j; k < P; ++k) row[k] -= s * sum[k];
  }
}

// a := moments of both (Chan, Golub and LeVeque 1983).
void merge(Moments& a, const Moments& b, Index P, int n_threads) {
  const double total = a.weight + b.weight;
  if (b.weight <= 0) return;
  if (a.weight <= 0) {
    std::copy(b.mean, b.mean + P, a.mean);
    std::copy(b.scatter, b.scatter + P * P, a.scatter);
    a.weight = b.weight;
    return;
  }
  std::vector<double> delta(P);
  for (Index j = 0; j < P; ++j) delta[j] = b.mean[j] - a.mean[j];
  const double factor = a.weight * (b.weight / total), share = b.weight / total;
  const Index band = 64;
  parallel_for(static_cast<std::size_t>((P + band - 1) / band), n_threads, [&](std::size_t t, int) {
    for (Index j = static_cast<Index>(t) * band; j < std::min<Index>(P, (static_cast<Index>(t) + 1) * band); ++j) {
      double* to = a.scatter + j * P;
      const double* from = b.scatter + j * P;
      const double f = factor * delta[j];
      for (Index k = j; k < P; ++k) to[k] += from[k] + f * delta[k];
    }
  });
  for (Index j = 0; j < P; ++j) a.mean[j] += share * delta[j];
  a.weight = total;
}

template <class T>
double moments(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, nb::object y, nb::object weight, nb::object picked,
               Vector<double> mean, Matrix<double> scatter, int n_threads) {
  using In = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Ids = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  const Index rows = static_cast<Index>(X.shape(0));
  Rows<T> R{X.data(), X.stride(0), X.stride(1), rows, static_cast<Index>(X.shape(1)), nullptr, nullptr, nullptr};
  In y_array, weight_array;
  Ids picked_array;
  if (!y.is_none()) R.y = (y_array = nb::cast<In>(y)).data();
  if (!weight.is_none()) R.weight = (weight_array = nb::cast<In>(weight)).data();
  if (!picked.is_none()) {
    picked_array = nb::cast<Ids>(picked);
    R.picked = picked_array.data();
    R.n = static_cast<Index>(picked_array.size());
  }
  nb::gil_scoped_release release;

  const Index P = R.width(), step = sub_rows(P), n_subs = (R.n + step - 1) / step;
  const Index wave = std::min(wave_size(P), std::max<Index>(n_subs, 1));
  Index n_chunks = (n_subs + most_subs - 1) / most_subs;
  n_chunks = std::min(n_subs, (n_chunks + wave - 1) / wave * wave);
  Moments total{0, mean.data(), scatter.data()};
  std::fill(total.mean, total.mean + P, 0.0);
  if (n_subs == 0) std::fill(total.scatter, total.scatter + P * P, 0.0);

  const int workers = static_cast<int>(std::min<Index>(n_threads, wave));
  std::vector<Buffer> work, mean_of, scatter_of;
  for (int t = 0; t < workers; ++t) work.push_back(buffer(step * P));
  for (Index k = 0; k < wave; ++k) {
    mean_of.push_back(buffer(P));
    scatter_of.push_back(k == 0 ? Buffer() : buffer(P * P));
  }
  Buffer first_scatter;                                // the first chunk of all writes straight into the result
  for (Index first = 0; first < n_chunks; first += wave) {
    const Index here = std::min(wave, n_chunks - first);
    if (first > 0 && !first_scatter) first_scatter = buffer(P * P);
    std::vector<Moments> part(here);
    for (Index k = 0; k < here; ++k)
      part[k] = {0, mean_of[k].get(), k > 0 ? scatter_of[k].get() : first > 0 ? first_scatter.get() : total.scatter};
    parallel_for(static_cast<std::size_t>(here), workers, [&](std::size_t k, int worker) {
      const Index chunk = first + static_cast<Index>(k);
      const Index from = n_subs * chunk / n_chunks * step, to = std::min(R.n, n_subs * (chunk + 1) / n_chunks * step);
      chunk_moments(R, from, to, step, work[worker].get(), part[k]);
    });
    for (Index k = 0; k < here; ++k) {
      if (first == 0 && k == 0) {
        std::copy(part[0].mean, part[0].mean + P, total.mean);
        total.weight = part[0].weight;
      } else {
        merge(total, part[k], P, n_threads);
      }
    }
  }
  parallel_for(static_cast<std::size_t>((P + 63) / 64), n_threads, [&](std::size_t t, int) {   // mirror, tile by tile
    const Index a = static_cast<Index>(t) * 64, b = std::min<Index>(P, a + 64);
    for (Index c = 0; c <= a; c += 64)
      for (Index j = a; j < b; ++j)
        for (Index k = c; k < std::min(j, c + 64); ++k) total.scatter[j * P + k] = total.scatter[k * P + j];
  });
  return total.weight;
}

}  // namespace

void register_gram(nb::module_& m) {
  m.def("moments", &moments<float>);
  m.def("moments", &moments<double>);
  m.def("moments_wave", &wave_size);
}

}  // namespace tamis
