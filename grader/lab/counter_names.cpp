#include "lab/counter_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/figure.hpp"
#include "lab/change_counters.hpp"
#include "lab/run_counters.hpp"
#include "vgpu/cudart/device_side/program_counters.hpp"
#include "vgpu/facts/counter_table.hpp"

namespace grader {
namespace {

constexpr const char* kPer = "_per_";
constexpr std::string_view kRegisters = "registers_per_thread";  // no ratio: every launch has a number
constexpr std::string_view kBytesPer = "_bytes_per_", kBytesPerInWords = " B/";
constexpr std::string_view kSeconds = "_s", kSecondsInWords = " time";

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const RunCounter& one : run_counter_table()) {
    names.emplace_back(one.name);
    if (one.is_configuration) names.push_back(kMostPrefix + names.back());
  }
  for (const vgpu::CounterInfo& info : vgpu::counter_table()) {
    names.emplace_back(info.name);
    if (counter_of_atomics(names.back())) names.push_back(kMostPrefix + names.back());
  }
  for (const auto& info : vgpu::cudart::program_counter_table()) names.emplace_back(info.name);
  for (const ChangeCounter& one : change_counter_table()) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> divisors(std::vector<std::string> quantities) {
  quantities.insert(quantities.end(), {"launch", "block", "thread", "clock", "call_clock"});
  return quantities;
}

std::vector<std::string> dividends(const std::vector<std::string>& quantities) {
  std::vector<std::string> names = counter_names();
  for (const std::string& quantity : quantities) names.push_back(quantity + "s");
  return names;
}

}  // namespace

const std::vector<std::string>& configuration_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> configuration;
    for (const RunCounter& one : run_counter_table())
      if (one.is_configuration) configuration.emplace_back(one.name);
    return configuration;
  }();
  return names;
}

std::optional<std::string> counter_of_atomics(const std::string& counter) {
  if (counter.starts_with(kMostPrefix)) return std::nullopt;
  const auto& table = vgpu::counter_table();
  for (const std::string access : {"_load_", "_store_"}) {
    const std::size_t at = counter.find(access);
    if (at == std::string::npos) continue;
    std::string atomics = counter;
    atomics.replace(at, access.size(), "_atomic_");
    const auto is_it = [&](const vgpu::CounterInfo& info) { return info.name == atomics; };
    if (std::any_of(table.begin(), table.end(), is_it)) return atomics;
  }
  return std::nullopt;
}

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> names = all_names();
  return names;
}

std::optional<Ratio> parse_ratio(const std::string& name, const std::vector<std::string>& quantities) {
  const auto known = dividends(quantities);
  for (const std::string& below : divisors(quantities)) {
    const std::string suffix = kPer + below;
    if (!name.ends_with(suffix)) continue;
    const std::string above = name.substr(0, name.size() - suffix.size());
    if (std::find(known.begin(), known.end(), above) != known.end()) return Ratio{above, below};
  }
  return std::nullopt;
}

bool is_dilutable(const std::string& counter) {
  constexpr std::array kOwnWork = {"_per_request", "_per_instruction", "_per_thread", "_per_block",
                                   "_per_launch"};
  if (counter == kRegisters) return false;
  const auto is_suffix = [&](const char* divisor) { return counter.ends_with(divisor); };
  return counter == "overlap_fraction" || counter.starts_with("flops_per_") ||
         std::any_of(kOwnWork.begin(), kOwnWork.end(), is_suffix);
}

bool grows_with_work(const std::string& counter) {
  return !is_dilutable(counter) && counter != kRegisters && !counter.starts_with("unfreed_");
}

std::string counter_words(std::string counter) {
  if (const std::size_t at = counter.find(kBytesPer); at != std::string::npos)
    counter.replace(at, kBytesPer.size(), kBytesPerInWords);
  if (counter.ends_with(kSeconds))
    counter.replace(counter.size() - kSeconds.size(), kSeconds.size(), kSecondsInWords);
  std::replace(counter.begin(), counter.end(), '_', ' ');
  return counter;
}

std::string counter_of_words(std::string words) {
  if (const std::size_t at = words.find(kBytesPerInWords); at != std::string::npos)
    words.replace(at, kBytesPerInWords.size(), kBytesPer);
  if (words.ends_with(kSecondsInWords))
    words.replace(words.size() - kSecondsInWords.size(), kSecondsInWords.size(), kSeconds);
  std::replace(words.begin(), words.end(), ' ', '_');
  return words;
}

std::string counter_figure(const std::string& counter, double value, int digits) {
  return counter.ends_with(kSeconds) ? seconds_figure(value, digits) : figure(value, digits);
}

std::vector<std::string> counter_names(const Workload& workload) {
  std::vector<std::string> names = counter_names();
  const auto quantities = workload.quantity_names();
  for (const std::string& below : divisors(quantities))
    for (const std::string& above : dividends(quantities)) names.push_back(above + kPer + below);
  return names;
}

}  // namespace grader
