#include "app/session.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <thread>

#include <fmt/ranges.h>

#include "app/build_identity.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/process.hpp"
#include "base/files.hpp"
#include "base/spelling.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {
namespace {

/// "lab 02-tiled-matmul has no case `on`; did you mean `one`?"
Diagnostic no_such(const std::string& owner, const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known) {
  return usage_error(
      fmt::format("{} has no {} `{}`{}", owner, kind, printable(name), did_you_mean(name, known)),
      fmt::format("use one of: {}", fmt::join(known, ", ")));
}

namespace fs = std::filesystem;

// Ten times what the largest case of a lab takes. An endless kernel reaches the limit within a second or two,
// well before the time limit, so that it gets the same verdict on every machine.
constexpr std::uint64_t kStepLimit = std::uint64_t{1} << 26U;

std::optional<FrontEndKind> requested_front_end(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return word == "nvcc" ? FrontEndKind::nvcc : FrontEndKind::clang;
}

/// The devices to run on; with a real GPU, its name.
struct ChosenDevice {
  Devices devices = Devices::virtual_gpu;
  std::string name = "virtual";
  std::vector<CudaDevice> gpus = {};
};

Expected<std::vector<CudaDevice>, Diagnostic> usable_gpus(const std::optional<std::string>& requested,
                                                          const KitPaths& paths, const FrontEnd& front_end,
                                                          const Sandbox& sandbox) {
  if (front_end.kind == FrontEndKind::nvcc) {
    if (requested) return find_cuda_devices(paths, front_end, sandbox, *requested);
    auto first = find_cuda_device(paths, front_end, sandbox);
    if (!first) return Unexpected{first.error()};
    return std::vector{*std::move(first)};
  }
  return Unexpected{diagnose("WG-G24", "a real GPU needs nvcc, but the front end is clang",
                             "use --device virtual, or install a CUDA Toolkit")};
}

Expected<ChosenDevice, NoSession> choose_device(const SessionOptions& options, const KitPaths& paths,
                                                const FrontEnd& front_end, const Sandbox& sandbox) {
  if (options.device == "virtual") return ChosenDevice{};
  auto gpus = usable_gpus(options.gpus, paths, front_end, sandbox);
  if (gpus) {
    const std::string count = gpus->size() > 1 ? fmt::format("{} x ", gpus->size()) : "";
    const bool both = options.device == "both" || (options.device == "auto" && options.takes_both);
    const Devices devices = both ? Devices::both : Devices::cuda;
    return ChosenDevice{devices, fmt::format("{}, {}{}", to_string(devices), count, gpus->front().name),
                        *std::move(gpus)};
  }
  if (options.device == "auto" && (!options.gpus || options.gpus->empty())) return ChosenDevice{};
  return Unexpected{NoSession{gpus.error(), kNothingGraded}};
}

RunnerOptions runner_options(const SessionOptions& options, const ChosenDevice& device,
                             unsigned default_device_threads) {
  RunnerOptions runner;
  runner.device = timing_device(device.devices);
  runner.gpus = device.gpus;
  runner.device_threads = options.device_threads > 0 ? options.device_threads : default_device_threads;
  if (options.time_limit_s > 0) {
    runner.run_limits.wall =
        std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit_s * 1000));
    runner.run_limits.cpu = std::chrono::seconds(static_cast<std::int64_t>(options.time_limit_s) + 1);
  }
  runner.step_limit = kStepLimit;
  runner.records = options.records;
  runner.stop = &stop_flag();
  return runner;
}

/// Of a fact about the machine, which its user need not read with each check. If the cache cannot be written,
/// the note is shown each time.
void say_once(const std::string& note) {
  const fs::path seen = BuildCache::default_folder() / "sandbox-note";
  if (const auto before = read_file(seen, kMaxSourceBytes); before && *before == note) return;
  say(note);
  std::error_code ignored;
  fs::create_directories(seen.parent_path(), ignored);
  (void)write_file_atomically(seen, note);
}

Expected<Sandbox, NoSession> open_sandbox(const SessionOptions& options, Isolation isolation) {
  if (options.unsafe_no_sandbox) {
    say("warning: --unsafe-no-sandbox: submissions run with your permissions on this machine; every result "
        "records this");
    return Sandbox::without_isolation();
  }
  auto sandbox = Sandbox::open();
  if (sandbox) return *std::move(sandbox);
  if (isolation == Isolation::required) return Unexpected{NoSession{sandbox.error(), kFault}};
  say_once("note: " + sandbox.error().what +
           "; your program runs without a sandbox (shown once; `warpgrade doctor` shows it again)");
  return Sandbox::without_isolation();
}

/// A runner with the same compiler, sandbox and limits on the virtual GPU.
std::unique_ptr<Runner> virtual_twin(const Runner& runner) {
  RunnerOptions options = runner.options();
  options.device = DeviceKind::virtual_gpu;
  return std::make_unique<Runner>(runner.paths(), runner.front_end(), runner.sandbox(), options);
}

std::vector<std::string> lab_names(const fs::path& labs) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(labs, error), end; !error && entry != end; entry.increment(error))
    if (fs::is_regular_file(entry->path() / "lab.json", error))
      names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The last component: students complete a lab's name as a path, "labs/02-tiled-matmul/".
