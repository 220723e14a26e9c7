// Determines whether an output can be complete: how much of it kernels stored, and how much was copied to the
// host. Known only on the virtual GPU, and only if kernels ran. Tested by supply_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/job.hpp"
#include "runner/runner.hpp"

namespace grader {

struct LaunchExtents {
  vgpu::Dim3 grid, block;
  bool is_transpose = false;  ///< as is_transpose() returns
  /// Each store instruction of a warp stored one word: the output has an element per warp or per block.
  bool stores_singly = false;
  /// The kernel reads the number of blocks, and threads store several words: blocks walk through the data.
  bool walks = false;
  std::uint64_t stored_words = 0;      ///< distinct; 0: unknown
  std::uint64_t all_stored_words = 0;  ///< a word that is stored twice counts twice
};

enum class EarlyHostFunction : std::uint8_t {
  none,
  before_copy,  ///< in the same stream
  other_stream
};

struct Supply {
  /// Distinct bytes that kernels stored to the output, if its address is known; otherwise distinct bytes
  /// stored by all launches, less the size of the other outputs.
  std::uint64_t stored_bytes = 0;
  /// A launch of several blocks stored some bytes more than once.
  bool stores_repeat = false;
  /// Bytes copied to the host. Known only if all arrays are in host memory, so that results can arrive only
  /// by copies, and no kernel stored to host memory directly.
  std::optional<std::uint64_t> fetched_bytes = std::nullopt;
  bool copies_pointer_size = false;  ///< a copy to the host has as many bytes as a pointer
  /// A host function was issued in a stream in which no copy to the host precedes it, so it can run before
  /// the copy whose bytes it uses.
  EarlyHostFunction early_host_function = EarlyHostFunction::none;
  /// Of the only launch; unknown if there were several.
  std::optional<LaunchExtents> launch = std::nullopt;
  /// Of the last launch, if it is the only one of its kernel: it then computes the result from what other
  /// kernels prepared.
  std::optional<LaunchExtents> last_launch = std::nullopt;
  /// A fill was issued after the last kernel.
  bool is_cleared_at_end = false;
  /// Several launches of one kernel, and no others, that all store to the same words.
  struct RepeatedStores {
    std::size_t launches = 0;
    std::uint64_t words = 0;
  };
  std::optional<RepeatedStores> repeated_stores = std::nullopt;
  /// The bytes of the inputs in device memory, and the bytes that kernels requested with loads from global
  /// memory: if these are fewer, elements were left out. 0 requested bytes: the inputs were read in other
  /// ways.
  std::uint64_t input_bytes = 0, requested_bytes = 0;
  /// 1 or 2: the loads can reach every element of the inputs, but each reads only so many of its 4 bytes.
  /// 0: neither.
  std::uint64_t bytes_per_element = 0;
  std::optional<harness::Piece> piece = std::nullopt;  ///< Job::piece
};

/// Bytes of global memory that the launch stored to, each counted once; 0 if they are unknown.
std::uint64_t distinct_stored_bytes(const vgpu::LaunchRecord& launch);

/// The run copied as many bytes as a pointer has, in that direction: sizeof(pointer) is a frequent mistake.
bool copies_pointer_size(const CaseRun& run, vgpu::OperationKind kind);

/// Whether the output has the shape of the only matrix among the inputs, transposed. False for square
/// matrices, which need no distinction.
bool is_transpose(const harness::Job& job, std::size_t output);

/// Of the checked call's launches. What was copied to the host is unknown if there were earlier calls.
std::optional<Supply> supply_of(const CaseRun& run, const harness::Job& job, std::size_t output);

}  // namespace grader
