#include "judge/unknown_lines.hpp"

#include <fmt/format.h>

#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

void locate_access(Diagnostic& diagnostic, const vgpu::Fault& fault, std::string_view entry,
                   const SourceText& source) {
  if (fault.source.line != 0) return locate(diagnostic, fault.file, fault.source.line, source);
  const std::string kernel = kernel_name(fault.kernel), array = kernel_name(fault.variable);
  const bool is_named = fault.is_store && fault.space == vgpu::ptx::Space::shared && !fault.variable.empty();
  if (const auto line = is_named ? first_store(source, kernel, array) : std::nullopt) {
    locate(diagnostic, source.name, *line, source);
    diagnostic.first +=
        fmt::format("; the compiler merged stores of several lines: line {} is the first that stores to `{}`",
                    *line, array);
    return;
  }
  const auto launch = launch_of(source, kernel, entry);
  if (!launch) return;
  locate(diagnostic, source.name, *launch, source);
  diagnostic.first += "; the line in the kernel is unknown, this line launches it";
}

}  // namespace grader
