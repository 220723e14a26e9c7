// Wipes memory before `delete` frees it: the inputs of a case pass through buffers on their way to the
// device, and the student's code must not find them in freed memory. Applies to the whole process.
#include <cstdlib>
#include <cstring>
#include <new>

#include <malloc.h>

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/memory/host_room.hpp"
#endif

namespace {

void wipe_and_free(void* memory) noexcept {
  if (memory == nullptr) return;
#ifdef WARPGRADE_VIRTUAL_HARNESS
  if (warpgradeFreeBlock(memory)) return;
#endif
  ::explicit_bzero(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// Replaced together with delete, whose memory comes from malloc: sanitizers check that both match.
void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return ::operator new(size); }

void operator delete(void* memory) noexcept { wipe_and_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { wipe_and_free(memory); }
void operator delete[](void* memory) noexcept { wipe_and_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { wipe_and_free(memory); }
