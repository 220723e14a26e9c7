// The slow half of memory accesses, shared by all instruction sets: recording an address
// pattern in a Memo, computing its cost, and reporting wrong addresses.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

// Bits of Decoded::option for accesses to global and local memory.
inline constexpr std::uint8_t kStrongAccess = 1;  ///< volatile, relaxed, acquire: other blocks' writes matter
inline constexpr std::uint8_t kTracedAccess = 2;  ///< the device profile has caches (cache_trace.hpp)
inline constexpr std::uint8_t kFloatAtomic = 4;
inline constexpr std::uint8_t kCombinedAtomic =
    8;  ///< machine code combines the warp's lanes and sends one request

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
