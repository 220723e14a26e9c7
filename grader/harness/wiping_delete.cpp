// Wipes memory before `delete` frees it: the inputs of a case pass through buffers on their way to the
// device, and the student's code must not find them in freed memory. Applies to the whole process.
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
