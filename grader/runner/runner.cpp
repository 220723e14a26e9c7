#include "runner/runner.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <system_error>

#include <sys/socket.h>

#include "base/files.hpp"
#include "harness/conversation.hpp"
#include "runner/build.hpp"
#include "runner/device_outputs.hpp"
#include "runner/places.hpp"
#include "runner/program.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"

namespace grader {
namespace {

using namespace std::chrono_literals;

/// Whatever a case says of its device: what a submission stores there is memory of the grader.
constexpr std::uint64_t kMostDeviceBytes = std::uint64_t{1} << 30U;
/// Multiplies the time limits of a timed run, which calls each of two programs more than twenty times.
constexpr int kTimedPatience = 3;

/// The harness with one argument.
BoxJob harness_job(const Runner& runner, Places places, const std::string& argument, const std::string& gpu) {
  const bool is_virtual = runner.options().device == DeviceKind::virtual_gpu;
  const std::filesystem::path& binaries = runner.paths().binaries;
  BoxJob job;
  job.command = {
      places.add(binaries / "bin" / (is_virtual ? "harness-virtual" : "harness-cuda"), "/kit/harness"),
      argument};
  // New and freed memory of the host's allocator gets a pattern (mallopt(3), M_PERTURB), as local variables
  // do (toolchain/commands.cpp): what it contains must not decide about a grade.
  job.environment = {{"PATH", "/usr/bin:/bin"},
                     {"HOME", "/tmp"},
                     {"TMPDIR", "/tmp"},
                     {"LANG", "C.UTF-8"},
                     {"MALLOC_PERTURB_", "165"}};
  if (is_virtual) {
    job.environment.emplace_back("LD_LIBRARY_PATH", places.add(binaries / "lib/virtual", "/kit/lib"));
    job.environment.emplace_back(vgpu::cudart::kDeviceDescriptorVariable,
                                 std::to_string(vgpu::cudart::kDeviceDescriptor));
  }
  job.mounts = places.mounts();
  job.limits = runner.options().run_limits;
  job.stop = runner.options().stop;
  if (!is_virtual) grant_gpu(job, runner.front_end(), gpu);
  return job;
}

BoxJob run_job(const Runner& runner, const Built& built, const std::string& gpu, bool is_timed) {
  Places places(runner.sandbox().kind().isolated);
  const std::filesystem::path object = places.add(*built.folder, "/submission") / "submission.so";
  BoxJob job = harness_job(runner, std::move(places), object, gpu);
  if (is_timed) {
    job.limits.wall *= kTimedPatience;
    job.limits.cpu *= kTimedPatience;
  }
  return job;
}

/// Only for programs that are not measured, or have one stream: others can wait for each other in the one
/// queue between host and GPU. A context with the usual eight takes twice as long to create.
void use_one_queue(BoxJob& job) { job.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS", "1"); }

CaseRun conclude(const Program& program, harness::Conversation& talk, const harness::Job& job,
                 std::span<const harness::Turn> turns, DeviceKind device) {
  CaseRun run;
  run.session = program.session();
  name_end(run, program.box(), talk);
  // The harness fills outputs before it records an event and calls the student's function.
  run.session.device_copies -= run.session.copies_before_events;
  const double modelled_s = run.session.kernel_s + run.session.device_copies.seconds;
  run.seconds = device == DeviceKind::virtual_gpu ? modelled_s : run.answer.seconds;
  // Of the last turn.
  const std::uint64_t rotation = job.takes_turns && !turns.empty() ? turns.back().rotation : 0;
  if (program.device() == nullptr) {
    run.changed_inputs = changed_inputs(job, run.answer, rotation, nullptr);
    return run;
  }
  run.forged = difference_from_device(job, run.answer, *program.device());
  if (run.forged.empty()) run.forged = read_inputs(job, *program.device(), run.answer);
  run.changed_inputs = changed_inputs(job, run.answer, rotation, program.device());
  run.stored_by = lines_of_outputs(job, run.answer, *program.device());
  if (program.device()->follows_terms()) {
    run.computed_from = terms_of_outputs(job, run.answer, *program.device());
    run.terms = std::make_shared<const vgpu::Terms>(program.device()->terms());
  }
  return run;
}

/// Of a job that is not the last one of its program, which continues.
CaseRun answered_run(harness::Conversation& talk, const harness::Job& job) {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.answer = talk.take_answer();
  run.seconds = run.answer.seconds;
  run.changed_inputs = changed_inputs(job, run.answer, 0, nullptr);
  return run;
}

CaseRun faulted_case(const std::string& what) {
  CaseRun run;
  run.fault = what;
  return run;
}

}  // namespace

BoxLimits RunnerOptions::default_compile_limits() {
  BoxLimits limits;
  limits.wall = 180s;  // compiling is slow on a busy machine
  limits.cpu = 60s;
  limits.memory_bytes = std::uint64_t{4} << 30U;
  limits.file_bytes = std::uint64_t{64} << 20U;
  return limits;
}

BoxLimits RunnerOptions::default_run_limits() {
  BoxLimits limits;
  limits.wall = 20s;
  limits.cpu = 20s;
  limits.file_bytes = limits.scratch_bytes = std::uint64_t{64} << 20U;
  return limits;
}

Runner::Runner(KitPaths paths, FrontEnd front_end, Sandbox sandbox, const RunnerOptions& options)
    : paths_(std::move(paths)),
      front_end_(std::move(front_end)),
      sandbox_(std::move(sandbox)),
      options_(options) {
  if (options_.device != DeviceKind::cuda) return;
  if (options_.gpus.empty())
    cuda_device_ = find_cuda_device(paths_, front_end_, sandbox_);
  else
    cuda_device_ = options_.gpus.front();
  if (!*cuda_device_) return;
  nvml_ = Nvml::open();
  std::vector<std::string> names;
  for (const CudaDevice& one : options_.gpus) names.push_back(one.gpu);
  if (names.empty()) names.push_back((*cuda_device_)->gpu);
  gpus_ = std::make_unique<GpuRuns>(names, [this](const std::string& gpu) {
    const auto answer = find_cuda_device(paths_, front_end_, sandbox_, gpu);
    return answer ? "" : answer.error().what;
  });
  for (const std::string& name : names)
    holders_.emplace_back(sandbox_,
                          harness_job(*this, Places(sandbox_.kind().isolated), harness::kHold, name));
}

std::optional<CudaDevice> Runner::cuda_device() const {
  return cuda_device_ && *cuda_device_ ? std::optional(**cuda_device_) : std::nullopt;
}

Expected<Built, BuildFailure> Runner::build(const std::filesystem::path& source,
                                            const std::string& source_name,
                                            const policy::Rules* rules) const {
  if (cuda_device_ && !*cuda_device_)
    return Unexpected{BuildFailure{BuildFailure::Kind::grader_fault, {cuda_device_->error()}}};
  const HostLoad load;
  const int capability = cuda_device_ ? (*cuda_device_)->compute_capability : 0;
  try {
    return build_submission({paths_, front_end_, sandbox_, options_, rules, capability}, source, source_name);
  } catch (const std::system_error& error) {  // no temporary folder
    return Unexpected{BuildFailure{
        BuildFailure::Kind::grader_fault,
        {diagnose("WG-G10", error.what(), "free space in the folder for temporary files, or set TMPDIR")}}};
  }
}

std::vector<GpuPool::Lost> Runner::lost_gpus() const {
  return gpus_ ? gpus_->lost() : std::vector<GpuPool::Lost>{};
}

std::optional<Diagnostic> Runner::out_of_gpus() const {
  const auto lost = lost_gpus();
  if (!gpus_ || lost.size() < std::max<std::size_t>(options_.gpus.size(), 1)) return std::nullopt;
  return diagnose(
      "WG-G24", "no healthy GPU is left: " + lost.back().why,
      "check the GPUs with `nvidia-smi`, then continue with --resume, here or on another machine");
}

namespace {

vgpu::cudart::KeptCommands kept_commands(const harness::Job& job) {
  if (!job.needs_launch) return vgpu::cudart::KeptCommands::none;
  return harness::has_device_inputs(job) ? vgpu::cudart::KeptCommands::after_values
                                         : vgpu::cudart::KeptCommands::all;
}

}  // namespace

/// Programs that run at the same time on one device.
struct Runner::Group {
  std::span<const Built* const> programs;
  const harness::Job& job;
  std::span<const harness::Turn> turns;
  const vgpu::Profile& profile;
  vgpu::Checks checks;
  vgpu::Experiment experiment;
  std::function<void(BoxJob&)> adapt = {};  ///< changes each program's box; empty: not
  std::size_t turns_of_first = turns.size();
  harness::Wanted wanted_of_first =
      turns.empty() ? harness::Wanted::times_and_values : harness::Wanted::times;
  Host host = Host::as_it_is;
  bool follows_terms = false;
  bool starts_with_others = false;  ///< has the GPU to itself from the first turn on, not while it starts
};

CaseRun Runner::run(const Built& built, const harness::Job& job, const vgpu::Profile& profile,
                    vgpu::Checks checks, const vgpu::Experiment& experiment) const {
  const std::array programs{&built};
  return std::move(
      run_on_gpus(GpuRuns::Use::shared, {programs, job, {}, profile, checks, experiment}).front());
}

CaseRun Runner::run_with_terms(const Built& built, const harness::Job& job,
                               const vgpu::Profile& profile) const {
  const std::array programs{&built};
  Group group{programs, job, {}, profile, vgpu::Checks::all(), {}};
  group.follows_terms = true;
  return std::move(run_on_gpus(GpuRuns::Use::shared, group).front());
}

std::pair<CaseRun, CaseRun> Runner::run_interleaved(const Built& first, const Built& second,
                                                    const harness::Job& job,
                                                    std::span<const harness::Turn> turns,
                                                    std::size_t turns_of_first, const vgpu::Profile& profile,
                                                    Host host) const {
  harness::Job in_turns = job;
  in_turns.takes_turns = true;
  const std::array programs{&first, &second};
  Group group{programs, in_turns, turns, profile, {}, {}};
  group.turns_of_first = turns_of_first;
  group.host = host;
  std::vector<CaseRun> runs = run_on_gpus(GpuRuns::Use::alone, group);
  return {std::move(runs.front()), std::move(runs.back())};
}

CaseRun Runner::run_in_turns(const Built& built, const harness::Job& job,
                             std::span<const harness::Turn> turns, const vgpu::Profile& profile) const {
  harness::Job in_turns = job;
  in_turns.takes_turns = true;
  const std::array programs{&built};
  // The first program of a group is the baseline of a measurement, of which only the times are wanted.
  Group group{programs, in_turns, turns, profile, {}, {}};
  group.wanted_of_first = harness::Wanted::times_and_values;
  return std::move(run_on_gpus(GpuRuns::Use::shared, group).front());
}

CaseRun Runner::run_timed(const Built& built, const harness::Job& job, std::span<const harness::Turn> turns,
                          const vgpu::Profile& profile) const {
  harness::Job in_turns = job;
  in_turns.takes_turns = true;
  const std::array programs{&built};
  Group group{programs, in_turns, turns, profile, {}, {}};
  group.starts_with_others = true;
  return std::move(run_on_gpus(GpuRuns::Use::shared, group).front());
}

ToolRun Runner::run_under(const GpuTool& tool, const Built& built, const harness::Job& job) const {
  const TemporaryFolder temporary("warpgrade-tool");
  const std::filesystem::path folder = temporary.path() / "log";
  std::filesystem::create_directory(folder);
  const std::array programs{&built};
  const vgpu::Profile profile = vgpu::lecture_profile();
  const auto adapt = [&](BoxJob& box) {
    box.command.emplace_back(harness::kExactArrays);
    put_under_tool(box, tool, folder, sandbox_.kind().isolated);
  };
  auto runs = run_on_gpus(GpuRuns::Use::alone, {programs, job, {}, profile, {}, {}, adapt});
  return {std::move(runs.front()), read_tool_log(folder)};
}

std::vector<CaseRun> Runner::run_batch(const Built& built, std::span<const harness::Job* const> jobs) const {
  return on_gpus(GpuRuns::Use::shared, jobs.size(),
                 [&](const std::string& gpu, const auto&) { return run_batch_on(built, jobs, gpu); });
}

/// `runs`: how many `work` returns.
template <class Work>
std::vector<CaseRun> Runner::on_gpus(GpuRuns::Use use, std::size_t count, const Work& work) const {
  if (!gpus_) return work("", [] { return true; });
  auto runs = gpus_->run(use, work);
  if (runs && *runs) return std::move(**runs);
  if (runs && options_.stop != nullptr) *options_.stop = true;  // all further runs would fail in the same way
  return std::vector<CaseRun>(count, faulted_case(runs ? "no healthy GPU is left" : runs.error()));
}

std::vector<CaseRun> Runner::run_on_gpus(GpuRuns::Use use, const Group& group) const {
  return on_gpus(use, group.programs.size(), [&](const std::string& gpu, const auto& become_alone) {
    std::optional<QuietHost> quiet;
    std::optional<HostLoad> load;
    if (group.host == Host::quiet) quiet.emplace();
    if (!gpus_) load.emplace();
    return run_group(group, gpu, become_alone);
  });
}

std::vector<CaseRun> Runner::run_batch_on(const Built& built, std::span<const harness::Job* const> jobs,
                                          const std::string& gpu) const {
  std::vector<CaseRun> runs;
  try {
    BoxJob box = run_job(*this, built, gpu, false);
    use_one_queue(box);
    Program program(sandbox_, std::move(box), std::nullopt);
    for (bool goes_on = true; goes_on && runs.size() < jobs.size();) {
      harness::Job job = *jobs[runs.size()];
      job.is_last = runs.size() + 1 == jobs.size();
      harness::Conversation talk(program.channel(), job);
      harness::converse({&talk, 1});
      goes_on = !job.is_last && talk.state() == harness::Conversation::State::answered &&
                talk.answer().problem.empty();
      if (!goes_on) {
        ::shutdown(program.channel(), SHUT_RDWR);  // a program that waits for another job ends
        program.finish();
      }
      runs.push_back(goes_on ? answered_run(talk, job) : conclude(program, talk, job, {}, options_.device));
    }
    CaseRun skipped;
    skipped.end = CaseRun::End::stopped;
    runs.resize(jobs.size(), skipped);
    return runs;
  } catch (const std::system_error& error) {  // no sockets or threads left
    return std::vector<CaseRun>(jobs.size(), faulted_case(error.what()));
  }
}

/// An eighth of the limit, and a part of the rest that grows with the case: a kernel that never ends does so
/// in every case, and fails soon in the small ones. With the limit for labs, 2²⁶, still far above what a
/// program needs in which one thread does all the work.
std::uint64_t Runner::step_limit(const harness::Job& job) const {
  constexpr std::uint64_t kParts = std::uint64_t{1} << 16U, kLeastParts = kParts / 8;
  std::uint64_t parts = kLeastParts;  // one more for each element
  const auto add = [&](const auto& call) {
    for (const harness::Input& one : call.inputs) parts += element_count(one.shape);
    for (const harness::OutputSpec& one : call.outputs) parts += element_count(one.shape);
  };
  add(job);
  for (const harness::EarlierCall& one : job.earlier) add(one);
  return parts < kParts ? options_.step_limit / kParts * parts : options_.step_limit;
}

namespace {

/// Kernels whose values are scaled execute up to so many instructions for one (vgpu/analysis/scaling.cpp): a
/// slow program that is right must not run into the limit only then.
std::uint64_t steps_of(const vgpu::Experiment& experiment) {
  constexpr std::uint64_t kOfScaling = 48;
  return experiment.scaled == vgpu::Scaled::nothing ? 1 : kOfScaling;
}

}  // namespace

std::vector<CaseRun> Runner::run_group(const Group& group, const std::string& gpu,
                                       const GpuRuns::BecomeAlone& become_alone) const {
  std::optional<VirtualDevice> device;
  if (options_.device == DeviceKind::virtual_gpu)
    device = VirtualDevice{group.profile,
                           {.cpu_threads = options_.device_threads,
                            .step_limit = step_limit(group.job) * steps_of(group.experiment),
                            .most_memory_bytes = kMostDeviceBytes,
                            .checks = group.checks,
                            .experiment = group.experiment,
                            .records = options_.records && !group.follows_terms,
                            .follows_terms = group.follows_terms,
                            .finds_approximations = true},
                           kept_commands(group.job)};
  try {
    std::optional<GpuWatch> watch;
    const auto begin_watch = [&](GpuWatch::AtStart at_start) {
      if (nvml_ && !group.turns.empty()) watch.emplace(nvml_, granted_uuid(gpu), at_start);
    };
    if (!group.starts_with_others) begin_watch(GpuWatch::AtStart::only_others);
    vgpu::cudart::BusyTime waiting;  // for other measurements
    std::deque<Program> programs;
    for (const Built* built : group.programs) {
      BoxJob box = run_job(*this, *built, gpu, !group.turns.empty());
      if (!group.turns.empty() && programs.empty()) use_one_queue(box);  // the baseline
      if (group.starts_with_others) box.excused_time = [&] { return waiting.so_far(); };
      if (group.adapt) group.adapt(box);
      programs.emplace_back(sandbox_, std::move(box), device);
    }
    std::vector<harness::Conversation> talks;
    talks.reserve(programs.size());
    for (const Program& one : programs) {
      talks.emplace_back(one.channel(), group.job,
                         talks.empty() ? group.turns.first(group.turns_of_first) : group.turns,
                         talks.empty() ? group.wanted_of_first : harness::Wanted::times_and_values);
    }
    bool is_locked = true;
    harness::converse(talks, [&] {
      if (watch) watch->begin_again();  // others may use the GPU while the programs start
      if (!group.starts_with_others) return;
      waiting.begin();
      is_locked = become_alone();
      waiting.end();
      begin_watch(GpuWatch::AtStart::own_programs);
    });
    if (!is_locked) return {group.programs.size(), faulted_case("the GPU cannot be locked")};
    std::vector<CaseRun> runs;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      programs[i].finish();
      runs.push_back(conclude(programs[i], talks[i], group.job, group.turns, options_.device));
    }
    if (watch) {
      const auto record = watch->finish();
      for (CaseRun& run : runs) run.gpu = record;
    }
    return runs;
  } catch (const std::system_error& error) {  // no sockets or threads left
    return std::vector<CaseRun>(group.programs.size(), faulted_case(error.what()));
  }
}

}  // namespace grader
