// argmin ½‖z − v‖² + Σ edgeⱼ |zⱼ₊₁ − zⱼ| along a chain, by dynamic programming (Johnson 2013): O(p).
//
// Let m_j(z) be the least cost of the columns up to j given z_j = z, without the edge behind j. Its derivative rises and is linear between
// knots; passing edge e it is clipped to [−e, e], at points low_j and high_j. Going back, z_j = clip(z_{j+1}, low_j, high_j).
#include <algorithm>
#include <deque>
#include <vector>

#include "kernels.hpp"

namespace tamis {
namespace {

struct Knot {                                              // where the derivative a z + b changes, and by how much
  double at, a, b;
};

// The point where the derivative reaches `level` from the left end, whose line is a z + b; knots before it are dropped.
double from_left(std::deque<Knot>& knots, double& a, double& b, double level) {
  while (!knots.empty() && a * knots.front().at + b < level) {
    a += knots.front().a;
    b += knots.front().b;
    knots.pop_front();
  }
  return (level - b) / a;
}

double from_right(std::deque<Knot>& knots, double& a, double& b, double level) {
  while (!knots.empty() && a * knots.back().at + b > level) {
    a -= knots.back().a;
    b -= knots.back().b;
    knots.pop_back();
  }
  return (level - b) / a;
}

void chain(Vector<const double> v, Vector<const double> edges, Vector<double> z) {
  const Index p = static_cast<Index>(v.size());
  if (p == 0) return;
  std::vector<double> low(p), high(p);
  std::deque<Knot> knots;
  double before = 0.0;                                     // the edge in front of j: the derivative's ends are −before and before
  Signals signals;
  for (Index j = 0; j < p; ++j) {
    if (j % 4096 == 0) signals.check();
    double a = 1.0, b = -v(j) - before, right_a = 1.0, right_b = -v(j) + before;
    const double edge = j + 1 < p ? edges(j) : 0.0;
    low[j] = from_left(knots, a, b, -edge);
    if (j + 1 == p) {
      high[j] = low[j];
      break;
    }
    if (edge == 0.0) {                                     // nothing ties the rest to this column
      high[j] = low[j];
      knots.clear();
    } else {
      high[j] = from_right(knots, right_a, right_b, edge);
      // clipped: before `low` it is −edge, behind `high` edge; the next column adds z − v to both
      knots.push_front({low[j], a, b + edge});
      knots.push_back({high[j], -right_a, edge - right_b});
    }
    before = edge;
  }
  z(p - 1) = low[p - 1];
  for (Index j = p - 2; j >= 0; --j) z(j) = std::min(std::max(z(j + 1), low[j]), high[j]);
}

}  // namespace

void register_chain(nb::module_& m) { define(m, "chain", &chain, nogil()); }

}  // namespace tamis
