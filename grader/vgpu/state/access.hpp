// The slow half of memory accesses, shared by all instruction sets: what a Memo learns about an address
// pattern, what it costs, and what is wrong with an address.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

// Decoded::option of accesses to global and local memory.
inline constexpr std::uint8_t kStrongAccess = 1;  ///< volatile, relaxed, acquire: other blocks' writes matter
inline constexpr std::uint8_t kTracedAccess = 2;  ///< the device profile has caches (cache_trace.hpp)
inline constexpr std::uint8_t kFloatAtomic = 4;
inline constexpr std::uint8_t kCombinedAtomic = 8;  ///< machine code sends one lane for the whole warp

using Addresses = std::array<std::uint64_t, kWarpLanes>;

/// Takes down the pattern of the active lanes' addresses.
void learn(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

/// Adds up what the accesses counted in Memo::seen cost: distinct 32-byte sectors, or passes over the 32
/// banks of 4 bytes.
void settle(Core& core, std::uint32_t memo);

/// Counts a global access whose lanes reach into several allocations.
void count_scattered(Core& core, const Decoded& d, std::uint64_t base);

/// Counts an access to local memory, which has no pattern in the memo.
void count_local(const Warp& warp, const Decoded& d, const Addresses& addresses, const AccessForm& form);

/// Finds the allocation that holds all lanes' accesses and notes it in the memo; false if there is no such
/// one.
bool locate(Core& core, const Decoded& d, std::uint64_t base, std::size_t size);

/// Raises the fault of the first active lane whose global access is wrong; if none is, returns nullptr with
/// core.stop still none.
const Decoded* check_global(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                            bool is_store);

/// The same for an access to [0, limit) of shared, local or parameter memory; addresses are offsets.
const Decoded* raise_window_fault(Warp& warp, const Decoded& d, const Addresses& addresses, std::size_t size,
                                  bool is_store, ptx::Space space, std::uint64_t limit);

}  // namespace vgpu::exec
