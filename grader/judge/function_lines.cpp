#include "judge/function_lines.hpp"

#include "base/ascii.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

/// The line has the function's name in the head of a definition: not in a launch, a call, or a function whose
/// body is in the same line.
bool has_head_of(std::string_view code, std::string_view function) {
  const std::string_view head = code.substr(0, code.find('{'));
  const bool is_statement = head.size() == code.size() && trimmed(head).ends_with(';');
  return contains_word(head, function) && head.find("<<<") == std::string_view::npos && !is_statement;
}

}  // namespace

std::size_t end_of_function(const SourceText& source, std::size_t head) {
  int braces = 0, parentheses = 0;  // open; parentheses of the head only, which can have braces, too
  bool has_body = false;
  for (std::size_t i = head; i < source.lines.size(); ++i) {
    if (i > head && source.lines[i].starts_with('}')) return i;
    for (const char c : code_of(source.lines[i])) {
      if (!has_body) parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (parentheses > 0) continue;
      braces += c == '{' ? 1 : c == '}' ? -1 : 0;
      has_body |= c == '{';
      if (has_body ? braces <= 0 : c == ';') return i + 1;
    }
  }
  return source.lines.size();
}

LineRange body_of(const SourceText& source, std::string_view function) {
  if (function.empty()) return {};
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const bool is_at_margin =
        !line.empty() && std::string_view(" \t#").find(line.front()) == std::string_view::npos;
    if (is_at_margin && has_head_of(code_of(line), function)) begin = i;
  }
  if (!begin) return {};
  return {*begin, end_of_function(source, *begin)};
}

LineRange device_function_with(const SourceText& source, std::string_view file, std::uint32_t line) {
  const bool is_source = file.substr(file.rfind('/') + 1) == source.name;  // npos + 1 is 0
  if (!is_source || line == 0 || line > source.lines.size()) return {};
  std::size_t left = 100;  // lines that can begin a function, from each of which its end is searched
  for (std::size_t begin = line; begin-- > 0 && left > 0;) {
    if (!starts_device_function(code_of(source.lines[begin]))) continue;
    --left;
    const std::size_t end = end_of_function(source, begin);
    if (end >= line) return {begin, end};
  }
  return {};
}

std::optional<std::uint32_t> definition_of(const SourceText& source, std::string_view function) {
  const LineRange lines = body_of(source, function);
  if (lines.begin == lines.end) return std::nullopt;
  return static_cast<std::uint32_t>(lines.begin + 1);
}

}  // namespace grader
