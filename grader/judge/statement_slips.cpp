#include "judge/statement_slips.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/argument_lists.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

using std::string_view;

/// The parts of a condition between && and ||, without those in parentheses of their own.
std::vector<string_view> clauses_of(string_view condition) {
  std::vector<string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < condition.size(); ++at) {
    depth += condition[at] == '(' || condition[at] == '['   ? 1
             : condition[at] == ')' || condition[at] == ']' ? -1
                                                            : 0;
    const string_view two = condition.substr(at, 2);
    if (depth != 0 || (two != "&&" && two != "||")) continue;
    parts.push_back(trimmed(condition.substr(begin, at - begin)));
    begin = at + 2;
  }
  parts.push_back(trimmed(condition.substr(begin)));
  return parts;
}

/// "i = n": assigns to a variable or an element, and declares none.
bool assigns(string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == string_view::npos || equals == 0 || part.substr(equals).starts_with("==")) return false;
  const string_view left = trimmed(part.substr(0, equals));
  const auto is_of_place = [](char c) {
    return is_word_character(c) || c == '[' || c == ']' || c == '.' || c == '+' || c == '*';
  };
  if (left.empty() || !std::all_of(left.begin(), left.end(), is_of_place)) return false;
  const bool has_index = left.find('[') != string_view::npos;
  return is_word_character(left.front()) && (has_index ? left.back() == ']' : is_word_character(left.back()));
}

/// Where the second comparison of `0 <= y < n` is; npos: there is none.
std::size_t second_comparison(string_view part) {
  std::size_t found = 0;
  int depth = 0;
  for (std::size_t at = 0; at < part.size(); ++at) {
    depth += part[at] == '(' || part[at] == '[' ? 1 : part[at] == ')' || part[at] == ']' ? -1 : 0;
    if (depth != 0 || (part[at] != '<' && part[at] != '>')) continue;
    const char before = at == 0 ? ' ' : part[at - 1], after = at + 1 == part.size() ? ' ' : part[at + 1];
    if (before == '-' || before == part[at] || after == part[at]) continue;           // ->, << and >>
    if (part[at] == '>' && (after == '(' || after == ':')) return string_view::npos;  // of a template
    if (++found == 2) return at;
  }
  return string_view::npos;
}

std::optional<Advice> slip_in_condition(string_view condition, std::size_t line) {
  for (const string_view part : clauses_of(condition)) {
    if (assigns(part))
      return Advice{fmt::format("`{}` in line {} assigns, and does not compare: the condition is the value "
                                "that was assigned",
                                part, line),
                    "write == to compare"};
    const std::size_t second = second_comparison(part);
    if (second == string_view::npos) continue;
    const std::size_t first = part.find_first_of("<>");
    const std::size_t after = part[first + 1] == '=' ? first + 2 : first + 1;
    const string_view left = trimmed(part.substr(0, second)),
                      middle = trimmed(part.substr(after, second - after));
    return Advice{fmt::format("`{}` in line {} compares the result of `{}`, which is 0 or 1, with the rest",
                              part, line, left),
                  fmt::format("write two comparisons: {} && {} {}", left, middle, part.substr(second))};
  }
  return std::nullopt;
}

/// "row < m" or "column >= 0": a place that an array has, as far as this goes.
bool is_within(string_view part) {
  const std::size_t at = part.find_first_of("<>");
  if (at == string_view::npos || at + 1 == part.size() ||
      part.find_first_of("<>", at + 1) != string_view::npos)
    return false;
  // A part of the block's threads can have other work.
  constexpr std::array kThreads{"tx", "ty", "tz", "t", "tid", "lane", "warp"};
  const string_view left = trimmed(part.substr(0, at));
  if (left.find("threadIdx") != string_view::npos ||
      std::find(kThreads.begin(), kThreads.end(), left) != kThreads.end())
    return false;
  const bool has_equals = part[at + 1] == '=';
  const bool is_zero = trimmed(part.substr(at + (has_equals ? 2 : 1))) == "0";
  return part[at] == '<' ? !has_equals && !is_zero : has_equals && is_zero;
}

