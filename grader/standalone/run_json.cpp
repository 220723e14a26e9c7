#include "standalone/run_json.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "judge/faults.hpp"
#include "judge/findings.hpp"
#include "judge/program.hpp"
#include "judge/wording.hpp"
#include "report/approximations_json.hpp"
#include "report/diagnostic_json.hpp"
#include "report/json_number.hpp"
#include "score/score.hpp"
#include "standalone/extent_json.hpp"
#include "standalone/source_of_fault.hpp"
#include "vgpu/facts/counter_table.hpp"
#include "vgpu/model/time.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

Json faults_of(const vgpu::LaunchRecord& launch, const vgpu::cudart::MemoryNames& memory) {
  Json faults = Json::array();
  for (const vgpu::Fault& fault : launch.faults)
    faults.push_back(to_json(diagnose_fault(fault, {}, source_of(fault), memory)));
  for (const vgpu::Fault& finding : launch.findings)
    faults.push_back(to_json(diagnose_finding(finding, {}, source_of(finding), memory)));
  return faults;
}

Json counters_of(const vgpu::Counters& counters) {
  Json values = Json::object();
  for (const auto& [name, value] : named_counts(counters)) values[name] = json_number(value);
  return values;
}

/// Cache counters exist for the whole launch only.
Json counters_of_line(const vgpu::Counters& counters) {
  Json values = counters_of(counters);
  for (const vgpu::CounterInfo& info : vgpu::counter_table())
    if (info.group == vgpu::kCacheGroup) values.erase(std::string(info.name));
  return values;
}

Json lines_of(const vgpu::LaunchRecord& launch) {
  Json lines = Json::array();
  for (const vgpu::LineCounters& line : launch.lines) {
    lines.push_back({{"file", line.file.empty() ? Json(nullptr) : Json(line.file)},
                     {"line", line.line},
                     {"counters", counters_of_line(line.counters)}});
  }
  return lines;
}

Json times_of(const vgpu::KernelTime& time) {
  Json parts = Json::object();
  for (std::size_t i = 0; i < vgpu::kTimeParts; ++i)
    parts[std::string(vgpu::key_of(static_cast<vgpu::TimePart>(i)))] = time.part_s[i];
  parts["launch"] = time.launch_s;
  parts["total"] = time.total_s();
  return parts;
}

Json to_json(const vgpu::LaunchRecord& launch, const vgpu::cudart::MemoryNames& memory) {
  return {{"kernel", launch.kernel},
          {"name", kernel_name(launch.kernel)},
          {"grid", extent_json(launch.grid)},
          {"block", extent_json(launch.block)},
          {"static_shared_bytes", launch.static_shared_bytes},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"registers_per_thread", launch.registers_per_thread},
          {"registers_are_estimated", launch.registers_are_estimated},
          {"theoretical_occupancy", launch.occupancy.fraction()},
          {"blocks_per_sm", launch.occupancy.blocks_per_sm},
          {"occupancy_limited_by", vgpu::name_of(launch.occupancy.limit)},
          {"refused", launch.error_detail.empty() ? Json(nullptr) : Json(launch.error_detail)},
          {"counters", counters_of(launch.counters)},
          {"modelled_s", times_of(launch.time)},
          {"limited_by", vgpu::limiter_name(launch.time)},
          {"approximations", launch.approximations ? grader::to_json(*launch.approximations) : Json(nullptr)},
          {"lines", lines_of(launch)},
          {"faults", faults_of(launch, memory)}};
}

Json to_json(const vgpu::cudart::ApiFailure& failure) {
  return {{"call", failure.call}, {"error", error_name(failure.error)}, {"detail", failure.detail}};
}

Json to_json(const vgpu::cudart::SessionReport& program) {
  Json launches = Json::array(), failures = Json::array(), live = Json::array(), notes = Json::array();
  for (const auto& launch : program.launches) launches.push_back(to_json(launch, program.memory));
  for (const auto& failure : program.failures) failures.push_back(to_json(failure));
  for (const auto& allocation : program.live_allocations)
    live.push_back({{"allocation", allocation.ordinal}, {"size_bytes", allocation.size_bytes}});
  for (const Diagnostic& note : diagnose_program(program, source_text)) notes.push_back(to_json(note));
  return {{"launches", std::move(launches)},
          {"launches_dropped", program.launches_dropped},
          {"modelled_kernel_s", program.kernel_s},
          {"api_failures", std::move(failures)},
          {"unsupported_calls", program.unsupported},
          {"session_error", program.protocol_error.empty() ? Json(nullptr) : Json(program.protocol_error)},
          {"never_freed", std::move(live)},
          {"at_the_end", std::move(notes)}};
}

}  // namespace

std::string run_json(const ProgramRun& run, const vgpu::Profile& profile) {
  Json programs = Json::array();
  for (const auto& program : run.programs) programs.push_back(to_json(program));
  const Json document = {{"schema", "warpgrade.run/1"},
                         {"profile", profile.name},
                         {"exit_code", run.signal == 0 ? Json(run.exit_code) : Json(nullptr)},
                         {"signal", run.signal == 0 ? Json(nullptr) : Json(run.signal)},
                         {"programs", std::move(programs)}};
  return json_text(document, 2) + "\n";
}

}  // namespace grader
