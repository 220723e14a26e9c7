#include "judge/visible_mistakes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/no_pattern.hpp"
#include "judge/argument_lists.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/function_lines.hpp"
#include "judge/launch_configuration.hpp"
#include "judge/launched_kernels.hpp"
#include "judge/overwritten_sum.hpp"
#include "judge/source_hints.hpp"
#include "judge/swapped_arguments.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

/// The time of a search grows with the square of a line's length. Longer lines are not written by hand.
bool is_readable(const SourceText& source) {
  constexpr std::size_t kMostCharacters = 500;
  return std::all_of(source.lines.begin(), source.lines.end(),
                     [](const std::string& line) { return line.size() <= kMostCharacters; });
}

/// The first launch of each kernel, and its first one with flat blocks: a search reads the file once for
/// each.
std::vector<const vgpu::LaunchRecord*> first_launches(const std::vector<vgpu::LaunchRecord>& launches) {
  constexpr std::size_t kMost = 32;
  std::vector<const vgpu::LaunchRecord*> first;
  for (const vgpu::LaunchRecord& one : launches) {
    if (first.size() == kMost) break;
    const bool is_known = std::any_of(first.begin(), first.end(), [&](const auto* known) {
      return known->kernel == one.kernel && (is_flat(*known) || !is_flat(one));
    });
    if (!is_known) first.push_back(&one);
  }
  return first;
}

/// cudaMalloc(&d_out, …) where `d_out` is a parameter of the function: kernels store to the new memory.
FoundMistake allocated_parameter(const SourceText& source, std::string_view entry) {
  const auto begin = definition_of(source, entry);
  if (!begin) return std::nullopt;
  for (const std::string& parameter : parameter_names(code_from(source, *begin), entry)) {
    const auto line = parameter.empty() ? std::nullopt : allocation_of(source, entry, parameter);
    if (!line) continue;
    return VisibleMistake{
        *line,
        fmt::format("line {} allocates new memory for `{}`, which the caller has passed: what the kernels "
                    "then store there is not in the caller's array",
                    *line, parameter),
        fmt::format("use `{}` as it is passed, and allocate memory only for arrays of your own", parameter)};
  }
  return std::nullopt;
}

/// A pointer that the function gets and does not use: no kernel can store there, or read from there.
FoundMistake find_ignored_parameter(const SourceText& source, std::string_view entry) {
  const auto line = definition_of(source, entry);
  if (!line) return std::nullopt;
  const std::string code = code_from(source, *line);
  for (const std::string& one : parts_of(after_word(code, entry).value_or(""))) {
    const std::string name = last_name(one);
    if (name.empty() || one.find('*') == std::string::npos || occurrences_in(source, entry, name) != 1)
      continue;
    return VisibleMistake{
        *line,
        fmt::format("`{}` (line {}) does not use its parameter `{}`: it passes it to no kernel", entry, *line,
                    name),
        fmt::format("find the launch or the copy that should get `{}`, and gets another array", name)};
  }
  return std::nullopt;
}

std::string without_blanks(std::string_view code) {
  std::string dense(code);
  std::erase_if(dense, [](char c) { return c == ' ' || c == '\t'; });
  return dense;
}

/// "kThreads" of "blockIdx.x * kThreads + threadIdx.x", without blanks, or with `tx`; empty: the code has no
/// such sum for the axis.
std::string distance_of_blocks(const std::string& code, char axis) {
  const std::string block = fmt::format("blockIdx.{}*", axis);
  const std::size_t at = code.find(block);
  if (at == std::string::npos) return "";
  const std::string_view rest = std::string_view(code).substr(at + block.size());
  const std::size_t end = rest.find('+');
  const std::string_view factor = rest.substr(0, end);
  const bool is_name = end != std::string_view::npos && !factor.empty() &&
                       std::all_of(factor.begin(), factor.end(), is_word_character);
  if (!is_name) return "";
  const std::string_view added = rest.substr(end + 1);
  const bool is_thread =
      added.starts_with(fmt::format("threadIdx.{}", axis)) || added.starts_with(fmt::format("t{};", axis));
  return is_thread ? std::string(factor) : "";
}

