// Threads and signals for every kernel: one persistent pool, one way to split work, one way to hear Ctrl-C.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

namespace tamis {

// A flag that one thread sets so that others end what they do for it.
class Cancel {
 public:
  void set() { flag_.store(true); }
  bool is_set() const { return flag_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> flag_{false};
};

struct Cancelled : std::exception {};   // becomes KeyboardInterrupt

// From now on `Signals::check` on this thread also heeds this flag; nullptr: none.
void watch(const Cancel* flag);

// Heeds the flag that this thread watches at every call, and asks Python about pending signals about every 50 ms. The threads of the
// pool, which Python does not know, have the flag of their job only.
class Signals {
 public:
  // Throws Cancelled, or nanobind::python_error (KeyboardInterrupt) when a signal handler raised. Takes the GIL only when it is time.
  void check() {
    heed();
    auto now = std::chrono::steady_clock::now();
    if (now - last_ >= std::chrono::milliseconds(50)) {
      last_ = now;
      ask();
    }
  }

 private:
  static void heed();
  static void ask();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs task(i, worker) for i in [0, n_tasks) on at most n_threads threads; worker < n_threads numbers the thread, for scratch memory.
// The split into tasks is the caller's and must not depend on n_threads: results are then bitwise equal for any number of threads.
// Must be entered without the GIL. A call from inside a task, or while another thread uses the pool, runs on the calling thread alone.
void parallel_for(std::size_t n_tasks, int n_threads, const std::function<void(std::size_t, int)>& task);

// Lets the threads of the pool run on these cores (ascending), whatever those of the thread that starts them. Linux only.
void set_pool_cores(const std::vector<int>& cores);

}  // namespace tamis
