#include "runner/gpu_runs.hpp"

#include <algorithm>

namespace grader {
namespace {

/// A limit because programs that are not measured share a GPU's memory.
constexpr unsigned kProgramsPerGpu = 8;

/// The run was killed or crashed, or a CUDA call failed: either the program or the GPU is the cause.
bool is_suspect(const CaseRun& run) {
  using End = CaseRun::End;
  const bool ended = run.end == End::finished || run.end == End::no_entry || run.end == End::stopped;
  return !ended || !run.answer.problem.empty();
}

}  // namespace

GpuRuns::GpuRuns(const std::vector<std::string>& gpus, GpuProbe probe,
                 const std::filesystem::path& lock_folder)
    : pool_(gpus, kProgramsPerGpu, std::move(probe)) {
  for (const std::string& gpu : gpus) locks_.try_emplace(gpu, gpu, lock_folder);
}

Expected<std::optional<std::vector<CaseRun>>, std::string> GpuRuns::run(Use use, const Work& work) {
  std::optional<std::vector<CaseRun>> runs;
  std::string no_lock;
  const bool counts = pool_.run([&](const std::string& gpu) {
    const DeviceLock& lock = locks_.at(gpu);
    std::optional<DeviceLock::Turn> turn;
    const auto take = [&](Use wanted) {
      turn.reset();  // a thread that kept its turn would wait for itself
      auto taken = wanted == Use::alone ? lock.exclusive() : lock.shared();
      if (taken)
        turn = *std::move(taken);
      else
        no_lock = taken.error();
      return turn.has_value();
    };
    if (!take(use)) return GpuPool::Outcome::good;
    runs = work(gpu, [&] { return take(Use::alone); });
    const bool suspect = std::any_of(runs->begin(), runs->end(), is_suspect);
    return suspect ? GpuPool::Outcome::suspect : GpuPool::Outcome::good;
  });
  if (!no_lock.empty()) return Unexpected{"the GPU cannot be locked: " + no_lock};
  if (!counts) runs.reset();
  return runs;
}

}  // namespace grader