/// The kernel takes its blocks for larger or smaller than the launch makes them. A constant that occurs again
/// can be the size of a tile of which each thread computes several elements.
FoundMistake blocks_of_another_size(const SourceText& source, Launches launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    for (const auto& [axis, extent] : {std::pair('x', launch->block.x), {'y', launch->block.y}}) {
      const auto line = use_in(source, kernel, fmt::format("blockIdx.{}", axis));
      const std::string name =
          line ? distance_of_blocks(without_blanks(code_of(source.lines[*line - 1])), axis) : "";
      const auto threads = name.empty() ? std::nullopt : constant(source, name);
      if (!threads || *threads == extent || occurrences_in(source, kernel, name) != 1) continue;
      return VisibleMistake{
          *line,
          fmt::format("the launch has blocks of {0} threads{1}, but line {2} multiplies blockIdx.{3} by "
                      "`{4}`, which is {5}",
                      extent, axis == 'x' ? "" : " along y", *line, axis, name, *threads),
          fmt::format(
              "use the same number in the launch and in the kernel: blockDim.{} is that of the launch",
              axis)};
    }
  }
  return std::nullopt;
}

/// The kernel of several threads does not ask which thread it is.
FoundMistake kernel_without_index(const SourceText& source, Launches launches) {
  // A function or a macro can ask for the index.
  for (const char* other : {"__device__", "cooperative_groups", "define"})
    if (first_use(source, other)) return std::nullopt;
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = definition_of(source, kernel);
    const bool has_loop = occurrences_in(source, kernel, "for") + occurrences_in(source, kernel, "while") > 0;
    if (!line || !has_loop || launch->grid.count() * launch->block.count() < 2) continue;
    if (occurrences_in(source, kernel, "threadIdx") + occurrences_in(source, kernel, "blockIdx") != 0)
      continue;
    return VisibleMistake{
        *line,
        fmt::format("`{}` uses neither threadIdx nor blockIdx: each of the {} threads does all of the work, "
                    "and stores the same elements",
                    kernel, launch->grid.count() * launch->block.count()),
        "let each thread compute the element with its own index, blockIdx.x * blockDim.x + threadIdx.x: the "
        "threads replace the loop"};
  }
  return std::nullopt;
}

/// blockIdx.x + blockDim.x * threadIdx.x: the two indices are exchanged.
FoundMistake product_of_thread(const SourceText& source) {
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

/// "A" and "B" of "extern __shared__ float A[], B[];"
std::vector<std::string> dynamic_arrays(std::string_view code) {
  std::vector<std::string> names;
  auto rest = contains_word(code, "extern") ? after_word(code, "__shared__") : std::nullopt;
  for (std::size_t at = 0; rest && (at = rest->find('[')) != std::string_view::npos;) {
    names.push_back(last_word(rest->substr(0, at)));
    rest = rest->substr(at + 1);
  }
  return names;
}

/// "tile_N" of "float* tile_N = tiles;"; empty: the line sets no pointer to the beginning of the array.
std::string pointer_to_begin(std::string_view code, const std::string& array) {
  const std::size_t equals = code.find('=');
  if (array.empty() || equals == std::string_view::npos || code.find('*') > equals) return "";
  const std::string_view value = trimmed(code.substr(equals + 1));
  return value.starts_with(array + ";") ? last_word(trimmed(code.substr(0, equals))) : "";
}

/// Two pointers to the beginning of one array with extern __shared__, in one function.
FoundMistake same_begin(const SourceText& source) {
  std::string array, pointer;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view code = code_of(source.lines[i]);
    if (starts_device_function(code)) array.clear(), pointer.clear();
    if (const auto names = dynamic_arrays(code); !names.empty()) array = names.front();
    const std::string next = pointer_to_begin(code, array);
    if (next.empty()) continue;
    if (pointer.empty()) {
      pointer = next;
      continue;
    }
    return VisibleMistake{
        static_cast<std::uint32_t>(i + 1),
        fmt::format("`{}` and `{}` (line {}) are the same memory: both begin where `{}` does", pointer, next,
                    i + 1, array),
        fmt::format("let the second one begin after the last element of the first: {} + the number of its "
                    "elements",
                    array)};
  }
  return std::nullopt;
}

/// Arrays with extern __shared__ in one function: all of them begin at the same address.
FoundMistake same_dynamic_memory(const SourceText& source) {
  std::string first;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view code = code_of(source.lines[i]);
    if (starts_device_function(code)) first.clear();
    for (const std::string& name : dynamic_arrays(code)) {
      if (first.empty()) first = name;
      if (name == first) continue;
      return VisibleMistake{
          static_cast<std::uint32_t>(i + 1),
          fmt::format("`{}` and `{}` (line {}) are the same memory: all arrays of a block that are declared "
                      "with extern __shared__ begin at the same address",
                      first, name, i + 1),
          fmt::format("declare one of them, and let the other begin after its last element: float* {} = {} + "
                      "the number of its elements",
                      name, first)};
    }
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

/// The fourth argument of a shuffle that begins in this code, as a number; nullopt: there is none.
std::optional<std::uint64_t> width_of_shuffle(std::string_view code) {
  for (const char* shuffle : {"__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync"}) {
    const auto call = after_word(code, shuffle);
    if (!call || !call->starts_with('(')) continue;
    std::size_t commas = 0, last = 0;
    int depth = 0;
    for (std::size_t at = 0; at < call->size(); ++at) {
      const char c = (*call)[at];
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0) return commas == 3 ? number_in(trimmed(call->substr(last, at - last))) : std::nullopt;
      if (c != ',' || depth != 1) continue;
      ++commas;
      last = at + 1;
    }
  }
  return std::nullopt;
}

