#include "judge/index_mistakes.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using Mistake = std::optional<Advice>;

/// The index in elements of the size of the access, and the number of elements.
struct Reached {
  std::uint64_t index = 0, elements = 0;
};
std::optional<Reached> reached_by(const Fault& fault) {
  if (!fault.nearest || fault.access_bytes == 0 || fault.address < fault.nearest->start) return std::nullopt;
  return Reached{(fault.address - fault.nearest->start) / fault.access_bytes,
                 fault.nearest->size_bytes / fault.access_bytes};
}

std::string_view line_at(const SourceText& source, std::uint32_t line) {
  return line == 0 || line > source.lines.size() ? std::string_view{} : code_of(source.lines[line - 1]);
}

/// The thread's number in the launch, if blocks and grid have one row.
std::optional<std::uint64_t> number_of(const Fault& fault, const vgpu::LaunchRecord& launch) {
  const bool is_flat = launch.grid.count() == launch.grid.x && launch.block.count() == launch.block.x;
  if (!is_flat) return std::nullopt;
  return std::uint64_t{fault.block.x} * launch.block.x + fault.thread.x;
}

/// The number of bytes of all elements is the index of one: pointer arithmetic counts elements.
Mistake index_in_bytes(const Fault& fault, const vgpu::LaunchRecord& launch, const SourceText& source) {
  const auto line = use_in(source, kernel_name(launch.kernel), "sizeof");
  const auto number = number_of(fault, launch);
  const auto reached = reached_by(fault);
  if (!line || !number || !reached || *number == 0 || reached->index != *number * fault.access_bytes)
    return std::nullopt;
  return Advice{
      fmt::format(
          "the index is {} times the thread's number, {}: line {} multiplies by sizeof, but subscripts "
          "and pointer arithmetic count elements, not bytes",
          fault.access_bytes, *number, *line),
      "leave out sizeof in the kernel: only cudaMalloc, cudaMemcpy and cudaMemset count bytes"};
}

/// "first * 4": elements with fewer components than the factor, or blocks that are too far apart.
Mistake factor_too_large(const Fault& fault, const vgpu::LaunchRecord& launch) {
  constexpr std::uint64_t kLeastNumber = 32, kLargestFactor = 8;
  const auto number = number_of(fault, launch);
  const auto reached = reached_by(fault);
  if (!number || !reached || *number < kLeastNumber || reached->index % *number != 0) return std::nullopt;
  const std::uint64_t factor = reached->index / *number, threads = launch.grid.count() * launch.block.count();
  // A loop of one thread can reach the same element, once.
  if (reached->index == reached->elements && fault.count == 1) return std::nullopt;
  // The array has room for a smaller factor.
  const bool is_too_large = factor >= 2 && factor <= kLargestFactor && reached->elements >= threads &&
                            reached->elements < threads * factor;
  if (!is_too_large) return std::nullopt;
  return Advice{
      fmt::format(
          "the index is {} times the thread's number, {}; the launch has {} threads, and the array {} "
          "elements, which is {:.3g} for each thread",
          factor, *number, threads, reached->elements,
          static_cast<double>(reached->elements) / static_cast<double>(threads)),
      "multiply by the number of elements that belong to each thread, and add blockIdx.x * blockDim.x only "
      "once"};
}

/// "col" of "for (int col = lane; col < columns; col += 64)", "i" of "while (i < n)".
std::string tested_variable(std::string_view loop) {
  const std::size_t first = loop.find(';');
  const std::size_t begin = first == std::string_view::npos ? loop.find('(') : first;
  if (begin == std::string_view::npos) return "";
  const std::string_view condition = loop.substr(begin + 1);
  const std::size_t less = condition.find('<');
  return less == std::string_view::npos ? "" : last_word(trimmed(condition.substr(0, less)));
}

/// "[col + 32]" in a line, for the variable col. A variable that is added can be an offset that belongs to
/// the index: [dx + radius] where dx begins at -radius.
bool adds_number_in_subscript(const SourceText& source, std::string_view code, const std::string& variable) {
  for (std::size_t open = code.find('['); open != std::string_view::npos; open = code.find('[', open + 1)) {
    const std::string_view subscript = code.substr(open + 1, code.find(']', open) - open - 1);
    const auto rest = after_word(subscript, variable);
    if (!rest || !trimmed(*rest).starts_with('+')) continue;
    const std::string_view after = trimmed(*rest).substr(1);
    const std::string_view term = trimmed(after.substr(0, after.find_first_of("+-*/%)")));
    if (number_in(term) || (!term.empty() && constant(source, term))) return true;
  }
  return false;
}

/// An unrolled loop accesses element i + 1 where its condition tests i.
Mistake offset_beyond_condition(const Fault& fault, const SourceText& source) {
  const auto loop = loop_around(source, fault.file, fault.source.line);
  if (!loop) return std::nullopt;
  const std::string variable = tested_variable(line_at(source, *loop));
  if (variable.empty() || !adds_number_in_subscript(source, line_at(source, fault.source.line), variable))
    return std::nullopt;
  return Advice{
      fmt::format("the loop in line {} tests `{}`, but this line adds to `{}` in the subscript: for the last "
                  "elements the sum is past the end",
                  *loop, variable, variable),
      "test the largest index of the loop's body, and treat the elements that remain after the loop; or test "
      "each index before the access"};
}

}  // namespace

Mistake mistake_of_shared_element(const Fault& race, const vgpu::LaunchRecord& launch) {
  constexpr std::uint64_t kWarpLanes = 32;
  const auto reached = reached_by(race);
  const std::uint64_t blocks = launch.grid.count(), warps = launch.block.count() / kWarpLanes;
  if (!reached || blocks < 2) return std::nullopt;
  const bool is_of_block = race.block == race.other->block;
  if (reached->elements == blocks)
    return Advice{fmt::format("the array has one element for each of the {} blocks, but {}", blocks,
                              is_of_block ? "several threads of a block store it: only one of them has the "
                                            "result of the whole block"
                                          : "the index is not the block's number"),
                  is_of_block ? "let one thread of each block store its element: if (threadIdx.x == 0)"
                              : "use blockIdx.x as the index, in one thread of each block"};
  if (warps > 1 && reached->elements == blocks * warps)
    return Advice{
        fmt::format("the array has one element for each of the {} warps of the launch, but several threads "
                    "store one",
                    blocks * warps),
        "let lane 0 of each warp (threadIdx.x % 32 == 0) store the element with the number blockIdx.x * "
        "(blockDim.x / 32) + threadIdx.x / 32"};
  return std::nullopt;
}

Mistake mistake_of_index(const Fault& fault, const vgpu::LaunchRecord& launch, const SourceText& source) {
  if (!reached_by(fault)) return std::nullopt;
  if (auto found = index_in_bytes(fault, launch, source)) return found;
  if (auto found = factor_too_large(fault, launch)) return found;
  return offset_beyond_condition(fault, source);
}

}  // namespace grader
