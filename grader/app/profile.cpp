// `warpgrade profile`: what one case of a lab does on the virtual GPU, in tables and pictures; with a real
// GPU, next to what the tools of the CUDA Toolkit measure and find.

#include <filesystem>

#include <fmt/format.h>

#include "app/case_profile.hpp"
#include "app/chosen_lab.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/gpu_profile.hpp"
#include "app/profile_output.hpp"
#include "app/session.hpp"
#include "report/check_text.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  SessionOptions session;
  LabArguments lab;
  std::string case_name;
  ProfileOutput output;
};

struct Profiled {
  Result result;
  std::optional<CaseRun> run;  ///< none if the file does not compile
};

std::optional<Profiled> run_case(const Lab& lab, const Runner& runner, const fs::path& source,
                                 const vgpu::Profile& device, const BuildCache& cache) {
  GradingOptions options = grading_options();
  options.cache = &cache;
  options.profile = device;
  std::optional<CaseRun> run;
  const GradingObserver observer{{}, [&](DeviceKind, const CaseRun& one, const CaseVerdict&) { run = one; }};
  auto result = Grading(lab, runner, options).grade("local", source, observer);
  if (!result) return std::nullopt;
  return Profiled{*std::move(result), std::move(run)};
}

const Runner& virtual_runner(const Session& session) { return *session.runners().on_virtual; }

/// A runner that does not record: only counters and times are needed.
Runner plain_runner(const Session& session) {
  RunnerOptions options = virtual_runner(session).options();
  options.records = false;
  return {session.paths, session.runner->front_end(), session.runner->sandbox(), options};
}

/// The device on which the case cannot run, as people call it; nullptr: it can run on all of the session's.
const char* impossible_device(const Case& one_case, const Session& session) {
  if (!one_case.runs_on(DeviceKind::virtual_gpu)) return "the virtual GPU";
  return session.second && !one_case.runs_on(DeviceKind::cuda) ? "a real GPU" : nullptr;
}

/// The most serious result of the run, as an exit code.
int exit_code_of(const Profiled& profiled, const RunProfile& profile) {
  if (profile.gpu && !profile.gpu->problems.empty()) return kFault;
  if (profile.gpu && !profile.gpu->findings.empty()) return kFailed;
  return first_diagnostic(profiled.result.score) == nullptr || profile.notes.empty() ? kPassed : kFailed;
}

int profile_case(const Session& session, const ChosenLab& chosen, const ProfileOptions& options,
                 const Console& console) {
  const Lab& whole = chosen.lab;
  const fs::path& given = chosen.source;
  const std::string name = options.case_name.empty() ? default_case(whole) : options.case_name;
  const Case* definition = whole.find_case(name);
  if (definition == nullptr) return complain(console, no_such_case(whole, name), kUsage);
  if (const char* device = impossible_device(*definition, session))
    return complain(console,
                    usage_error(fmt::format("case {} does not run on {}", name, device), "name another case"),
                    kNothingGraded);
  report_distant_file(chosen);
  std::error_code error;
  const fs::path source = fs::canonical(given, error);
  if (error)
    return complain(console,
                    usage_error(fmt::format("cannot read {}: {}", printable(given.string()), error.message()),
                                "name your file with --source FILE"),
                    kUsage);

  const Lab lab = only_cases(whole, {name});
  const BuildCache cache(BuildCache::default_folder());
  auto profiled = run_case(lab, virtual_runner(session), source, vgpu::lecture_profile(), cache);
  if (!profiled) return kInterrupted;
  const bool is_fault = profiled->result.score.status == ResultStatus::grader_fault;
  if (!profiled->run || is_fault) {
    print(case_text(lab, profiled->result, {shown_path(given), ""}, console.out));
    return is_fault ? kFault : kFailed;
  }
  const vgpu::Profile h200 = *vgpu::find_profile("h200");
  const auto second = run_case(lab, plain_runner(session), source, h200, cache);
  if (!second) return kInterrupted;
  std::vector<DeviceRun> others;
  if (second->run) others.push_back({profile_for(*definition, h200), {second->run->session}});
  RunProfile profile =
      case_profile(lab, *definition, profiled->result, std::move(profiled->run->session), source, others);
  if (session.second && second->run)
    profile.gpu = gpu_facts(*session.runner, cache, lab, *definition, source, second->run->session);
  options.output.apply_to(profile);
  if (const auto refusal = options.output.problem_with(profile)) return complain(console, *refusal, kUsage);
  print(profile_text(profile, console.out));
  if (!options.output.write(profile, console)) return kFault;
  return exit_code_of(*profiled, profile);
}

int profile(ProfileOptions options, const Console& console) {
  if (const auto problem = options.output.problem_with_page()) return complain(console, *problem, kFault);
  if (options.session.device == "cuda") options.session.device = "both";
  options.session.records = true;
  const auto session = open_session(options.session, Isolation::preferred, default_jobs());
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto chosen = chosen_lab(session->paths, options.lab);
  if (!chosen) return complain(console, chosen.error(), kUsage);
  return profile_case(*session, *chosen, options, console);
}

}  // namespace

void add_profile(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ProfileOptions>();
  options->session.device = "virtual";
  Subcommand command = root.subcommand("profile", R"(Examples:
  warpgrade profile 02-tiled-matmul
  warpgrade profile 04-coalescing --case 248x264 --page profile.html
  warpgrade profile 04 --source mine.cu --line 31 --pictures pictures
  warpgrade profile 02-tiled-matmul --ptx          the PTX below each source line
  warpgrade profile 02-tiled-matmul --device both  next to the counters of this machine's GPU

Shows what your kernels do: counters with their ideal values for each kernel and source line, what limits
the kernel and its occupancy, accesses of a warp, divergence, the roofline, the timeline)");
  add_lab_arguments(command, options->lab, "profile");
  command.option("--case", options->case_name, "the case to run (default: the one that is timed)")
      .type_name("NAME");
  add_profile_output(command, options->output);
  add_session_options(command, options->session);
  command.remove_option("--device");
  command
      .option("--device", options->session.device,
              "virtual (default), or both: also run the case on the real GPU, under Nsight Compute and "
              "compute-sanitizer if they are installed (cuda means the same)")
      .one_of({"virtual", "both", "cuda"})
      .type_name("KIND");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return profile(*options, console); };
  });
}

}  // namespace grader::app
