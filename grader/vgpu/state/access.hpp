// The slow half of memory accesses, shared by all instruction sets: recording an address
// pattern in a Memo, computing its cost, and reporting wrong addresses.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Decoded::option of accesses to global and local memory.
struct AccessOption {
  bool is_strong = false;           ///< volatile, relaxed, acquire: other blocks' writes matter
  bool is_traced = false;           ///< the device profile has caches (cache_trace.hpp)
  bool is_float_atomic = false;     ///< set for traced accesses only, as is the next
  bool is_combined_atomic = false;  ///< machine code sends one lane for the whole warp
  bool is_argument = false;         ///< of a call, in local memory; machine code passes it in registers

  constexpr std::uint8_t packed() const {
    return static_cast<std::uint8_t>((is_strong ? 1U : 0U) | (is_traced ? 2U : 0U) |
                                     (is_float_atomic ? 4U : 0U) | (is_combined_atomic ? 8U : 0U) |
                                     (is_argument ? 16U : 0U));
  }
  static constexpr AccessOption of(const Decoded& d) {
    return {(d.option & 1U) != 0, (d.option & 2U) != 0, (d.option & 4U) != 0, (d.option & 8U) != 0,
            (d.option & 16U) != 0};
  }
};

using Addresses = std::array<std::uint64_t, kWarpLanes>;

/// Records the pattern of the active lanes' addresses in the instruction's memo. Settles the earlier pattern.
void learn(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

/// Adds the cost of the accesses counted in Memo::seen to the core's counts: distinct 32-byte sectors, or
/// passes over the 32 banks of 4 bytes.
void settle(Core& core, std::uint32_t memo);

/// Counts a global access whose lanes reach into several allocations.
void count_scattered(Core& core, const Decoded& d, std::uint64_t base);

/// Counts an access to local memory, which has no pattern in the memo.
void count_local(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

/// Finds the allocation that holds all lanes' accesses and records it in the memo; false if no single
/// allocation holds them.
bool locate(Core& core, const Decoded& d, std::uint64_t base, std::size_t size);

/// Raises the fault of the first active lane whose global access is wrong; if none is, returns nullptr with
/// core.stop still none.
const Decoded* check_global(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                            bool is_store);

/// Raises the fault of the first active lane whose access leaves [0, limit) of shared, local or parameter
/// memory, or is misaligned. Addresses are offsets. At least one active lane must be wrong. Returns nullptr.
const Decoded* raise_window_fault(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                                  bool is_store, ptx::Space space, std::uint64_t limit);

}  // namespace vgpu::exec
