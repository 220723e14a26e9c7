#include "vgpu/run/worker_pool.hpp"

#include <cassert>
#include <chrono>

namespace vgpu::exec {
namespace {

constexpr std::chrono::microseconds kPatience{200};
constexpr int kPolls = 64;  // between two readings of the clock

/// Polls the condition for kPatience; true if it has become true. Yields to other threads of the machine.
template <class Condition>
bool comes_soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kPolls; ++i) {
      if (condition()) return true;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

WorkerPool::WorkerPool(unsigned workers) {
  for (unsigned worker = 1; worker < workers; ++worker)
    threads_.emplace_back([this, worker] { serve(worker); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(const std::function<void(unsigned worker)>& work) {
  {
    const std::lock_guard lock(mutex_);
    assert(busy_ == 0 && !stopping_);  // the last run has ended: its work might be gone
    work_ = &work;
    busy_ = static_cast<unsigned>(threads_.size());
    // Last: a worker that sees the new round sees its work, too.
    ++round_;
  }
  start_.notify_all();
  work(0);
  const auto all_are_done = [this] { return busy_ == 0; };
  if (comes_soon(all_are_done)) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, all_are_done);
}

void WorkerPool::serve(unsigned worker) {
  std::uint64_t served = 0;
  const auto is_called = [&] { return stopping_ || round_ != served; };
  while (true) {
    if (!comes_soon(is_called)) {
      std::unique_lock lock(mutex_);
      start_.wait(lock, is_called);
    }
    if (stopping_) return;
    served = round_;
    (*work_)(worker);
    assert(busy_ != 0);
    if (--busy_ != 0) continue;
    // With the lock, run() cannot miss the notification between its test and its wait.
    const std::lock_guard lock(mutex_);
    done_.notify_one();
  }
}

}  // namespace vgpu::exec
