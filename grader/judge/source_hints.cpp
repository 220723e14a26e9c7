#include "judge/source_hints.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace grader {
namespace {

/// The line without comments. Comments of several lines are not recognised.
std::string_view code_of(const std::string& line) {
  return std::string_view(line).substr(0, line.find("//"));
}

bool contains_word(std::string_view code, std::string_view word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(code[at - 1])) && (end == code.size() || !is_part(code[end]))) return true;
  }
  return false;
}

bool starts_device_function(std::string_view code) {
  return contains_word(code, "__global__") || contains_word(code, "__device__");
}

}  // namespace

std::optional<std::uint32_t> return_before_barrier(const SourceText& source, std::string_view file,
                                                   std::uint32_t line) {
  const bool is_source = file.substr(file.rfind('/') + 1) == source.name;  // npos + 1 is 0
  if (!is_source || line == 0 || line > source.lines.size()) return std::nullopt;
  const auto has_barrier = [&](std::uint32_t at) {
    return contains_word(code_of(source.lines[at - 1]), "__syncthreads");
  };
  std::uint32_t barrier = line;
  while (barrier > 0 && !has_barrier(barrier)) --barrier;
  std::optional<std::uint32_t> found;
  for (std::uint32_t at = barrier; at > 0; --at) {
    const std::string_view code = code_of(source.lines[at - 1]);
    if (at < barrier && contains_word(code, "return")) found = at;
    if (starts_device_function(code)) return found;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> first_use(const SourceText& source, std::string_view identifier) {
  for (std::size_t i = 0; i < source.lines.size(); ++i)
    if (contains_word(code_of(source.lines[i]), identifier)) return static_cast<std::uint32_t>(i + 1);
  return std::nullopt;
}

}  // namespace grader
