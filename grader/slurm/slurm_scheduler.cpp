#include "slurm/slurm_scheduler.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "base/programs.hpp"
#include "sandbox/box.hpp"
#include "slurm/commands.hpp"
#include "slurm/slurm_diagnostics.hpp"

namespace grader::slurm {
namespace {

/// Slurm's own tools give up on a controller sooner; a long answer has one line for each of many jobs.
constexpr std::chrono::seconds kPatience{120};
constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{64} << 20U;
/// This number of jobs fits into a command line on every system.
constexpr std::size_t kJobsPerCancel = 200;

using Failure = Scheduler::Failure;

/// Variables for interactive use that would hide tasks, ask questions or make a command wait.
bool is_habit(std::string_view name) {
  return name.starts_with("SQUEUE_") || name.starts_with("SINFO_") || name.starts_with("SCANCEL_") ||
         name == "SBATCH_WAIT";
}

/// The tools might need all other variables: SLURM_CONF, SBATCH_PARTITION and others that the site has set.
std::vector<std::pair<std::string, std::string>> environment_of_tools() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && !is_habit(text.substr(0, equals)))
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

class Slurm : public Scheduler {
 public:
  explicit Slurm(SlurmJobs jobs) : jobs_(std::move(jobs)), programs_(Sandbox::without_isolation()) {}

  /// Finds the path of each tool. Error: WG-G45.
  std::optional<Diagnostic> find_tools() {
    tools_["sinfo"] = find_program("sinfo");  // optional
    for (const char* tool : {"sbatch", "squeue", "scancel", "scontrol"}) {
      tools_[tool] = find_program(tool);
      if (tools_[tool].empty()) return slurm_missing(tool);
    }
    return std::nullopt;
  }

  Answer<std::size_t> largest_array() override {
    const auto answer = ask(show_config());
    if (!answer) return Unexpected{answer.error()};
    const std::size_t size = read_max_array_size(*answer);
    if (size > 0) return size;
    return Unexpected{
        Failure{Trouble::misunderstood, "`scontrol show config` reports MaxArraySize = 0: no job arrays"}};
  }

  Answer<Done> submit(const ArrayRequest& request) override {
    ArrayJob job{.name = jobs_.run + std::to_string(request.array),
                 .tasks = request.tasks,
                 .needs_gpu = jobs_.needs_gpu,
                 .excluded_nodes = request.excluded_nodes,
                 .site = jobs_.site,
                 .script = jobs_.script,
                 .arguments = {request.folder}};
    job.arguments.insert(job.arguments.end(), jobs_.arguments.begin(), jobs_.arguments.end());
    const auto answer = ask(sbatch(job));
    if (!answer) return Unexpected{answer.error()};
    if (read_job_id(*answer)) return Done{};
    return Unexpected{Failure{Trouble::misunderstood, "`sbatch --parsable` printed no job number"}};
  }

  Answer<std::vector<TaskReport>> tasks() override {
    const auto answer = ask(squeue(::getuid()));
    if (!answer) return Unexpected{answer.error()};
    return read_tasks(*answer, jobs_.run);
  }

  std::vector<OutOfService> out_of_service() override {
    if (tools_.at("sinfo").empty()) return {};
    const auto answer = ask(sinfo_reasons(jobs_.site));
    return answer ? read_out_of_service(*answer) : std::vector<OutOfService>();
  }

  Answer<Done> cancel(const std::set<std::string>& jobs) override {
    std::vector<std::string> left(jobs.begin(), jobs.end());
    while (!left.empty()) {
      const auto middle = left.end() - static_cast<std::ptrdiff_t>(std::min(kJobsPerCancel, left.size()));
      if (auto answer = ask(scancel({middle, left.end()})); !answer) return Unexpected{answer.error()};
      left.erase(middle, left.end());
    }
    return Done{};
  }

 private:
  /// Returns the tool's output; a failure contains the tool's own message.
  Answer<std::string> ask(Command command) const {
    const std::string tool = command.front();
    command.front() = tools_.at(tool);
    BoxJob job{.command = std::move(command), .environment = environment_of_tools(), .working_folder = ""};
    job.limits.wall = kPatience;
    job.limits.cpu = kPatience;
    job.limits.address_space_counts = false;
    job.limits.output_bytes = kMaxAnswerBytes;
    auto result = programs_.run(job);
    if (!result) return Unexpected{Failure{Trouble::unreachable, result.error().what}};
    if (result->end == BoxResult::End::exited && result->code == 0) return std::move(result->output);
    const bool in_vain = result->end == BoxResult::End::wall_limit;
    const std::string complaint = in_vain ? fmt::format("`{}` takes more than {} s", tool, kPatience.count())
                                          : complaint_of(result->output);
    const Trouble kind = in_vain ? Trouble::unreachable : trouble_of(result->output);
    return Unexpected{Failure{kind, complaint}};
  }

  SlurmJobs jobs_;
  Sandbox programs_;
  std::map<std::string, std::filesystem::path> tools_;
};

}  // namespace

Expected<std::unique_ptr<Scheduler>, Diagnostic> open_slurm(SlurmJobs jobs) {
  auto slurm = std::make_unique<Slurm>(std::move(jobs));
  if (auto problem = slurm->find_tools()) return Unexpected{*std::move(problem)};
  return std::unique_ptr<Scheduler>(std::move(slurm));
}

}  // namespace grader::slurm
