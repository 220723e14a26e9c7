// Runs programs on the real GPUs of this machine. Work is distributed over the healthy GPUs, several runs per
// GPU; a measurement has its GPU to itself, also with respect to other processes (DeviceLock). After a failed
// run the GPU is probed (GpuPool); an unhealthy GPU gets no more work, and the run is repeated on another
// GPU. Thread safe. Covered by runner/gpu_runs_test.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/case_run.hpp"
#include "runner/device_lock.hpp"
#include "runner/gpu_pool.hpp"

namespace grader {

class GpuRuns {
 public:
  /// `gpus`: arguments for grant_gpu(); at least one.
  GpuRuns(const std::vector<std::string>& gpus, GpuProbe probe,
          const std::filesystem::path& lock_folder = DeviceLock::default_folder());

  enum class Use { shared, alone };
  /// Waits until no other work uses the GPU, and keeps others away until the work ends. false: the GPU cannot
  /// be locked any more.
  using BecomeAlone = std::function<bool()>;
  using Work = std::function<std::vector<CaseRun>(const std::string& gpu, const BecomeAlone& become_alone)>;

  /// Returns the result of `work` on a GPU that is healthy afterwards; calls `work` again with another GPU if
  /// it is not. nullopt: no healthy GPU is left. The error is the reason why a GPU cannot be locked.
  Expected<std::optional<std::vector<CaseRun>>, std::string> run(Use use, const Work& work);

  std::vector<GpuPool::Lost> lost() const { return pool_.lost(); }

 private:
  GpuPool pool_;
  std::map<std::string, DeviceLock> locks_;  ///< by GPU
};

}  // namespace grader
