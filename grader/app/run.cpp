// `warpgrade run`: runs the user's own program on the virtual GPU, with a profile, a report, counters.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/process.hpp"
#include "app/profile_output.hpp"
#include "base/files.hpp"
#include "report/exactness.hpp"
#include "report/timeline_svg.hpp"
#include "standalone/kernel_table.hpp"
#include "standalone/line_table.hpp"
#include "standalone/program_run.hpp"
#include "standalone/run_json.hpp"
#include "standalone/source_of_fault.hpp"
#include "standalone/trace_json.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string profile = "lecture";
  std::string memory;    ///< "", "profile" or a number of MiB
  std::string report;    ///< file; empty: none
  std::string trace;     ///< file; empty: none
  std::string timeline;  ///< file; empty: none
  bool counters = false;
  bool lines = false;
  bool kernels = false;
  ProfileOutput output;
  std::string also;          ///< profile of a second run, for its roofline; empty: none
  std::string title;         ///< the program's file name
  int fault_exit_code = -1;  ///< -1: keep the program's own exit code
  DeviceSettings device;
};

std::optional<std::uint64_t> bytes_of_mebibytes(std::string_view text) {
  constexpr std::uint64_t kMost = 1U << 20U;
  std::uint64_t mebibytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  if (error != std::errc() || end != text.data() + text.size() || mebibytes == 0 || mebibytes > kMost)
    return std::nullopt;
  return mebibytes << 20U;
}

int refuse(const std::string& why, int code) {
  say("warpgrade run: " + why);
  return code;
}

/// What to run instead of a program that cannot be started; empty: unknown.
std::string advice_for(const fs::path& program) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return "";
  if (program.extension() == ".cu") {
    const std::string built = program.stem().string();
    return fmt::format("\n  try: warpgrade nvcc -o {0} {1} && warpgrade run ./{0}", shell_word(built),
                       shell_word(program.string()));
  }
  // Without a slash, only the folders in PATH are searched.
  return program.has_parent_path() ? "" : "\n  try: warpgrade run ./" + shell_word(program.string());
}

bool write(const std::string& file, const std::string& text) {
  const auto written = write_file_atomically(file, text);
  if (!written) say("warpgrade run: cannot write " + file + ": " + written.error());
  return written.has_value();
}

/// The pictures and tables of all kernels. False: a file could not be written.
bool write_profile(const ProgramRun& run, const std::vector<DeviceRun>& others, const RunOptions& options,
                   const Console& console) {
  RunProfile profile;
  profile.title = options.title;
  profile.subtitle = "virtual device, profile " + options.device.profile.name;
  profile.run = {options.device.profile, run.programs};
  options.output.apply_to(profile);
  describe(profile, others, source_text);
  if (const auto refusal = options.output.problem_with(profile)) {
    complain(console, *refusal, kUsage);
    profile.choice = {};  // the program has run: everything else is shown
  }
  if (options.kernels) say(profile_text(profile, console.err));
  return options.output.write(profile, console);
}

/// Without tables, only what is not exact is worth a line.
void print_exactness(const ProgramRun& run, const RunOptions& options) {
  const auto has_inexact = [](const vgpu::cudart::SessionReport& program) {
    std::vector<InexactKernel> kernels;
    add_inexact_kernels(program, kernels);
    return !kernels.empty();
  };
  const bool is_asked_for = options.counters || options.lines;
  if (is_asked_for || std::any_of(run.programs.begin(), run.programs.end(), has_inexact))
    for (const std::string& line : exactness_lines(run.programs)) say("arithmetic: " + printable(line));
}

/// Writes the requested files and tables after the run; kernel faults were already reported when they
/// occurred. False: a file could not be written.
bool write_outputs(const ProgramRun& run, const std::vector<DeviceRun>& others, const RunOptions& options,
                   const Console& console) {
  if (options.counters) {
    std::string table = kernel_table(run, console.err);
    if (table.empty()) table = "no kernel was launched\n";
    say(table.substr(0, table.size() - 1));
  }
  if (options.lines) {
    std::string table = line_table(run, console.err);
    if (table.empty()) table = "no kernel ran to its end\n";
    say(table.substr(0, table.size() - 1));
  }
  if (!options.kernels) print_exactness(run, options);
  const vgpu::Profile& profile = options.device.profile;
  bool written = options.device.records ? write_profile(run, others, options, console) : true;
  if (!options.report.empty()) written &= write(options.report, run_json(run, profile));
  if (!options.trace.empty()) written &= write(options.trace, trace_json(run, profile));
  if (!options.timeline.empty()) written &= write(options.timeline, timeline_svg(run.programs, profile));
  return written;
}

/// With --also: the program's run on that profile, without output. The error is a sentence.
Expected<std::vector<DeviceRun>, std::string> further_runs(const std::vector<std::string>& command,
                                                           const RunOptions& options) {
  if (options.also.empty()) return std::vector<DeviceRun>{};
  DeviceSettings device = options.device;
  auto profile = vgpu::find_profile(options.also);
  if (!profile) return Unexpected{profile.error()};
  device.profile = *std::move(profile);
  device.checks = {};
  device.records = false;
  device.is_silent = true;
  auto run = run_program(command, device);
  if (!run) return Unexpected{run.error()};
  return std::vector<DeviceRun>{{device.profile, std::move(run->programs)}};
}

