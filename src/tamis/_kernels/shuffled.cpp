// Sums over a partition refined by a column, for many shuffled targets at once; bins that were fitted to the target are fitted again
// to each. codes are (p, n); Y and weights (B, n), a shuffled target in each row.
#include "partition_sums.hpp"
#include "supervised_cuts.hpp"

namespace tamis {
namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct Shuffles {
  const Int* Y;
  const double* weights;      // null: all ones
  Index B, n, K;
  double total;
  const double* xlogx;
  Index known;
  Target target(Index b) const { return {Y + b * n, n, K, weights ? weights + b * n : nullptr, total, xlogx, known}; }
};

// A column whose rows are known by value: `order` are the rows by rising value, missing ones last, `rank` the place of their value
// among the distinct ones, −1 where missing.
template <class Count>
class Recut {
 public:
  Recut(const Logs& f, Index K, Index n) : cutter_(f, K), codes_(static_cast<std::size_t>(n), 0) {}

  void column(const Int* order, const Int* rank, Index n) {
    order_ = order;
    n_ = n;
    v_.x.clear();
    for (Index i = 0; i < n && rank[i] >= 0; ++i) v_.x.push_back(static_cast<double>(rank[i]));
    v_.w.resize(v_.x.size());
    v_.c.resize(v_.x.size());
  }

  // The codes of the rows by the cuts that this target asks for; returns how many there may be, 1 where no row is told from another.
  Index cut(const Target& D) {
    for (Index i = 0; i < v_.size(); ++i) {
      v_.c[i] = D.y[order_[i]];
      if (D.weight) v_.w[i] = D.weight[order_[i]];
    }
    const std::vector<double> cuts = cutter_.cuts(v_);
    if (cuts.empty() && v_.size() == n_) return 1;
    std::size_t code = 0;
    for (Index i = 0; i < v_.size(); ++i) {
      while (code < cuts.size() && cuts[code] < v_.x[i]) ++code;
      codes_[order_[i]] = static_cast<Int>(code);
    }
    for (Index i = v_.size(); i < n_; ++i) codes_[order_[i]] = static_cast<Int>(cuts.size() + 1);
    return static_cast<Index>(cuts.size()) + 2;
  }
  const Int* codes() const { return codes_.data(); }

 private:
  Cutter<Count> cutter_;
  Sorted v_;
  std::vector<Int> codes_;
  const Int* order_ = nullptr;
  Index n_ = 0;
};

template <class M, class Code, class Count>
void add_cells(const Target& D, const Code* codes, Index levels, View P, Scratch<Count>& scratch, double* sums) {
  scratch.reserve(levels, D.K);
  std::fill(sums, sums + M::width, 0.0);
  for (Index c = 0; c < P.n_cells; ++c)
    add_split<M>(D, codes, levels, P.rows + P.starts[c], P.rows + P.starts[c + 1], scratch, sums);
}

// The sums over the partition itself under every target.
template <class M, class Count>
std::vector<double> sums_of_parents(const Shuffles& S, View P, std::vector<Scratch<Count>>& scratch) {
  std::vector<double> out(static_cast<std::size_t>(S.B * M::width));
  const std::vector<Int> codes(static_cast<std::size_t>(S.n), 0);
  parallel_for(static_cast<std::size_t>(S.B), static_cast<int>(scratch.size()), [&](std::size_t b, int worker) {
    const auto at = static_cast<Index>(b);
    add_cells<M, Int, Count>(S.target(at), codes.data(), 1, P, scratch[worker], out.data() + at * M::width);
  });
  return out;
}

template <class M, class Code, class Count>
void sums_of_shuffles(const Shuffles& S, const Code* codes, const In<Int>& levels, View P, const In<Index>& candidates,
                      const In<Index>& place, const Int* order, const Int* rank, double* out, int n_threads) {
  const Logs f(S.n);
  std::vector<Scratch<Count>> scratch(static_cast<std::size_t>(n_threads));
  std::vector<Recut<Count>> recuts(static_cast<std::size_t>(n_threads), Recut<Count>(f, S.K, S.n));
  const std::vector<double> uncut = sums_of_parents<M, Count>(S, P, scratch);
  parallel_for(candidates.size(), n_threads, [&](std::size_t k, int worker) {
    const Index j = candidates.data()[k], at = place.data()[j];
    Recut<Count>& recut = recuts[worker];
    if (at >= 0) recut.column(order + at * S.n, rank + at * S.n, S.n);
    Signals signals;
    for (Index b = 0; b < S.B; ++b) {
      const Target D = S.target(b);
      double* sums = out + (static_cast<Index>(k) * S.B + b) * M::width;
      if (at >= 0) {
        const Index L = recut.cut(D);
        if (L == 1) std::copy_n(uncut.data() + b * M::width, M::width, sums);
        else add_cells<M, Int, Count>(D, recut.codes(), L, P, scratch[worker], sums);
      } else {
        add_cells<M, Code, Count>(D, codes + j * S.n, levels.data()[j], P, scratch[worker], sums);
      }
      if (b % 16 == 0) signals.check();
    }
  });
}

// out[k, b] = the sums over the partition refined by column candidates[k] under the b-th target. A column with place[j] ≥ 0 is cut
// anew, by that row of `order` and `rank`.
template <class Code>
void shuffled_sums(InMatrix<Code> codes, In<Int> levels, In<Int> rows, In<Int> starts, In<Index> candidates, In<Index> place,
                   InMatrix<Int> order, InMatrix<Int> rank, InMatrix<Int> Y, Index K, InMatrix<double> weights, double total,
                   In<double> xlogx, Index width, Matrix<double> out, int n_threads) {
  const Shuffles S{Y.data(),
                   weights.size() ? weights.data() : nullptr,
                   static_cast<Index>(Y.shape(0)),
                   static_cast<Index>(Y.shape(1)),
                   K,
                   total,
                   xlogx.data(),
                   static_cast<Index>(xlogx.size())};
  const View P{rows.data(), starts.data(), static_cast<Index>(starts.size()) - 1};
  with_types(width, S.target(0), [&](auto measure, auto one) {
    sums_of_shuffles<decltype(measure), Code, decltype(one)>(S, codes.data(), levels, P, candidates, place, order.data(), rank.data(),
                                                             out.data(), n_threads);
  });
}

}  // namespace

void register_shuffled(nb::module_& m) {
  define(m, "shuffled_sums", &shuffled_sums<std::uint8_t>, nogil());
  define(m, "shuffled_sums", &shuffled_sums<std::uint16_t>, nogil());
  define(m, "shuffled_sums", &shuffled_sums<std::int32_t>, nogil());
}

}  // namespace tamis