/// `if (row < m || column < n)` before what a thread does within the array.
std::optional<Advice> either_within(string_view condition, string_view then, std::size_t line) {
  const std::vector<string_view> parts = clauses_of(condition);
  if (then.starts_with('{')) then = trimmed(then.substr(1));
  const bool leaves = then.starts_with("return") || then.starts_with("continue") || then.starts_with("break");
  if (parts.size() < 2 || leaves || condition.find("||") == string_view::npos ||
      !std::all_of(parts.begin(), parts.end(), is_within))
    return std::nullopt;
  return Advice{
      fmt::format("`||` in line {} lets a thread pass if one of the comparisons holds; each of them "
                  "must",
                  line),
      "write && between the comparisons"};
}

/// "row < m || column < n" of `x = (row < m || column < n) ? …`, where the question mark is at `end`.
string_view condition_before(string_view text, std::size_t end) {
  std::size_t begin = end;
  const auto is_end = [&](char c, char before) {
    return c == ';' || c == '{' || c == '}' || c == ',' || c == '?' || c == ':' ||
           (c == '=' && string_view("<>=!").find(before) == string_view::npos);
  };
  while (begin > 1 && !is_end(text[begin - 1], text[begin - 2])) --begin;
  string_view condition = trimmed(text.substr(begin, end - begin));
  while (condition.starts_with('(')) {
    const std::size_t closed = after_parentheses(condition, 0);
    if (closed != condition.size()) break;
    condition = trimmed(condition.substr(1, condition.size() - 2));
  }
  return condition;
}

/// What stands before the name of the function whose parameters begin at `open`, and the name.
struct Head {
  string_view type, name;
};

Head head_before(string_view text, std::size_t open) {
  std::size_t end = open;
  while (end > 0 && is_blank(text[end - 1])) --end;
  std::size_t name = end;
  while (name > 0 && is_word_character(text[name - 1])) --name;
  const std::size_t before = name == 0 ? string_view::npos : text.find_last_of(";{}>#:=,(", name - 1);
  const std::size_t begin = skip_blanks(text, before == string_view::npos ? 0 : before + 1);
  if (begin >= name) return {"", text.substr(name, end - name)};
  return {trimmed(text.substr(begin, name - begin)), text.substr(name, end - name)};
}

/// Whether a function with this head has a value: it is no constructor, lambda, statement or kernel.
bool returns_value(const Head& head) {
  constexpr std::array kStatements{"else", "return", "new", "do", "case"};
  constexpr std::array kNoFunctions{"main",      "if",        "for",      "while",    "switch",  "catch",
                                    "constexpr", "consteval", "noexcept", "requires", "decltype"};
  if (head.name.empty() || head.type.empty() ||
      std::find(kNoFunctions.begin(), kNoFunctions.end(), head.name) != kNoFunctions.end())
    return false;
  for (const char* word : kStatements)
    if (find_word(head.type, word, 0) != string_view::npos) return false;
  if (find_word(head.type, "void", 0) != string_view::npos && head.type.back() != '*') return false;
  const std::string type = last_word(head.type);
  if (type.empty() && head.type.back() != '*' && head.type.back() != '&') return false;  // a destructor
  constexpr std::array kAttributes{"__device__",      "__host__",   "inline", "static",   "constexpr",
                                   "__forceinline__", "__global__", "void",   "explicit", "define"};
  return std::find(kAttributes.begin(), kAttributes.end(), type) == kAttributes.end() &&
         find_word(head.type, "__global__", 0) == string_view::npos;
}

}  // namespace

std::optional<Advice> slip_in_conditions(const SourceText& source) {
  const FileCode code(source);
  for (const string_view word : {"if", "while"}) {
    for (std::size_t at = find_word(code.text, word, 0); at != string_view::npos;
         at = find_word(code.text, word, at + 1)) {
      const std::size_t open = skip_blanks(code.text, at + word.size());
      const std::size_t closed = after_parentheses(code.text, open);
      if (closed == string_view::npos) continue;
      const string_view condition = code.from(open + 1).substr(0, closed - open - 2);
      if (auto slip = slip_in_condition(condition, code.line_of(at))) return slip;
    }
  }
  return find_in_loops(code, [](const LoopHeader& header, std::size_t line) {
    return slip_in_condition(header.condition, line);
  });
}

