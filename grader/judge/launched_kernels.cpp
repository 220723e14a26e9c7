#include "judge/launched_kernels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/code_text.hpp"
#include "judge/function_lines.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

bool is_launch(std::string_view code, std::string_view kernel) {
  return contains_word(code, kernel) &&
         (code.find("<<<") != std::string_view::npos || contains_word(code, "cudaLaunchKernel"));
}

/// In how many lines the kernel is launched.
std::size_t launches_of(const SourceText& source, std::string_view kernel) {
  return static_cast<std::size_t>(
      std::count_if(source.lines.begin(), source.lines.end(),
                    [&](const std::string& line) { return is_launch(code_of(line), kernel); }));
}

/// "k" of "__global__ void k(int* a) {"; empty: the line defines no kernel, or its name is in another line.
std::string defined_kernel(std::string_view code) {
  const auto rest = after_word(code, "__global__");
  const std::size_t parameters = rest ? rest->find('(') : std::string_view::npos;
  return parameters == std::string_view::npos ? "" : last_word(rest->substr(0, parameters));
}

struct Kernel {
  std::string name;
  std::uint32_t line = 0;
};

/// The first kernel that the file mentions only where it defines it.
std::optional<Kernel> unused_kernel(const SourceText& source) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string name = defined_kernel(code_of(source.lines[i]));
    const auto line = static_cast<std::uint32_t>(i + 1);
    if (!name.empty() && only_use(source, name) == line) return Kernel{name, line};
  }
  return std::nullopt;
}

}  // namespace

FoundMistake kernel_of_another_function(const SourceText& source,
                                        const std::vector<const vgpu::LaunchRecord*>& launches,
                                        std::string_view entry) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = launches_of(source, kernel) > 1 ? launch_of(source, kernel, entry) : std::nullopt;
    const auto unused = line ? unused_kernel(source) : std::nullopt;
    if (!unused) continue;
    return VisibleMistake{
        *line,
        fmt::format("line {} launches `{}`, which another function launches, too, and "
                    "nothing launches `{}` (line {})",
                    *line, kernel, unused->name, unused->line),
        fmt::format("launch `{}` in line {}, if it is the kernel of `{}`", unused->name, *line, entry)};
  }
  return std::nullopt;
}

SourceText without_other_kernels(const SourceText& source,
                                 const std::vector<const vgpu::LaunchRecord*>& launches) {
  SourceText rest = source;
  if (launches.empty()) return rest;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string name = defined_kernel(code_of(source.lines[i]));
    const auto is_of_it = [&](const auto* launch) { return kernel_name(launch->kernel) == name; };
    if (name.empty() || std::any_of(launches.begin(), launches.end(), is_of_it)) continue;
    for (const std::size_t end = end_of_function(source, i); i < end; ++i) rest.lines[i].clear();
    --i;  // what follows the kernel can be in the next line
  }
  return rest;
}

}  // namespace grader
