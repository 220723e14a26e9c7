#include "judge/swapped_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.hpp"
#include "judge/argument_lists.hpp"
#include "judge/code_text.hpp"
#include "judge/function_lines.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

bool are_same(std::string_view argument, std::string_view parameter) {
  return !plain(argument).empty() && plain(argument) == plain(parameter);
}

/// The same, or one is an abbreviation of the other.
bool are_alike(std::string_view argument, std::string_view parameter) {
  const std::string_view one = plain(argument), other = plain(parameter);
  return !one.empty() && !other.empty() && (one.starts_with(other) || other.starts_with(one));
}

/// Both arguments have the name of the other's parameter; or neither is like its own parameter, and one has
/// the name of the other's, or both are like the other's.
bool are_swapped(const std::vector<std::string>& arguments, const std::vector<std::string>& parameters,
                 std::size_t i, std::size_t j) {
  if (are_same(arguments[i], parameters[i]) || are_same(arguments[j], parameters[j])) return false;
  const bool first = are_same(arguments[i], parameters[j]), second = are_same(arguments[j], parameters[i]);
  if (first && second) return true;
  if (are_alike(arguments[i], parameters[i]) || are_alike(arguments[j], parameters[j])) return false;
  return first || second ||
         (are_alike(arguments[i], parameters[j]) && are_alike(arguments[j], parameters[i]));
}

/// Two arrays on the device, each with the other's name. Extents can be exchanged on purpose: those of a
/// transposed matrix.
bool are_swapped_arrays(const std::vector<std::string>& arguments, const std::vector<std::string>& parameters,
                        std::size_t i, std::size_t j) {
  const bool are_marked = plain(arguments[i]) != arguments[i] && plain(arguments[j]) != arguments[j];
  return are_marked && arguments[i] != arguments[j] && are_same(arguments[i], parameters[j]) &&
         are_same(arguments[j], parameters[i]);
}

/// A launch of a kernel or a call of a function.
struct Call {
  const char* noun;
  std::string function;
  std::uint32_t line;
  std::vector<std::string> arguments;
  std::vector<std::string> declarations;  ///< of the parameters
};

bool is_pointer(std::string_view declaration) {
  return declaration.find_first_of("*[") != std::string_view::npos;
}

using AreSwapped = bool (*)(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& parameters, std::size_t i, std::size_t j);

FoundMistake swapped_in(const Call& call, AreSwapped are_those) {
  const auto& [noun, function, line, arguments, declarations] = call;
  if (declarations.size() != arguments.size()) return std::nullopt;
  const std::vector<std::string> parameters = names_of(declarations);
  const auto are_exchangeable = [&](std::size_t i, std::size_t j) {  // otherwise, the compiler objects
    return !arguments[i].empty() && !arguments[j].empty() &&
           is_pointer(declarations[i]) == is_pointer(declarations[j]);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t j = i + 1; j < arguments.size(); ++j)
      if (are_exchangeable(i, j) && are_those(arguments, parameters, i, j))
        return VisibleMistake{
            line,
            fmt::format("the {} in line {} passes `{}` for the parameter `{}` of `{}`, and `{}` for `{}`",
                        noun, line, arguments[i], parameters[i], function, arguments[j], parameters[j]),
            fmt::format("pass the arguments in the order of the parameters: ({})",
                        fmt::join(parameters, ", ")),
            true};
  return std::nullopt;
}

/// "d_y" if the function `entry` names it, and the parameter is `y` or `d_y`.
std::string variable_for(const SourceText& source, std::string_view entry, std::string_view parameter) {
  for (const char* form : {"d_{}", "dev_{}", "gpu_{}", "{}_d", "{}_dev", "{}_gpu", "{}"}) {
    std::string name = fmt::format(fmt::runtime(form), plain(parameter));
    if (use_in(source, entry, name)) return name;
  }
  return "";
}