std::optional<Advice> either_extent(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = find_word(code.text, "if", 0); at != string_view::npos;
       at = find_word(code.text, "if", at + 1)) {
    const std::size_t open = skip_blanks(code.text, at + 2), closed = after_parentheses(code.text, open);
    if (closed == string_view::npos) continue;
    const string_view condition = code.from(open + 1).substr(0, closed - open - 2);
    if (auto slip = either_within(condition, code.from(skip_blanks(code.text, closed)), code.line_of(at)))
      return slip;
  }
  for (std::size_t at = code.text.find('?'); at != string_view::npos; at = code.text.find('?', at + 1))
    if (auto slip = either_within(condition_before(code.text, at), "", code.line_of(at))) return slip;
  return std::nullopt;
}

std::optional<Advice> missing_return(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t open = text.find('('); open != string_view::npos; open = text.find('(', open + 1)) {
    const std::size_t closed = after_parentheses(text, open);
    if (closed == string_view::npos || !code.from(skip_blanks(text, closed)).starts_with('{')) continue;
    const Head head = head_before(text, open);
    const auto body = braces_after(text, closed);
    if (!returns_value(head) || !body) continue;
    const string_view inside = text.substr(body->begin, body->end - body->begin);
    bool has_end = false;
    for (const char* word : {"return", "throw", "exit", "abort", "__trap", "asm"})
      has_end |= find_word(inside, word, 0) != string_view::npos;
    if (has_end) continue;
    return Advice{fmt::format("the function `{}`, line {}, returns no value: it has no return statement",
                              head.name, code.line_of(open)),
                  fmt::format("end `{}` with return and its result", head.name)};
  }
  return std::nullopt;
}

std::optional<Advice> dropped_result(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (const string_view name : {"fminf", "fmaxf", "fmin", "fmax", "min", "max", "fmaf", "sqrtf", "fabsf"}) {
    for (std::size_t at = find_word(text, name, 0); at != string_view::npos;
         at = find_word(text, name, at + 1)) {
      std::size_t before = text.substr(0, at).ends_with("std::") ? at - 5 : at;
      while (before > 0 && is_blank(text[before - 1])) --before;
      const bool is_statement = before > 0 && string_view(";{})").find(text[before - 1]) != string_view::npos;
      const std::size_t end = after_parentheses(text, at + name.size());
      if (!is_statement || end == string_view::npos || !code.from(skip_blanks(text, end)).starts_with(';'))
        continue;
      return Advice{fmt::format("the result of {} in line {} is not used", name, code.line_of(at)),
                    fmt::format("assign what it returns: x = {}(x, y)", name)};
    }
  }
  return std::nullopt;
}

namespace {

/// "0xffffffff", "kAllLanes", "mask" and other names of masks.
bool is_mask(string_view argument) {
  for (const char* part : {"0xf", "0xF", "-1", "ask", "All", "FULL"})
    if (argument.find(part) != string_view::npos) return true;
  return false;
}

}  // namespace

std::optional<Advice> mask_not_first(const SourceText& source) {
  const FileCode code(source);
  for (const string_view name : {"__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync",
                                 "__ballot_sync", "__any_sync", "__all_sync"}) {
    for (std::size_t at = find_word(code.text, name, 0); at != string_view::npos;
         at = find_word(code.text, name, at + 1)) {
      const auto arguments = parts_of(code.from(at + name.size()));
      if (arguments.size() < 2 || is_mask(arguments[0]) || !is_mask(arguments[1])) continue;
      return Advice{fmt::format("{} in line {} has its arguments in the wrong order", name, code.line_of(at)),
                    fmt::format("pass the mask first: {}({}, {}, …)", name, trimmed(arguments[1]),
                                trimmed(arguments[0]))};
    }
  }
  return std::nullopt;
}

