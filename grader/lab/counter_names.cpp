#include "lab/counter_names.hpp"

#include <algorithm>

#include "vgpu/cudart/program_counters.hpp"
#include "vgpu/observe/counter_table.hpp"

namespace grader {
namespace {

constexpr const char* kPer = "_per_";

std::vector<std::string> all_names() {
  std::vector<std::string> names{
      // Launches and their blocks; the last four describe the launch that ran the most thread instructions.
      "launches", "blocks", "grid_blocks", "block_threads", "dynamic_shared_bytes", "static_shared_bytes",
      // Modelled seconds: of all launches, and of the call as a whole.
      "compute_s", "dram_s", "shared_s", "kernel_s", "call_s"};
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) names.emplace_back(info.name);
  for (const auto& info : vgpu::cudart::program_counter_table()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> all_quantities(std::vector<std::string> names) {
  names.insert(names.end(), {"launch", "block"});
  return names;
}

}  // namespace

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> names = all_names();
  return names;
}

std::optional<Ratio> parse_ratio(const std::string& name, const std::vector<std::string>& quantities) {
  const auto& counters = counter_names();
  for (const std::string& quantity : all_quantities(quantities)) {
    const std::string suffix = kPer + quantity;
    if (!name.ends_with(suffix)) continue;
    const std::string counter = name.substr(0, name.size() - suffix.size());
    if (std::find(counters.begin(), counters.end(), counter) != counters.end())
      return Ratio{counter, quantity};
  }
  return std::nullopt;
}

std::vector<std::string> counter_names(const Workload& workload) {
  std::vector<std::string> names = counter_names();
  for (const std::string& quantity : all_quantities(workload.quantity_names()))
    for (const std::string& counter : counter_names()) names.push_back(counter + kPer + quantity);
  return names;
}

}  // namespace grader