std::string last_component(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Diagnostic unknown_lab(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> begun;
  std::copy_if(known.begin(), known.end(), std::back_inserter(begun),
               [&](const std::string& lab) { return !name.empty() && lab.starts_with(name); });
  if (begun.size() > 1)
    return usage_error("the names of several labs begin with `" + printable(name) + "`",
                       fmt::format("use one of: {}", fmt::join(begun, ", ")));
  if (name.ends_with(".cu"))
    return usage_error("`" + printable(name) + "` is a source file, not the name of a lab",
                       fmt::format("warpgrade check LAB --source {}, where LAB is one of {}",
                                   printable(shell_word(name)), fmt::join(known, ", ")));
  return usage_error("there is no lab `" + printable(name) + "`" + did_you_mean(name, known),
                     fmt::format("use one of: {}", fmt::join(known, ", ")));
}

void add_compiler_and_limits(Subcommand command, SessionOptions& options) {
  command
      .option("--front-end", options.front_end,
              "the compiler: nvcc, clang (default: nvcc if it is installed)")
      .one_of({"nvcc", "clang"})
      .type_name("NAME");
  command
      .option("--device-threads", options.device_threads,
              "CPU threads of the virtual GPU; results never depend on the number")
      .range(1, 256)
      .type_name("N");
  command.option("--time-limit", options.time_limit_s, "seconds that one case may take (default 20)")
      .range(0.1, 3600.0)
      .type_name("SECONDS");
}

}  // namespace

void add_session_options(Subcommand command, SessionOptions& options) {
  command.option("--device", options.device, "auto (a real GPU if there is one), virtual, cuda")
      .one_of({"auto", "virtual", "cuda"})
      .type_name("KIND");
  add_compiler_and_limits(command, options);
}

void add_grading_options(Subcommand command, SessionOptions& options) {
  options.takes_both = true;
  command
      .option(
          "--device", options.device,
          "auto (both if there is a real GPU), both (speed from the real GPU, checks and counters from the "
          "virtual one), virtual, cuda")
      .one_of({"auto", "both", "virtual", "cuda"})
      .type_name("KIND");
  add_compiler_and_limits(command, options);
}

Expected<Session, NoSession> open_session(const SessionOptions& options, Isolation isolation,
                                          unsigned default_device_threads) {
  if (auto problem = prepare_process()) return Unexpected{NoSession{*std::move(problem), kFault}};
  auto paths = find_kit();
  if (!paths) return Unexpected{NoSession{paths.error(), kFault}};
  // Both wait for other programs, so they run at the same time.
  auto found = std::async(std::launch::async, find_front_end, requested_front_end(options.front_end));
  auto sandbox = open_sandbox(options, isolation);
  auto front_end = found.get();
  if (!front_end) return Unexpected{NoSession{front_end.error(), kFault}};
  if (!sandbox) return Unexpected{sandbox.error()};
  auto device = choose_device(options, *paths, *front_end, *sandbox);
  if (!device) return Unexpected{device.error()};
  const RunnerOptions limits = runner_options(options, *device, default_device_threads);
  auto runner = std::make_unique<Runner>(*paths, *std::move(front_end), *std::move(sandbox), limits);
  auto second = device->devices == Devices::both ? virtual_twin(*runner) : nullptr;
  return Session{*paths, std::move(runner), device->name, std::move(second)};
}

Session on_virtual_gpu(const Session& session) {
  return {session.paths, virtual_twin(*session.runner), "virtual", nullptr};
}

GradingOptions grading_options() {
  GradingOptions options;
  options.grader_version = version_text();
  return options;
}

Expected<std::vector<std::string>, Diagnostic> lab_ids_named(const KitPaths& paths,
                                                             const std::vector<std::string>& names) {
  const std::vector<std::string> known = lab_names(paths.labs);
  std::vector<std::string> ids;
  for (const std::string& name : names.empty() ? known : names) {
    const auto id = completed(last_component(name), known);
    if (!id) return Unexpected{unknown_lab(name, known)};
    if (std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  return ids;
}

Expected<std::vector<Lab>, Diagnostic> labs_named(const KitPaths& paths,
                                                  const std::vector<std::string>& names) {
  const auto ids = lab_ids_named(paths, names);
  if (!ids) return Unexpected{ids.error()};
  std::vector<Lab> labs;
  for (const std::string& id : *ids) {
    auto lab = load_lab(paths.labs / id);
    if (!lab) return Unexpected{lab.error()};
    labs.push_back(*std::move(lab));
  }
  return labs;
}

std::string lab_after(const KitPaths& paths, const std::string& lab) {
  const std::vector<std::string> known = lab_names(paths.root / "labs");
  const auto next = std::upper_bound(known.begin(), known.end(), lab);
  return next == known.end() ? "" : *next;
}

Diagnostic no_such_task(const Lab& lab, const std::string& name) {
  std::vector<std::string> tasks;
  for (const Task& task : lab.tasks) tasks.push_back(task.id);
  return no_such("lab " + lab.id, "task", name, tasks);
}

Diagnostic no_such_case(const Lab& lab, const std::string& name) {
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    const Task* task = lab.find_task(name.substr(0, slash));
    if (task == nullptr) return no_such_task(lab, name.substr(0, slash));
    return no_such("task " + task->id, "case", name.substr(slash + 1), task->cases);
  }
  std::vector<std::string> cases;
  for (const Case& one : lab.cases) cases.push_back(one.name);
  return no_such("lab " + lab.id, "case", name, cases);
}

void report_lost_gpus(const Runner& runner) {
  for (const GpuPool::Lost& lost : runner.lost_gpus())
    say(fmt::format("note: GPU {} was taken out of use: {}; its last work was repeated", lost.gpu, lost.why));
}

unsigned default_jobs() { return std::thread::hardware_concurrency() + 1; }

std::string version_text() { return fmt::format("{}+{}", WARPGRADE_VERSION, build_identity()); }

}  // namespace grader::app
