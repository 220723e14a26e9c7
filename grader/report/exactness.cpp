#include "report/exactness.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::Approximations;

std::string functions_text(const Approximations& found) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(found.functions.size(), kNamed); ++i) {
    const auto& [instruction, count, first] = found.functions[i];
    text += fmt::format("{}{} ({}{})", i == 0 ? "" : ", ", instruction,
                        count == 1 ? "" : fmt::format("{} times, first in ", count),
                        place_of(first.file, first.line));
  }
  if (found.functions.size() > kNamed) text += fmt::format(" and {} more", found.functions.size() - kNamed);
  return text;
}

std::string reach_text(const Approximations& found) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<Approximations::Place>& place) {
    if (place)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", what, place_of(place->file, place->line));
  };
  add("a branch", found.branch);
  add("an address", found.address);
  add("a barrier", found.barrier);
  return text.empty() ? "no result reaches a branch, an address or a barrier" : "a result can reach " + text;
}

}  // namespace

std::string exactness_text(const Approximations& approximations) {
  if (approximations.functions.empty()) return "exact: no approximate function";
  return "approximate: " + functions_text(approximations) + "; " + reach_text(approximations);
}

std::vector<std::string> exactness_lines(const std::vector<vgpu::cudart::SessionReport>& programs) {
  std::vector<std::string> names;  // in the order of their first launch
  std::map<std::string, std::shared_ptr<const Approximations>> kernels;
  for (const auto& program : programs)
    for (const vgpu::LaunchRecord& launch : program.launches)
      if (launch.approximations && kernels.emplace(launch.kernel, launch.approximations).second)
        names.push_back(launch.kernel);
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    if (kernels[name]->functions.empty()) continue;
    lines.push_back((names.size() > 1 ? kernel_name(name) + " is " : "") + exactness_text(*kernels[name]));
  }
  if (lines.empty() && !names.empty()) lines = {exactness_text({})};
  return lines;
}

std::vector<std::string> exactness_lines(const std::vector<InexactKernel>& kernels) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(kernels.size(), kShown); ++i)
    lines.push_back(kernels[i].name + " is " + exactness_text(kernels[i].found));
  if (kernels.size() > kShown)
    lines.push_back(fmt::format("{} more kernels are approximate", kernels.size() - kShown));
  return lines;
}

}  // namespace grader
