// The GPUs of a grading run: distributes work over them and removes GPUs that fail. After each run that
// failed, the pool probes the GPU; an unhealthy GPU leaves the pool, and its work is repeated on another GPU,
// so that no submission is blamed. Independent of CUDA: the probe is a function. Thread safe. Covered by
// runner/gpu_pool_test.cpp.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// Returns why the GPU is unhealthy ("the GPU did not answer within 20 s"); empty: healthy. Must not throw.
using GpuProbe = std::function<std::string(const std::string& gpu)>;

class GpuPool {
 public:
  /// `gpus` are UUIDs. At most `per_gpu` calls of `work` run on one GPU at the same time; DeviceLock gives a
  /// measurement the GPU to itself.
  GpuPool(std::vector<std::string> gpus, unsigned per_gpu, GpuProbe probe);

  enum class Outcome {
    good,     ///< the GPU worked
    suspect,  ///< killed, timed out or failed: the GPU might be the cause
  };

  /// Waits for a free healthy GPU and calls `work` with it. After a suspect outcome the GPU is probed; if it
  /// is unhealthy, `work` is called again with another GPU. False: no GPU is left, and the result of the last
  /// call, if there was one, does not count.
  bool run(const std::function<Outcome(const std::string& gpu)>& work);

  struct Lost {
    std::string gpu, why;
  };
  std::vector<Lost> lost() const;  ///< in the order in which they left the pool

 private:
  std::optional<std::size_t> take();
  bool give_back(std::size_t gpu, Outcome outcome);

  struct Gpu {
    std::string name;
    unsigned busy = 0;
    bool healthy = true;
  };

  const unsigned per_gpu_;
  const GpuProbe probe_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable changed_;
  std::vector<Gpu> gpus_;
  std::vector<Lost> lost_;
};

}  // namespace grader
