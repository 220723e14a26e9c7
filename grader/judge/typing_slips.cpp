#include "judge/typing_slips.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/no_pattern.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

using std::string_view;

/// The file without comments, and where its lines begin.
struct Code {
  std::string text;

  explicit Code(const SourceText& source) {
    for (const std::string& line : source.lines) text.append(code_of(line)).push_back('\n');
  }

  std::size_t line_of(std::size_t at) const {
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  }
  string_view from(std::size_t at) const { return string_view(text).substr(std::min(at, text.size())); }
  string_view rest_of_line(std::size_t at) const { return from(at).substr(0, from(at).find('\n')); }
  /// Blanks at the beginning of the line.
  std::size_t indentation(std::size_t at) const {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    return std::min(text.find_first_not_of(' ', begin), text.size()) - begin;
  }
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_blanks(string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// After the parenthesis that closes the one at `at`; npos: there is none.
std::size_t after_parentheses(string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '(') return string_view::npos;
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return string_view::npos;
}

/// Where the word occurs next.
std::size_t find_word(string_view text, string_view word, std::size_t at) {
  for (at = text.find(word, at); at != string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return string_view::npos;
}

/// Whether what follows the semicolon at `end` is meant as the body of the statement at `at`.
bool has_body_after(const Code& code, string_view word, std::size_t at, std::size_t end) {
  const string_view rest = trimmed(code.rest_of_line(end + 1));
  const std::size_t next = skip_blanks(code.text, end + 1);
  const string_view following = code.from(next);
  if (following.starts_with("else") || following.empty()) return false;
  if (following.starts_with("{")) return true;
  if (word == "while") return false;  // waits for another thread
  if (!rest.empty()) return word == "if";
  return code.indentation(next) > code.indentation(at);
}

/// Ends a do loop.
bool follows_block(string_view text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at > 0 && text[at - 1] == '}';
}

string_view without_parentheses(string_view text) {
  while (text.size() > 1 && text.front() == '(' && after_parentheses(text, 0) == text.size())
    text = text.substr(1, text.size() - 2);
  return text;
}

std::string dense(string_view code) {
  std::string text(code);
  std::erase_if(text, is_blank);
  return text;
}

/// The first value that the code assigns to the variable, without blanks; empty: none.
std::string value_of(const Code& code, string_view name) {
  if (name.empty()) return "";
  for (std::size_t at = find_word(code.text, name, 0); at != string_view::npos;
       at = find_word(code.text, name, at + 1)) {
    const std::size_t assigned = skip_blanks(code.text, at + name.size());
    const string_view from = code.from(assigned);
    if (!from.starts_with("=") || from.starts_with("==")) continue;
    return dense(from.substr(1, from.find_first_of(";,\n") - 1));
  }
  return "";
}

/// The expression, or what a variable of this name stands for.
std::string resolved(const Code& code, string_view expression) {
  const std::string plain = dense(without_parentheses(trimmed(expression)));
  const bool is_name = !plain.empty() && std::all_of(plain.begin(), plain.end(), is_word_character);
  const std::string value = is_name ? value_of(code, plain) : "";
  return value.empty() ? plain : std::string(without_parentheses(value));
}

/// The three parts of the loop's header that begins with `(`.
struct Header {
  string_view start, condition, step;
};

Header header_of(string_view parentheses) {
  const string_view inside = parentheses.substr(1, parentheses.size() - 2);
  const std::size_t first = inside.find(';'), second = inside.find(';', first + 1);
  if (first == string_view::npos || second == string_view::npos) return {};
  return {inside.substr(0, first), inside.substr(first + 1, second - first - 1), inside.substr(second + 1)};
}

bool begins_at_own_element(const std::string& start) {
  return start.find("blockIdx.x*blockDim.x") != std::string::npos ||
         start.find("blockDim.x*blockIdx.x") != std::string::npos;
}

/// What the step of the loop lacks: "gridDim.x" or "blockDim.x"; empty: nothing.
std::string missing_factor(const Code& code, const Header& header) {
  const std::size_t plus = header.step.find("+=");
  if (plus == string_view::npos) return "";
  const string_view variable = trimmed(header.step.substr(0, plus));
  const std::string step = resolved(code, header.step.substr(plus + 2));
  if (step != "blockDim.x" && step != "gridDim.x") return "";

  const std::size_t equals = header.start.find('=');
  const std::string start = equals == string_view::npos ? resolved(code, variable)
                                                        : resolved(code, header.start.substr(equals + 1));
  // A part of its own for each block is right.
  const std::size_t less = header.condition.find('<');
  const std::string end = less == string_view::npos ? "" : resolved(code, header.condition.substr(less + 1));
  if (!begins_at_own_element(start) || end.find("blockIdx") != std::string::npos) return "";
  return step == "blockDim.x" ? "gridDim.x" : "blockDim.x";
}

bool can_follow_from_step(const Diagnostic& one) {
  constexpr std::array kCodes{"WG-R04", "WG-R05", "WG-H04"};
  return std::find(kCodes.begin(), kCodes.end(), one.code) != kCodes.end() || has_no_pattern(one);
}

/// Wrong values, accesses, races, barriers, crashes and programs that do not end.
bool can_follow_from_empty_statement(const Diagnostic& one) {
  constexpr std::array kFamilies{"WG-V", "WG-M", "WG-R", "WG-B", "WG-H01", "WG-H04"};
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const char* family) { return one.code.starts_with(family); });
}

}  // namespace

