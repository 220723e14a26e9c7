#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "report/numbers.hpp"
#include "report/progress.hpp"
#include "schedule/calibration.hpp"
#include "schedule/pool.hpp"
#include "schedule/promises.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kRunsOnCuda = 20;
constexpr std::size_t kMaxExpectedBytes = std::size_t{4} << 20U;

struct CalibrateOptions {
  SessionOptions session;
  std::vector<std::string> labs;
  std::vector<std::string> kinds;  ///< empty: every ReferenceKind
  int runs = 0;                    ///< 0: the device's default
  std::string format = "text";
};

struct Program {
  std::string name;  ///< relative to the kit
  fs::path path;
  ReferenceKind kind = ReferenceKind::slow;
};

/// The lab's reference programs of the requested kinds: the taught solution, other accepted solutions, the
/// naive program, and programs that are expected to be too slow.
Expected<std::vector<Program>, std::string> programs_of(const Lab& lab, const KitPaths& paths,
                                                        const std::vector<std::string>& kinds) {
  const fs::path folder = paths.root / "solutions" / lab.id;
  const auto text = read_file(folder / "expected.json", kMaxExpectedBytes);
  if (!text) return Unexpected{text.error()};
  const auto promises = parse_promises(*text);
  if (!promises) return Unexpected{(folder / "expected.json").string() + ": " + promises.error()};

  std::vector<Program> programs;
  const auto add = [&](const fs::path& path, ReferenceKind kind) {
    programs.push_back({path.lexically_relative(paths.root).string(), path, kind});
  };
  add(folder / lab.sources.front(), ReferenceKind::solution);
  for (const auto& [file, promise] : promises->files)
    if (promise.verdict == "accepted" && file != lab.sources.front())
      add(folder / file, ReferenceKind::accepted);
  add(paths.root / baseline_source(lab.workload), ReferenceKind::slow);
  for (const auto& [file, promise] : promises->files)
    if (promise.verdict == "too_slow") add(folder / file, ReferenceKind::slow);
  std::erase_if(programs, [&](const Program& program) {
    return !kinds.empty() && std::find(kinds.begin(), kinds.end(), to_string(program.kind)) == kinds.end();
  });
  return programs;
}

/// The speed-ups of one lab, measured program by program.
class LabCalibration {
 public:
  /// `classifier` is a runner on the virtual GPU, whose times do not vary: a program that misses a threshold
  /// there must miss it on every device.
  LabCalibration(const Lab& lab, std::vector<Program> programs, const Runner& runner,
                 const Runner& classifier, unsigned jobs)
      : lab_(only_speedups(lab)),
        programs_(std::move(programs)),
        runner_(runner),
        cache_(BuildCache::default_folder()),
        grading_(lab_, runner, options()),
        classifier_(lab_, classifier, options()),
        jobs_(jobs) {}

  /// If interrupted, the calibration has the runs made so far.
  std::vector<Calibration> measure(int runs, const Terminal& terminal) {
    build_and_classify();
    std::vector<std::map<std::string, std::vector<double>>> found(programs_.size());
    ProgressLine progress(terminal, write_to_stderr);
    for (int run = 0; run < runs; ++run)
      for (std::size_t i = 0; i < programs_.size() && !was_interrupted(); ++i) {
        progress.show(fmt::format("{}: run {} of {}, {}", lab_.id, run + 1, runs, programs_[i].name));
        if (!is_measured(i)) continue;
        for (const auto& [name, speedup] : speedups(grading_, programs_[i]))
          found[i][name].push_back(speedup);
      }
    std::vector<Calibration> calibrations;
    for (const Task& task : lab_.tasks) calibrations.push_back(calibration_of(*task.speedup, found));
    return calibrations;
  }

 private:
  GradingOptions options() const {
    GradingOptions options = grading_options();
    options.cache = &cache_;
    return options;
  }

