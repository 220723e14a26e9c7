#include "runner/gpu_pool.hpp"

#include <algorithm>

namespace grader {

GpuPool::GpuPool(std::vector<std::string> gpus, unsigned per_gpu, GpuProbe probe)
    : per_gpu_(std::max(per_gpu, 1U)), probe_(std::move(probe)) {
  for (std::string& name : gpus) gpus_.push_back({std::move(name)});
}

bool GpuPool::run(const std::function<Outcome(const std::string& gpu)>& work) {
  while (const auto gpu = take())
    if (give_back(*gpu, work(gpus_[*gpu].name))) return true;
  return false;
}

std::vector<GpuPool::Lost> GpuPool::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

/// The least busy of the healthy GPUs; waits while all of them are fully used. nullopt: no GPU is healthy.
std::optional<std::size_t> GpuPool::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto is_worse = [](const Gpu& one, const Gpu& other) {
      return std::pair(!one.healthy, one.busy) < std::pair(!other.healthy, other.busy);
    };
    const auto best = std::min_element(gpus_.begin(), gpus_.end(), is_worse);
    if (best == gpus_.end() || !best->healthy) return std::nullopt;
    if (best->busy < per_gpu_) {
      ++best->busy;
      return static_cast<std::size_t>(best - gpus_.begin());
    }
    changed_.wait(lock);
  }
}

/// Returns true if the work's result counts.
bool GpuPool::give_back(std::size_t gpu, Outcome outcome) {
  // The probe can take seconds, so the mutex is not held.
  const std::string why = outcome == Outcome::suspect ? probe_(gpus_[gpu].name) : "";
  const std::lock_guard lock(mutex_);
  Gpu& used = gpus_[gpu];
  --used.busy;
  if (!why.empty() && used.healthy) {
    used.healthy = false;
    lost_.push_back({used.name, why});
  }
  changed_.notify_all();
  return outcome == Outcome::good || used.healthy;
}

}  // namespace grader
