#include <algorithm>
#include <array>

#include "mutants/rules.hpp"

namespace grader::mutants {
namespace {

bool is_comparison(const Code& code, std::size_t i) {
  const std::string_view text = code.text(i);
  return (text == "<" || text == "<=" || text == ">" || text == ">=") && is_spaced(code, i);
}

/// boundary: a comparison includes its limit, or no longer does. shifted-guard: the last element is left out.
void mutate_comparison(const Code& code, std::size_t i, Sink& sink) {
  const std::string text(code.text(i));
  sink.replace("boundary", i, text.size() == 1 ? text + "=" : text.substr(0, 1));
  sink.insert_before("shifted-guard", i, text.front() == '<' ? "+ 1 " : "- 1 ");
}

bool ends_operand(std::string_view text) {
  constexpr std::array kEnds = {"&&", "||", "?", ":", ",", ";", "=", "return"};
  return std::find(kEnds.begin(), kEnds.end(), text) != kEnds.end();
}

/// The operands of a && or ||, within the brackets around it.
Range left_operand(const Code& code, std::size_t i) {
  Range found{i, i};
  while (found.begin > 0) {
    const std::string_view previous = code.text(found.begin - 1);
    const auto partner = code.partner(found.begin - 1);
    if (ends_operand(previous) || (partner && *partner >= found.begin)) break;
    found.begin = partner ? *partner : found.begin - 1;
  }
  return found;
}

Range right_operand(const Code& code, std::size_t i) {
  Range found{i + 1, i + 1};
  while (found.end < code.size()) {
    const auto partner = code.partner(found.end);
    if (ends_operand(code.text(found.end)) || (partner && *partner <= i)) break;
    found.end = (partner ? *partner : found.end) + 1;
  }
  return found;
}

/// half-guard: one side of the condition is missing.
void mutate_logic(const Code& code, std::size_t i, Sink& sink) {
  const Range left = left_operand(code, i), right = right_operand(code, i);
  if (left.begin == left.end || right.begin == right.end) return;
  sink.replace("half-guard", Range{left.begin, right.end}, std::string(code.text(right)));
  sink.replace("half-guard", Range{left.begin, right.end}, std::string(code.text(left)));
}

/// no-guard: the condition always holds.
void mutate_condition(const Code& code, std::size_t i, Sink& sink) {
  const auto close = code.partner(i + 1);
  if (close && code.text(i) == "if") sink.replace("no-guard", Range{i + 2, *close}, "true");
}

/// swapped-extent: another integer parameter in the place of this one.
void mutate_extent(const Code& code, std::size_t i, Sink& sink) {
  const Function* function = code.function_at(i);
  if (function == nullptr || function->integers.size() < 2) return;
  const auto& names = function->integers;
  const auto found = std::find(names.begin(), names.end(), code.text(i));
  if (found == names.end() || code.text(i - 1) == "." || code.text(i - 1) == "->") return;
  const auto next = found + 1 == names.end() ? names.begin() : found + 1;
  sink.replace("swapped-extent", i, std::string(*next));
}

}  // namespace

void add_guard_mutants(const Code& code, Sink& sink) {
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (code.function_at(i) == nullptr) continue;
    if (is_comparison(code, i)) mutate_comparison(code, i, sink);
    if (code.text(i) == "==" || code.text(i) == "!=")
      sink.replace("boundary", i, code.text(i) == "==" ? "!=" : "==");
    if (code.text(i) == "&&" || code.text(i) == "||") mutate_logic(code, i, sink);
    mutate_condition(code, i, sink);
    if (code.is(i, Lexeme::Kind::name)) mutate_extent(code, i, sink);
  }
}

}  // namespace grader::mutants
