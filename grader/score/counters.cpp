// Counters of a session under the names that lab.json uses.
#include <algorithm>

#include "lab/counter_names.hpp"
#include "score/score.hpp"
#include "vgpu/cudart/device_side/program_counters.hpp"
#include "vgpu/facts/counter_table.hpp"
#include "vgpu/model/timeline.hpp"

namespace grader {
namespace {

using Counters = std::map<std::string, double>;

/// Adds the configuration of the launch that executed the most thread instructions; zeros without launches.
void add_largest_launch(Counters& values, const std::vector<vgpu::LaunchRecord>& launches) {
  const auto largest =
      std::max_element(launches.begin(), launches.end(), [](const auto& one, const auto& other) {
        return one.counters.thread_instructions < other.counters.thread_instructions;
      });
  const bool any = largest != launches.end();
  values["grid_blocks"] = any ? static_cast<double>(largest->grid.count()) : 0;
  values["block_threads"] = any ? static_cast<double>(largest->block.count()) : 0;
  values["dynamic_shared_bytes"] = any ? static_cast<double>(largest->dynamic_shared_bytes) : 0;
  values["static_shared_bytes"] = any ? static_cast<double>(largest->static_shared_bytes) : 0;
}

void add_times(Counters& values, const vgpu::cudart::SessionReport& session) {
  double compute_s = 0, dram_s = 0, shared_s = 0;
  for (const vgpu::LaunchRecord& launch : session.launches) {
    compute_s += launch.time.compute_s();
    dram_s += launch.time[vgpu::TimePart::dram];
    shared_s += launch.time[vgpu::TimePart::shared];
  }
  values["compute_s"] = compute_s;
  values["dram_s"] = dram_s;
  values["shared_s"] = shared_s;
  values["kernel_s"] = session.kernel_s;
  values["call_s"] = vgpu::span_s(session.timeline);
}

}  // namespace

std::map<std::string, double> named_counts(const vgpu::Counters& counters) {
  Counters values;
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) values.emplace(info.name, info.value(counters));
  return values;
}

std::map<std::string, double> named_counters(const vgpu::cudart::SessionReport& session) {
  Counters values = named_counts(session.total_counters);
  values["launches"] = static_cast<double>(session.launches.size() + session.launches_dropped);
  double blocks = 0;
  for (const vgpu::LaunchRecord& launch : session.launches)
    blocks += static_cast<double>(launch.grid.count());
  values["blocks"] = blocks;
  add_largest_launch(values, session.launches);
  add_times(values, session);
  for (const auto& info : vgpu::cudart::program_counter_table())
    values[std::string(info.name)] = info.value(session);
  return values;
}

void add_ratios(Counters& counters, const std::vector<std::string>& names, const Counters& quantities,
                double clock_hz) {
  Counters dividends = counters;
  Counters divisors = quantities;
  std::vector<std::string> quantity_names;
  for (const auto& [name, value] : quantities) {
    quantity_names.push_back(name);
    dividends.emplace(name + "s", value);  // an existing counter of that name takes precedence
  }
  divisors["launch"] = counters.at("launches");
  divisors["block"] = counters.at("blocks");
  divisors["clock"] = counters.at("kernel_s") * clock_hz;
  divisors["call_clock"] = counters.at("call_s") * clock_hz;
  for (const std::string& name : names) {
    const auto ratio = parse_ratio(name, quantity_names);
    if (!ratio) continue;
    const double divisor = divisors.at(ratio->below);
    counters[name] = divisor == 0 ? 0 : dividends.at(ratio->above) / divisor;
  }
}

}  // namespace grader
