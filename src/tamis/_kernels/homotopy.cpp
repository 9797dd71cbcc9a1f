// The lasso's path on columns in memory, in pieces: columns join between two pieces, and a piece can be taken back.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "cholesky.hpp"
#include "kernels.hpp"

namespace tamis {
namespace {

constexpr double still = 1e-11;      // relative: a rate below this is rounding
constexpr double depends = 1e-13;    // of a squared column: what lies beyond the span of others is rounding
constexpr double nothing = 1e-12;    // of the first λ: no kink is told from rounding closer to the end
constexpr Index slot_block = 32;     // columns of one task
constexpr Index alone = 1 << 19;     // entries below which a product is faster on one thread
constexpr double infinite = std::numeric_limits<double>::infinity();

enum Outcome : int { paused = 0, reached = 1, stuck = 2 };

// ½‖y − X s‖² + λ Σ v_j|s_j|: E active with signs σ, d = (X_EᵀX_E)⁻¹(vσ)_E, c = Xᵀr falls by δ a, a = XᵀX_E d, as λ falls by δ.
// Columns are known by their slot, in the order they were given. `products` has XᵀX_j of every column that ever was active.
class LassoPath {
 public:
  LassoPath(Vector<const double> y, double first, int n_threads)
      : y(y.data(), y.data() + y.size()), m(static_cast<Index>(y.size())), first(first), n_threads(n_threads), lam(first), r(this->y) {
    square = dot(r.data(), r.data(), m);
    make_room(std::min<Index>(m, 64));
  }

  // The rows of `columns` are new columns x, with their v and xᵀy.
  void add(Matrix<const double> columns, Vector<const double> weights, Vector<const double> with_y) {
    const Index k = static_cast<Index>(columns.shape(0)), before = slots();
    X.insert(X.end(), columns.data(), columns.data() + k * m);
    v.insert(v.end(), weights.data(), weights.data() + k);
    xy.insert(xy.end(), with_y.data(), with_y.data() + k);
    sign.resize(slots(), 0.0);
    asleep.resize(slots(), 0);
    c.resize(slots());
    a.resize(slots());
    products.resize(slots());
    for (Index j = 0; j < before; ++j)
      if (!products[j].empty()) multiply(j, before);
    make_room(room);
  }

  // Follows the path from here, where Xᵀr = `correlations`, to λ = `until`, to ‖r‖ = `radius`, or for `max_kinks`.
  int run(Vector<const double> correlations, double until, double radius, Index max_kinks) {
    std::copy(correlations.data(), correlations.data() + slots(), c.begin());
    begin_segment();
    Signals signals;
    Outcome outcome = paused;
    for (const Index last = kinks + max_kinks; kinks < last && outcome == paused;) {
      signals.check();
      const Event event = next();
      const double ahead = lam - until, within = radius > 0 ? to_radius(radius) : infinite;
      if (std::min(ahead, within) <= event.delta + nothing * first) {
        move(std::min(ahead, within));
        outcome = reached;
        if (within < ahead) return refresh_at(radius), outcome;
      } else {
        move(event.delta);
        turn(event);
        if (active->size() == 0) outcome = stuck;
      }
    }
    refresh();
    return outcome;
  }

  void save() {
    kept = {lam, active_slots(), s, sign, asleep, factor(), just_left, kinks};
  }

  void restore() {
    lam = kept.lam, s = kept.s, sign = kept.sign, asleep = kept.asleep, just_left = kept.just_left, kinks = kept.kinks;
    sign.resize(slots(), 0.0);
    asleep.resize(slots(), 0);
    n_members = static_cast<std::int64_t>(kept.members.size());
    std::copy(kept.members.begin(), kept.members.end(), members.begin());
    for (Index i = 0, from = 0; i < n_members; from += ++i) std::copy_n(kept.L.begin() + from, i + 1, L.get() + i * room);
    active = factored();
    refresh();
  }

  std::vector<Index> active_slots() const { return {members.begin(), members.begin() + n_members}; }
  const std::vector<double>& code() const { return s; }
  const std::vector<double>& residual() const { return r; }
  double level() const { return lam; }
  Index turns() const { return kinks; }

  std::vector<double> signs() const {
    std::vector<double> out;
    for (Index i = 0; i < n_members; ++i) out.push_back(sign[members[i]]);
    return out;
  }

  std::vector<double> direction() {                  // X_E d: r falls by δ of it
    begin_segment();
    std::vector<double> q(m, 0.0);
    subtract_columns(d, q.data());
    for (double& x : q) x = -x;
    return q;
  }

