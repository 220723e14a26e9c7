// The GPUs of a run: who works on which, and which are no longer trusted. A GPU is asked how it is after
// every run that ended badly on it; one that is not well leaves the pool, and what was done on it is done
// again elsewhere, charged to nobody. Knows nothing of CUDA: how a GPU is asked is a function. Thread safe.
// Covered by runner/gpu_pool_test.cpp.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// Why the GPU is not well ("does not answer within 10 s"); empty: it is. Must not throw.
using GpuProbe = std::function<std::string(const std::string& gpu)>;

class GpuPool {
 public:
  /// `gpus` are named by their UUIDs. `per_gpu` may work on one at a time: measuring takes turns by
  /// DeviceLock.
  GpuPool(std::vector<std::string> gpus, unsigned per_gpu, GpuProbe probe);

  enum class Outcome {
    good,     ///< the GPU did what it was told
    suspect,  ///< killed, timed out, failed: the GPU may be to blame
  };

  /// Calls `work` on a GPU that is well, waiting for one to be free. After a suspect outcome the GPU is
  /// asked; if it is not well, `work` is called again on another. False: no GPU is left, and the last call,
  /// if there was one, does not count.
  bool run(const std::function<Outcome(const std::string& gpu)>& work);

  struct Lost {
    std::string gpu, why;
  };
  std::vector<Lost> lost() const;  ///< in the order of their leaving

 private:
  std::optional<std::size_t> take();
  bool give_back(std::size_t gpu, Outcome outcome);

  struct Gpu {
    std::string name;
    unsigned busy = 0;
    bool well = true;
  };

  const unsigned per_gpu_;
  const GpuProbe probe_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::vector<Gpu> gpus_;
  std::vector<Lost> lost_;
};

}  // namespace grader