std::optional<Advice> empty_statement(const SourceText& source) {
  const Code code(source);
  for (const string_view word : {"for", "if", "while"}) {
    for (std::size_t at = find_word(code.text, word, 0); at != string_view::npos;
         at = find_word(code.text, word, at + 1)) {
      const std::size_t closed = after_parentheses(code.text, skip_blanks(code.text, at + word.size()));
      if (closed == string_view::npos) continue;
      const std::size_t end = skip_blanks(code.text, closed);
      if (!code.from(end).starts_with(';') || (word == "while" && follows_block(code.text, at))) continue;
      if (!has_body_after(code, word, at, end)) continue;
      const bool is_loop = word != "if";
      return Advice{fmt::format("the semicolon after `{} (…)` in line {} ends the {}: what follows {}", word,
                                code.line_of(end), is_loop ? "loop" : "condition",
                                is_loop ? "runs once, after it" : "runs in any case"),
                    fmt::format("remove the semicolon in line {}", code.line_of(end))};
    }
  }
  return std::nullopt;
}

std::optional<Advice> step_of_a_part(const SourceText& source) {
  const Code code(source);
  for (std::size_t at = find_word(code.text, "for", 0); at != string_view::npos;
       at = find_word(code.text, "for", at + 1)) {
    const std::size_t open = skip_blanks(code.text, at + 3), closed = after_parentheses(code.text, open);
    if (closed == string_view::npos) continue;
    const std::string missing = missing_factor(code, header_of(code.from(open).substr(0, closed - open)));
    if (missing.empty()) continue;
    return Advice{
        fmt::format("the step of the loop in line {} leaves out {}: {} use the same elements",
                    code.line_of(at), missing, missing == "gridDim.x" ? "blocks" : "threads of one block"),
        "let the loop advance by the number of all threads: gridDim.x * blockDim.x"};
  }
  return std::nullopt;
}

void name_slips(CaseVerdict& verdict, const SourceText& source) {
  const bool is_wrong = verdict.verdict == Verdict::wrong_answer ||
                        verdict.verdict == Verdict::runtime_error || verdict.verdict == Verdict::time_limit;
  if (!is_wrong || verdict.diagnostics.empty()) return;
  Diagnostic& first = verdict.diagnostics.front();
  std::optional<Advice> slip;
  if (can_follow_from_empty_statement(first)) slip = empty_statement(source);
  if (!slip && can_follow_from_step(first)) slip = step_of_a_part(source);
  if (!slip) return;
  advise(first, *std::move(slip));
  verdict.guesses.clear();  // nothing contradicts what is visible
}

}  // namespace grader
