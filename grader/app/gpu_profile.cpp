#include "app/gpu_profile.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/wording.hpp"
#include "lab/workload.hpp"
#include "profile/sanitizer_log.hpp"
#include "schedule/timed_program.hpp"
#include "standalone/source_of_fault.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNsight = "Nsight Compute";

/// The last line that was printed. For the reader only: it can be the program's.
std::string last_line(const std::string& printed) {
  const std::size_t end = printed.find_last_not_of(" \r\n\t");
  if (end == std::string::npos) return "";
  const std::size_t before = printed.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return cleaned(printed.substr(begin, end + 1 - begin));
}

/// Why the run under a tool is not complete, as a clause; empty: it is.
std::string failure_under_tool(const GpuTool& tool, const CaseRun& run) {
  using End = CaseRun::End;
  if (run.end == End::wall_limit || run.end == End::cpu_limit)
    return fmt::format("it did not end within {} s", std::chrono::duration<double>(tool.limit).count());
  if (run.end == End::exited) return fmt::format("it ended with exit status {}", run.code);
  if (run.end == End::crashed) return fmt::format("it was ended by signal {}", run.code);
  const std::string failure = failure_of(run);
  return failure.empty() ? "" : "the program failed under it: " + failure;
}

std::string unreadable_log(const GpuTool& tool, const ToolRun& ended) {
  std::string what = failure_under_tool(tool, ended.run);
  what += fmt::format("{}its log cannot be used: {}", what.empty() ? "" : "; ", ended.log.error());
  if (const std::string line = last_line(ended.run.printed); !line.empty())
    what += fmt::format("; the last line printed is: {}", line);
  return what;
}

/// The parts that all runs of one case have in common.
struct ToolCase {
  const Runner& runner;
  const Built& built;
  const harness::Job& job;

  std::chrono::milliseconds limit() const { return kToolPatience * runner.options().run_limits.wall; }
};

void measure_counters(GpuFacts& facts, const ToolCase& run, const fs::path& ncu,
                      const vgpu::cudart::SessionReport& on_virtual) {
  const GpuTool tool{kNsight, ncu, nsight_arguments(nsight_metrics()), run.limit()};
  const ToolRun ended = run.runner.run_under(tool, run.built, run.job);
  if (!ended.log) return facts.problems.push_back(tool_problem(tool.name, unreadable_log(tool, ended)));
  if (const std::string failure = failure_under_tool(tool, ended.run); !failure.empty())
    facts.problems.push_back(tool_problem(tool.name, failure));
  add_measured(facts, read_nsight_log(*ended.log), on_virtual);
}

/// True: the tool ran to its end and found nothing.
bool check_with(std::string_view check, GpuFacts& facts, const ToolCase& run, const fs::path& sanitizer,
                const SourceText& source) {
  const GpuTool tool{fmt::format("compute-sanitizer ({})", check), sanitizer, sanitizer_arguments(check),
                     run.limit()};
  const ToolRun ended = run.runner.run_under(tool, run.built, run.job);
  if (!ended.log)
    return facts.problems.push_back(tool_problem(tool.name, unreadable_log(tool, ended))), false;
  const SanitizerLog log = read_sanitizer_log(*ended.log, check, source);
  facts.findings.insert(facts.findings.end(), log.findings.begin(), log.findings.end());
  for (const std::string& error : log.errors) facts.problems.push_back(tool_problem(tool.name, error));
  const std::string failure = failure_under_tool(tool, ended.run);
  const bool is_explained = !log.findings.empty() && ended.run.end == CaseRun::End::finished;
  if (!failure.empty() && !is_explained) facts.problems.push_back(tool_problem(tool.name, failure));
  return log.findings.empty() && log.errors.empty() && failure.empty();
}

void check_accesses(GpuFacts& facts, const ToolCase& run, const fs::path& sanitizer, const fs::path& source) {
  std::vector<std::string_view> clean;
  const SourceText text = source_text(source.string());
  for (const std::string_view tool : kSanitizerTools)
    if (check_with(tool, facts, run, sanitizer, text)) clean.push_back(tool);
  if (!clean.empty())
    facts.notes.push_back(fmt::format("compute-sanitizer found nothing with {}", fmt::join(clean, ", ")));
}

}  // namespace

GpuFacts gpu_facts(const Runner& runner, const BuildCache& cache, const Lab& lab, const Case& one_case,
                   const fs::path& source, const vgpu::cudart::SessionReport& on_virtual) {
  GpuFacts facts;
  facts.gpu = runner.cuda_device() ? runner.cuda_device()->name : "unknown";
  const fs::path ncu = find_gpu_tool("ncu", runner.front_end());
  const fs::path sanitizer = find_gpu_tool("compute-sanitizer", runner.front_end());
  if (ncu.empty()) facts.notes.emplace_back("Nsight Compute (ncu) is not installed: no measured counters");
  if (sanitizer.empty()) facts.notes.emplace_back("compute-sanitizer is not installed: no findings of it");
  if (ncu.empty() && sanitizer.empty()) return facts;
  const auto job = make_job(lab, one_case);
  if (!job) return facts.problems.push_back(tool_problem("the case", job.error())), facts;
  const auto built = cache.build(runner, source, lab.sources.front(), &lab.rules);
  if (!built) {
    facts.problems = built.error().diagnostics;
    return facts;
  }
  const ToolCase run{runner, *built, *job};
  if (!ncu.empty()) measure_counters(facts, run, ncu, on_virtual);
  if (!sanitizer.empty()) check_accesses(facts, run, sanitizer, source);
  return facts;
}

}  // namespace grader::app
