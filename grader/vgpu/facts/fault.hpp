// Facts about what a kernel did wrong. No words for people here: `judge` turns them into diagnostics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/facts/dim3.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu {

enum class FaultKind : std::uint8_t {
  out_of_bounds,  ///< address in no allocation or variable (global and constant memory), or outside the
                  ///< block's shared / local / parameter memory
  misaligned,
  use_after_free,  ///< address in an allocation that was freed
  write_to_constant,
  divergent_barrier,  ///< only part of a warp's live threads reached bar.sync
  barrier_deadlock,   ///< no thread of the block can run on
  missing_lanes,      ///< a shuffle, vote or match whose mask names lanes that are not there
  not_uniform,        ///< lanes give different values for what a warp has one of; `detail` says which
  step_limit,         ///< the launch ran more warp instructions than allowed
  unsupported,        ///< a PTX form that this version does not run; `detail` names it
  trap,               ///< trap, or a failed device assert (`detail` holds its text)
  stack_overflow,     ///< calls within calls; `access_bytes` is the stack of a thread, `detail` the function
                      ///< called
  invalid_call,       ///< through a pointer to no such function; `detail` says what it is
  invalid_barrier,    ///< a barrier with an impossible number or count; `detail` says what is wrong
  invalid_free,       ///< in a kernel, of what malloc did not give or free took already; `address`
  invalid_texture,  ///< a fetch that the texture object does not allow; `address` is the handle, `detail` why
  invalid_surface,  ///< the same of a surface

  // Findings: the launch goes on. `other` is the access that this one is not ordered with.
  shared_race,         ///< threads of two warps, no barrier between
  warp_race,           ///< lanes of one warp, no __syncwarp() between
  lane_conflict,       ///< lanes of one store instruction write different values to one place
  global_race,         ///< threads of two blocks, or of one block without a barrier between
  uninitialised_read,  ///< of shared or global memory that nobody has written
  unfinished_copy,     ///< shared memory is used while cp.async copies to it; `other` is the copy
  races_not_recorded,  ///< a launch touched so much global memory that not all races between blocks are found
};

/// Where threads of a block wait when it cannot go on.
struct WaitingThreads {
  ptx::SourceLine source;
  std::string file;
  std::uint32_t threads = 0;  ///< how many
  Dim3 first_thread{0, 0, 0};
  bool at_barrier = false;  ///< false: at the point where diverged threads of its warp meet again
};

/// The earlier one of two accesses that race.
struct OtherAccess {
  ptx::SourceLine source;
  std::string file;
  std::string instruction;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  bool is_store = false;
};

struct Fault {
  FaultKind kind{};
  std::string kernel;  ///< mangled name
  ptx::SourceLine source;
  std::string file;         ///< source file as the compiler named it; empty if unknown
  std::string instruction;  ///< as spelled in PTX, "ld.global.f32"
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::uint64_t count = 1;  ///< how many threads did the same at the same instruction, over the launch

  // Memory faults.
  ptx::Space space = ptx::Space::none;
  bool is_store = false;
  /// From the start of shared, local and parameter memory, negative before it. In a surface: the handle;
  /// `detail` says where in the array.
  std::uint64_t address = 0;
  std::uint32_t access_bytes = 0;
  /// The nearest allocation (global), or the window (shared, local, …): its start, size, and how far outside
  /// it the access reaches: negative = it begins that many bytes before the start, positive = its last byte
  /// is that many past the end (4 for the first float behind an array), 0 = inside (misaligned, freed).
  struct Nearest {
    std::uint64_t start = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t distance_bytes = 0;
    std::uint32_t ordinal = 0;  ///< 1 for the first cudaMalloc of the process, …; 0 when not an allocation
  };
  std::optional<Nearest> nearest;

  /// The variable as PTX names it: findings in shared memory, the one they are in; memory faults, the nearest
  /// of shared memory, or the global or constant one that `nearest` is. Empty if unknown.
  std::string variable;
  std::uint64_t variable_offset = 0;  ///< findings in shared memory: bytes from the variable's start
  std::optional<OtherAccess> other;   ///< races

  std::vector<WaitingThreads> waiting;  ///< barrier faults
  std::string detail;                   ///< unsupported form, assert text
};

}  // namespace vgpu
