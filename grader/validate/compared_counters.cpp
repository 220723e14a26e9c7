#include "validate/compared_counters.hpp"

namespace vgpu::validate {
namespace {

/// Reasons for single kernels that the counter's reason does not cover.
struct KernelReason {
  const char *counter, *kernel, *reason;
};
constexpr KernelReason kReasons[] = {
    {"", "hello",
     "printf: its buffer is in the device's global memory; the virtual GPU needs no such buffer."},
    {"", "cg_grid",
     "The grid barrier: blocks wait in a loop that reads global memory, and the number of iterations "
     "varies."},
    {"", "bfs",
     "Threads race on purpose: how many set the same vertex depends on their order, and later loads depend "
     "on that."},
    {"", "spmv",
     "The PTX loads row[r + 1] in every iteration of the loop, 140 warp loads; the assembler keeps it in a "
     "register."},
    {"global_load_requests", "warp_vote",
     "The PTX loads in[i] three times; the assembler reuses the first value for the second use."},
    {"global_load_sectors", "warp_vote",
     "The PTX loads in[i] three times; the assembler reuses the first value for the second use."},
    {"l1_load_hit_sectors", "warp_vote",
     "The PTX loads in[i] three times; the assembler reuses the first value for the second use."},
    {"global_atomic_requests", "atomics_misc",
     "A compare-and-swap loop: how often it repeats depends on how many threads meet at the same time."},
    {"local_load_requests", "calls",
     "The stack of a recursive function: the assembler saves more registers around calls than are live in "
     "PTX."},
    {"local_store_requests", "calls",
     "The stack of a recursive function: the assembler saves more registers around calls than are live in "
     "PTX."},
    {"local_store_requests", "localarr",
     "The PTX stores the array's first values four at a time, the assembler one by one."},
    {"flops", "atomics_misc",
     "A compare-and-swap loop: how often it repeats depends on how many threads meet at the same time."},
    {"flops", "nbody",
     "Our counter counts a reciprocal square root as one operation; the metrics do not include it."},
    {"flops", "red_shfl",
     "Only lane 0 uses the last sum of a warp: the assembler computes it in no other lane."},
};

}  // namespace

std::string reason(const grader::NsightCounter& counter, const std::string& kernel) {
  for (const KernelReason& own : kReasons) {
    if (kernel == own.kernel && (*own.counter == 0 || counter.name == own.counter)) return own.reason;
  }
  return counter.reason;
}

}  // namespace vgpu::validate