  void build_and_classify() {
    misses_.resize(programs_.size());
    run_jobs(jobs_, programs_.size(), stop_flag(), [&](std::size_t i) {
      const Program& program = programs_[i];
      if (runner_.options().device == DeviceKind::cuda)  // so that no compilation disturbs a measurement
        (void)cache_.build(runner_, program.path, lab_.sources.front(), &lab_.rules);
      if (program.kind != ReferenceKind::slow) return;
      const auto result = classifier_.grade(program.name, program.path);
      if (!result) return;
      for (const Performance& one : result->score.performance)
        if (one.verdict == SpeedVerdict::fail) misses_[i].push_back(one.case_name);
    });
  }

  bool misses(std::size_t program, const Speedup& speedup) const {
    const auto& missed = misses_[program];
    return std::find(missed.begin(), missed.end(), speedup.virtual_case) != missed.end();
  }

  bool is_measured(std::size_t program) const {
    return programs_[program].kind != ReferenceKind::slow || !misses_[program].empty();
  }

  static std::map<std::string, double> speedups(const Grading& grading, const Program& program) {
    std::map<std::string, double> found;
    if (const auto result = grading.grade(program.name, program.path))
      for (const Performance& one : result->score.performance)
        if (one.verdict != SpeedVerdict::invalid) found[one.case_name] = one.speedup;
    return found;
  }

  Calibration calibration_of(const Speedup& speedup,
                             std::vector<std::map<std::string, std::vector<double>>>& found) const {
    const DeviceKind device = runner_.options().device;
    Calibration calibration{lab_.id, speedup.case_on(device), speedup.threshold_on(device), {}};
    for (std::size_t i = 0; i < programs_.size(); ++i)
      if (programs_[i].kind != ReferenceKind::slow || misses(i, speedup))
        calibration.programs.push_back(
            {programs_[i].name, programs_[i].kind, found[i][calibration.case_name]});
    return calibration;
  }

  const Lab lab_;
  const std::vector<Program> programs_;
  const Runner& runner_;
  const BuildCache cache_;
  const Grading grading_, classifier_;
  const unsigned jobs_;
  std::vector<std::vector<std::string>> misses_;  ///< per program: missed cases on the virtual GPU
};

std::string speed_text(double value) { return value > 0 ? fmt::format("{:.3f}", value) : "-"; }

std::string threshold_text(const SpeedThreshold& threshold) {
  return fmt::format("full from {}, half from {}", value_text(threshold.full), value_text(threshold.half));
}

void print_text(const Calibration& calibration, const std::string& device, const Terminal& terminal) {
  constexpr std::size_t kKindWidth = 8, kNumberWidth = 9;
  const std::size_t name_width = terminal.width - 2 - 2 - kKindWidth - 3 * kNumberWidth;
  const auto line = [&](const std::string& name, std::string_view kind, const std::string& least,
                        const std::string& median, const std::string& most) {
    print("  " + left(name, name_width, terminal) + "  " + left(kind, kKindWidth, terminal) +
          right(least, kNumberWidth, terminal) + right(median, kNumberWidth, terminal) +
          right(most, kNumberWidth, terminal) + "\n");
  };
  const std::size_t runs = calibration.programs.empty() ? 0 : calibration.programs.front().speedups.size();
  print(cut(fmt::format("{}: speed-up over naive, {}", calibration.lab, calibration.case_name),
            terminal.width, terminal) +
        "\n" +
        cut(fmt::format("{}, {} run{} each", device, runs, runs == 1 ? "" : "s"), terminal.width, terminal) +
        "\n");
  line("program", "", "least", "median", "most");
  for (const ReferenceRuns& one : calibration.programs)
    line(fs::path(one.program).parent_path().filename().string() + "/" +
             fs::path(one.program).filename().string(),
         to_string(one.kind), speed_text(one.least()), speed_text(one.median()), speed_text(one.most()));

  const auto problems = threshold_problems(calibration);
  const auto paragraph = [&](const std::string& head, Ink ink, const std::string& text) {
    const std::vector<std::string> lines = wrap(text, terminal.width - 9);
    for (std::size_t i = 0; i < lines.size(); ++i)
      print((i == 0 ? "  " + paint(terminal, ink, head) + std::string(7 - head.size(), ' ')
                    : std::string(9, ' ')) +
            lines[i] + "\n");
  };
  if (problems.empty())
    paragraph("holds", Ink::good, threshold_text(calibration.present));
  else
    paragraph("FAILS", Ink::bad, threshold_text(calibration.present));
  for (const std::string& problem : problems) paragraph("", Ink::bad, problem);
  const bool has_fast = std::any_of(calibration.programs.begin(), calibration.programs.end(),
                                    [](const auto& one) { return one.kind != ReferenceKind::slow; });
  if (const auto threshold = proposed_threshold(calibration))
    paragraph("try", Ink::quiet, threshold_text(*threshold));
  else if (has_fast)
    paragraph("try", Ink::quiet,
              "no threshold: a slow program is too close to the solution; choose another case or a slower "
              "baseline");
}

