#include "judge/typing_slips.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/no_pattern.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"
#include "judge/condition_slips.hpp"

namespace grader {
namespace {

using std::string_view;

/// "i" of `for (i = 0; …)`, or of `for (; …; ++i)`, whose variable lives on after the loop.
std::string_view variable_after_loop(const FileCode& code, std::size_t at) {
  const std::size_t open = code.text.find('(', at);
  const string_view start = code.from(open + 1);
  const string_view first = trimmed(start.substr(0, start.find_first_of("=;")));
  if (!first.empty()) return first;
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
  return start.find("blockIdx.x*blockDim.x") != std::string::npos ||
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

/// The parentheses at `open` contain a comma that is in no others.
bool has_comma(string_view text, std::size_t open) {
  const std::size_t end = after_parentheses(text, open);
  int depth = 0;
  for (std::size_t at = open; end != string_view::npos && at < end; ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
    if (depth == 1 && text[at] == ',') return true;
  }
  return false;
}

/// The parenthesis after `dim3 name =` at `at`; npos: something else is there.
std::size_t value_of_dim3(string_view text, std::size_t at) {
  at = skip_blanks(text, at);
  while (at < text.size() && is_word_character(text[at])) ++at;
  at = skip_blanks(text, at);
  if (at >= text.size() || text[at] != '=') return string_view::npos;
  at = skip_blanks(text, at + 1);
  return at < text.size() && text[at] == '(' ? at : string_view::npos;
}

/// A use of the array with an index of a thread: `tile[threadIdx.x]`, `tile[ty][tx]`, `values[lane]`.
bool is_indexed_by_threads(string_view body, string_view array) {
  for (std::size_t at = find_word(body, array, 0); at != string_view::npos;
       at = find_word(body, array, at + 1)) {
    const std::size_t open = at + array.size();
    if (open >= body.size() || body[open] != '[') continue;
    const string_view index = body.substr(open, body.find_first_of(";=\n", open) - open);
    for (const char* thread : {"threadIdx", "tx", "ty", "tid", "lane", "thread"})
      if (find_word(index, thread, 0) != string_view::npos) return true;
  }
  return false;
}

/// The name of the array that a declaration at `at` begins, as `float tile[16][16];`.
string_view declared_array(string_view text, std::size_t at) {
  const std::size_t begin = skip_blanks(text, at);
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return end < text.size() && text[end] == '[' ? text.substr(begin, end - begin) : string_view();
}

/// `name = …` somewhere after the place.
bool is_assigned_after(const FileCode& code, const std::string& name, std::size_t at) {
  if (name.empty()) return true;
  for (at = find_word(code.text, name, at); at != string_view::npos;
       at = find_word(code.text, name, at + 1)) {
    const string_view next = code.from(skip_blanks(code.text, at + name.size()));
    if (next.starts_with('=') && !next.starts_with("==")) return true;
  }
  return false;
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

std::optional<Advice> comma_without_dim3(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  const auto advice = [&](std::size_t open) {
    return Advice{
        fmt::format("(x, y) in line {} is a comma expression, whose value is y alone: grid or block "
                    "has one dimension of that length",
                    code.line_of(open)),
        "write dim3 before the parentheses: dim3(x, y)"};
  };
  for (std::size_t at = find_word(text, "dim3", 0); at != string_view::npos;
       at = find_word(text, "dim3", at + 1)) {
    const std::size_t open = value_of_dim3(text, at + 4);
    if (open != string_view::npos && has_comma(text, open)) return advice(open);
  }
  for (std::size_t at = text.find("<<<"); at != string_view::npos; at = text.find("<<<", at + 3)) {
    const std::size_t open = skip_blanks(text, at + 3), end = after_parentheses(text, open);
    if (end == string_view::npos || !has_comma(text, open)) continue;
    if (code.from(skip_blanks(text, end)).starts_with(',')) return advice(open);
  }
  return std::nullopt;
}

std::optional<Advice> tile_without_shared(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = find_word(text, "__global__", 0); at != string_view::npos;
       at = find_word(text, "__global__", at + 1)) {
    const auto body = braces_after(text, at);
    if (!body) continue;
    const string_view inside = text.substr(body->begin, body->end - body->begin);
    if (find_word(inside, "__syncthreads", 0) == string_view::npos) continue;
    for (std::size_t word = find_word(inside, "float", 0); word != string_view::npos;
         word = find_word(inside, "float", word + 1)) {
      const string_view array = declared_array(inside, word + 5);
      const std::size_t line = inside.rfind('\n', word) + 1;  // npos + 1 is 0
      const bool is_shared = inside.substr(line, word - line).find("__shared__") != string_view::npos;
      if (array.empty() || is_shared || !is_indexed_by_threads(inside, array)) continue;
      return Advice{fmt::format("`{}` in line {} is declared without __shared__: each thread has an array of "
                                "its own, and the elements that other threads store are not in it",
                                array, code.line_of(body->begin + word)),
                    "write __shared__ before the declaration, so that the block has one array"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> store_to_constant(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = find_word(text, "__constant__", 0); at != string_view::npos;
       at = find_word(text, "__constant__", at + 1)) {
    const string_view declaration = code.from(at).substr(0, code.from(at).find_first_of(";=["));
    const std::string array = last_word(trimmed(declaration));
    for (std::size_t use = find_word(text, array, at + declaration.size());
         !array.empty() && use != string_view::npos; use = find_word(text, array, use + 1)) {
      const string_view rest = code.from(use + array.size());
      const string_view statement = rest.substr(0, rest.find_first_of(";,\n"));
      const std::size_t equals = statement.find('=');
      const bool is_assigned = equals != string_view::npos && statement.front() == '[' &&
                               statement.substr(0, equals).find_first_of("<>!(") == string_view::npos &&
                               !statement.substr(equals + 1).starts_with('=');
      if (!is_assigned) continue;
      return Advice{fmt::format("line {} stores to `{}`, which is in constant memory: the compiler stops the "
                                "kernel there",
                                code.line_of(use), array),
                    "let the host set it with cudaMemcpyToSymbol, or use a __device__ variable"};
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

std::optional<Advice> pointer_in_shared_memory(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = find_word(code.text, "__shared__", 0); at != string_view::npos;
       at = find_word(code.text, "__shared__", at + 1)) {
    const string_view rest = code.from(at);
    const std::size_t end = rest.find_first_of(";[{=(,)");
    const string_view declaration = rest.substr(0, end);
    if (end == string_view::npos || rest[end] != ';' || declaration.find('*') == string_view::npos) continue;
    if (is_assigned_after(code, last_word(trimmed(declaration)), at + end)) continue;
    return Advice{
        fmt::format("line {} declares a pointer in shared memory, which nothing sets, in the place of "
                    "an array",
                    code.line_of(at)),
        "declare an array: __shared__ float tile[256]; or extern __shared__ float tile[]; if the launch "
        "sets its size"};
  }
  return std::nullopt;
}

std::optional<Advice> static_in_kernel(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = find_word(code.text, "__global__", 0); at != string_view::npos;
       at = find_word(code.text, "__global__", at + 1)) {
    const auto body = braces_after(code.text, at);
    if (!body) continue;
    const string_view inside = string_view(code.text).substr(body->begin, body->end - body->begin);
    for (std::size_t word = find_word(inside, "static", 0); word != string_view::npos;
         word = find_word(inside, "static", word + 1)) {
      const string_view declaration = inside.substr(word, inside.substr(word).find_first_of(";=("));
      if (contains_word(declaration, "const") || contains_word(declaration, "constexpr") ||
          contains_word(declaration, "__shared__"))
        continue;
      return Advice{fmt::format("the variable in line {} is static: the launch has one of them, which all "
                                "blocks use",
                                code.line_of(body->begin + word)),
                    "write __shared__ for one in each block, or leave `static` out for one in each thread"};
    }
  }
  return std::nullopt;
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

void name_slips(CaseVerdict& verdict, const SourceText& source) {
  const bool is_wrong = verdict.verdict == Verdict::wrong_answer ||
                        verdict.verdict == Verdict::runtime_error || verdict.verdict == Verdict::time_limit;
  if (!is_wrong || verdict.diagnostics.empty()) return;
  Diagnostic& first = verdict.diagnostics.front();
  std::optional<Advice> slip;
  if (can_follow_from_empty_statement(first)) slip = empty_statement(source);
  if (!slip && can_follow_from_empty_statement(first)) slip = slip_in_conditions(source);
  if (!slip && (first.code == "WG-M01" || first.code == "WG-M02" || first.code == "WG-M05"))
    slip = either_extent(source);
  const bool is_of_first_thread = first.first.find("block (0, 0, 0), thread (0, 0, 0)") != std::string::npos;
  if (!slip && is_of_first_thread && first.where && (first.code == "WG-M01" || first.code == "WG-M05"))
    slip = loop_to_the_extent(source, first.where->line);
  // Without a return statement, a function of the host can run on into the next one.
  if (!slip && (can_follow_from_empty_statement(first) || first.code.starts_with("WG-H")))
    slip = missing_return(source);
  if (!slip && can_follow_from_empty_statement(first)) slip = static_in_kernel(source);
  if (!slip && (can_follow_from_empty_statement(first) || first.code == "WG-H11"))
    slip = pointer_in_shared_memory(source);
  if (!slip && first.code.starts_with("WG-V")) slip = sign_after_equals(source);
  if (!slip && first.code.starts_with("WG-V")) slip = dropped_result(source);
  if (!slip && (has_no_pattern(first) || first.code == "WG-V02" || first.code == "WG-V03"))
    slip = fill_of_bytes(source);
  if (!slip && first.code == "WG-B03") slip = mask_not_first(source);
  if (!slip && (can_follow_from_empty_statement(first) || first.code == "WG-H07"))
    slip = comma_without_dim3(source);
  if (!slip && (first.code == "WG-V03" || first.code == "WG-M17" || has_no_pattern(first)))
    slip = tile_without_shared(source);
  if (!slip && first.code == "WG-H11") slip = store_to_constant(source);
  if (!slip && can_follow_from_step(first)) slip = step_of_a_part(source);
  if (!slip && can_follow_from_step(first)) slip = start_without_block(source);
  if (!slip) return;
  advise(first, *std::move(slip));
  verdict.guesses.clear();  // nothing contradicts what is visible
}

}  // namespace grader
