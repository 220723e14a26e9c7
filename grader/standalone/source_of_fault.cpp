#include "standalone/source_of_fault.hpp"

#include <filesystem>

#include "base/files.hpp"

namespace grader {

SourceText source_text(const std::string& file) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
  SourceText source{std::filesystem::path(file).filename(), {}};
  const auto text = read_file(file, kMaxBytes);
  for (std::size_t start = 0; text && start < text->size();) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    source.lines.push_back(text->substr(start, end - start));
    start = end + 1;
  }
  return source;
}

SourceText source_of(const vgpu::Fault& fault) { return source_text(fault.file); }

}  // namespace grader
