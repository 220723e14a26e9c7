#include "score/both_devices.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "score/check_words.hpp"

namespace grader {
namespace {

/// What one device found out about a case, or about the build.
struct Finding {
  Verdict verdict = Verdict::accepted;
  const std::vector<Diagnostic>& diagnostics;

  std::string_view code() const {
    return diagnostics.empty() ? std::string_view() : std::string_view(diagnostics.front().code);
  }
};

Finding finding_of(const CaseVerdict& one) { return {one.verdict, one.diagnostics}; }

int gravity(Verdict verdict) {
  switch (verdict) {
    case Verdict::grader_fault:
      return 3;
    case Verdict::rejected:
      return 2;
    case Verdict::accepted:
      return 0;
    default:
      return 1;
  }
}

std::string_view name_of(DeviceKind device) {
  return device == DeviceKind::cuda ? "the real GPU" : "the virtual GPU";
}

/// "accepted", "wrong answer (WG-V03)"
std::string text_of(const Finding& finding) {
  if (finding.verdict == Verdict::accepted || finding.code().empty()) return verdict_words(finding.verdict);
  return fmt::format("{} ({})", verdict_words(finding.verdict), finding.code());
}

// ---- diagnostics

/// True if no other kind of device makes the check that ended with this finding.
bool is_found_only_on(DeviceKind device, const Finding& finding) {
  if (finding.verdict == Verdict::accepted) return false;
  constexpr std::array<std::string_view, 5> kVirtual = {"WG-M", "WG-R", "WG-B", "WG-S27", "WG-S28"};
  constexpr std::array<std::string_view, 1> kCuda = {"WG-S40"};
  const auto starts_code = [&](std::string_view start) { return finding.code().starts_with(start); };
  return device == DeviceKind::cuda ? std::any_of(kCuda.begin(), kCuda.end(), starts_code)
                                    : std::any_of(kVirtual.begin(), kVirtual.end(), starts_code);
}

Diagnostic found_on_one(std::string what, std::string_view why) {
  Diagnostic note = diagnose("WG-D02", std::move(what),
                             "correct the mistake: another input, run or GPU can show it on both devices");
  note.severity = Severity::note;
  note.likely_cause = why;
  return note;
}

std::string sides(std::string_view subject, const Finding& on_virtual, const Finding& on_cuda) {
  return fmt::format("{}: {} on the virtual GPU, {} on the real GPU", subject, text_of(on_virtual),
                     text_of(on_cuda));
}

Diagnostic disagreement(std::string what, std::string_view cause, std::string next_step) {
  Diagnostic warning = diagnose("WG-D01", "the devices disagree on " + std::move(what), std::move(next_step));
  warning.severity = Severity::warning;
  warning.likely_cause = cause;
  return warning;
}

std::optional<Diagnostic> difference(const Lab& lab, const std::string& case_name, const Finding& on_virtual,
                                     const Finding& on_cuda) {
  if (on_virtual.verdict == on_cuda.verdict) return std::nullopt;
  if (on_virtual.verdict == Verdict::grader_fault || on_cuda.verdict == Verdict::grader_fault)
    return std::nullopt;  // there is no grade
  std::string what = sides(case_name, on_virtual, on_cuda);
  if (is_found_only_on(DeviceKind::virtual_gpu, on_virtual))
    return found_on_one(std::move(what),
                        "only the virtual GPU checks every access, every barrier and what host and device "
                        "exchange; a real GPU shows such a mistake by chance, as wrong values or a crash");
  const Case* definition = lab.find_case(case_name);
  const bool has_own_limits = definition != nullptr && !definition->device.empty();
  if (has_own_limits && on_cuda.verdict == Verdict::accepted)
    return found_on_one(std::move(what), "the case lowers limits of the virtual GPU, which a real GPU keeps");
  if (is_found_only_on(DeviceKind::cuda, on_cuda))
    return found_on_one(std::move(what), "only the real GPU measures times");
  return disagreement(
      std::move(what),
      "the values depend on the order of blocks or warps, on memory that was not written, or on a limit or "
      "function that differs between the devices; otherwise the kit has a defect",
      fmt::format("compare `warpgrade check {0} --case {1} --device virtual` with `--device cuda`; if your "
                  "code is right, report it: this is a defect of the kit",
                  lab.id, case_name));
}

// ---- builds

bool is_refused(const Evidence& evidence) {
  return evidence.build_verdict || !evidence.build_diagnostics.empty();
}

Finding build_of(const Evidence& evidence) {
  const Verdict failure = evidence.build_verdict.value_or(Verdict::compile_error);
  return {is_refused(evidence) ? failure : Verdict::accepted, evidence.build_diagnostics};
}

void merge_builds(const Evidence& on_virtual, const Evidence& on_cuda, Evidence& merged) {
  const Finding one = build_of(on_virtual), other = build_of(on_cuda);
  const Finding& graver = gravity(other.verdict) > gravity(one.verdict) ? other : one;
  merged.build_verdict = graver.verdict;
  merged.build_diagnostics = graver.diagnostics;
  if (one.verdict == other.verdict || graver.verdict == Verdict::grader_fault) return;
  merged.build_diagnostics.push_back(
      disagreement(sides("the build", one, other),
                   "the source depends on the architecture: `__CUDA_ARCH__`, inline PTX, or a function that "
                   "only newer GPUs have; or the kit has a defect",
                   "use what all GPUs since compute capability 8.0 have"));
}

// ---- cases

/// Adds the other device's warnings about an accepted case, one per code.
void add_warnings(const std::vector<Diagnostic>& others, std::vector<Diagnostic>& all) {
  for (const Diagnostic& other : others)
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.code == other.code; }))
      all.push_back(other);
}