Json json_of(const SpeedThreshold& threshold) { return {{"full", threshold.full}, {"half", threshold.half}}; }

Json json_of(const Calibration& calibration) {
  Json programs = Json::array();
  for (const ReferenceRuns& one : calibration.programs)
    programs.push_back({{"program", one.program}, {"kind", to_string(one.kind)}, {"speedups", one.speedups}});
  const auto threshold = proposed_threshold(calibration);
  return {{"lab", calibration.lab},
          {"case", calibration.case_name},
          {"present", json_of(calibration.present)},
          {"proposed", threshold ? json_of(*threshold) : Json()},
          {"problems", threshold_problems(calibration)},
          {"programs", std::move(programs)}};
}

int calibrate(const CalibrateOptions& options, const Console& console) {
  if (const auto problem = only_in_whole_kit("calibrate")) return complain(console, *problem, kUsage);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  auto session = open_session(options.session, Isolation::preferred, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const Session classifier = on_virtual_gpu(*session);
  const auto labs = labs_named(session->paths, options.labs);
  if (!labs) return complain(console, labs.error(), kUsage);
  // Times on the virtual GPU do not vary, so one run is enough.
  const bool varies = session->runner->options().device == DeviceKind::cuda;
  const int runs = options.runs > 0 ? options.runs : varies ? kRunsOnCuda : 1;

  Json document{
      {"schema", "warpgrade.calibration/1"}, {"device", session->device_name}, {"speedups", Json::array()}};
  bool holds = true, first = true;
  for (const Lab& lab : *labs) {
    if (was_interrupted()) break;
    auto programs = programs_of(lab, session->paths, options.kinds);
    if (!programs)
      return complain(console, diagnose("WG-G02", programs.error(), "run warpgrade lint " + lab.id), kUsage);
    const auto measured =
        LabCalibration(lab, *std::move(programs), *session->runner, *classifier.runner, cores)
            .measure(runs, console.err);
    for (const Calibration& one : measured) {
      holds &= threshold_problems(one).empty();
      if (options.format == "json") {
        document["speedups"].push_back(json_of(one));
        continue;
      }
      if (!std::exchange(first, false)) print("\n");
      print_text(one, session->device_name, console.out);
    }
  }
  if (options.format == "json") print(json_text(document, 2) + "\n");
  if (was_interrupted()) return kInterrupted;
  return holds ? kPassed : kFailed;
}

}  // namespace

void add_calibrate(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<CalibrateOptions>();
  Subcommand command = root.subcommand("calibrate", R"(Examples:
  warpgrade calibrate --device cuda
  warpgrade calibrate 02-tiled-matmul --device cuda --runs 5 --format json

Measures solutions and slow programs repeatedly, shows whether the labs' thresholds are suitable for this
device, and proposes thresholds)");
  command.option("LAB", options->labs, "only these labs (default: all)");
  command.option("--kind", options->kinds, "only programs of this kind (may be repeated)")
      .one_of({"solution", "accepted", "slow"})
      .type_name("KIND")
      .one_value_at_a_time();
  command
      .option("--runs", options->runs, "runs of each program (default: 20 on a real GPU, 1 on the virtual)")
      .range(1, 10000)
      .type_name("N");
  command.option("--format", options->format, "text, or json: one document")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  add_session_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return calibrate(*options, console); };
  });
}

}  // namespace grader::app
