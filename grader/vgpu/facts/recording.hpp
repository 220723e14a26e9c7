// What a launch recorded for pictures, if its device was asked to: the addresses of single executions of each
// memory instruction, and the lanes of one warp at each step. Pure data; profile/ turns it into pictures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/facts/dim3.hpp"
#include "vgpu/facts/fault.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu {

/// One execution of a memory instruction by a warp.
struct RecordedAccess {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;                     ///< in its block
  std::uint32_t lanes = 0;                    ///< active ones, one bit each
  std::array<std::uint64_t, 32> addresses{};  ///< of active lanes, in bytes; in shared memory, from its start
  std::uint32_t cost = 0;                     ///< sectors; wavefronts of shared memory
  /// The cost of the same bytes if they were adjacent, without bank conflicts.
  std::uint32_t ideal = 0;

  friend bool operator==(const RecordedAccess&, const RecordedAccess&) = default;
};

/// A memory instruction of the kernel, with two of its executions.
struct RecordedSite {
  std::string file;  ///< as the compiler named it
  std::uint32_t line = 0;
  std::string instruction;  ///< "ld.global.f32"
  ptx::Space space = ptx::Space::global;
  bool is_store = false;  ///< true for atomics as well
  bool is_atomic = false;
  std::uint32_t bytes = 0;       ///< per lane
  std::uint64_t executions = 0;  ///< by warps
  std::uint64_t cost = 0;        ///< of all executions
  std::uint64_t ideal = 0;       ///< of all executions
  RecordedAccess first;          ///< in block order
  RecordedAccess worst;          ///< with the largest cost beyond the ideal; the first one of equals
  /// What all executions access: a variable as PTX names it, in shared memory or else the one at `memory`.
  /// Empty: unknown, or not the same for all executions.
  std::string variable;
  std::optional<Fault::Nearest> memory;  ///< global memory that all executions access

  friend bool operator==(const RecordedSite&, const RecordedSite&) = default;
};

/// Consecutive instructions of one source line with the same lanes.
struct RecordedStep {
  std::uint32_t file = 0;  ///< index into RecordedPath::files
  std::uint32_t line = 0;
  std::uint32_t active = 0;  ///< lanes that execute
  std::uint32_t live = 0;    ///< lanes that have not ended, including the active ones
  std::uint32_t instructions = 0;

  friend bool operator==(const RecordedStep&, const RecordedStep&) = default;
};

/// The steps of the warp whose lanes waited most for other lanes of the warp; the first one of equals.
struct RecordedPath {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint64_t waiting = 0;        ///< sum over all instructions: lanes that are live, but not active
  std::uint64_t left_out = 0;       ///< instructions after the last recorded step
  std::vector<std::string> files;   ///< as the compiler named them
  std::vector<RecordedStep> steps;  ///< at most kMaxSteps
  static constexpr std::size_t kMaxSteps = 4096;

  friend bool operator==(const RecordedPath&, const RecordedPath&) = default;
};

/// An instruction of the kernel's PTX, after inlining.
struct PtxLine {
  std::string file;
  std::uint32_t line = 0;  ///< of the source
  std::uint32_t ptx_line = 0;
  std::string text;  ///< as in the PTX, without leading and trailing blanks

  friend bool operator==(const PtxLine&, const PtxLine&) = default;
};

struct Recording {
  std::vector<RecordedSite> sites;  ///< in the order of the code
  RecordedPath path;
  std::vector<PtxLine> ptx;  ///< in the order of the code

  friend bool operator==(const Recording&, const Recording&) = default;
};

}  // namespace vgpu
