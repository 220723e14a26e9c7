#include "judge/loop_slips.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

using std::string_view;

/// "i" of `for (i = 0; …)`, or of `for (; …; ++i)`, whose variable lives on after the loop.
std::string_view variable_after_loop(const FileCode& code, std::size_t at) {
  const std::size_t open = code.text.find('(', at);
  const string_view start = code.from(open + 1);
  const string_view first = trimmed(start.substr(0, start.find_first_of("=;")));
  if (!first.empty()) {
    const std::size_t name = first.find_last_of(" *&") + 1;  // npos + 1 is 0
    return first.substr(name);
  }
  const LoopHeader header = header_of(code.from(open).substr(0, after_parentheses(code.text, open) - open));
  string_view step = trimmed(header.step);
  while (!step.empty() && !is_word_character(step.front())) step.remove_prefix(1);
  const auto end = std::find_if_not(step.begin(), step.end(), is_word_character);
  return step.substr(0, static_cast<std::size_t>(end - step.begin()));
}

/// Whether what follows the semicolon at `end` is meant as the body of the statement at `at`.
bool has_braces_after(const FileCode& code, string_view word, std::size_t at, std::size_t end) {
  const string_view rest = trimmed(code.rest_of_line(end + 1));
  const std::size_t next = skip_blanks(code.text, end + 1);
  const string_view following = code.from(next);
  if (following.starts_with("else") || following.empty()) return false;
  if (following.starts_with("{")) return true;
  if (word == "while") return false;  // waits for another thread
  if (!rest.empty() && word == "for") {
    const string_view variable = variable_after_loop(code, at);
    return !variable.empty() && find_word(rest, variable, 0) != string_view::npos;
  }
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
std::string value_of(const FileCode& code, string_view name) {
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
std::string resolved(const FileCode& code, string_view expression) {
  const std::string plain = dense(without_parentheses(trimmed(expression)));
  const bool is_name = !plain.empty() && std::all_of(plain.begin(), plain.end(), is_word_character);
  const std::string value = is_name ? value_of(code, plain) : "";
  return value.empty() ? plain : std::string(without_parentheses(value));
}

bool begins_at_own_element(const std::string& start) {
  return start.find("grid.thread_rank()") != std::string::npos ||
         start.find("blockIdx.x*blockDim.x") != std::string::npos ||
         start.find("blockDim.x*blockIdx.x") != std::string::npos;
}

/// What the step of the loop lacks: "gridDim.x" or "blockDim.x"; empty: nothing.
std::string missing_factor(const FileCode& code, const LoopHeader& header) {
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

/// The name that a declaration at `at`, which begins with a type, gives to its variable; empty: there is
/// none.
string_view declared_name(string_view text, std::size_t at) {
  string_view name;
  do {
    name = text.substr(
        at, std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_word_character) -
                (text.begin() + static_cast<std::ptrdiff_t>(at)));
    at = skip_blanks(text, at + name.size());
  } while (at < text.size() && is_word_character(text[at]) && !name.empty());
  return name;
}

constexpr std::array<string_view, 5> kUnsignedTypes{"unsigned", "size_t", "uint32_t", "uint64_t", "uint"};

constexpr const char* kUseInt = "use int for numbers that can be below 0";

/// `x >= 0` for an unsigned variable, in the function that declares it: its last brace begins a line.
std::optional<Advice> test_of_unsigned(const FileCode& code) {
  for (const string_view type : kUnsignedTypes) {
    for (std::size_t at = find_word(code.text, type, 0); at != string_view::npos;
         at = find_word(code.text, type, at + 1)) {
      const string_view name = declared_name(code.text, at);
      if (name.empty() || name == type) continue;
      const std::size_t end = code.text.find("\n}", at);
      for (std::size_t use = find_word(code.text, name, at); use < end;
           use = find_word(code.text, name, use + 1)) {
        const std::string test = dense(code.rest_of_line(use + name.size()).substr(0, 6));
        if (!test.starts_with(">=0") || (test.size() > 3 && is_word_character(test[3]))) continue;
        return Advice{
            fmt::format("`{0} >= 0` in line {1} always holds, because `{0}` is unsigned: what would "
                        "be below 0 is a number above 4 billion",
                        name, code.line_of(use)),
            kUseInt};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> empty_statement(const SourceText& source) {
  const FileCode code(source);
  for (const string_view word : {"for", "if", "while"}) {
    for (std::size_t at = find_word(code.text, word, 0); at != string_view::npos;
         at = find_word(code.text, word, at + 1)) {
      const std::size_t closed = after_parentheses(code.text, skip_blanks(code.text, at + word.size()));
      if (closed == string_view::npos) continue;
      const std::size_t end = skip_blanks(code.text, closed);
      if (!code.from(end).starts_with(';') || (word == "while" && follows_block(code.text, at))) continue;
      if (!has_braces_after(code, word, at, end)) continue;
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
  const FileCode code(source);
  return find_in_loops(code, [&](const LoopHeader& header, std::size_t line) -> std::optional<Advice> {
    const std::string missing = missing_factor(code, header);
    if (missing.empty()) return std::nullopt;
    return Advice{fmt::format("the step of the loop in line {} leaves out {}: {} use the same elements", line,
                              missing, missing == "gridDim.x" ? "blocks" : "threads of one block"),
                  "let the loop advance by the number of all threads: gridDim.x * blockDim.x"};
  });
}

std::optional<Advice> start_without_block(const SourceText& source) {
  const FileCode code(source);
  return find_in_loops(code, [&](const LoopHeader& header, std::size_t line) -> std::optional<Advice> {
    const std::size_t plus = header.step.find("+="), equals = header.start.find('=');
    if (plus == string_view::npos || equals == string_view::npos) return std::nullopt;
    const std::string step = resolved(code, header.step.substr(plus + 2));
    if (step != "blockDim.x*gridDim.x" && step != "gridDim.x*blockDim.x") return std::nullopt;
    if (resolved(code, header.start.substr(equals + 1)) != "threadIdx.x") return std::nullopt;
    return Advice{
        fmt::format("the loop in line {} begins at threadIdx.x in every block: all blocks use the same "
                    "elements, and the others are left out",
                    line),
        "begin at blockIdx.x * blockDim.x + threadIdx.x"};
  });
}

std::optional<Advice> counter_without_value(const SourceText& source) {
  const FileCode code(source);
  return find_in_loops(code, [&](const LoopHeader& header, std::size_t line) -> std::optional<Advice> {
    const string_view start = trimmed(header.start);
    const bool declares = start.starts_with("int ") || start.starts_with("unsigned ") ||
                          start.starts_with("size_t ") || start.starts_with("long ");
    if (!declares || start.find_first_of("=({:") != string_view::npos) return std::nullopt;
    const std::string name = last_word(start);
    return Advice{
        fmt::format("`{}` in line {} has no first value: the loop begins at any number", name, line),
        fmt::format("give it one: {} = 0", start)};
  });
}

std::optional<Advice> unsigned_below_0(const SourceText& source) {
  const FileCode code(source);
  auto loop = find_in_loops(code, [&](const LoopHeader& header, std::size_t line) -> std::optional<Advice> {
    const string_view start = trimmed(header.start);
    const std::size_t equals = start.find('=');
    const bool is_unsigned = std::any_of(kUnsignedTypes.begin(), kUnsignedTypes.end(), [&](string_view type) {
      return find_word(start.substr(0, equals), type, 0) != string_view::npos;
    });
    const bool goes_up = header.step.find('-') == string_view::npos;
    if (!is_unsigned || !goes_up || equals == string_view::npos ||
        start.find('-', equals) == string_view::npos)
      return std::nullopt;
    return Advice{
        fmt::format("`{}` in line {} is unsigned, so that {} is a number above 4 billion where it would be "
                    "below 0",
                    last_word(trimmed(start.substr(0, equals))), line, trimmed(start.substr(equals + 1))),
        kUseInt};
  });
  return loop ? loop : test_of_unsigned(code);
}

std::optional<Advice> loop_to_the_extent(const SourceText& source, std::size_t access) {
  constexpr std::size_t kMostLines = 16;
  const FileCode code(source);
  return find_in_loops(code, [&](const LoopHeader& header, std::size_t line) -> std::optional<Advice> {
    if (line > access || access - line > kMostLines) return std::nullopt;
    const std::size_t equals = header.start.find('='), at = header.condition.find("<=");
    if (equals == string_view::npos || at == string_view::npos) return std::nullopt;
    const string_view extent = trimmed(header.condition.substr(at + 2));
    const bool is_name = !extent.empty() && std::all_of(extent.begin(), extent.end(), is_word_character) &&
                         std::isdigit(static_cast<unsigned char>(extent.front())) == 0;
    if (trimmed(header.start.substr(equals + 1)) != "0" || !is_name) return std::nullopt;
    return Advice{
        fmt::format("the loop in line {} runs once too often: its last number is {}, and that of the "
                    "last element is {} - 1",
                    line, extent, extent),
        "write < in the loop's condition"};
  });
}

}  // namespace grader
