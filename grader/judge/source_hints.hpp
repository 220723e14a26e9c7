// Lines of the student's file that are a likely cause of a finding elsewhere. A search in text, not an
// analysis: for advice only. Covered by tests/judge/source_hints_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace grader {

/// The first line of the function that contains `line` with a `return` before the function's last barrier
/// that precedes `line` (or is in that line); if there is none, the first of the kernel before it calls that
/// function. Lines count from 1. `file` is the path that the compiler recorded; only `source` is searched.
std::optional<std::uint32_t> return_before_barrier(const SourceText& source, std::string_view file,
                                                   std::uint32_t line, std::string_view kernel = {});

/// The first line from the one to the other, in their device function, with __syncwarp. `file` is as above.
std::optional<std::uint32_t> warp_barrier_between(const SourceText& source, std::string_view file,
                                                  std::uint32_t one, std::uint32_t other);

/// The first line, in the function that contains `line`, with a barrier or a group for a part of a warp:
/// __syncwarp() with a mask, or a tiled_partition<16>. `file` is as above.
std::optional<std::uint32_t> sync_of_part(const SourceText& source, std::string_view file,
                                          std::uint32_t line);
/// The first line in that function that names an integer type of 16 bits.
std::optional<std::uint32_t> integer_of_16_bits(const SourceText& source, std::string_view file,
                                                std::uint32_t line);

/// How blocks can agree on an order: an atomic operation whose result is compared, as that of a lock or of a
/// counter that finds the last block.
struct BlockOrder {
  std::uint32_t line = 0;   ///< the first such line
  std::string atomic;       ///< "atomicCAS", "fetch_add"
  bool is_lock = false;     ///< an exchange, not a count
  bool is_member = false;   ///< of cuda::atomic or cuda::atomic_ref, with a memory order
  bool is_relaxed = false;  ///< an operation has memory_order_relaxed
  bool has_fence = false;
};
/// In the device function that contains `line`, and in the device functions that it calls. nullopt: there is
/// no such operation, or it is one of cuda::atomic and none of them is relaxed.
std::optional<BlockOrder> block_order(const SourceText& source, std::string_view file, std::uint32_t line);

/// The line that begins the innermost loop around `line` in its device function: `for`, `while` or `do`.
std::optional<std::uint32_t> loop_around(const SourceText& source, std::string_view file, std::uint32_t line);

/// The first line with __syncthreads in that loop, without those of loops within it.
std::optional<std::uint32_t> barrier_in_loop(const SourceText& source, std::string_view file,
                                             std::uint32_t line);

/// The first line of code that contains the identifier.
std::optional<std::uint32_t> first_use(const SourceText& source, std::string_view identifier);
/// If the file allocates rows with a pitch: says so in the cause of an access to memory of the program's own.
bool advise_on_pitch(const SourceText& source, Diagnostic& diagnostic);
/// The first line that names __syncthreads without calling it, in the device function that contains `line`.
std::optional<std::uint32_t> barrier_without_call(const SourceText& source, std::string_view file,
                                                  std::uint32_t line);
/// The first line with __syncthreads under an `if` in that function, where a barrier between the two lines is
/// expected: between them; or elsewhere, if the later access is in an earlier line of a loop, or if another
/// barrier is between them.
std::optional<std::uint32_t> barrier_in_condition(const SourceText& source, std::string_view file,
                                                  std::uint32_t earlier, std::uint32_t later);
/// The first line with a copy to the host or to the device that is asynchronous, and that names no stream
/// or stream 0.
std::optional<std::uint32_t> copy_without_stream(const SourceText& source, bool is_to_host);
/// The first line that names cuda::atomic, cuda::atomic_ref or cuda::atomic_thread_fence with
/// thread_scope_block.
std::optional<std::uint32_t> first_atomic_of_block(const SourceText& source);
/// As above; nullopt if several lines contain it.
std::optional<std::uint32_t> only_use(const SourceText& source, std::string_view identifier);

/// The first line of the function that contains the word.
std::optional<std::uint32_t> use_in(const SourceText& source, std::string_view function,
                                    std::string_view word);
/// How often the function's definition contains the word.
std::size_t occurrences_in(const SourceText& source, std::string_view function, std::string_view word);
/// The first line of the kernel that assigns to an element of the array.
std::optional<std::uint32_t> first_store(const SourceText& source, std::string_view kernel,
                                         std::string_view array);

/// The condition that guards the access in that line of a device function, if it compares two values: the
/// line itself, or one of the two lines before it. `file` is as above.
std::optional<std::uint32_t> guard_of(const SourceText& source, std::string_view file, std::uint32_t line);

/// A condition before that line, in its device function, that lets threads return, and compares in a way that
/// keeps one row or column too many: `>` for `>=`, or `&&` for `||`.
struct LooseReturn {
  std::uint32_t line = 0;
  bool is_conjunction = false;  ///< `&&`; false: `>`
};
std::optional<LooseReturn> loose_return(const SourceText& source, std::string_view file, std::uint32_t line);

/// The line that begins the launch of the kernel. If there are several, the only one in the function `entry`;
/// nullopt if that has none or several.
std::optional<std::uint32_t> launch_of(const SourceText& source, std::string_view kernel,
                                       std::string_view entry);
/// As launch_of(), for a line with a word that begins with `prefix`: "cudaStreamCreate" also finds
/// cudaStreamCreateWithFlags.
std::optional<std::uint32_t> only_call(const SourceText& source, std::string_view prefix,
                                       std::string_view entry);

/// The first such line in the function `entry`.
std::optional<std::uint32_t> first_call(const SourceText& source, std::string_view prefix,
                                        std::string_view entry);

/// The first line of the function with an allocation of device memory to which it passes the pointer's
/// address.
std::optional<std::uint32_t> allocation_of(const SourceText& source, std::string_view function,
                                           std::string_view pointer);

/// The pointer that the line passes by its address to the first call of an allocation: of
/// `cudaMallocHost(&slot.h_a, bytes)`, "slot.h_a".
std::optional<std::string> pointer_allocated_in(const SourceText& source, std::uint32_t line);

}  // namespace grader
