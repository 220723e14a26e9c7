#include "app/case_profile.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/arrays.hpp"
#include "lab/workload.hpp"
#include "standalone/source_of_fault.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

FindSource find_student_source(const Lab& lab, const fs::path& source) {
  return [name = lab.sources.front(), source](const std::string& file) {
    return fs::path(file).filename() == name ? source_text(source.string()) : SourceText{};
  };
}

/// The case's arrays have the names that diagnostics use.
FindArray find_case_array(const Lab& lab, const Case& one_case) {
  const auto job = make_job(lab, one_case);
  if (!job) return no_array;
  return [job = *job](const vgpu::Fault& access) {
    const auto array = named_array(access, job);
    return array ? array->name : "";
  };
}

}  // namespace

std::string default_case(const Lab& lab) {
  for (const Task& task : lab.tasks)
    if (task.speedup) return task.speedup->virtual_case;
  for (const Task& task : lab.tasks)
    if (!task.objectives.empty()) return task.objectives.front().case_name;
  return lab.cases.empty() ? "" : lab.cases.front().name;
}

Lab only_cases(const Lab& whole, const std::vector<std::string>& names) {
  Task task;
  task.id = "case";
  task.cases = names;
  for (const Task& one : whole.tasks)
    for (const Objective& objective : one.objectives)
      if (std::find(names.begin(), names.end(), objective.case_name) != names.end())
        task.objectives.push_back(objective);
  Lab lab = whole;
  lab.tasks = {std::move(task)};
  return lab;
}

RunProfile case_profile(const Lab& lab, const Case& one_case, const Result& result,
                        vgpu::cudart::SessionReport run, const fs::path& source,
                        const std::vector<DeviceRun>& others) {
  RunProfile profile;
  profile.title = fmt::format("{}, case {}", lab.id, one_case.name);
  profile.subtitle =
      fmt::format("virtual device, profile {} · {}", result.provenance.profile, result.provenance.compiler);
  const Diagnostic* problem = first_diagnostic(result.score);
  if (problem != nullptr && !problem->code.starts_with("WG-P"))
    profile.notes.push_back(fmt::format("this run is wrong: {}: {}", problem->code, problem->what));
  profile.run = {profile_for(one_case, vgpu::lecture_profile()), {std::move(run)}};
  profile.compared = compared_counters(lab, result.score, one_case.name);
  describe(profile, others, find_student_source(lab, source), find_case_array(lab, one_case));
  return profile;
}

std::vector<Picture> case_images(const Lab& lab, const Case& one_case, const CaseRun& run) {
  const Workload& workload = *find_workload(lab.workload);
  const auto job = make_job(lab, one_case);
  if (!job) return {};
  return image_pictures(workload, *job, workload.expect(*job), run.answer.outputs);
}

}  // namespace grader::app
