#include "judge/visible_mistakes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using Mistake = std::optional<VisibleMistake>;

// ---- arguments in another order than the parameters

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

/// "Nds" of "sum += Nds"; empty: the text does not end with a name.
std::string last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin);
  return name.empty() || is_digit(name.front()) ? "" : std::string(name);
}

/// The name that ends the expression or the declaration, without subscripts and default values: "d_in" of
/// "(float*)slot.d_in", "in" of "const float* in". Empty: another expression.
std::string last_name(std::string_view text) {
  return last_word(trimmed(text.substr(0, text.find_first_of("[="))));
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

/// Of the kernel's definition or declaration; empty: not found.
std::vector<std::string> parameters_of(const SourceText& source, std::string_view kernel) {
  constexpr std::size_t kLinesBefore = 2;  // __global__ and __launch_bounds__ can precede the name
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    if (!contains_word(code_of(source.lines[i]), kernel)) continue;
    const std::size_t first = i - std::min(i, kLinesBefore);
    const std::string code = code_from(source, static_cast<std::uint32_t>(i + 1));
    const std::string_view list = trimmed(*after_word(code, kernel));
    const bool is_kernel = std::any_of(source.lines.begin() + static_cast<std::ptrdiff_t>(first),
                                       source.lines.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                       [](const auto& line) { return contains_word(line, "__global__"); });
    if (is_kernel && list.starts_with('(')) return names_of(list, last_name);
  }
  return {};
}

std::vector<std::string> arguments_in(const SourceText& source, std::uint32_t line, std::string_view kernel) {
  const std::string code = code_from(source, line);
  const std::string_view launch = after_word(code, kernel).value_or("");
  const std::size_t end = launch.find(">>>");
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

/// Two arguments, of which neither has its own parameter's name: one has the name of the other's parameter,
/// or both are alike to the other's.
bool are_swapped(const std::vector<std::string>& arguments, const std::vector<std::string>& parameters,
                 std::size_t i, std::size_t j) {
  if (are_alike(arguments[i], parameters[i]) || are_alike(arguments[j], parameters[j])) return false;
  const bool both = are_alike(arguments[i], parameters[j]) && are_alike(arguments[j], parameters[i]);
  return both || are_same(arguments[i], parameters[j]) || are_same(arguments[j], parameters[i]);
}

Mistake swapped_arguments(const SourceText& source, std::string_view kernel, std::string_view entry) {
  const auto line = launch_of(source, kernel, entry);
  if (!line) return std::nullopt;
  const auto parameters = parameters_of(source, kernel), arguments = arguments_in(source, *line, kernel);
  if (parameters.size() != arguments.size()) return std::nullopt;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t j = i + 1; j < arguments.size(); ++j)
      if (!arguments[i].empty() && !arguments[j].empty() && are_swapped(arguments, parameters, i, j))
        return VisibleMistake{
            *line,
            fmt::format("the launch in line {} passes `{}` for the parameter `{}` of `{}`, "
                        "and `{}` for `{}`",
                        *line, arguments[i], parameters[i], kernel, arguments[j], parameters[j]),
            fmt::format("pass the arguments in the order of the kernel's parameters: ({})",
                        fmt::join(parameters, ", "))};
  return std::nullopt;
}

Mistake swapped_arguments(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                          std::string_view entry) {
  std::vector<std::string> kernels;
  for (const vgpu::LaunchRecord& launch : launches) {
    const std::string kernel = kernel_name(launch.kernel);
    if (std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) continue;
    kernels.push_back(kernel);
    if (auto found = swapped_arguments(source, kernel, entry)) return found;
  }
  return std::nullopt;
}

// ---- other texts

/// The kernel uses threadIdx.y, but the blocks have only one row of threads.
Mistake flat_blocks(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches) {
  for (const vgpu::LaunchRecord& launch : launches) {
    if (launch.block.y > 1 || launch.block.x == 1) continue;
    const std::string kernel = kernel_name(launch.kernel);
    const auto line = use_in(source, kernel, "threadIdx.y");
    if (!line) continue;
    return VisibleMistake{
        *line,
        fmt::format("`{}` uses threadIdx.y (line {}), but the launch has blocks of {} × 1 threads, in which "
                    "threadIdx.y is always 0",
                    kernel, *line, launch.block.x),
        "give the launch a block with rows and columns: dim3 block(columns, rows)"};
  }
  return std::nullopt;
}

