#include "validate/times_table.hpp"

#include <cmath>

#include <fmt/format.h>

namespace vgpu::validate {

const std::vector<Improvement>& improvements() {
  static const std::vector<Improvement> all{
      {"lab_00", "baseline", "solution"},
      {"lab_01", "baseline_tiled", "solution_tiled"},
      {"lab_01", "baseline_constant", "solution_constant"},
      {"lab_01", "baseline_blur", "solution_blur"},
      {"lab_01", "baseline_most_frequent", "solution_most_frequent"},
      {"lab_02", "baseline", "solution"},
      {"lab_02", "baseline_dynamic", "solution_dynamic"},
      {"lab_03", "baseline_sum", "solution_sum"},
      {"lab_03", "baseline_max", "solution_max"},
      {"lab_03", "baseline_block_sums", "solution_block_sums"},
      {"lab_03", "baseline_block_sums_shuffle", "solution_block_sums_shuffle"},
      {"lab_03", "baseline_count_six", "solution_count_six"},
      {"lab_04", "baseline_transpose", "solution_transpose"},
      {"lab_04", "baseline_matvec", "solution_matvec"},
      {"lab_04", "baseline_corner_turning", "solution_corner_turning"},
      {"lab_04", "baseline_aos_to_soa", "solution_aos_to_soa"},
      {"lab_05", "baseline", "solution"},
      {"lab_06", "baseline", "solution"},
      {"lab_06", "baseline_v1", "solution_v1"},
      {"matmul", "uncoalesced_16", "naive_16"},
      {"matmul", "naive_16", "tiled_16"},
      {"matmul", "naive_32", "tiled_32"},
      {"matmul", "tiled_8", "tiled_16"},
      {"matmul", "tiled_16", "register_blocked"},
      {"matmul", "double_16", "naive_16"},
      {"transpose", "naive", "tiled"},
      {"transpose", "tiled", "tiled_padded"},
      {"reduce", "divergent", "bank_conflicts"},
      {"reduce", "bank_conflicts", "contiguous"},
      {"reduce", "contiguous", "shuffle"},
      {"reduce", "atomic", "contiguous"},
      {"matvec", "thread_per_row", "warp_per_row"},
      {"histogram", "global", "shared"},
      {"histogram", "global_one_value", "shared_one_value"},
      {"minplus", "naive", "register_blocked"},
      {"copy", "copy", "copy_float4"},
      {"copy", "saxpy_grid_stride_16", "saxpy_grid_stride_1056"},
  };
  return all;
}

namespace {

/// `kernel` is a prefix of kernel names; empty for a whole group.
struct Reason {
  const char *group, *kernel, *text;
};
constexpr const char* kOverlap = "starting blocks, waiting and moving data overlap only in part";
constexpr const char* kCold = "cold: how much data fetched by other blocks arrives in time";
constexpr const char* kFewChains = "the assembler interleaves fewer independent sums than the model assumes";
constexpr const char* kUnevenWarps = "the first warps of a block do most of the work";
constexpr Reason kReasons[] = {
    {"copy", "copy_strided", "sectors that stores fill only partly are read from DRAM first"},
    {"copy", "", kOverlap},
    {"transpose", "", kOverlap},
    {"matmul", "register_blocked", kFewChains},
    {"matmul", "naive_32", "two blocks of 1,024 threads fill an SM: their warps wait together"},
    {"matmul", "tiled_8", "L1 needs less than one clock per row of 8 words"},
    {"matmul", "", kCold},
    {"lab_00", "", kOverlap},
    {"lab_01", "baseline_most_frequent", "how much of the blocks' local memory L1 keeps"},
    {"lab_01", "", kCold},
    {"lab_02", "", kCold},
    {"lab_03", "", kUnevenWarps},
    {"lab_04", "", kOverlap},
    {"lab_05", "", "the cost of allocating pinned memory is not modelled"},
    {"lab_06", "", "newly allocated arrays cost 15 to 60 µs more than mapping and unmapping them"},
    {"reduce", "", kUnevenWarps},
    {"matvec", "", "code and address translation are cold"},
    {"histogram", "", "atomics on shared memory: the model does not know which lanes access the same word"},
    {"minplus", "register_blocked", "cold: DRAM serves many rows at a time"},
    {"texture", "to_surface", "how L2 joins the stores of a warp to the tiles of a surface"},
    {"others", "nbody", kFewChains},
    {"others", "mandelbrot", "warps and blocks with different amounts of work"},
    {"chain", "integer", "the assembler rearranges the chain"},
    {"latency", "", "one warp: the latency of single instructions matters"},
    {"transfer", "", "a copy directly after a kernel begins some microseconds late"},
};

}  // namespace

std::string reason(const TimedKernel& kernel) {
  for (const Reason& known : kReasons) {
    if (kernel.group == known.group && kernel.kernel.starts_with(known.kernel)) return known.text;
  }
  return "not known";
}

std::string reason(const TimedKernel& one, const TimedKernel& other) {
  const auto miss = [](const TimedKernel& kernel) { return std::fabs(std::log(kernel.ratio())); };
  const TimedKernel& worse = miss(one) >= miss(other) ? one : other;
  const TimedKernel& better = &worse == &one ? other : one;
  std::string first = fmt::format("{} {:.2f}: {}", worse.kernel, worse.ratio(), reason(worse));
  constexpr double kTenth = 0.1;
  if (miss(better) < kTenth) return first;
  return fmt::format("{}; {} {:.2f}: {}", first, better.kernel, better.ratio(), reason(better));
}

}  // namespace vgpu::validate
