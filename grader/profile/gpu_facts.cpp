#include "profile/gpu_facts.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "profile/nsight_counters.hpp"

namespace grader {
namespace {

/// Not shown: sums and parts of counters that are shown, and counters that the assembler changes by design.
constexpr std::string_view kLeftOut[] = {"thread_instructions",
                                         "idle_lanes",
                                         "branches_after_if_conversion",
                                         "shared_load_requests",
                                         "shared_store_requests",
                                         "shared_load_requested_bytes",
                                         "shared_store_requested_bytes",
                                         "constant_requests",
                                         "l1_load_sectors",
                                         "l2_sectors",
                                         "l2_hit_sectors",
                                         "dram_read_bytes",
                                         "dram_write_bytes"};

bool is_shown(const NsightCounter& counter) {
  return std::find(std::begin(kLeftOut), std::end(kLeftOut), counter.name) == std::end(kLeftOut);
}

struct RunKernel {
  VirtualKernel sums;
  std::uint64_t launches = 0;
};

std::map<std::string, RunKernel> virtual_kernels(const vgpu::cudart::SessionReport& run) {
  std::map<std::string, RunKernel> kernels;
  for (const vgpu::LaunchRecord& launch : run.launches) {
    if (launch.error != vgpu::LaunchError::none) continue;
    RunKernel& kernel = kernels[kernel_name(launch.kernel)];
    kernel.sums.counters += launch.counters;
    kernel.sums.occupancy += 100 * launch.occupancy.fraction();
    ++kernel.launches;
  }
  for (auto& [name, kernel] : kernels) kernel.sums.occupancy /= static_cast<double>(kernel.launches);
  return kernels;
}

std::optional<double> metric_sum(const MetricSum& metrics, const MeasuredKernel& kernel) {
  double sum = 0;
  for (const auto& [metric, factor] : metrics) {
    const auto found = kernel.metrics.find(metric);
    if (found == kernel.metrics.end()) return std::nullopt;
    sum += factor * found->second;
  }
  return sum;
}

/// nullopt: this GPU or this version of the tool does not have the metric.
std::optional<double> value_on_gpu(const NsightCounter& counter, const MeasuredKernel& kernel) {
  const auto above = metric_sum(counter.metrics, kernel);
  if (!above || counter.per.empty()) return above;
  const auto below = metric_sum(counter.per, kernel);
  if (!below) return std::nullopt;
  return *below == 0 ? 0 : *above / *below;
}

PairedKernel paired(const MeasuredKernel& measured, const VirtualKernel& ours) {
  PairedKernel kernel{measured.name, measured.launches, {}};
  for (const NsightCounter& counter : nsight_counters()) {
    const auto value = value_on_gpu(counter, measured);
    const double own = counter.ours(ours);
    if (!is_shown(counter) || !value || (*value == 0 && own == 0)) continue;
    kernel.counters.push_back({counter.name, own, *value, own == *value ? "" : counter.reason});
  }
  return kernel;
}

constexpr const char* kNsight = "Nsight Compute";

Diagnostic launch_difference(const std::string& kernel, std::uint64_t ours, std::uint64_t measured) {
  return diagnose(
      "WG-D01",
      fmt::format("kernel `{}` was launched {} on the virtual GPU and {} on the real GPU", kernel,
                  counted(ours, "time"), counted(measured, "time")),
      "find what the program asks of the device; counters of different launches cannot be compared");
}

}  // namespace

std::vector<std::string> nsight_metrics() {
  std::vector<std::string> names;
  for (const NsightCounter& counter : nsight_counters()) {
    if (!is_shown(counter)) continue;
    for (const MetricSum* sum : {&counter.metrics, &counter.per})
      for (const auto& [metric, factor] : *sum)
        if (std::find(names.begin(), names.end(), metric) == names.end()) names.push_back(metric);
  }
  return names;
}

namespace {

/// Notes the counters that no kernel has a value for.
void note_unmeasured(GpuFacts& facts, const NsightLog& log) {
  std::string names;
  for (const NsightCounter& counter : nsight_counters()) {
    const auto has_value = [&](const MeasuredKernel& one) { return value_on_gpu(counter, one).has_value(); };
    if (is_shown(counter) && std::none_of(log.kernels.begin(), log.kernels.end(), has_value))
      names += (names.empty() ? "" : ", ") + counter.name;
  }
  if (!log.kernels.empty() && !names.empty()) facts.notes.push_back("not measured on this GPU: " + names);
}

}  // namespace

void add_measured(GpuFacts& facts, const NsightLog& log, const vgpu::cudart::SessionReport& run) {
  for (const std::string& error : log.errors) facts.problems.push_back(tool_problem(kNsight, error));
  std::map<std::string, RunKernel> ours = virtual_kernels(run);
  for (const MeasuredKernel& measured : log.kernels) {
    const auto same = ours.find(measured.name);
    if (same == ours.end()) {
      facts.problems.push_back(launch_difference(measured.name, 0, measured.launches));
      continue;
    }
    if (same->second.launches != measured.launches)
      facts.problems.push_back(launch_difference(measured.name, same->second.launches, measured.launches));
    facts.kernels.push_back(paired(measured, same->second.sums));
    if (facts.kernels.back().counters.empty())
      facts.problems.push_back(
          tool_problem(kNsight, fmt::format("it measured no counter of kernel `{}`", measured.name)));
    ours.erase(same);
  }
  note_unmeasured(facts, log);
  for (const auto& [name, kernel] : ours)
    facts.problems.push_back(tool_problem(
        kNsight, fmt::format("it shows nothing of kernel `{}`, which ran on the virtual GPU", name)));
}

Diagnostic tool_problem(const std::string& tool, const std::string& what) {
  const bool is_permission = what.find("ERR_NVGPUCTRPERM") != std::string::npos;
  return diagnose("WG-G76", fmt::format("{} did not work: {}", tool, what),
                  is_permission
                      ? "let your administrator permit access to the GPU's counters: "
                        "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
                      : "run the command again; if the problem persists, try the tool on a program of "
                        "your own, or leave out --device");
}

}  // namespace grader
