#include "parallel.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

namespace nb = nanobind;

namespace tamis {
namespace {

using Task = std::function<void(std::size_t, int)>;

// Waits a little for `done` before its caller goes to sleep: waking up a thread takes longer than many a kernel.
template <class F>
bool linger(F&& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

thread_local bool inside_task = false;
thread_local bool pooled = false;               // a thread of the pool
thread_local const Cancel* watched = nullptr;

struct Job {
  const Task* task;
  std::size_t n_tasks;
  int n_threads;                        // the caller is worker 0
  std::atomic<std::size_t> next{0};
  Cancel stop;
  int joined = 0;                       // guarded by Pool::mutex, as are changes of `running`
  std::atomic<int> running{0};
  std::exception_ptr error;             // guarded by Pool::mutex
};

// The cores of the pool's threads, also of a forked child's new pool. Empty: those of the thread that starts them.
std::vector<int> pool_cores;

void place(std::thread& thread) {
#ifdef __linux__
  if (pool_cores.empty()) return;
  cpu_set_t* set = CPU_ALLOC(pool_cores.back() + 1);
  const std::size_t size = CPU_ALLOC_SIZE(pool_cores.back() + 1);
  CPU_ZERO_S(size, set);
  for (int core : pool_cores) CPU_SET_S(core, size, set);
  pthread_setaffinity_np(thread.native_handle(), size, set);      // where it is refused, threads stay where they are
  CPU_FREE(set);
#else
  (void)thread;
#endif
}

class Pool {
 public:
  void use(const std::vector<int>& cores) {
    std::lock_guard lock(mutex);
    if (cores == pool_cores) return;
    pool_cores = cores;
    for (std::thread& thread : threads) place(thread);
  }

  void run(Job& job) {
    {
      std::lock_guard lock(mutex);
      while (static_cast<int>(threads.size()) < job.n_threads - 1) {
        threads.emplace_back([this] { serve(); });
        place(threads.back());
      }
      current = &job;
      ++generation;
    }
    wake.notify_all();
    Signals signals;
    work(job, 0, &signals);
    std::unique_lock lock(mutex);
    current = nullptr;                  // late workers find nothing
    if (job.running > 0) {
      lock.unlock();
      linger([&] { return job.running == 0; });
      lock.lock();
    }
    while (job.running > 0) {
      done.wait_for(lock, std::chrono::milliseconds(50));
      if (job.running > 0 && !job.error) {
        lock.unlock();
        guard(job, [&] { signals.check(); });
        lock.lock();
      }
    }
    if (job.error) std::rethrow_exception(job.error);
  }

  std::mutex busy;                      // held by the one caller that uses the pool

 private:
  template <class F>
  void guard(Job& job, F&& f) {
    try {
      f();
    } catch (const Cancelled&) {
      if (pooled) return;               // who set the flag tells why
      fail(job);
    } catch (...) {
      fail(job);
    }
  }

  void fail(Job& job) {
    {
      std::lock_guard lock(mutex);
      if (!job.error) job.error = std::current_exception();
    }
    job.stop.set();
  }

  void work(Job& job, int worker, Signals* signals) {
    inside_task = true;
    guard(job, [&] {
      for (std::size_t i; !job.stop.is_set() && (i = job.next.fetch_add(1)) < job.n_tasks;) {
        (*job.task)(i, worker);
        if (signals) signals->check();
      }
    });
    inside_task = false;
  }

  void serve() {
    pooled = true;
    std::unique_lock lock(mutex);
    for (std::size_t seen = 0;;) {
      lock.unlock();
      linger([&] { return generation != seen; });
      lock.lock();
      wake.wait(lock, [&] { return generation != seen; });
      seen = generation;
      Job* job = current;
      if (!job || job->joined >= job->n_threads - 1) continue;   // too late, and awake: lingers, for the next job may come soon
      int worker = ++job->joined;
      ++job->running;
      lock.unlock();
      watched = &job->stop;
      work(*job, worker, nullptr);
      watched = nullptr;
      lock.lock();
      if (--job->running == 0) done.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  Job* current = nullptr;
  std::atomic<std::size_t> generation{0};       // tells two jobs apart that live at the same address
};

// Never destroyed: its threads sleep until the process ends. A forked child has none of them, so it starts a new pool.
Pool* pool = nullptr;

Pool& the_pool() {
  static std::once_flag once;
  std::call_once(once, [] {
    pool = new Pool;
#ifndef _WIN32
    pthread_atfork(nullptr, nullptr, [] {
      pool = new Pool;
      inside_task = false;
    });
#endif
  });
  return *pool;
}

}  // namespace

void watch(const Cancel* flag) { watched = flag; }

void Signals::heed() {
  if (watched && watched->is_set()) throw Cancelled();
}

void Signals::ask() {
  if (pooled) return;
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void set_pool_cores(const std::vector<int>& cores) { the_pool().use(cores); }

void parallel_for(std::size_t n_tasks, int n_threads, const Task& task) {
  if (n_threads > 1 && n_tasks > 1 && !inside_task) {
    Pool& p = the_pool();
    std::unique_lock busy(p.busy, std::try_to_lock);
    if (busy) {
      Job job;
      job.task = &task;
      job.n_tasks = n_tasks;
      job.n_threads = static_cast<std::size_t>(n_threads) < n_tasks ? n_threads : static_cast<int>(n_tasks);
      p.run(job);
      return;
    }
  }
  Signals signals;
  for (std::size_t i = 0; i < n_tasks; ++i) {
    task(i, 0);
    signals.check();
  }
}

}  // namespace tamis
