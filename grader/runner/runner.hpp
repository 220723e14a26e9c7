// Builds a submission in the sandbox and runs its cases on a device; collects facts, does not judge them.
// Every case runs in a process of its own, so a crash, a sticky error or hidden state cannot reach the next
// one. Thread safety: const members may be called from several threads at the same time.
//
// Covered by tests/runner/. The parts: build.cpp (source to shared object), program.cpp (one running
// submission), case_run.cpp (how its run ended), cuda_device.cpp (access to real GPUs), gpu_runs.cpp
// (which GPU a run gets), gpu_holder.cpp (keeps GPUs initialised), gpu_tool.cpp (profilers and checkers of
// real GPUs).
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/job.hpp"
#include "policy/policy.hpp"
#include "runner/case_run.hpp"
#include "runner/cuda_device.hpp"
#include "runner/gpu_holder.hpp"
#include "runner/gpu_runs.hpp"
#include "runner/gpu_tool.hpp"
#include "runner/gpu_watch.hpp"
#include "runner/host_load.hpp"
#include "runner/kit_paths.hpp"
#include "sandbox/box.hpp"
#include "toolchain/front_end.hpp"
#include "vgpu/run/device.hpp"

namespace grader {

struct RunnerOptions {
  DeviceKind device = DeviceKind::virtual_gpu;
  unsigned device_threads = 1;
  BoxLimits compile_limits = default_compile_limits();
  BoxLimits run_limits = default_run_limits();
  /// Warp instructions per launch; in small cases fewer.
  std::uint64_t step_limit = std::uint64_t{1} << 30U;
  /// Virtual only: launches of checked runs have a recording (vgpu::DeviceOptions).
  bool records = false;
  std::atomic<bool>* stop = nullptr;  ///< set by the caller; also set when no healthy GPU is left
  /// With DeviceKind::cuda: the GPUs to use, all of one model (find_cuda_devices()); empty: the first GPU.
  std::vector<CudaDevice> gpus = {};

  /// 60 s, 4 GiB, files up to 64 MiB.
  static BoxLimits default_compile_limits();
  /// 20 s, 2 GiB. With a real GPU the memory limit is at least kCudaHostMemory, because the driver needs it.
  static BoxLimits default_run_limits();
};

/// A built submission: a shared object in a private folder, deleted with the last copy.
struct Built {
  std::shared_ptr<const std::filesystem::path> folder;
  std::filesystem::path shared_object() const { return *folder / "submission.so"; }
};

struct BuildFailure {
  enum class Kind { compile_error, compile_limit, rejected, grader_fault };
  Kind kind{};
  std::vector<Diagnostic> diagnostics;
};

class Runner {
 public:
  Runner(KitPaths paths, FrontEnd front_end, Sandbox sandbox, const RunnerOptions& options);

  /// `source` is read with O_NOFOLLOW under a size cap and copied to a fixed name before any tool reads it.
  /// `source_name` ("tiled_matmul.cu") is the lab's, never the student's.
  /// `rules` are what the submission may do (policy/policy.hpp); nullptr permits everything, for the kit's
  /// own programs. Diagnostics: WG-C01 to C05 errors of the compiler, C06 unreadable or too large, C07
  /// binary, C08 empty, C09 over a limit, WG-S20 to S26 a broken rule.
  Expected<Built, BuildFailure> build(const std::filesystem::path& source, const std::string& source_name,
                                      const policy::Rules* rules = nullptr) const;

  /// Several programs can share a real GPU, but never with a timed pair, not even of another grader process.
  /// `checks` are for the virtual GPU; they take time and change neither results nor counters. `experiment`
  /// is for it, too.
  CaseRun run(const Built& built, const harness::Job& job, const vgpu::Profile& profile,
              vgpu::Checks checks = {}, const vgpu::Experiment& experiment = {}) const;

