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

/// Launches that together store less than this part of the result do not count: a remainder, a correction.
constexpr std::uint64_t kPartOfResult = 8;

struct Configured {
  double value = 0;
  std::uint64_t stored_bytes = 0;
};

/// The first value in the given order that counts.
double first_that_counts(std::vector<Configured> values, std::uint64_t result_bytes,
                         bool (*is_before)(double, double)) {
  std::stable_sort(values.begin(), values.end(), [&](const Configured& one, const Configured& other) {
    return is_before(one.value, other.value);
  });
  std::uint64_t left_out = 0;
  for (const Configured& one : values) {
    left_out += one.stored_bytes;
    if (left_out * kPartOfResult >= result_bytes) return one.value;
  }
  return values.empty() ? 0 : values.front().value;
}

/// Stores only constants, as a fill does: no result is computed there.
bool only_fills(const vgpu::LaunchRecord& launch) {
  const vgpu::Counters& counters = launch.counters;
  return counters.global_loads.requests + counters.global_atomics.requests + counters.constant_requests +
             counters.texture_fetches.requests + counters.surface_loads.requests ==
         0;
}

/// The launches that compute the result; all of them if none does more than fill.
std::vector<Producers::One> computing(const vgpu::cudart::SessionReport& session,
                                      const Producers& producers) {
  std::vector<Producers::One> launches = producers.launches;
  const auto end = std::remove_if(launches.begin(), launches.end(), [&](const Producers::One& one) {
    return only_fills(session.launches[one.launch]);
  });
  if (end == launches.begin()) return producers.launches;
  launches.erase(end, launches.end());
  return launches;
}

/// Of launches that were not recorded nothing is known: their least values are 0.
template <class Value>
void add_configuration(Counters& values, const std::string& name, const vgpu::cudart::SessionReport& session,
                       const Producers& producers, Value value) {
  std::vector<Configured> all;
  for (const Producers::One& one : computing(session, producers))
    all.push_back({static_cast<double>(value(session.launches[one.launch])), one.stored_bytes});
  const auto is_less = [](double one, double other) { return one < other; };
  const auto is_greater = [](double one, double other) { return one > other; };
  values[name] = session.launches_dropped != 0 ? 0 : first_that_counts(all, producers.result_bytes, is_less);
  values[kMostPrefix + name] = first_that_counts(all, producers.result_bytes, is_greater);
}

void add_configurations(Counters& values, const vgpu::cudart::SessionReport& session,
                        const Producers& producers) {
  using Launch = const vgpu::LaunchRecord&;
  const auto add = [&](const char* name, auto value) {
    add_configuration(values, name, session, producers, value);
  };
  add("grid_blocks", [](Launch launch) { return launch.working_blocks; });
  add("loading_blocks", [](Launch launch) { return launch.loading_blocks; });
  add("block_threads", [](Launch launch) { return launch.block.count(); });
  add("registers_per_thread", [](Launch launch) { return launch.registers_per_thread; });
  add("parameter_bytes", [](Launch launch) { return launch.read_parameter_bytes; });
  add("static_shared_bytes", [](Launch launch) { return launch.static_shared_bytes; });
  add("static_shared_bytes_used", [](Launch launch) { return launch.shared_use.static_bytes; });
  add("dynamic_shared_bytes", [](Launch launch) { return launch.dynamic_shared_bytes; });
  add("dynamic_shared_bytes_used", [](Launch launch) { return launch.shared_use.dynamic_bytes; });
}

/// An atomic that changes nothing loads a value, and one that adds to a result stores it: an upper limit on
/// loads or on stores includes atomics on the same memory.
void add_atomics(Counters& values) {
  for (const std::string& name : counter_names())
    if (const auto atomics = counter_of_atomics(name))
      values[kMostPrefix + name] = values.at(name) + values.at(*atomics);
}

/// The counters of all launches, with the DRAM traffic of copies within the device and of fills.
vgpu::Counters with_copies(const vgpu::cudart::SessionReport& session) {
  vgpu::Counters counters = session.total_counters;
  counters.cache.dram_read_bytes += session.device_copies.dram_read_bytes;
  counters.cache.dram_write_bytes += session.device_copies.dram_write_bytes;
  return counters;
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
  values["device_s"] = session.kernel_s + session.device_copies.seconds;
  values["call_s"] = vgpu::span_s(session.timeline);
}

}  // namespace

std::map<std::string, double> named_counts(const vgpu::Counters& counters) {
  Counters values;
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) values.emplace(info.name, info.value(counters));
  return values;
}

std::map<std::string, double> named_counters(const vgpu::cudart::SessionReport& session,
                                             const Producers& producers) {
  Counters values = named_counts(with_copies(session));
  values["launches"] = static_cast<double>(session.launches.size() + session.launches_dropped);
  double blocks = 0, working_blocks = 0, threads = 0;
  for (const vgpu::LaunchRecord& launch : session.launches) {
    const auto of_grid = static_cast<double>(launch.grid.count());
    blocks += of_grid;
    working_blocks += static_cast<double>(launch.working_blocks);
    threads += of_grid * static_cast<double>(launch.block.count());
  }
  values["blocks"] = blocks;
  values["working_blocks"] = working_blocks;
  values["threads"] = threads;
  add_configurations(values, session, producers);
  add_atomics(values);
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
  divisors["thread"] = counters.at("threads");
  divisors["clock"] = counters.at("device_s") * clock_hz;
  divisors["call_clock"] = counters.at("call_s") * clock_hz;
  for (const std::string& name : names) {
    const auto ratio = parse_ratio(name, quantity_names);
    if (!ratio) continue;
    const double divisor = divisors.at(ratio->below);
    const auto set = [&](const std::string& prefix) {
      const auto dividend = dividends.find(prefix + ratio->above);
      if (dividend == dividends.end()) return;
      counters[prefix + name] = divisor == 0 ? 0 : dividend->second / divisor;
    };
    set("");
    set(kMostPrefix);
  }
}

}  // namespace grader
