#include "profile/kernel_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "judge/memory_names.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using SourcePlace = std::pair<std::string, std::uint32_t>;

AccessSum sum_of(const vgpu::RecordedSite& site) { return {site.executions, site.cost, site.ideal}; }

void add(SpaceSums& global, SpaceSums& shared, const vgpu::RecordedSite& site) {
  SpaceSums& space = site.space == vgpu::ptx::Space::shared ? shared : global;
  (site.is_store ? space.stores : space.loads) += sum_of(site);
}

std::uint64_t waste(const vgpu::RecordedSite& site) { return site.cost - std::min(site.cost, site.ideal); }

/// The text of each file is read once.
class Sources {
 public:
  explicit Sources(const FindSource& find) : find_(find) {}

  std::string line(const SourcePlace& place) {
    const auto [known, is_new] = files_.try_emplace(place.first);
    if (is_new && !place.first.empty()) known->second = find_(place.first);
    const auto& lines = known->second.lines;
    return place.second == 0 || place.second > lines.size() ? "" : lines[place.second - 1];
  }

 private:
  const FindSource& find_;
  std::map<std::string, SourceText> files_;
};

/// Where the reader finds the code. clang defines threadIdx and its relatives in headers of its own, which
/// explain nothing: that code has no line, as with nvcc.
SourcePlace shown_place(const std::string& file, std::uint32_t line) {
  const bool is_clangs = std::filesystem::path(file).filename().string().starts_with("__clang_");
  return is_clangs ? SourcePlace() : SourcePlace(file, line);
}

std::vector<LineFacts> lines_of(const vgpu::LaunchRecord& launch, Sources& sources) {
  std::map<SourcePlace, LineFacts> lines;
  for (const vgpu::LineCounters& one : launch.lines)
    lines[shown_place(one.file, one.line)].counters += one.counters;
  if (launch.recording) {
    for (const vgpu::RecordedSite& site : launch.recording->sites)
      if (const auto line = lines.find(shown_place(site.file, site.line)); line != lines.end())
        add(line->second.global, line->second.shared, site);
    for (const vgpu::PtxLine& one : launch.recording->ptx)
      if (const auto line = lines.find(shown_place(one.file, one.line)); line != lines.end())
        line->second.ptx.push_back(one.text);
  }
  std::vector<LineFacts> sorted;
  for (auto& [place, facts] : lines) {
    std::tie(facts.file, facts.line) = place;
    facts.source = sources.line(place);
    sorted.push_back(std::move(facts));
  }
  return sorted;
}

/// As diagnostics name memory.
std::string memory_name_of(const vgpu::RecordedSite& site, const vgpu::cudart::MemoryNames& memory,
                           const FindArray& find_array) {
  if (!site.memory) return site.variable.empty() ? "" : fmt::format("`{}`", kernel_name(site.variable));
  vgpu::Fault access;
  access.nearest = site.memory;
  access.variable = site.variable;
  const std::string array = find_array(access);
  return array.empty() ? memory_name(access, memory) : fmt::format("`{}`", array);
}

void describe_longest(KernelFacts& kernel, const vgpu::cudart::MemoryNames& memory, Sources& sources,
                      const FindArray& find_array) {
  kernel.lines = lines_of(kernel.longest, sources);
  if (!kernel.longest.recording) return;
  for (const vgpu::RecordedSite& site : kernel.longest.recording->sites) {
    add(kernel.global, kernel.shared, site);
    kernel.accesses.push_back({site, memory_name_of(site, memory, find_array)});
  }
  std::stable_sort(kernel.accesses.begin(), kernel.accesses.end(), [](const auto& one, const auto& other) {
    return std::pair(waste(one), one.executions) > std::pair(waste(other), other.executions);
  });
}

}  // namespace

AccessSum& AccessSum::operator+=(const AccessSum& other) {
  executions += other.executions;
  cost += other.cost;
  ideal += other.ideal;
  return *this;
}

AccessSum SpaceSums::both() const {
  AccessSum sum = loads;
  return sum += stores;
}

std::vector<KernelFacts> kernel_facts(const std::vector<vgpu::cudart::SessionReport>& programs,
                                      const FindSource& find_source, const FindArray& find_array) {
  Sources sources(find_source);
  std::vector<KernelFacts> kernels;
  std::vector<const vgpu::cudart::MemoryNames*> memory;  // of each kernel's longest launch
  for (const auto& program : programs) {
    for (const vgpu::LaunchRecord& launch : program.launches) {
      if (launch.lines.empty()) continue;  // the launch did not run to its end
      auto known = std::find_if(kernels.begin(), kernels.end(),
                                [&](const KernelFacts& one) { return one.longest.kernel == launch.kernel; });
      const bool is_new = known == kernels.end();
      if (is_new) {
        known = kernels.insert(known, KernelFacts{});
        memory.push_back(nullptr);
      }
      if (is_new || launch.time.total_s() > known->longest.time.total_s()) {
        known->longest = launch;
        memory[static_cast<std::size_t>(known - kernels.begin())] = &program.memory;
      }
      ++known->launches;
      known->seconds += launch.time.total_s();
      known->counters += launch.counters;
    }
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].name = kernel_name(kernels[i].longest.kernel);
    describe_longest(kernels[i], *memory[i], sources, find_array);
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& one, const auto& other) { return one.seconds > other.seconds; });
  return kernels;
}

std::vector<const NamedAccess*> chosen_accesses(const KernelFacts& kernel, const AccessChoice& choice) {
  std::vector<const NamedAccess*> chosen;
  if (choice.line != 0) {
    for (const NamedAccess& site : kernel.accesses)
      if (site.line == choice.line && site.file.ends_with(choice.file)) chosen.push_back(&site);
    return chosen;
  }
  for (const auto space : {vgpu::ptx::Space::global, vgpu::ptx::Space::shared}) {
    const auto worst = std::find_if(kernel.accesses.begin(), kernel.accesses.end(),
                                    [&](const auto& site) { return site.space == space; });
    if (worst != kernel.accesses.end()) chosen.push_back(&*worst);
  }
  return chosen;
}

}  // namespace grader