  /// On the virtual GPU: follows what the results are computed from (CaseRun::terms). Many times slower.
  CaseRun run_with_terms(const Built& built, const harness::Job& job, const vgpu::Profile& profile) const;

  /// Runs the program on a real GPU once for several jobs, one after the other in one process: a context
  /// takes longer to create than most jobs. Ends at the first job without a proper answer; the runs of the
  /// later jobs are then `stopped`. What a program keeps from one job can affect a later one, so only an
  /// accepted answer should count: run() gives the verdict of all others.
  std::vector<CaseRun> run_batch(const Built& built, std::span<const harness::Job* const> jobs) const;

  /// Runs two programs in turns on one device, call by call: first second, second first, … The pair has the
  /// device to itself, so that no other work affects the times. The second program takes all turns, the first
  /// one only `turns_of_first` of them, evenly spread. A program whose time runs out while it waits for the
  /// other's turn ends as `stopped`. Only the times of the first program are requested; it must be the kit's
  /// own and use one stream. On a quiet host, no compilation, run on the virtual GPU or oracle of this
  /// process runs meanwhile.
  std::pair<CaseRun, CaseRun> run_interleaved(const Built& first, const Built& second,
                                              const harness::Job& job, std::span<const harness::Turn> turns,
                                              std::size_t turns_of_first, const vgpu::Profile& profile,
                                              Host host = Host::as_it_is) const;
  /// On the virtual GPU: one program, without checks, which is called in these turns (CaseRun::turns).
  CaseRun run_in_turns(const Built& built, const harness::Job& job, std::span<const harness::Turn> turns,
                       const vgpu::Profile& profile) const;
  /// Only the times of one program, which has the device to itself from its first turn on. It must be the
  /// kit's own, since other programs are measured while it starts and waits, and use one stream.
  CaseRun run_timed(const Built& built, const harness::Job& job, std::span<const harness::Turn> turns,
                    const vgpu::Profile& profile) const;

  /// Runs the program under a tool, which has the device to itself. Throws std::system_error if there is no
  /// temporary folder for the tool's log.
  ToolRun run_under(const GpuTool& tool, const Built& built, const harness::Job& job) const;

  const FrontEnd& front_end() const { return front_end_; }
  const RunnerOptions& options() const { return options_; }
  const Sandbox& sandbox() const { return sandbox_; }
  const KitPaths& paths() const { return paths_; }
  /// The model of all GPUs in use; nullopt on the virtual device, or if none was found (build() returns why).
  std::optional<CudaDevice> cuda_device() const;
  /// GPUs that proved unhealthy. The results of the runs that were lost with them do not count.
  std::vector<GpuPool::Lost> lost_gpus() const;
  /// WG-G24 if no healthy GPU is left.
  std::optional<Diagnostic> out_of_gpus() const;

 private:
  struct Group;
  std::vector<CaseRun> run_on_gpus(GpuRuns::Use use, const Group& group) const;
  std::uint64_t step_limit(const harness::Job& job) const;
  std::vector<CaseRun> run_group(const Group& group, const std::string& gpu,
                                 const GpuRuns::BecomeAlone& become_alone) const;
  std::vector<CaseRun> run_batch_on(const Built& built, std::span<const harness::Job* const> jobs,
                                    const std::string& gpu) const;
  template <class Work>
  std::vector<CaseRun> on_gpus(GpuRuns::Use use, std::size_t runs, const Work& work) const;

  KitPaths paths_;
  FrontEnd front_end_;
  Sandbox sandbox_;
  RunnerOptions options_;
  std::optional<Expected<CudaDevice, Diagnostic>> cuda_device_;  ///< probed once, with --device cuda
  std::unique_ptr<GpuRuns> gpus_;                                ///< with --device cuda, if a GPU was found
  std::shared_ptr<const Nvml> nvml_;                             ///< likewise, if NVML is installed
  std::deque<GpuHolder> holders_;                                ///< with --device cuda, one for each GPU
};

}  // namespace grader