 private:
  struct Event {
    double delta;
    Index slot;                                      // of the column that joins
    Index position;                                  // of the member that leaves, or −1
  };
  struct Kept {
    double lam = 0;
    std::vector<Index> members;
    std::vector<double> s, sign;
    std::vector<char> asleep;
    std::vector<double> L;
    Index just_left = -1, kinks = 0;
  };

  Index slots() const { return static_cast<Index>(v.size()); }
  const double* column(Index j) const { return X.data() + j * m; }

  // products[j] from slot `from` on.
  void multiply(Index j, Index from) {
    std::vector<double>& out = products[j];
    out.resize(slots());
    const Index n_blocks = (slots() - from + slot_block - 1) / slot_block;
    const double* const x[1] = {column(j)};
    parallel_for(static_cast<std::size_t>(n_blocks), (slots() - from) * m < alone ? 1 : n_threads, [&](std::size_t t, int) {
      const Index begin = from + static_cast<Index>(t) * slot_block, end = std::min(slots(), begin + slot_block);
      Index i = begin;
      for (; i + 4 <= end; i += 4) {
        const double* const four[4] = {column(i), column(i + 1), column(i + 2), column(i + 3)};
        double sums[4][1];
        dots<4, 1, double>(four, x, m, sums);
        for (int k = 0; k < 4; ++k) out[i + k] = sums[k][0];
      }
      for (; i < end; ++i) out[i] = dot(column(i), x[0], m);
    });
  }

  std::unique_ptr<Cholesky> factored() {
    return std::make_unique<Cholesky>(L.get(), room, members.data(), &n_members, std::max<Index>(1, slots()), depends);
  }

  void make_room(Index wanted) {
    if (wanted != room) {
      std::unique_ptr<double[]> larger(new double[wanted * wanted]);
      for (Index i = 0; i < n_members; ++i) std::copy_n(L.get() + i * room, i + 1, larger.get() + i * wanted);
      L = std::move(larger);
      room = wanted;
      members.resize(room);
    }
    active = factored();
  }

  std::vector<double> factor() const {               // the rows of L, one after the other
    std::vector<double> rows;
    for (Index i = 0; i < n_members; ++i) rows.insert(rows.end(), L.get() + i * room, L.get() + i * room + i + 1);
    return rows;
  }

  double weight(Index i) const { return sign[members[i]] * v[members[i]]; }

  void begin_segment() {
    d.resize(n_members);
    for (Index i = 0; i < n_members; ++i) d[i] = weight(i);
    active->solve(d.data());
    slope = 0;
    for (Index i = 0; i < n_members; ++i) slope += d[i] * weight(i);
    std::fill(a.begin(), a.end(), 0.0);
    for (Index from = 0; from < n_members; from += 4) {     // four members at a time, padded with the first at 0
      const double* g[4];
      double x[4] = {};
      for (Index i = 0; i < 4; ++i) {
        const bool there = from + i < n_members;
        g[i] = products[members[there ? from + i : from]].data();
        if (there) x[i] = d[from + i];
      }
      for (Index t = 0; t < slots(); ++t) a[t] += x[0] * g[0][t] + x[1] * g[1][t] + x[2] * g[2][t] + x[3] * g[3][t];
    }
  }

  Event next() const {
    Event event{infinite, 0, -1};
    for (Index j = 0; j < slots(); ++j) {
      if (asleep[j]) continue;
      const double up = v[j] - a[j], down = v[j] + a[j];
      const double high = up > still * v[j] ? (lam * v[j] - c[j]) / up : infinite;          // c_j meets λ v_j
      const double low = down > still * v[j] ? (lam * v[j] + c[j]) / down : infinite;       // c_j meets −λ v_j
      const double at = std::min(high, low);
      if (at < event.delta && !(j == just_left && at <= nothing * first)) event.delta = at, event.slot = j;
    }
    event.delta = std::max(event.delta, 0.0);
    double earliest = infinite;
    Index position = -1;
    for (Index i = 0; i < n_members; ++i) {
      if (!(sign[members[i]] * d[i] < 0)) continue;
      const double at = -s[i] / d[i];                                                        // |s_j| falls to zero
      if (at < earliest) earliest = at, position = i;
    }
    if (earliest < event.delta) return {std::max(earliest, 0.0), members[position], position};
    return event;
  }

