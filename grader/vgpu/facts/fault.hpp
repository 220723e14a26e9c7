// Facts about errors of a kernel, without text for people: `judge` turns them into diagnostics.
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
  barrier_deadlock,   ///< no thread of the block can continue
  missing_lanes,      ///< a shuffle, vote or match whose mask names lanes that do not take part
  not_uniform,      ///< the lanes of a warp pass different values for a warp-wide operand; `detail` names it
  step_limit,       ///< the launch ran more warp instructions than allowed; `detail`: kRacesTooOften if races
                    ///< used up what is allowed, kManyBlocks if no block did so alone,
                    ///< kWaitsInVain if all its blocks that run wait
  unsupported,      ///< a PTX form that this version does not support; `detail` names it
  trap,             ///< trap, or a failed device assert (`detail` holds its text)
  stack_overflow,   ///< nested calls; `access_bytes` is the size of a thread's stack, `detail` names the
                    ///< called function
  invalid_call,     ///< a call through a pointer to no suitable function; `detail` gives the reason
  invalid_barrier,  ///< a barrier with an impossible number or count; `detail` gives the reason
  invalid_free,     ///< in a kernel: `address` was not returned by malloc or is already freed
  invalid_texture,  ///< a fetch that the texture object does not allow; `address` is the handle,
                    ///< `detail` the reason
  invalid_surface,  ///< like invalid_texture, for an access to a surface

  // Findings, causes before effects: the launch continues. `other`: the access not ordered with this one.
  array_overflow,   ///< an index leaves its shared array for memory of another one: `variable` is the array,
                    ///< `nearest` its place
  parted_barriers,  ///< warps of a block wait for each other at different bar.sync for the whole block
  absent_lane,      ///< a lane uses the value that it shuffled from a lane that does not take part; `detail`
                    ///< names the lane
  shared_race,      ///< threads of two warps, no barrier between
  warp_race,        ///< lanes of one warp, no __syncwarp() between
  lane_conflict,    ///< lanes of one store instruction write different values to one place
  global_race,      ///< threads of two blocks, or of one block without a barrier between
  unset_variable,   ///< a register is used that no instruction has written
  uninitialised_read,  ///< of shared or global memory that was never written
  unfinished_copy,     ///< shared memory is used while cp.async copies to it; `other` is the copy
  stale_read,  ///< ld.global.nc of memory that the launch has written; `other` is the store, which is earlier
  races_not_recorded,  ///< the launch accessed so much global memory that races between blocks can be missed
};

/// Fault::detail of a step limit that races used up: each counts as several instructions.
inline constexpr const char* kRacesTooOften = "its threads race too often";
/// All blocks so far have ended.
inline constexpr const char* kManyBlocks = "its blocks together ran too many instructions";
/// All blocks that have started poll memory that none of them changes.
inline constexpr const char* kWaitsInVain = "it waits for a value that no running block stores";
/// Of barrier_deadlock: the threads wait at barriers of several kinds.
inline constexpr const char* kMixedBarriers = "barriers of several kinds";

/// Where threads of a block wait when the block cannot continue.
struct WaitingThreads {
  ptx::SourceLine source;
  std::string file;
  std::uint32_t threads = 0;  ///< number of waiting threads
  Dim3 first_thread{0, 0, 0};
  bool at_barrier = false;  ///< false: at the reconvergence point of its warp
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
  bool is_harmless = false;  ///< of a read: no value that it read can have changed a result
  std::uint64_t count = 1;   ///< threads of the launch with this fault at this instruction

  // Memory faults.
  ptx::Space space = ptx::Space::none;
  bool is_store = false;
  /// For shared, local and parameter memory an offset from the start, negative before it. For a surface the
  /// handle; `detail` gives the place in the array.
  std::uint64_t address = 0;
  std::uint32_t access_bytes = 0;
  /// The nearest allocation (global), or the window (shared, local, …): its start, its size, and the distance
  /// of the access. Negative: the access begins that many bytes before the start. Positive: its last byte is
  /// that many bytes past the end (4 for the first float after an array). 0: inside (misaligned, freed).
  struct Nearest {
    std::uint64_t start = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t distance_bytes = 0;
    std::uint32_t ordinal = 0;  ///< 1 for the first cudaMalloc of the process, …; 0 for other memory

    friend bool operator==(const Nearest&, const Nearest&) = default;
  };
  std::optional<Nearest> nearest;
  /// Of uninitialised_read in global memory: how many bytes of `nearest` had been written when the launch
  /// ended; 0 also if `nearest` is large.
  std::uint64_t written_bytes = 0;

  /// The variable as PTX names it. Findings in shared memory: the accessed variable. Memory faults: the
  /// nearest shared variable, or the global or constant variable that `nearest` describes. Empty if unknown.
  std::string variable;
  std::uint64_t variable_offset = 0;  ///< findings in shared memory: bytes from the variable's start
  /// Of uninitialised_read in a shared array: for each word of the array, whether the block had written it.
  /// Empty: unknown, because the array is dynamic or not in words.
  std::vector<bool> written_words;
  std::optional<OtherAccess> other;  ///< races

  std::vector<WaitingThreads> waiting;  ///< barrier faults
  std::string detail;                   ///< unsupported form, assert text
};

}  // namespace vgpu
