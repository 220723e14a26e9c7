#include "judge/overwritten_sum.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"
#include "judge/function_lines.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

/// "sum = a[i];" of "for (int i = 0; i < n; ++i) sum = a[i];"
std::string_view last_statement(std::string_view code) {
  code = trimmed(code);
  if (!code.starts_with("for") && !code.starts_with("while") && !code.starts_with("if")) return code;
  int depth = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    depth += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
    if (code[at] == ')' && depth == 0) return last_statement(code.substr(at + 1));
  }
  return "";
}

struct Assignment {
  std::string_view variable, value;  ///< empty: the code assigns nothing to a variable
};

Assignment assignment_in(std::string_view code) {
  const std::string_view statement = last_statement(code);
  const std::size_t equals = statement.find('=');
  if (equals == std::string_view::npos || statement.substr(equals, 2) == "==") return {};
  const std::string_view variable = trimmed(statement.substr(0, equals));
  const bool is_name = !variable.empty() && std::all_of(variable.begin(), variable.end(), is_word_character);
  return is_name ? Assignment{variable, trimmed(statement.substr(equals + 1))} : Assignment{};
}

/// "float sum = 0.0f;": the line declares the variable as the start of a sum.
bool starts_sum(std::string_view code, std::string_view variable) {
  static constexpr std::array kTypes{"float", "double", "int", "unsigned"};
  const bool is_declaration =
      std::any_of(kTypes.begin(), kTypes.end(), [&](const char* type) { return contains_word(code, type); });
  const auto rest = is_declaration ? after_word(code, variable) : std::nullopt;
  if (!rest || !trimmed(*rest).starts_with('=')) return false;
  const std::string_view value = trimmed(trimmed(*rest).substr(1));
  const std::size_t end = value.find_first_not_of("0.fFuU");
  return value.starts_with('0') && (end == std::string_view::npos || value[end] == ';' || value[end] == ',');
}

std::size_t indentation(std::string_view code) { return code.find_first_not_of(' '); }

/// The code of the loop that begins in this line, as far as it is indented.
std::vector<std::string_view> body_of(const SourceText& source, std::uint32_t loop) {
  std::vector<std::string_view> body{code_of(source.lines[loop - 1])};
  for (std::size_t i = loop; i < source.lines.size(); ++i) {
    const std::string_view code = code_of(source.lines[i]);
    if (trimmed(code).empty()) continue;
    if (indentation(code) <= indentation(body.front())) break;
    body.push_back(code);
  }
  return body;
}

/// A variable that the loop also reads, or sets on a condition, is no sum: an index, a guarded load, the
/// greatest element so far.
bool is_only_assigned(const SourceText& source, std::uint32_t loop, std::uint32_t line,
                      std::string_view variable) {
  const auto is_condition = [](std::string_view code) {
    return trimmed(code).starts_with("if") || contains_word(code, "else");
  };
  const std::string_view assignment = code_of(source.lines[line - 1]);
  if (is_condition(assignment)) return false;
  for (std::size_t before = line - 1; before > loop; --before) {
    const std::string_view code = code_of(source.lines[before - 1]);
    if (is_condition(code) && indentation(code) < indentation(assignment)) return false;
  }
  const auto body = body_of(source, loop);
  return 1 == std::count_if(body.begin(), body.end(),
                            [&](std::string_view code) { return contains_word(code, variable); });
}

bool is_shuffle(std::string_view value) { return value.starts_with("__shfl_"); }

}  // namespace

FoundMistake overwritten_sum(const SourceText& source, Launches launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const auto begin = definition_of(source, kernel_name(launch->kernel));
    if (!begin) continue;
    const auto first = source.lines.begin() + static_cast<std::ptrdiff_t>(*begin - 1);
    const auto end = source.lines.begin() + static_cast<std::ptrdiff_t>(end_of_function(source, *begin - 1));
    for (auto at = first; at != end; ++at) {
      const auto [variable, value] = assignment_in(code_of(*at));
      if (variable.empty() || (contains_word(value, variable) && !is_shuffle(value))) continue;
      const auto starts = [&, name = variable](const std::string& one) {
        return starts_sum(code_of(one), name);
      };
      const auto line = static_cast<std::uint32_t>(at - source.lines.begin() + 1);
      const auto loop = loop_around(source, source.name, line);
      if (!loop) continue;
      const auto before_loop = source.lines.begin() + static_cast<std::ptrdiff_t>(*loop - 1);
      if (!is_shuffle(value) &&
          (std::none_of(first, before_loop, starts) || !is_only_assigned(source, *loop, line, variable)))
        continue;
      return VisibleMistake{
          line,
          is_shuffle(value)
              ? fmt::format(
                    "line {} replaces `{}` by another lane's value, so that the lane's own value is lost",
                    line, variable)
              : fmt::format("line {} assigns each term to `{}`, which begins at 0, and does not add it: only "
                            "the last term of the loop remains",
                            line, variable),
          fmt::format("combine the two, for a sum with {} += …", variable)};
    }
  }
  return std::nullopt;
}

}  // namespace grader