CaseVerdict merge_verdicts(const Lab& lab, const CaseVerdict& on_virtual, const CaseVerdict& on_cuda) {
  const bool cuda_is_graver = gravity(on_cuda.verdict) > gravity(on_virtual.verdict);
  CaseVerdict merged = cuda_is_graver ? on_cuda : on_virtual;
  if (merged.verdict == Verdict::accepted) add_warnings(on_cuda.diagnostics, merged.diagnostics);
  if (auto found = difference(lab, merged.case_name, finding_of(on_virtual), finding_of(on_cuda)))
    merged.diagnostics.push_back(*std::move(found));
  return merged;
}

void add_case(const Lab& lab, const CaseVerdict& one, DeviceKind device, Evidence& merged) {
  const auto [entry, is_new] = merged.verdicts.try_emplace(one.case_name, one);
  if (!is_new) entry->second = merge_verdicts(lab, entry->second, one);
  merged.ran_on[one.case_name] = is_new ? devices_of(device) : Devices::both;
}

// ---- tasks

std::vector<std::string> cases_of(const Task& task) {
  std::vector<std::string> names = task.cases;
  if (task.speedup) names.insert(names.end(), {task.speedup->virtual_case, task.speedup->cuda_case});
  return names;
}

bool is_accepted(const CaseVerdict& one) { return one.verdict == Verdict::accepted; }

/// True if the device has run some of the task's cases and accepts all of these.
bool accepts(const Evidence& on_device, const Task& task) {
  bool has_run_some = false;
  for (const std::string& name : cases_of(task)) {
    const auto verdict = on_device.verdicts.find(name);
    if (verdict == on_device.verdicts.end()) continue;
    if (!is_accepted(verdict->second)) return false;
    has_run_some = true;
  }
  return has_run_some;
}

/// Notes that a task fails because of a case that `device` alone has run, while the other device accepts all
/// cases of the task that it has run.
void note_other_verdict(const Task& task, DeviceKind device, const Evidence& on_other, Evidence& merged) {
  const DeviceKind other = device == DeviceKind::cuda ? DeviceKind::virtual_gpu : DeviceKind::cuda;
  if (!accepts(on_other, task)) return;
  for (const std::string& name : cases_of(task)) {
    const auto verdict = merged.verdicts.find(name);
    if (verdict == merged.verdicts.end() || merged.ran_on.at(name) != devices_of(device)) continue;
    if (is_accepted(verdict->second) || verdict->second.verdict == Verdict::grader_fault) continue;
    verdict->second.diagnostics.push_back(found_on_one(
        fmt::format("task `{}`: {} on {}, which alone runs {}; {} accepts all cases of the task that it runs",
                    task.id, text_of(finding_of(verdict->second)), name_of(device), name, name_of(other)),
        "the case has a size or a limit that the other device is not run with"));
    return;
  }
}

}  // namespace

Evidence merge_devices(const Lab& lab, const Evidence& on_virtual, const Evidence& on_cuda) {
  Evidence merged;
  merged.devices = Devices::both;
  if (is_refused(on_virtual) || is_refused(on_cuda)) {
    merge_builds(on_virtual, on_cuda, merged);
    return merged;
  }
  for (const auto& [name, verdict] : on_virtual.verdicts)
    add_case(lab, verdict, DeviceKind::virtual_gpu, merged);
  for (const auto& [name, verdict] : on_cuda.verdicts) add_case(lab, verdict, DeviceKind::cuda, merged);
  for (const Task& task : lab.tasks) {
    note_other_verdict(task, DeviceKind::virtual_gpu, on_cuda, merged);
    note_other_verdict(task, DeviceKind::cuda, on_virtual, merged);
  }
  merged.counters = on_virtual.counters;
  merged.clues = on_virtual.clues;
  merged.inexact = on_virtual.inexact;
  merged.speed = on_cuda.speed;
  merged.hung_case = on_virtual.hung_case.empty() ? on_cuda.hung_case : on_virtual.hung_case;
  return merged;
}

}  // namespace grader