std::optional<Advice> lane_of_quotient(const SourceText& source) {
  const FileCode code(source);
  for (const string_view name : {"lane", "lane_id", "laneId", "laneid"}) {
    for (std::size_t at = find_word(code.text, name, 0); at != string_view::npos;
         at = find_word(code.text, name, at + 1)) {
      const string_view rest = code.rest_of_line(at + name.size());
      const string_view value = rest.substr(0, rest.find_first_of(";,"));
      const bool is_quotient = trimmed(value).starts_with('=') && !trimmed(value).starts_with("==") &&
                               value.find('/') != string_view::npos && value.find('%') == string_view::npos;
      const bool is_of_warp =
          value.find("32") != string_view::npos || value.find("arpLanes") != string_view::npos ||
          value.find("arpSize") != string_view::npos || value.find("WARP") != string_view::npos;
      if (!is_quotient || !is_of_warp) continue;
      return Advice{
          fmt::format("`{}` in line {} is a quotient, which is the number of the warp, not of the lane", name,
                      code.line_of(at)),
          "lane = threadIdx.x % 32, warp = threadIdx.x / 32"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> launch_without_threads(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = code.text.find("<<<"); at != string_view::npos; at = code.text.find("<<<", at + 3)) {
    const std::size_t end = code.text.find(">>>", at);
    if (end == string_view::npos) break;
    const std::string arguments = "(" + code.text.substr(at + 3, end - at - 3) + ")";
    if (parts_of(arguments).size() != 1) continue;
    return Advice{
        fmt::format("the launch in line {} has one argument, the number of blocks: the number of threads per "
                    "block is missing, so that each block has one",
                    code.line_of(at)),
        "write both: kernel<<<blocks, threads>>>(…)"};
  }
  return std::nullopt;
}

std::optional<Advice> old_warp_function(const SourceText& source) {
  const FileCode code(source);
  for (const string_view name :
       {"__ballot", "__any", "__all", "__shfl", "__shfl_down", "__shfl_up", "__shfl_xor"}) {
    const std::size_t at = find_word(code.text, name, 0);
    if (at == string_view::npos) continue;
    return Advice{
        fmt::format("{} in line {} is from before CUDA 9: no current GPU has it", name, code.line_of(at)),
        fmt::format("use {}_sync, and pass the mask of the lanes first: {}_sync(0xffffffff, …)", name, name)};
  }
  return std::nullopt;
}

std::optional<Advice> replaced_by_shuffle(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (const string_view name : {"__shfl_down_sync", "__shfl_xor_sync"}) {
    for (std::size_t at = find_word(text, name, 0); at != string_view::npos;
         at = find_word(text, name, at + 1)) {
      const std::size_t begin = text.find_last_of(";{})\n", at) + 1;  // npos + 1 is 0
      const string_view before = trimmed(text.substr(begin, at - begin));
      const auto arguments = parts_of(code.from(at + name.size()));
      const std::size_t end = after_parentheses(text, at + name.size());
      if (arguments.size() < 2 || end == string_view::npos || !before.ends_with('=')) continue;
      const string_view variable = trimmed(before.substr(0, before.size() - 1));
      const bool is_whole = code.from(skip_blanks(text, end)).starts_with(';');
      if (!is_whole || variable != trimmed(arguments[1])) continue;
      return Advice{
          fmt::format("in line {}, the value that {} returns replaces `{}`: the lane's own value is lost",
                      code.line_of(at), name, variable),
          fmt::format("combine the two, as by {} += {}(…)", variable, name)};
    }
  }
  return std::nullopt;
}

std::optional<Advice> fill_of_bytes(const SourceText& source) {
  static constexpr std::array<string_view, 4> kInfinities{"HUGE_VALF", "HUGE_VAL", "INFINITY", "FLT_MAX"};
  const FileCode code(source);
  for (const string_view name : {"cudaMemset", "cudaMemsetAsync"}) {
    for (std::size_t at = find_word(code.text, name, 0); at != string_view::npos;
         at = find_word(code.text, name, at + 1)) {
      const auto arguments = parts_of(code.from(at + name.size()));
      if (arguments.size() < 3) continue;
      const string_view value = trimmed(arguments[1]);
      const bool is_number = !value.empty() && std::all_of(value.begin(), value.end(),
                                                           [](char c) { return c >= '0' && c <= '9'; });
      const bool is_infinite = std::any_of(kInfinities.begin(), kInfinities.end(), [&](string_view infinity) {
        return find_word(value, infinity, 0) != string_view::npos;
      });
      if (!is_infinite && (!is_number || value == "0" || value == "255")) continue;
      return Advice{
          fmt::format("{} in line {} sets each byte to {}, not each element: an int of four such bytes "
                      "is another number",
                      name, code.line_of(at), value),
          "fill only with 0 in this way; let a kernel, or a copy, store other values"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> sign_after_equals(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = text.find("=+"); at != string_view::npos; at = text.find("=+", at + 2)) {
    const bool is_comparison = at > 0 && string_view("=!<>").find(text[at - 1]) != string_view::npos;
    if (is_comparison || code.from(at + 2).starts_with('+')) continue;
    return Advice{
        fmt::format("`=+` in line {} stores the value after it: nothing is added", code.line_of(at)),
        "write +="};
  }
  return std::nullopt;
}

}  // namespace grader
