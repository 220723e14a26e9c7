// Runs on the real GPUs of this machine: spread over those that are well, several at once on each, a
// measurement alone on its own, also among other processes (DeviceLock). After a run that ended badly its GPU
// is asked how it is (GpuPool); one that is not well gets no more work, and the run is done again on another.
// Thread safe. Covered by runner/gpu_runs_test.cpp.
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
  /// `gpus`: as grant_gpu() names them; at least one.
  GpuRuns(const std::vector<std::string>& gpus, GpuProbe probe,
          const std::filesystem::path& lock_folder = DeviceLock::default_folder());

  enum class Use { shared, alone };
  using Work = std::function<std::vector<CaseRun>(const std::string& gpu)>;

  /// What `work` gave on a GPU that was still well afterwards; called again after each that was not. nullopt:
  /// none is left. The error says why no GPU can be locked.
  Expected<std::optional<std::vector<CaseRun>>, std::string> run(Use use, const Work& work);

  std::vector<GpuPool::Lost> lost() const { return pool_.lost(); }

 private:
  GpuPool pool_;
  std::map<std::string, DeviceLock> locks_;  ///< by GPU
};

}  // namespace grader
