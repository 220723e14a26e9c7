#include "judge/shared_faults.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/advice.hpp"
#include "judge/argument_lists.hpp"
#include "judge/declarations.hpp"
#include "judge/launched_kernels.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

constexpr std::uint64_t kFloatBytes = 4, kWarpLanes = 32;

/// A row of the two-dimensional array has fewer elements than the block has threads along x.
std::optional<Advice> short_row(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                                const SourceText& source) {
  if (fault.variable.empty()) return std::nullopt;
  const std::string array = kernel_name(fault.variable);
  const auto length = row_length(source, array);
  if (!length || *length >= launch.block.x) return std::nullopt;
  return Advice{
      fmt::format("the launch has blocks of {} × {} threads, but a row of `{}` has only {} elements",
                  launch.block.x, launch.block.y, array, *length),
      "give the block as many threads along x and y as the tile has columns and rows"};
}

/// An array with one element per thread is shorter than the block, or is indexed by the thread's number in
/// the grid.
std::optional<Advice> short_vector(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                                   const SourceText& source) {
  const std::string array = fault.variable.empty() ? "" : kernel_name(fault.variable);
  const auto length = array.empty() ? std::nullopt : vector_length(source, array);
  const std::uint64_t threads = launch.block.count();
  if (!length) return std::nullopt;
  const std::uint64_t warps = (threads + kWarpLanes - 1) / kWarpLanes, index = fault.address / kFloatBytes;
  if (*length < warps && index < warps)
    return Advice{
        fmt::format("a block of {} threads has {} warps, but `{}` has only {} elements", threads, warps,
                    array, *length),
        "give the array as many elements as the block has warps, or threads, with the same constant"};
  if (*length < threads)
    return Advice{fmt::format("the launch has blocks of {} threads, but `{}` has only {} elements", threads,
                              array, *length),
                  "give the array as many elements as the block has threads, with the same constant"};
  const bool is_per_thread = *length == threads && threads == launch.block.x;
  if (!is_per_thread || !fault.is_store || launch.dynamic_shared_bytes > 0) return std::nullopt;
  return Advice{
      fmt::format("`{}` has an element for each thread of the block, but its index, {} in thread {}, is "
                  "not that of the thread: it counts the threads of all blocks, or elements in global "
                  "memory",
                  array, fault.address / kFloatBytes, fault.thread.x),
      "use threadIdx.x as the index in shared memory, which belongs to a block"};
}

/// `tile + width * width * sizeof(float)` in a kernel.
std::optional<Advice> place_in_bytes(const vgpu::LaunchRecord& launch, const SourceText& source) {
  const auto line = use_in(source, kernel_name(launch.kernel), "sizeof");
  if (!line) return std::nullopt;
  return Advice{
      fmt::format("line {} uses sizeof in the kernel: indices, and what is added to a pointer, count "
                  "elements, not bytes",
                  *line),
      "leave out sizeof where the kernel computes an index or a pointer"};
}

/// The third launch argument is computed in the launch, without sizeof; or the file has no sizeof.
bool has_size_without_sizeof(const SourceText& source, const std::string& kernel, std::string_view entry) {
  const auto line = launch_of(source, kernel, entry);
  const auto arguments = line ? configuration_in(source, *line) : std::vector<std::string>{};
  const bool is_product = arguments.size() > 2 && arguments[2].find('*') != std::string::npos;
  if (is_product) return arguments[2].find("sizeof") == std::string::npos;
  return !first_use(source, "sizeof");
}

/// The third launch argument is a number of elements.
std::optional<Advice> size_in_elements(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                                       const SourceText& source, std::string_view entry) {
  const std::uint64_t bytes = launch.dynamic_shared_bytes;
  const std::uint64_t end = launch.static_shared_bytes + kFloatBytes * bytes;
  const bool is_possible = bytes != 0 && fault.address < end;
  if (!is_possible || !has_size_without_sizeof(source, kernel_name(launch.kernel), entry))
    return std::nullopt;
  return Advice{fmt::format("the launch requests {} bytes of dynamic shared memory; if {} is the number of "
                            "elements, the size lacks the factor sizeof(float)",
                            bytes, bytes),
                "pass the size in bytes as the third launch argument: elements * sizeof(float)"};
}

