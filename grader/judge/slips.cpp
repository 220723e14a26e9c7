#include "judge/slips.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/no_pattern.hpp"
#include "judge/code_search.hpp"
#include "judge/declaration_slips.hpp"
#include "judge/index_slips.hpp"
#include "judge/loop_slips.hpp"
#include "judge/statement_slips.hpp"

namespace grader {
namespace {

template <std::size_t kCount>
bool has_code(const Diagnostic& one, const std::array<const char*, kCount>& codes) {
  return std::any_of(codes.begin(), codes.end(),
                     [&](const char* code) { return one.code.starts_with(code); });
}

// ---- What an error can follow from ----

/// Wrong values, accesses, races, barriers, crashes and programs that do not end.
bool is_of_flow(const Diagnostic& one) {
  return has_code(one, std::array{"WG-V", "WG-M", "WG-R", "WG-B", "WG-H01", "WG-H04"});
}
bool is_of_access(const Diagnostic& one) { return has_code(one, std::array{"WG-M01", "WG-M02", "WG-M05"}); }
/// Without a return statement, a function of the host can run on into the next one.
bool is_of_host(const Diagnostic& one) { return is_of_flow(one) || one.code.starts_with("WG-H"); }
bool is_stopped(const Diagnostic& one) { return one.code == "WG-H11"; }
bool is_of_pointer(const Diagnostic& one) { return is_of_flow(one) || is_stopped(one); }
bool is_unsupported(const Diagnostic& one) { return one.code == "WG-H10"; }
bool is_of_values(const Diagnostic& one) { return one.code.starts_with("WG-V"); }
bool is_of_sum(const Diagnostic& one) {
  return has_code(one, std::array{"WG-V07", "WG-V08"}) || has_no_pattern(one);
}
bool is_of_start(const Diagnostic& one) {
  return has_code(one, std::array{"WG-V02", "WG-V03"}) || has_no_pattern(one);
}
bool is_of_mask(const Diagnostic& one) { return one.code == "WG-B03"; }
bool is_of_launch(const Diagnostic& one) { return is_of_flow(one) || one.code == "WG-H07"; }
bool is_of_tile(const Diagnostic& one) {
  return has_code(one, std::array{"WG-V03", "WG-V09", "WG-M17"}) || has_no_pattern(one);
}
bool is_of_step(const Diagnostic& one) {
  return has_code(one, std::array{"WG-R04", "WG-R05", "WG-H04"}) || has_no_pattern(one);
}

struct Slip {
  bool (*can_explain)(const Diagnostic&);
  std::optional<Advice> (*find)(const SourceText&);
};

/// In this order: the earlier ones leave less doubt.
constexpr std::array kSlips{
    Slip{is_of_flow, empty_statement},          Slip{is_of_flow, slip_in_conditions},
    Slip{is_of_flow, counter_without_value},    Slip{is_of_flow, unsigned_below_0},
    Slip{is_of_launch, launch_without_threads}, Slip{is_unsupported, old_warp_function},
    Slip{is_of_flow, lane_of_quotient},         Slip{is_of_access, either_extent},
    Slip{is_of_flow, grid_for_block},           Slip{is_of_host, missing_return},
    Slip{is_of_flow, static_in_kernel},         Slip{is_of_pointer, pointer_in_shared_memory},
    Slip{is_of_values, sign_after_equals},      Slip{is_of_values, dropped_result},
    Slip{is_of_sum, hidden_variable},           Slip{is_of_sum, replaced_by_shuffle},
    Slip{is_of_start, fill_of_bytes},           Slip{is_of_mask, mask_not_first},
    Slip{is_of_launch, comma_without_dim3},     Slip{is_of_tile, tile_without_shared},
    Slip{is_stopped, store_to_constant},        Slip{is_of_step, step_of_a_part},
    Slip{is_of_step, start_without_block},
};

std::optional<Advice> slip_of(const Diagnostic& error, const SourceText& source) {
  // The first thread reaches an end that is one too far.
  const bool is_of_first_thread = error.first.find("block (0, 0, 0), thread (0, 0, 0)") != std::string::npos;
  if (is_of_first_thread && error.where && has_code(error, std::array{"WG-M01", "WG-M05"}))
    if (auto slip = loop_to_the_extent(source, error.where->line)) return slip;
  for (const Slip& slip : kSlips)
    if (slip.can_explain(error))
      if (auto found = slip.find(source)) return found;
  return std::nullopt;
}

// ---- Errors of the compiler ----

/// The line of the first use of the macro whose parentheses are not closed.
std::optional<std::size_t> unclosed_macro(const FileCode& code, std::string_view name) {
  for (std::size_t at = find_word(code.text, name, 0); at != std::string_view::npos;
       at = find_word(code.text, name, at + 1)) {
    // A statement ends within the parentheses, or the file does.
    const std::size_t open = skip_blanks(code.text, at + name.size());
    if (!code.from(open).starts_with('(')) continue;
    const std::size_t closed = after_parentheses(code.text, open), end = code.text.find(';', open);
    if (closed == std::string_view::npos || closed > end) return code.line_of(at);
  }
  return std::nullopt;
}

/// "CUDA_CHECK" of `unterminated argument list invoking macro "CUDA_CHECK"`, which names the end of the file.
std::optional<Advice> macro_without_end(const Diagnostic& error, const FileCode& code) {
  constexpr std::string_view kWords = "unterminated argument list invoking macro \"",
                             kClang = "unterminated function-like macro invocation";
  std::string name = "CUDA_CHECK";
  if (const std::size_t at = error.what.find(kWords); at != std::string::npos)
    name =
        error.what.substr(at + kWords.size(), error.what.find('"', at + kWords.size()) - at - kWords.size());
  else if (error.what.find(kClang) == std::string::npos)
    return std::nullopt;
  const auto line = unclosed_macro(code, name);
  if (!line) return std::nullopt;
  return Advice{fmt::format("the parentheses of {} in line {} are not closed", name, *line),
                fmt::format("add the missing ) in line {}", *line)};
}

/// A name that the compiler does not know is the variable of a loop that a semicolon has ended.
std::optional<Advice> variable_of_ended_loop(const Diagnostic& error, const SourceText& source) {
  const bool is_unknown = error.what.find("is undefined") != std::string::npos ||
                          error.what.find("undeclared identifier") != std::string::npos;
  return is_unknown ? empty_statement(source) : std::nullopt;
}

/// A condition that assigns to what cannot be changed.
std::optional<Advice> assignment_for_comparison(const Diagnostic& error, const SourceText& source) {
  const bool is_constant = error.what.find("modifiable lvalue") != std::string::npos ||
                           error.what.find("not assignable") != std::string::npos ||
                           error.what.find("const-qualified") != std::string::npos;
  return is_constant ? slip_in_conditions(source) : std::nullopt;
}

/// `dim3 grid = columns, rows;`
std::optional<Advice> list_without_parentheses(const Diagnostic& error, const FileCode& code) {
  if (!error.where || error.where->line <= 0) return std::nullopt;
  for (std::size_t at = find_word(code.text, "dim3", 0); at != std::string_view::npos;
       at = find_word(code.text, "dim3", at + 1)) {
    const std::string_view rest = code.rest_of_line(at);
    const std::size_t equals = rest.find('='), comma = rest.find(',', rest.find(')') + 1);
    if (code.line_of(at) != static_cast<std::size_t>(error.where->line) || equals == std::string_view::npos ||
        comma == std::string_view::npos || comma < equals)
      continue;
    return Advice{"the comma after `dim3 … = x` begins another variable",
                  "put the numbers in parentheses after the name: dim3 grid(x, y)"};
  }
  return std::nullopt;
}

}  // namespace

void name_slips(CaseVerdict& verdict, const SourceText& source) {
  const bool is_wrong = verdict.verdict == Verdict::wrong_answer ||
                        verdict.verdict == Verdict::runtime_error || verdict.verdict == Verdict::time_limit;
  if (!is_wrong || verdict.diagnostics.empty()) return;
  auto slip = slip_of(verdict.diagnostics.front(), source);
  if (!slip) return;
  advise(verdict.diagnostics.front(), *std::move(slip));
  verdict.guesses.clear();  // nothing contradicts what is visible
}

void name_compile_slips(std::vector<Diagnostic>& errors, const SourceText& source) {
  if (errors.empty() || errors.front().code != "WG-C01") return;
  Diagnostic& first = errors.front();
  const FileCode code(source);
  auto slip = macro_without_end(first, code);
  if (!slip) slip = variable_of_ended_loop(first, source);
  if (!slip) slip = assignment_for_comparison(first, source);
  if (!slip) slip = list_without_parentheses(first, code);
  if (slip) advise(first, *std::move(slip));
}

}  // namespace grader
