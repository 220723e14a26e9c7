// Memory that the program shares with the device, at the same address for both: pinned, registered and
// managed memory. The device creates the memory and sends its descriptor; the client maps it. Kernels and
// host code see each other's writes immediately. Covered by tests/cudart/host_memory_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// Allocates memory filled with zeros, with inaccessible space before and after it, and adds it to
/// Runtime::memory(). The rest of the last page has kRoomValue (host_room.hpp). `site` is the program's call,
/// or an empty call site for memory that the program does not have to free.
OrOutcome<void*> allocate_shared(Runtime& runtime, std::size_t size_bytes, MemoryKind kind, unsigned flags,
                                 const CallSite& site);
Outcome free_shared(Runtime& runtime, const KnownMemory& memory);
/// Whether the rest of the last page of pinned memory, freed or not, has changed.
bool has_overrun_pinned(const Runtime& runtime);

/// Shares existing memory of the program, of which it registers `registered`: exchanges its pages for shared
/// pages with the same contents. Other threads must not write to the pages meanwhile. Returns
/// cudaErrorInvalidValue if the program cannot access the whole range.
Outcome share_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes,
                       const MemoryRange& registered);
/// Exchanges the shared pages for the program's own pages again.
Outcome unshare_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes);

inline constexpr std::uint64_t kPageBytes = 4096;

}  // namespace vgpu::cudart::client
