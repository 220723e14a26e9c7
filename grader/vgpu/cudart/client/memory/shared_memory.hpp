// Memory that the program shares with the device, at one address for both: pinned, registered and managed.
// The device makes it and hands it over; here it is mapped. Kernels and host code see each other's writes at
// once. Covered by tests/cudart/host_memory_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// Fresh memory, filled with zeros, with space around it that nobody may touch. Known to Runtime::memory().
/// `site`: of the program's call; that of no call for memory that the program need not free.
OrOutcome<void*> allocate_shared(Runtime& runtime, std::size_t size_bytes, MemoryKind kind, unsigned flags,
                                 const CallSite& site);
Outcome free_shared(Runtime& runtime, const KnownMemory& memory);

/// Shares memory that the program has already, by the page: its pages are exchanged for shared ones with the
/// same contents. No other thread may write to them meanwhile. cudaErrorInvalidValue: it is not all there.
Outcome share_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes);
/// The same memory becomes the program's own again.
Outcome unshare_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes);

inline constexpr std::uint64_t kPageBytes = 4096;

}  // namespace vgpu::cudart::client
