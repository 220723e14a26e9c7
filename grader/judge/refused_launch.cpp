#include "judge/refused_launch.hpp"

#include <array>

#include <fmt/format.h>

#include "judge/host_problem.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

constexpr std::uint32_t kMostThreads = 1024;  // of a block, on all devices

/// Whether the grid has as many blocks as a block usually has threads, and the block more threads than any
/// device allows.
bool has_swapped_arguments(const vgpu::LaunchRecord& launch) {
  constexpr std::uint32_t kWarpLanes = 32;
  return launch.grid.count() == launch.grid.x && launch.block.count() == launch.block.x &&
         launch.block.x > kMostThreads && launch.grid.x >= kWarpLanes && launch.grid.x <= kMostThreads;
}

/// Of all devices (CUDA Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint32_t kMaxGridYZ = 65535;

/// What a local variable of host code contains before the program sets it: patterns of g++ and of clang for
/// -ftrivial-auto-var-init (toolchain/commands.cpp).
bool has_unset_extent(const vgpu::LaunchRecord& launch) {
  const auto is_pattern = [](std::uint32_t extent) { return extent == 0xFEFEFEFE || extent == 0xAAAAAAAA; };
  const auto is_unset = [&](const vgpu::Dim3& extents) {
    return is_pattern(extents.x) || is_pattern(extents.y) || is_pattern(extents.z);
  };
  return is_unset(launch.grid) || is_unset(launch.block);
}

constexpr std::size_t kMostSharedBytes = std::size_t{1} << 30U;  // far above what any device has

bool is_too_high(const vgpu::Dim3& grid) { return grid.y > kMaxGridYZ || grid.z > kMaxGridYZ; }

/// A limit of the device that is larger than that of a block, and how to ask for the right one.
struct WrongLimit {
  const char *asked, *right;
};
constexpr std::array kWrongLimits = {
    WrongLimit{"cudaDevAttrMaxSharedMemoryPerBlockOptin", "cudaDevAttrMaxSharedMemoryPerBlock"},
    WrongLimit{"sharedMemPerBlockOptin", "sharedMemPerBlock"},
    WrongLimit{"cudaDevAttrMaxSharedMemoryPerMultiprocessor", "cudaDevAttrMaxSharedMemoryPerBlock"},
    WrongLimit{"sharedMemPerMultiprocessor", "sharedMemPerBlock"},
    WrongLimit{"cudaDevAttrMaxThreadsPerMultiProcessor", "cudaDevAttrMaxThreadsPerBlock"},
    WrongLimit{"maxThreadsPerMultiProcessor", "maxThreadsPerBlock"}};

/// The block is too large because the program asked for another limit than a block's.
void name_wrong_limit(const SourceText& source, Diagnostic& problem) {
  for (const auto& [asked, right] : kWrongLimits) {
    const auto line = first_use(source, asked);
    if (!line) continue;
    problem.likely_cause = fmt::format(
        "the size comes from {} (line {}), which is more than a block gets: the limit of a multiprocessor, "
        "or "
        "one for which each kernel must ask with cudaFuncSetAttribute",
        asked, *line);
    problem.next_step = fmt::format("ask for {}, the limit of a block", right);
    return;
  }
}

}  // namespace

bool is_refused(const vgpu::LaunchRecord& launch) {
  return launch.error != vgpu::LaunchError::none && launch.error != vgpu::LaunchError::faulted;
}

Diagnostic refused_launch(const vgpu::LaunchRecord& launch, const SourceText& source) {
  Diagnostic problem = host_problem(
      "WG-H07",
      fmt::format("`{}` could not be launched: {}", kernel_name(launch.kernel), cleaned(launch.error_detail)),
      "the block or the shared memory is larger than this device allows",
      "choose block and tile sizes that the device allows");
  if (launch.grid.count() == 0) {
    problem.likely_cause =
        "the number of blocks is 0: it is rounded down, or computed from a size of 0, as of a segment that "
        "has no "
        "elements";
    problem.next_step =
        "round the number of blocks up: lab::ceil_div(n, block); where nothing remains to be done, skip the "
        "launch";
  } else if (launch.block.count() == 0) {
    problem.likely_cause = "the block has no threads: an extent of it is 0";
    problem.next_step = "give every extent of the block at least 1 thread";
  } else if (has_unset_extent(launch)) {
    problem.likely_cause =
        "a variable in the launch configuration has no value: it is declared without one, and no line that "
        "runs assigns to it";
    problem.next_step =
        "give the variable a value where it is declared, and check each `if` that is meant to set it";
  } else if (is_too_high(launch.grid)) {
    problem.likely_cause = fmt::format(
        "the grid has {} blocks along {}; CUDA allows 65,535 along y and along z, and 2,147,483,647 along x",
        launch.grid.y > kMaxGridYZ ? launch.grid.y : launch.grid.z, launch.grid.y > kMaxGridYZ ? 'y' : 'z');
    problem.next_step =
        "count the longest direction with blockIdx.x (dim3 takes x first), or let each block loop over "
        "several rows";
  } else if (launch.dynamic_shared_bytes > kMostSharedBytes) {
    problem.likely_cause =
        "the third launch argument is the number of bytes of dynamic shared memory, but a stream, a pointer "
        "or a "
        "negative number is there";
    problem.next_step = "pass the stream as the fourth argument: kernel<<<grid, block, 0, stream>>>(…)";
  } else if (has_swapped_arguments(launch)) {
    problem.likely_cause =
        "the launch arguments are swapped: the first is the number of blocks, the second the number of "
        "threads per block";
    problem.next_step = fmt::format("launch {} blocks of {} threads: kernel<<<blocks, threads>>>(…)",
                                    launch.block.x, launch.grid.x);
  } else if (launch.error == vgpu::LaunchError::out_of_resources) {
    problem.likely_cause =
        "the block has more threads than there are registers for the values that each of them keeps during a "
        "loop, such as an array of sums: every GPU refuses the launch";
    problem.next_step =
        "launch smaller blocks, or let each thread compute fewer elements; __launch_bounds__(threads) makes "
        "the compiler keep the rest in slower local memory";
  } else if (launch.grid.count() == 1 && launch.block.count() > kMostThreads) {
    problem.likely_cause = fmt::format(
        "the only block has {} threads: no device allows more than 1,024 in a block", launch.block.count());
    problem.next_step = "launch many blocks of 256 threads, for instance: lab::ceil_div(n, 256) of them";
  } else {
    name_wrong_limit(source, problem);
  }
  if (launch.error == vgpu::LaunchError::above_launch_bounds) {
    problem.likely_cause =
        "the kernel promises the compiler a smaller block: the first number in its __launch_bounds__";
    problem.next_step =
        fmt::format("raise that number to {}, or launch at most as many threads per block as it allows",
                    launch.block.count());
  }
  if (launch.error == vgpu::LaunchError::cooperative_too_large) {
    problem.likely_cause =
        "all blocks of a cooperative launch must be resident at the same time, and the grid has more than "
        "the blocks per SM times the number of SMs";
    problem.next_step =
        "ask cudaOccupancyMaxActiveBlocksPerMultiprocessor for the blocks per SM, multiply by "
        "cudaDevAttrMultiProcessorCount, launch at most that many blocks, and let each block loop over its "
        "part of the data";
  }
  problem.first = fmt::format("grid {}, block {}, {} bytes of dynamic shared memory", dimensions(launch.grid),
                              dimensions(launch.block), launch.dynamic_shared_bytes);
  return problem;
}

}  // namespace grader
