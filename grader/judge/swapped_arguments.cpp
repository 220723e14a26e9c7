#include "judge/swapped_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using Swapped = std::optional<VisibleMistake>;

/// The code from the line on, which counts from 1.
std::string code_from(const SourceText& source, std::uint32_t line) {
  constexpr std::size_t kMostLines = 20;  // of one list
  std::string code;
  for (std::size_t i = line - 1; i < std::min(source.lines.size(), line + kMostLines); ++i)
    code.append(code_of(source.lines[i])).push_back(' ');
  return code;
}

/// The parts of the list in the parentheses with which the text begins.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    const bool opens = c == '(' || c == '[' || c == '{', closes = c == ')' || c == ']' || c == '}';
    if (opens && depth++ == 0) continue;
    if (closes && --depth == 0) break;
    if (depth == 1 && c == ',') {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part.push_back(c);
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

/// The name of a launch's argument; empty if it is computed.
std::string argument_name(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(')) text = trimmed(text.substr(text.find(')') + 1));  // a cast
  const bool is_name = std::all_of(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find('['), text.size())),
      [](char c) { return is_word_character(c) || c == '.'; });
  return is_name ? last_name(text) : "";
}

template <class Name>
std::vector<std::string> names_of(std::string_view list, Name name) {
  std::vector<std::string> names;
  for (const std::string& part : parts_of(list)) names.push_back(name(part));
  return names;
}

/// Of the kernel's definition or declaration, as written; empty: not found.
std::vector<std::string> parameter_list(const SourceText& source, std::string_view kernel) {
  constexpr std::size_t kLinesBefore = 2;  // __global__ and __launch_bounds__ can precede the name
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    if (!contains_word(code_of(source.lines[i]), kernel)) continue;
    const std::size_t first = i - std::min(i, kLinesBefore);
    const std::string code = code_from(source, static_cast<std::uint32_t>(i + 1));
    const std::string_view list = trimmed(*after_word(code, kernel));
    const bool is_kernel = std::any_of(source.lines.begin() + static_cast<std::ptrdiff_t>(first),
                                       source.lines.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                       [](const auto& line) { return contains_word(line, "__global__"); });
    if (is_kernel && list.starts_with('(')) return parts_of(list);
  }
  return {};
}

std::vector<std::string> parameters_of(const SourceText& source, std::string_view kernel) {
  std::vector<std::string> names = parameter_list(source, kernel);
  for (std::string& one : names) one = last_name(one);
  return names;
}

/// `before`: what precedes the list of arguments, after the name.
std::vector<std::string> arguments_in(const SourceText& source, std::uint32_t line, std::string_view function,
                                      std::string_view before) {
  const std::string code = code_from(source, line);
  const std::string_view launch = after_word(code, function).value_or("");
  const std::size_t end = launch.find(before);
  const std::size_t list = launch.find('(', end);
  return list == std::string_view::npos ? std::vector<std::string>{}
                                        : names_of(launch.substr(list), argument_name);
}

/// Without the usual marks of device pointers.
std::string_view plain(std::string_view name) {
  for (const std::string_view mark : {"d_", "dev_", "gpu_"})
    if (name.starts_with(mark)) return name.substr(mark.size());
  for (const std::string_view mark : {"_d", "_dev", "_gpu", "GPU", "_device"})
    if (name.ends_with(mark)) return name.substr(0, name.size() - mark.size());
  return name;
}

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

/// A launch of a kernel or a call of a function.
struct Call {
  const char* noun;
  std::string function;
  std::uint32_t line;
  std::vector<std::string> arguments, parameters;
};

Swapped swapped_in(const Call& call) {
  const auto& [noun, function, line, arguments, parameters] = call;
  if (parameters.size() != arguments.size()) return std::nullopt;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t j = i + 1; j < arguments.size(); ++j)
      if (!arguments[i].empty() && !arguments[j].empty() && are_swapped(arguments, parameters, i, j))
        return VisibleMistake{
            line,
            fmt::format("the {} in line {} passes `{}` for the parameter `{}` of `{}`, and `{}` for `{}`",
                        noun, line, arguments[i], parameters[i], function, arguments[j], parameters[j]),
            fmt::format("pass the arguments in the order of the parameters: ({})",
                        fmt::join(parameters, ", "))};
  return std::nullopt;
}

Swapped swapped_in_launches(const SourceText& source, std::span<const vgpu::LaunchRecord* const> launches,
                            std::string_view entry) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = launch_of(source, kernel, entry);
    if (!line) continue;
    if (auto found = swapped_in({"launch", kernel, *line, arguments_in(source, *line, kernel, ">>>"),
                                 parameters_of(source, kernel)}))
      return found;
  }
  return std::nullopt;
}

/// "f" if the line begins the definition of a function on the host.
std::string host_function(const SourceText& source, std::size_t index) {
  const std::string& line = source.lines[index];
  const std::string_view code = code_of(line), head = code.substr(0, code.find('('));
  const bool is_head = !line.empty() && is_word_character(line.front()) && head.size() < code.size();
  if (!is_head || contains_word(code, "__global__") || code.find(';') != std::string_view::npos) return "";
  return last_word(trimmed(head));
}

/// Calls of the student's own functions in the function `entry`.
Swapped swapped_in_calls(const SourceText& source, std::string_view entry) {
  std::size_t left = 100;  // functions, of each of which all lines are searched
  for (std::size_t i = 0; i < source.lines.size() && left > 0; ++i) {
    const std::string function = host_function(source, i);
    if (function.empty() || function == entry) continue;
    --left;
    const auto line = first_call(source, function + "(", entry);
    if (!line || *line == i + 1) continue;
    const std::string code = code_from(source, static_cast<std::uint32_t>(i + 1));
    if (auto found = swapped_in({"call", function, *line, arguments_in(source, *line, function, ""),
                                 names_of(*after_word(code, function), last_name)}))
      return found;
  }
  return std::nullopt;
}

}  // namespace

Swapped swapped_arguments(const SourceText& source, std::span<const vgpu::LaunchRecord* const> launches,
                          std::string_view entry) {
  if (auto found = swapped_in_launches(source, launches, entry)) return found;
  return swapped_in_calls(source, entry);
}

std::optional<VisibleMistake> unused_parameter(const SourceText& source,
                                               std::span<const vgpu::LaunchRecord* const> launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = definition_of(source, kernel);
    if (!line) continue;
    std::vector<std::string> pointers = parameter_list(source, kernel);
    std::erase_if(pointers, [](const std::string& one) { return one.find('*') == std::string::npos; });
    for (std::string& one : pointers) one = last_name(one);
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
