#include "judge/endless_loop.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"
#include "judge/source_hints.hpp"

namespace grader {
namespace {

using std::string_view;

string_view code_in(const SourceText& source, std::uint32_t line) {
  return trimmed(code_of(source.lines[line - 1]));
}

/// Lines of the loops around the line, the innermost first.
std::vector<std::uint32_t> loops_around(const SourceText& source, string_view file, std::uint32_t line) {
  std::vector<std::uint32_t> loops;
  for (auto loop = loop_around(source, file, line); loop; loop = loop_around(source, file, *loop - 1)) {
    const bool is_beside = !loops.empty() && code_in(source, *loop).ends_with(';');  // a loop of one line
    if (!is_beside) loops.push_back(*loop);
    if (*loop < 2) break;
  }
  return loops;
}

/// What is wrong with the loop's header; empty: nothing is visible.
std::string visible_reason(string_view code) {
  const std::size_t word = find_word(code, "for", 0);
  const std::size_t open = word == string_view::npos ? word : code.find('(', word);
  const std::size_t end = open == string_view::npos ? open : after_parentheses(code, open);
  if (end == string_view::npos) return "";
  const LoopHeader header = header_of(code.substr(open, end - open));
  for (const string_view type : {"char", "int8_t", "uint8_t", "uchar"})
    if (find_word(header.start, type, 0) != string_view::npos)
      return "its variable has 8 bits, and never reaches a larger bound";
  for (const string_view type : {"short", "int16_t", "uint16_t", "ushort"})
    if (find_word(header.start, type, 0) != string_view::npos)
      return "its variable has 16 bits, and never reaches a larger bound";
  const bool has_condition = !trimmed(header.condition).empty();
  return has_condition && trimmed(header.step).empty() ? "its header does not change the variable" : "";
}

}  // namespace

std::optional<std::string> endless_loop(const SourceText& source, string_view file, std::uint32_t line) {
  const auto loops = loops_around(source, file, line);
  if (loops.empty()) return std::nullopt;
  const auto named = [&](std::uint32_t loop) {
    return fmt::format("line {}, `{}`", loop, code_in(source, loop));
  };
  for (const std::uint32_t loop : loops)
    if (const std::string reason = visible_reason(code_in(source, loop)); !reason.empty())
      return fmt::format("the loop in {}, never ends: {}", named(loop), reason);
  if (loops.size() == 1)
    return fmt::format(
        "the loop in {}, never ends, or waits for something that the host or another stream does later",
        named(loops.front()));
  std::string all;
  for (const std::uint32_t loop : loops) all += (all.empty() ? "" : "; ") + named(loop);
  return "one of the loops around this line never ends, or waits for something that the host or another "
         "stream does later: " +
         all;
}

}  // namespace grader
