// The best subset of at most K columns by leaps and bounds (Furnival and Wilson 1974), from the Gram matrix.
#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

// ½yy − ½qᵀ(A_SS)⁻¹q at best over subsets S. A node allows the columns `allowed`, of which the first `fixed` are in for good; no subset of
// them is better than all of them together, which bounds the node. Symmetric sweeps keep A⁻¹ and A⁻¹q on the allowed columns.
struct Node {
  Index fixed;
  double bound;                                   // of the objective
  std::vector<Index> allowed;
  std::vector<double> inverse, w;                 // m × m and m
};

class Leaps {
 public:
  Leaps(Index most, double best, std::vector<Index> chosen) : most(most), best(best), chosen(std::move(chosen)) {}

  Index most;
  double best;
  std::vector<Index> chosen;
  std::int64_t n_nodes = 0;

  // The node without its column i: rows and columns of the inverse that remain lose what it held of them.
  static Node without(const Node& node, Index i) {
    const Index m = static_cast<Index>(node.allowed.size());
    Node next{node.fixed, 0.0, {}, {}, {}};
    next.allowed.reserve(m - 1);
    next.inverse.resize((m - 1) * (m - 1));
    next.w.reserve(m - 1);
    const double *row = node.inverse.data() + i * m, pivot = row[i], ratio = node.w[i] / pivot;
    next.bound = node.bound + 0.5 * node.w[i] * ratio;
    double* to = next.inverse.data();
    for (Index a = 0; a < m; ++a) {
      if (a == i) continue;
      next.allowed.push_back(node.allowed[a]);
      next.w.push_back(node.w[a] - row[a] * ratio);
      const double *from = node.inverse.data() + a * m, factor = row[a] / pivot;
      for (Index b = 0; b < m; ++b)
        if (b != i) *to++ = from[b] - factor * row[b];
    }
    return next;
  }

  // What the objective gains when column i of the node is left out.
  static double loss_of(const Node& node, Index i) {
    const Index m = static_cast<Index>(node.allowed.size());
    return 0.5 * node.w[i] * node.w[i] / node.inverse[i * m + i];
  }

  void visit(const Node& node, std::vector<Node>& open) {
    ++n_nodes;
    const Index m = static_cast<Index>(node.allowed.size());
    if (node.bound >= best) return;
    if (m <= most) {
      best = node.bound, chosen = node.allowed;
      return;
    }
    if (node.fixed == most) {                     // the rest leaves: only the fixed ones remain
      Node last = node;
      while (static_cast<Index>(last.allowed.size()) > most) last = without(last, static_cast<Index>(last.allowed.size()) - 1);
      if (last.bound < best) best = last.bound, chosen = last.allowed;
      return;
    }
    if (node.bound + least_loss(node) < best) branch(node, open);
  }

 private:
  // m − K free columns still have to leave. One of them is at least the (m − K)th cheapest by itself, and they cost no less together.
  double least_loss(const Node& node) {
    const Index m = static_cast<Index>(node.allowed.size()), leave = m - most;
    losses.clear();
    for (Index i = node.fixed; i < m; ++i) losses.push_back(loss_of(node, i));
    std::nth_element(losses.begin(), losses.begin() + (leave - 1), losses.end());
    return losses[leave - 1];
  }

  std::vector<double> losses;

  // On the free column that would be missed most: the child that keeps it shares the bound, the other's rises at once.
  void branch(const Node& node, std::vector<Node>& open) {
    const Index m = static_cast<Index>(node.allowed.size());
    Index at = node.fixed;
    for (Index i = node.fixed; i < m; ++i)
      if (loss_of(node, i) > loss_of(node, at)) at = i;
    Node out = without(node, at);
    if (out.bound < best) open.push_back(std::move(out));
    Node in = node;
    exchange(in, in.fixed, at);
    ++in.fixed;
    open.push_back(std::move(in));
  }

  static void exchange(Node& node, Index a, Index b) {
    if (a == b) return;
    const Index m = static_cast<Index>(node.allowed.size());
    std::swap(node.allowed[a], node.allowed[b]);
    std::swap(node.w[a], node.w[b]);
    for (Index i = 0; i < m; ++i) std::swap(node.inverse[a * m + i], node.inverse[b * m + i]);
    for (Index i = 0; i < m; ++i) std::swap(node.inverse[i * m + a], node.inverse[i * m + b]);
  }
};

// From the inverse of all p columns' Gram matrix and its solution w, of which `bound` is the objective: the best subset of `most` columns.
// `chosen` and `facts` = (objective, lower bound, nodes visited) are read as a first answer and written. Stops after `seconds`.
void best_subset(Matrix<const double> inverse, Vector<const double> w, double bound, Index most, double seconds,
                 Vector<std::int64_t> chosen, Vector<double> facts) {
  const Index p = static_cast<Index>(w.size());
  std::vector<Index> start(chosen.data(), chosen.data() + chosen.size());
  Leaps leaps(most, facts(0), start);
  std::vector<Node> open;
  Node root{0, bound, std::vector<Index>(p), std::vector<double>(inverse.data(), inverse.data() + p * p), std::vector<double>(w.data(), w.data() + p)};
  for (Index j = 0; j < p; ++j) root.allowed[j] = j;
  open.push_back(std::move(root));
  const auto begin = std::chrono::steady_clock::now();
  Signals signals;
  while (!open.empty()) {
    signals.check();
    const Node node = std::move(open.back());
    open.pop_back();
    leaps.visit(node, open);
    if (leaps.n_nodes % 256 == 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) break;
  }
  double lower = leaps.best;
  for (const Node& node : open) lower = std::min(lower, node.bound);
  std::sort(leaps.chosen.begin(), leaps.chosen.end());
  std::copy(leaps.chosen.begin(), leaps.chosen.end(), chosen.data());
  facts(0) = leaps.best, facts(1) = lower, facts(2) = static_cast<double>(leaps.n_nodes);
}

}  // namespace

void register_subsets(nb::module_& m) { define(m, "best_subset", &best_subset, nogil()); }

}  // namespace tamis