std::string without_blanks(std::string_view code) {
  std::string dense(code);
  std::erase_if(dense, [](char c) { return c == ' ' || c == '\t'; });
  return dense;
}

/// blockIdx.x + blockDim.x * threadIdx.x: the two indices are exchanged.
Mistake product_of_thread(const SourceText& source) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string code = without_blanks(code_of(source.lines[i]));
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string thread = fmt::format("threadIdx.{}", axis), size = fmt::format("blockDim.{}", axis);
      if (code.find(thread + "*" + size) == std::string::npos &&
          code.find(size + "*" + thread) == std::string::npos)
        continue;
      return VisibleMistake{
          static_cast<std::uint32_t>(i + 1),
          fmt::format("line {0} multiplies threadIdx.{1} by blockDim.{1}: the threads of a block then have "
                      "indices that are a block's size apart, instead of consecutive ones",
                      i + 1, axis),
          fmt::format("compute the index as blockIdx.{0} * blockDim.{0} + threadIdx.{0}", axis)};
    }
  }
  return std::nullopt;
}

/// "B" of "extern __shared__ float B[];"
std::string dynamic_array(std::string_view code) {
  const auto rest = contains_word(code, "extern") ? after_word(code, "__shared__") : std::nullopt;
  return rest && rest->find('[') != std::string_view::npos ? last_name(*rest) : "";
}

/// Arrays with extern __shared__ in one function: all of them begin at the same address.
Mistake same_dynamic_memory(const SourceText& source) {
  std::string first;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view code = code_of(source.lines[i]);
    if (starts_device_function(code)) first.clear();
    const std::string name = dynamic_array(code);
    if (name.empty() || name == first) continue;
    if (first.empty()) {
      first = name;
      continue;
    }
    return VisibleMistake{
        static_cast<std::uint32_t>(i + 1),
        fmt::format("`{}` and `{}` (line {}) are the same memory: all arrays of a block that are declared "
                    "with extern __shared__ begin at the same address",
                    first, name, i + 1),
        fmt::format("declare one of them, and let the other begin after its last element: float* {} = {} + "
                    "the number of its elements",
                    name, first)};
  }
  return std::nullopt;
}

/// After the subscripts with which the text begins.
std::string_view after_subscripts(std::string_view text) {
  while (text.starts_with('[')) {
    std::size_t end = 0;
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    text = text.substr(std::min(end + 1, text.size()));
  }
  return text;
}

/// Elements of one tile in shared memory are multiplied by each other: tile[ty][k] * tile[k][tx].
Mistake product_with_itself(const SourceText& source) {
  const auto is_shared = [&](const std::string& array) {
    return std::any_of(source.lines.begin(), source.lines.end(), [&](const std::string& line) {
      return contains_word(code_of(line), "__shared__") && contains_word(code_of(line), array);
    });
  };
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string code = without_blanks(code_of(source.lines[i]));
    for (std::size_t at = code.find('['); at != std::string::npos; at = code.find('[', at + 1)) {
      const std::string array = last_word(std::string_view(code).substr(0, at));
      const std::string_view rest = after_subscripts(std::string_view(code).substr(at));
      if (array.empty() || !rest.starts_with("*" + array + "[") || !is_shared(array)) continue;
      return VisibleMistake{
          static_cast<std::uint32_t>(i + 1),
          fmt::format("line {} multiplies elements of `{}` by elements of the same array", i + 1, array),
          "multiply an element of one tile by an element of the other"};
    }
  }
  return std::nullopt;
}

}  // namespace

Mistake mistake_of_indices(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                           std::string_view entry) {
  if (auto found = swapped_arguments(source, launches, entry)) return found;
  if (auto found = flat_blocks(source, launches)) return found;
  return product_of_thread(source);
}

Mistake mistake_of_values(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                          std::string_view entry) {
  if (auto found = mistake_of_indices(source, launches, entry)) return found;
  if (auto found = same_dynamic_memory(source)) return found;
  return product_with_itself(source);
}

}  // namespace grader
