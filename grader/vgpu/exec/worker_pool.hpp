// Threads that stay alive between launches. The caller is worker 0, so a pool of one has no threads at all.
#pragma once

#include <condition_variable>
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
  /// Calls work(worker) on every worker and returns when all are done. `work` must not throw.
  void run(const std::function<void(unsigned worker)>& work);

 private:
  void serve(unsigned worker);

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  unsigned busy_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  ///< last: they use all of the above
};

}  // namespace vgpu::exec
