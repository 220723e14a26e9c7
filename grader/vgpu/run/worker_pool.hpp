// Threads that stay alive between launches. The caller is worker 0, so a pool of one has no threads. A launch
// of short blocks provides work every millisecond, and the system takes a tenth of that to wake a thread: so
// a waiting thread polls for a moment before it sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vgpu::exec {

class WorkerPool {
 public:
  explicit WorkerPool(unsigned workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }
  /// Calls work(worker) on every worker and returns when all calls have returned. `work` must not throw. One
  /// caller at a time.
  void run(const std::function<void(unsigned worker)>& work);

 private:
  void serve(unsigned worker);

  // The variables that threads wait for are written under the mutex, so that no thread misses a change and
  // sleeps.
  std::mutex mutex_;
  std::condition_variable start_, done_;
  // A cache line each: workers that end their work change `busy_` while others already poll `round_`.
  static constexpr std::size_t kCacheLine = 64;
  alignas(kCacheLine) std::atomic<std::uint64_t> round_ = 0;
  std::atomic<bool> stopping_ = false;
  const std::function<void(unsigned)>* work_ = nullptr;
  alignas(kCacheLine) std::atomic<unsigned> busy_ = 0;
  std::vector<std::thread> threads_;  ///< last member: the threads use all others
};

}  // namespace vgpu::exec