int run_command(RunOptions options, const std::vector<std::string>& command, const Console& console) {
  if (command.empty()) return refuse("no program given\nSee `warpgrade run --help`.", kUsage);
  if (command.front().starts_with('-'))
    return refuse("unknown option `" + printable(command.front()) + "`\nSee `warpgrade run --help`.", kUsage);
  auto profile = vgpu::find_profile(options.profile);
  if (!profile) return refuse(profile.error(), kUsage);
  options.device.profile = *std::move(profile);
  if (options.memory == "profile") {
    options.device.memory_bytes = options.device.profile.global_bytes;
  } else if (!options.memory.empty()) {
    const auto bytes = bytes_of_mebibytes(options.memory);
    if (!bytes) return refuse("--memory needs a number of MiB from 1 to 1048576, or `profile`", kUsage);
    options.device.memory_bytes = *bytes;
  }

  options.device.records = options.kernels || options.output.is_wanted();
  if (options.device.records && !options.device.checks.any())
    return refuse("--kernels, --page and --pictures need the checks: leave out --no-checks", kUsage);
  if (!options.also.empty() && !options.device.records)
    return refuse("--also adds a roofline: use it with --kernels, --page or --pictures", kUsage);
  if (const auto problem = options.output.problem_with_page()) return complain(console, *problem, kFault);
  options.title = command.front().substr(command.front().rfind('/') + 1);

  if (const auto problem = prepare_process()) return complain(console, *problem, kFault);
  const auto run = run_program(command, options.device);
  if (!run) return refuse(run.error() + advice_for(command.front()), kUsage);
  const auto others = further_runs(command, options);
  if (!others) return refuse(others.error(), kUsage);
  if (!write_outputs(*run, *others, options, console)) return kFault;
  if (options.fault_exit_code >= 0 && run->faulted()) return options.fault_exit_code;
  constexpr int kSignalBase = 128;  // as in shells
  return run->signal != 0 ? kSignalBase + run->signal : run->exit_code;
}

}  // namespace

void add_run(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<RunOptions>();
  Subcommand command = root.subcommand("run", R"(Examples:
  warpgrade run ./saxpy 1000
  warpgrade run --counters ./saxpy 1000           counters of every kernel, on stderr
  warpgrade run --lines ./saxpy 1000              counters of every source line
  warpgrade run --page saxpy.html ./saxpy 1000    pictures of accesses, divergence, roofline
  warpgrade run --kernels --also h200 ./saxpy     tables, and the roofline of an H200 too
  warpgrade run --report saxpy.json ./saxpy 1000  everything, as JSON
  warpgrade run --timeline streams.svg ./overlap  when copies and kernels ran, as a picture
  warpgrade run --trace streams.json ./overlap    the timeline for https://ui.perfetto.dev

Runs a program that was built with `warpgrade nvcc` on a virtual GPU of your choice.
The exit status is that of the program)");
  command.option("--profile", options->profile, "the device: a name (lecture, h200), or a JSON file")
      .type_name("NAME|FILE");
  command
      .option(
          "--memory", options->memory,
          "MiB of device memory, or `profile`: as much as the device has; otherwise 3/4 of this machine's")
      .type_name("N");
  command.option("--report", options->report, "write launches, counters, times, faults and API failures")
      .type_name("FILE");
  command.option("--timeline", options->timeline, "draw streams and engines over modelled time, as SVG")
      .type_name("FILE");
  command.option("--trace", options->trace, "write the timeline as a trace that Perfetto and Chrome open")
      .type_name("FILE");
  command.flag("--counters", options->counters, "print a table of the kernels' counters at the end");
  command.flag("--lines", options->lines,
               "print counters of every source line at the end, the busiest first");
  command.flag("--kernels", options->kernels,
               "print the profile of every kernel at the end, as `warpgrade profile` does");
  add_profile_output(command, options->output);
  command
      .option("--also", options->also,
              "run the program once more on this device, without its output, and add its roofline: h200")
      .type_name("NAME|FILE");
  command.option("--error-exitcode", options->fault_exit_code, "exit status if a kernel had a fault")
      .range(0, 255)
      .type_name("N");
  command.flag(
      "--no-checks", [options] { options->device.checks = {}; },
      "do not check for races and reads of unwritten memory: several times faster");
  command.option("--threads", options->device.cpu_threads, "CPU threads that run the device; 0: all")
      .range(0, 1024)
      .type_name("N");
  command.option("--step-limit", options->device.step_limit, "warp instructions that one launch may execute")
      .type_name("N");
  command.ends_at_first_word();
  command.callback([command, options, &line] {
    const std::vector<std::string> words = command.rest();
    line.chosen = [options, words](const Console& console) { return run_command(*options, words, console); };
  });
}

}  // namespace grader::app