  // ‖r − δ q‖² = ‖r‖² − 2δ λ slope + δ² slope, for qᵀq = dᵀ(vσ)_E and X_Eᵀr = λ(vσ)_E.
  double to_radius(double radius) const {
    const double rest = square - radius * radius, under = lam * lam - rest / slope;
    if (rest <= 0) return 0.0;
    return slope > 0 && under >= 0 ? (rest / slope) / (lam + std::sqrt(under)) : infinite;
  }

  void move(double delta) {
    square += delta * slope * (delta - 2 * lam);
    lam = std::max(lam - delta, 0.0);
    for (Index i = 0; i < n_members; ++i) s[i] += delta * d[i];
    for (Index j = 0; j < slots(); ++j) c[j] -= delta * a[j];
  }

  void turn(const Event& event) {
    const Index j = event.slot;
    ++kinks;
    if (event.position >= 0) {
      active->remove(event.position);
      s.erase(s.begin() + event.position);
      asleep[j] = 0, sign[j] = 0, just_left = j;
    } else {
      just_left = -1;
      asleep[j] = 1;                                 // active, or dependent on those active
      sign[j] = c[j] > 0 ? 1.0 : -1.0;
      if (admit(j))
        s.push_back(0.0);
      else
        sign[j] = 0;
    }
    begin_segment();
  }

  bool admit(Index j) {
    if (n_members == m) return false;
    if (n_members == room) make_room(std::min(m, 2 * room));
    if (products[j].empty()) multiply(j, 0);
    std::vector<Index> refused;
    active->append({j}, [this](Index i, Index l) { return products[i][l]; }, [](Index) { return std::pair(0.0, 0.0); }, refused);
    return refused.empty();
  }

  // s_E and r from the equations of the segment, refined once, so that rounding does not gather.
  void refresh() {
    for (Index i = 0; i < n_members; ++i) s[i] = xy[members[i]] - lam * weight(i);
    active->solve(s.data());
    r = y;
    subtract_columns(s, r.data());
    d.resize(n_members);
    for (Index i = 0; i < n_members; ++i) d[i] = dot(column(members[i]), r.data(), m) - lam * weight(i);
    active->solve(d.data());
    subtract_columns(d, r.data());
    for (Index i = 0; i < n_members; ++i) s[i] += d[i];
    square = dot(r.data(), r.data(), m);
  }

  // The same where ‖r‖ = radius: λ is corrected by what the sums of the path left.
  void refresh_at(double radius) {
    for (int turn = 0; turn < 3; ++turn) {
      refresh();
      const double under = lam * lam - (square - radius * radius) / slope;
      if (!(under >= 0)) return;
      lam = std::sqrt(under);
    }
    refresh();
  }

  void subtract_columns(const std::vector<double>& z, double* from) const {
    for (Index i = 0; i < n_members; ++i) {
      const double* x = column(members[i]);
      for (Index t = 0; t < m; ++t) from[t] -= z[i] * x[t];
    }
  }

  std::vector<double> y;
  Index m;
  double first;
  int n_threads;
  double lam, slope = 0, square = 0;
  std::vector<double> X, v, xy, sign, c, a, d, s, r;
  std::vector<char> asleep;
  std::vector<std::vector<double>> products;
  std::unique_ptr<double[]> L;
  Index room = 0;
  std::vector<std::int64_t> members;
  std::int64_t n_members = 0;
  std::unique_ptr<Cholesky> active;
  Index just_left = -1, kinks = 0;
  Kept kept;
};

template <class T>
nb::object array_of(const std::vector<T>& values) {
  auto* kept = new std::vector<T>(values);
  nb::capsule owner(kept, [](void* v) noexcept { delete static_cast<std::vector<T>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace

void register_homotopy(nb::module_& m) {
  nb::class_<LassoPath>(m, "LassoPath")
      .def(nb::init<Vector<const double>, double, int>())
      .def("add", &LassoPath::add, nogil())
      .def("run", &LassoPath::run, nogil())
      .def("save", &LassoPath::save)
      .def("restore", &LassoPath::restore)
      .def_prop_ro("lam", &LassoPath::level)
      .def_prop_ro("kinks", &LassoPath::turns)
      .def("active", [](const LassoPath& path) { return array_of(path.active_slots()); })
      .def("signs", [](const LassoPath& path) { return array_of(path.signs()); })
      .def("code", [](const LassoPath& path) { return array_of(path.code()); })
      .def("residual", [](const LassoPath& path) { return array_of(path.residual()); })
      .def("direction", [](LassoPath& path) { return array_of(path.direction()); });
}

}  // namespace tamis
