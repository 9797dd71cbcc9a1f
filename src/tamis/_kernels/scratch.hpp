// Large working memory that survives between calls: fresh pages cost more than the arithmetic done on them.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace tamis {

// `size` doubles, uninitialised, beginning on a cache line; taken from what earlier calls gave back where something fits.
class Scratch {
 public:
  explicit Scratch(Index size) {
    std::lock_guard lock(mutex());
    auto& spare = kept();
    Memory* best = nullptr;                   // the smallest that is large enough, and not much too large
    for (auto& held : spare)
      if (held.second >= size && held.second <= 2 * size && (!best || held.second < best->second)) best = &held;
    if (best) {
      memory_ = *best;
      *best = spare.back();
      spare.pop_back();
      return;
    }
    const std::size_t bytes = (sizeof(double) * static_cast<std::size_t>(std::max<Index>(size, 1)) + 63) / 64 * 64;
    memory_ = {static_cast<double*>(std::aligned_alloc(64, bytes)), size};
    if (!memory_.first) throw std::bad_alloc();
  }
  Scratch(Scratch&& other) noexcept : memory_(std::exchange(other.memory_, {nullptr, 0})) {}
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    if (!memory_.first) return;
    std::lock_guard lock(mutex());
    Index total = memory_.second;
    for (auto& held : kept()) total += held.second;
    if (total <= most)
      kept().push_back(memory_);
    else
      std::free(memory_.first);
  }

  double* get() const { return memory_.first; }

 private:
  using Memory = std::pair<double*, Index>;
  static constexpr Index most = 16 << 20;     // doubles kept in all: 128 MB
  static std::mutex& mutex() {
    static std::mutex* m = new std::mutex;    // never destroyed: scratch may be given back while the process ends
    return *m;
  }
  static std::vector<Memory>& kept() {
    static auto* list = new std::vector<Memory>;
    return *list;
  }
  Memory memory_{nullptr, 0};
};

}  // namespace tamis