/// The kernel accesses more dynamic shared memory than the launch requests.
std::optional<Advice> small_request(const vgpu::LaunchRecord& launch) {
  if (launch.dynamic_shared_bytes == 0) return std::nullopt;
  return Advice{
      fmt::format("the third launch argument requests {} bytes of dynamic shared memory, and the "
                  "kernel uses more: it is too small, as for one array in place of two, or an index is "
                  "too large",
                  launch.dynamic_shared_bytes),
      "count the bytes of all arrays that share this memory, and compare the index with their extents"};
}

/// As many elements after the last one as a row has, or the block along x: the array lacks rows, or they are
/// counted in other steps.
std::optional<Advice> row_too_many(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                                   const SourceText& source) {
  const auto length = fault.variable.empty() ? std::nullopt : row_length(source, kernel_name(fault.variable));
  if (!length || fault.count < std::min<std::uint64_t>(*length, launch.block.x) ||
      fault.nearest->distance_bytes <= 0)
    return std::nullopt;
  const std::string row =
      fmt::format("this is a row after the last one of `{}`: ", kernel_name(fault.variable));
  if (!fault.is_store && loop_around(source, fault.file, fault.source.line))
    return Advice{row +
                      "a loop over rows runs once too often (`<=` for `<`, or another extent), or the array "
                      "lacks rows, such as those of a halo",
                  "compare the bound of the loop with the array's extent: the last index of n rows is n - 1"};
  return Advice{
      row +
          "the array lacks rows, such as those of a halo (radius rows above and below the block's), "
          "or the step of a loop over rows is not the number of rows that the block has threads for",
      "count the rows that the block's threads reach, and compare them with the array's extents"};
}

/// The element after the last one. Memory without elements has another cause (describe_out_of_bounds).
std::optional<Advice> one_too_many(const vgpu::Fault& fault) {
  if (fault.nearest->size_bytes == 0) return std::nullopt;
  if (fault.nearest->distance_bytes != static_cast<std::int64_t>(fault.access_bytes)) return std::nullopt;
  // One lane too many is a matter of a condition; if many leave the array together, it is too small for them.
  if (fault.is_store && fault.count > 1)
    return Advice{
        fmt::format("{} threads of a warp store after the last element: the array is too small for what the "
                    "block stores, such as a tile without the rows and columns of its halo, or for one of "
                    "several arrays; or a condition does not stop at its extent",
                    fault.count),
        "count the elements that all threads of the block store, and declare the array with as many"};
  return Advice{
      "this is the element after the last one: a condition or a loop does not stop at the array's "
      "extent (`<=` for `<`, or the bound of something else), or the index is one too large",
      "compare with the array's own extent: the last index of n elements is n - 1"};
}

}  // namespace

void explain_shared_fault(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                          const SourceText& source, std::string_view entry, Diagnostic& outside) {
  std::optional<Advice> cause;
  if (auto other = kernel_of_another_function(source, {&launch}, entry))
    cause = Advice{std::move(other->likely_cause), std::move(other->next_step)};
  if (!cause) cause = short_row(launch, fault, source);
  if (!cause) cause = short_vector(launch, fault, source);
  if (!cause && fault.kind == vgpu::FaultKind::out_of_bounds && fault.nearest) {
    if (launch.dynamic_shared_bytes > 0) cause = place_in_bytes(launch, source);
    if (!cause) cause = size_in_elements(launch, fault, source, entry);
    if (!cause) cause = small_request(launch);
    if (!cause) cause = row_too_many(launch, fault, source);
    if (!cause) cause = one_too_many(fault);
  }
  if (!cause) return;
  advise(outside, *std::move(cause));
}

}  // namespace grader
