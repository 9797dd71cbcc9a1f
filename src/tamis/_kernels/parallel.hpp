// Threads and signals for every kernel: one persistent pool, one way to split work, one way to hear Ctrl-C.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace tamis {

// Asks Python about pending signals about every 50 ms. Call `check` from the thread that entered the kernel only; in a task, be deaf.
class Signals {
 public:
  explicit Signals(bool deaf = false) : deaf_(deaf) {}

  // Throws nanobind::python_error (KeyboardInterrupt) when a signal handler raised. Takes the GIL only when it is time.
  void check() {
    if (deaf_) return;
    auto now = std::chrono::steady_clock::now();
    if (now - last_ >= std::chrono::milliseconds(50)) {
      last_ = now;
      ask();
    }
  }

 private:
  static void ask();
  bool deaf_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs task(i, worker) for i in [0, n_tasks) on at most n_threads threads; worker < n_threads numbers the thread, for scratch memory.
// The split into tasks is the caller's and must not depend on n_threads: results are then bitwise equal for any number of threads.
// Must be entered without the GIL. A call from inside a task, or while another thread uses the pool, runs on the calling thread alone.
void parallel_for(std::size_t n_tasks, int n_threads, const std::function<void(std::size_t, int)>& task);

// Lets the threads of the pool run on these cores (ascending), whatever those of the thread that starts them. Linux only.
void set_pool_cores(const std::vector<int>& cores);

}  // namespace tamis
