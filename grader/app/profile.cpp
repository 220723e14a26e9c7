// `warpgrade profile`: what one case of a lab does on the virtual GPU, in tables and pictures.

#include <filesystem>

#include <fmt/format.h>

#include "app/case_profile.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/profile_output.hpp"
#include "app/session.hpp"
#include "report/check_text.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  SessionOptions session;
  std::string lab, source, case_name;
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

/// A runner that does not record: only counters and times are needed.
Runner plain_runner(const Session& session) {
  RunnerOptions options = session.runner->options();
  options.records = false;
  return {session.paths, session.runner->front_end(), session.runner->sandbox(), options};
}

int profile_case(const Session& session, const Lab& whole, const ProfileOptions& options,
                 const Console& console) {
  const std::string name = options.case_name.empty() ? default_case(whole) : options.case_name;
  const Case* definition = whole.find_case(name);
  if (definition == nullptr) return complain(console, no_such_case(whole, name), kUsage);
  if (!definition->runs_on(DeviceKind::virtual_gpu))
    return complain(console,
                    usage_error("case " + name + " does not run on the virtual GPU", "name another case"),
                    kNothingGraded);
  const fs::path given =
      options.source.empty() ? whole.folder / whole.sources.front() : fs::path(options.source);
  std::error_code error;
  const fs::path source = fs::canonical(given, error);
  if (error)
    return complain(console,
                    usage_error(fmt::format("cannot read {}: {}", printable(given.string()), error.message()),
                                "name your file with --source FILE"),
                    kUsage);

  const Lab lab = only_cases(whole, {name});
  const BuildCache cache(BuildCache::default_folder());
  auto profiled = run_case(lab, *session.runner, source, vgpu::lecture_profile(), cache);
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
  options.output.apply_to(profile);
  if (const auto refusal = options.output.problem_with(profile)) return complain(console, *refusal, kUsage);
  print(profile_text(profile, console.out));
  if (!options.output.write(profile)) return kFault;
  return first_diagnostic(profiled->result.score) == nullptr || profile.notes.empty() ? kPassed : kFailed;
}

int profile(ProfileOptions options, const Console& console) {
  options.session.device = "virtual";
  options.session.records = true;
  const auto session = open_session(options.session, Isolation::preferred, default_jobs());
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto chosen = chosen_lab(session->paths, options.lab, options.source);
  if (!chosen) return complain(console, chosen.error(), kUsage);
  options.source = chosen->source;
  return profile_case(*session, chosen->lab, options, console);
}

}  // namespace

void add_profile(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ProfileOptions>();
  Subcommand command = root.subcommand("profile", R"(Examples:
  warpgrade profile 02-tiled-matmul
  warpgrade profile 04-coalescing --case 248x264 --page profile.html
  warpgrade profile 04 --source mine.cu --line 31 --pictures pictures
  warpgrade profile 02-tiled-matmul --ptx          the PTX below each source line

Shows what your kernels do: counters with their ideal values for each kernel and source line, what limits
the kernel and its occupancy, accesses of a warp, divergence, the roofline, the timeline)");
  command.option("LAB", options->lab, kLabOrHere);
  command.option("--case", options->case_name, "the case to run (default: the one that is timed)")
      .type_name("NAME");
  command.option("--source", options->source, "profile this file instead of the one in labs/")
      .type_name("FILE");
  add_profile_output(command, options->output);
  add_session_options(command, options->session);
  command.remove_option("--device");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return profile(*options, console); };
  });
}

}  // namespace grader::app
