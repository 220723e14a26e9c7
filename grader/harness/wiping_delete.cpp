// Memory that C++ frees in the harness is wiped first, so that the inputs of a case, which pass through
// buffers on their way to the device, cannot be found there afterwards. Holds for the whole process.
#include <cstdlib>
#include <cstring>
#include <new>

#include <malloc.h>

namespace {

void wipe_and_free(void* memory) noexcept {
  if (memory == nullptr) return;
  ::explicit_bzero(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void operator delete(void* memory) noexcept { wipe_and_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { wipe_and_free(memory); }
void operator delete[](void* memory) noexcept { wipe_and_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { wipe_and_free(memory); }