/// One argument for two parameters, although the function has a variable with the name of the second one.
FoundMistake repeated_in(const Call& call, const SourceText& source, std::string_view entry) {
  const auto& [noun, function, line, arguments, declarations] = call;
  if (declarations.size() != arguments.size()) return std::nullopt;
  const std::vector<std::string> parameters = names_of(declarations);
  for (std::size_t own = 0; own < arguments.size(); ++own)
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] != arguments[own] || !are_same(arguments[own], parameters[own])) continue;
      const std::string right = i == own || parameters[i].empty() || are_same(arguments[i], parameters[i])
                                    ? ""
                                    : variable_for(source, entry, parameters[i]);
      if (right.empty()) continue;
      return VisibleMistake{
          line,
          fmt::format("the {} in line {} passes `{}` for the parameter `{}` of `{}`, and for `{}` again",
                      noun, line, arguments[own], parameters[own], function, parameters[i]),
          fmt::format("pass `{}` for `{}`", right, parameters[i])};
    }
  return std::nullopt;
}

std::vector<Call> launches_in(const SourceText& source, Launches launches, std::string_view entry) {
  std::vector<Call> all;
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    if (const auto line = launch_of(source, kernel, entry))
      all.push_back({"launch", kernel, *line, arguments_in(source, *line, kernel, ">>>"),
                     parameter_list(source, kernel)});
  }
  return all;
}

/// "f" if the line begins the definition of a function on the host.
std::string host_function(const SourceText& source, std::size_t index) {
  const std::string& line = source.lines[index];
  const std::string_view code = code_of(line), head = code.substr(0, code.find('('));
  const bool is_head = !line.empty() && is_word_character(line.front()) && head.size() < code.size();
  if (!is_head || contains_word(code, "__global__") || code.find(';') != std::string_view::npos) return "";
  return last_word(trimmed(head));
}

/// Launches, and calls of the student's own functions, in the function `entry`.
std::vector<Call> calls_in(const SourceText& source, Launches launches, std::string_view entry) {
  std::vector<Call> all = launches_in(source, launches, entry);
  std::size_t left = 100;  // functions, of each of which all lines are searched
  for (std::size_t i = 0; i < source.lines.size() && left > 0; ++i) {
    const std::string function = host_function(source, i);
    if (function.empty() || function == entry) continue;
    --left;
    const auto line = first_call(source, function + "(", entry);
    if (!line || *line == i + 1) continue;
    const std::string code = code_from(source, static_cast<std::uint32_t>(i + 1));
    all.push_back({"call", function, *line, arguments_in(source, *line, function, ""),
                   parts_of(after_word(code, function).value_or(""))});
  }
  return all;
}

}  // namespace

FoundMistake swapped_arguments(const SourceText& source, Launches launches, std::string_view entry) {
  for (const Call& call : calls_in(source, launches, entry))
    if (auto found = swapped_in(call, are_swapped)) return found;
  return std::nullopt;
}

FoundMistake argument_of_another(const SourceText& source, Launches launches, std::string_view entry) {
  for (const Call& call : calls_in(source, launches, entry)) {
    if (auto found = swapped_in(call, are_swapped_arrays)) {
      found->can_be_meant = false;
      return found;
    }
    if (auto found = repeated_in(call, source, entry)) return found;
  }
  return std::nullopt;
}

FoundMistake unused_parameter(const SourceText& source, Launches launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = definition_of(source, kernel);
    if (!line) continue;
    std::vector<std::string> pointers = parameter_list(source, kernel);
    std::erase_if(pointers, [](const std::string& one) { return !is_pointer(one); });
    pointers = names_of(std::move(pointers));
    const auto is_unused = [&](const std::string& name) {
      return !name.empty() && occurrences_in(source, kernel, name) == 1;
    };
    const auto unused = std::find_if(pointers.begin(), pointers.end(), is_unused);
    // A kernel that uses none is not written yet, or is written in another form than expected here.
    if (unused == pointers.end() || std::all_of(pointers.begin(), pointers.end(), is_unused)) continue;
    return VisibleMistake{
        *line, fmt::format("`{}` (line {}) does not use its parameter `{}`", kernel, *line, *unused),
        fmt::format("find the line that should use `{}`, and uses another array", *unused)};
  }
  return std::nullopt;
}

}  // namespace grader