/// A reduction of a warp whose shuffles stay in parts of it.
FoundMistake shuffles_in_parts(const SourceText& source) {
  constexpr std::uint64_t kWarp = 32;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const auto width = width_of_shuffle(code_of(source.lines[i]));
    if (!width || *width == 0 || *width >= kWarp) continue;
    return VisibleMistake{
        static_cast<std::uint32_t>(i + 1),
        fmt::format("the shuffle in line {} has width {}: each group of {} lanes exchanges values only among "
                    "its own, so that lane 0 gets nothing from the lanes from {} on",
                    i + 1, *width, *width, *width),
        "leave out the width to let all 32 lanes exchange values, or combine the groups' results"};
  }
  return std::nullopt;
}

/// Elements of one tile in shared memory are multiplied by each other: tile[ty][k] * tile[k][tx].
FoundMistake product_with_itself(const SourceText& source) {
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
      // An array of tiles contains both factors.
      if (extents_of(source, array).value_or(2) > 2) continue;
      return VisibleMistake{
          static_cast<std::uint32_t>(i + 1),
          fmt::format("line {} multiplies elements of `{}` by elements of the same array", i + 1, array),
          "multiply an element of one tile by an element of the other"};
    }
  }
  return std::nullopt;
}

}  // namespace

void advise(Diagnostic& problem, VisibleMistake mistake) {
  if (mistake.can_be_meant && !problem.likely_cause.empty() && !has_no_pattern(problem)) {
    mistake.likely_cause += "; or, if that is meant: " + problem.likely_cause;
    mistake.next_step += "; or " + problem.next_step;
  }
  problem.likely_cause = std::move(mistake.likely_cause);
  problem.next_step = std::move(mistake.next_step);
}

FoundMistake certain_mistake(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                             std::string_view entry) {
  if (!is_readable(source)) return std::nullopt;
  const auto first = first_launches(launches);
  if (auto found = allocated_parameter(source, entry)) return found;
  if (auto found = argument_of_another(source, first, entry)) return found;
  if (auto found = unused_rows_of_block(source, first)) return found;
  return exchanged_grid(source, first, entry);
}

FoundMistake unused_pointer(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches) {
  return is_readable(source) ? unused_parameter(source, first_launches(launches)) : std::nullopt;
}

FoundMistake ignored_parameter(const SourceText& source, std::string_view entry) {
  return is_readable(source) ? find_ignored_parameter(source, entry) : std::nullopt;
}

FoundMistake mistake_of_product(const SourceText& source) {
  return is_readable(source) ? product_of_thread(source) : std::nullopt;
}

FoundMistake mistake_of_indices(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                                std::string_view entry) {
  if (!is_readable(source)) return std::nullopt;
  const auto first = first_launches(launches);
  if (auto found = kernel_without_index(source, first)) return found;
  if (auto found = kernel_of_another_function(source, first, entry)) return found;
  if (auto found = allocated_parameter(source, entry)) return found;
  if (auto found = argument_of_another(source, first, entry)) return found;
  if (auto found = swapped_arguments(source, first, entry)) return found;
  if (auto found = unused_rows_of_block(source, first)) return found;
  if (auto found = mistake_of_configuration(source, first, entry)) return found;
  if (auto found = blocks_of_another_size(source, first)) return found;
  return product_of_thread(without_other_kernels(source, first));
}

FoundMistake mistake_of_values(const SourceText& source, const std::vector<vgpu::LaunchRecord>& launches,
                               std::string_view entry) {
  if (!is_readable(source)) return std::nullopt;
  if (auto found = mistake_of_indices(source, launches, entry)) return found;
  const SourceText run = without_other_kernels(source, first_launches(launches));
  if (auto found = same_dynamic_memory(run)) return found;
  if (auto found = same_begin(run)) return found;
  if (auto found = product_with_itself(run)) return found;
  if (auto found = shuffles_in_parts(run)) return found;
  if (auto found = overwritten_sum(source, first_launches(launches))) return found;
  return unused_parameter(source, first_launches(launches));
}

}  // namespace grader
