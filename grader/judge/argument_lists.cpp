#include "judge/argument_lists.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

/// The name of a launch's argument; empty if it is computed.
std::string argument_name(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(')) text = trimmed(text.substr(text.find(')') + 1));  // a cast
  const bool is_name = std::all_of(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find('['), text.size())),
      [](char c) { return is_word_character(c) || c == '.'; });
  return is_name ? last_name(text) : "";
}

}  // namespace

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

std::vector<std::string> names_of(std::vector<std::string> declarations) {
  for (std::string& one : declarations) one = last_name(one);
  return declarations;
}

std::vector<std::string> parameter_names(std::string_view code, std::string_view function) {
  return names_of(parts_of(after_word(code, function).value_or("")));
}

std::string code_from(const SourceText& source, std::uint32_t line) {
  constexpr std::size_t kMostLines = 20;  // of one list
  std::string code;
  for (std::size_t i = line - 1; i < std::min(source.lines.size(), line + kMostLines); ++i)
    code.append(code_of(source.lines[i])).push_back(' ');
  return code;
}

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

std::vector<std::string> arguments_in(const SourceText& source, std::uint32_t line, std::string_view function,
                                      std::string_view before) {
  const std::string code = code_from(source, line);
  const std::string_view launch = after_word(code, function).value_or("");
  const std::size_t list = launch.find('(', launch.find(before));
  if (list == std::string_view::npos) return {};
  std::vector<std::string> arguments = parts_of(launch.substr(list));
  for (std::string& one : arguments) one = argument_name(one);
  return arguments;
}

std::vector<std::string> configuration_in(const SourceText& source, std::uint32_t line) {
  constexpr std::string_view kBegin = "<<<";
  const std::string code = code_from(source, line);
  const std::size_t begin = code.find(kBegin), end = code.find(">>>", begin);
  if (end == std::string::npos) return {};
  std::vector<std::string> parts =
      parts_of("(" + code.substr(begin + kBegin.size(), end - begin - kBegin.size()) + ")");
  for (std::string& one : parts) one = trimmed(one);
  return parts;
}

std::string_view plain(std::string_view name) {
  for (const std::string_view mark : {"d_", "dev_", "gpu_"})
    if (name.starts_with(mark)) return name.substr(mark.size());
  for (const std::string_view mark : {"_d", "_dev", "_gpu", "GPU", "_device"})
    if (name.ends_with(mark)) return name.substr(0, name.size() - mark.size());
  return name;
}

}  // namespace grader
