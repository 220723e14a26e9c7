#include "vgpu/validate/times_table.hpp"

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

/// `kernel` is the beginning of a name, empty for a whole group.
struct Reason {
  const char *group, *kernel, *text;
};
constexpr Reason kReasons[] = {
    {"copy", "copy_strided", "sectors that stores fill only in part are read from DRAM first"},
    {"copy", "", "starting blocks, waiting and moving data overlap only in part"},
    {"transpose", "", "starting blocks, waiting and moving data overlap only in part"},
    {"matmul", "register_blocked", "the assembler interleaves fewer independent sums than the model thinks"},
    {"matmul", "", "cold: how much of what other blocks fetch arrives in time"},
    {"lab_02", "", "cold: how much of what other blocks fetch arrives in time"},
    {"reduce", "atomic", "floats are added more slowly in L2 than integers"},
    {"reduce", "", "the first warps of a block do most of the work"},
    {"matvec", "", "code and address translation are cold"},
    {"histogram", "", "one figure for all atomics; the model does not know which lanes meet"},
    {"minplus", "register_blocked", "cold: DRAM serves many rows at a time"},
    {"others", "nbody", "the assembler interleaves fewer independent sums than the model thinks"},
    {"others", "mandelbrot", "warps and blocks of unequal length"},
    {"chain", "integer", "the assembler rearranges the chain"},
    {"latency", "", "one warp: the length of single instructions counts"},
    {"transfer", "", "right behind a kernel a copy begins some microseconds late"},
};

}  // namespace

std::string reason(const TimedKernel& kernel) {
  for (const Reason& known : kReasons) {
    if (kernel.group == known.group && kernel.kernel.starts_with(known.kernel)) return known.text;
  }
  return "";
}

}  // namespace vgpu::validate
