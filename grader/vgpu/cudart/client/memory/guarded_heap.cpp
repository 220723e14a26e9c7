// malloc and new of a submission, which the linker calls in place of the C library's (--wrap, commands.cpp of
// the toolchain). A larger block ends at memory that cannot be accessed, so that a loop that goes too far
// crashes at its line, and a copy is held against the block's size. The fewer than 16 bytes between a block
// and that memory are checked when the block is freed. The C library's own blocks, which a program can free
// as well, are left to it. Thread safe. Covered by tests/cudart/guarded_heap_test.cpp.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/memory/host_room.hpp"
#include "vgpu/cudart/client/memory/shared_memory.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr std::size_t kAlignment = 16;  // malloc's promise on x86-64
/// On both sides of a block. Costs address space only.
constexpr std::size_t kClosedBytes = std::size_t{64} << 10U;
/// Smaller blocks are not worth two system calls. glibc notices most writes past their ends.
constexpr std::size_t kLeastBytes = 256;
/// A process can have 65,530 mappings (vm.max_map_count); a block needs three.
constexpr std::size_t kMostGuarded = 1024;
std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

class GuardedHeap {
 public:
  static GuardedHeap& instance() {
    static GuardedHeap& heap = *new GuardedHeap;  // never destroyed, see Runtime::instance()
    return heap;
  }

  /// Null if the block is too small, too large, or one too many.
  void* allocate(std::size_t size_bytes) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 40U;
    if (size_bytes < kLeastBytes || size_bytes > kMostBytes || count_ >= kMostGuarded) return nullptr;
    const std::size_t open_bytes = open_size(size_bytes);
    void* reserved = ::mmap(nullptr, open_bytes + 2 * kClosedBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return nullptr;
    std::byte* const open = static_cast<std::byte*>(reserved) + kClosedBytes;
    if (::mprotect(open, open_bytes, PROT_READ | PROT_WRITE) != 0) {
      ::munmap(reserved, open_bytes + 2 * kClosedBytes);
      return nullptr;
    }
    std::memset(open, kRoomValue, open_bytes);
    std::byte* const block = open + open_bytes - rounded_up(size_bytes, kAlignment);
    {
      const std::lock_guard lock(mutex_);
      sizes_[block] = size_bytes;
      ++count_;
    }
    add_host_block(address_of(block), size_bytes);
    return block;
  }

  /// False if the block is not of this heap. Holds no lock while a node of a map is deleted, because `delete`
  /// can come here again (warpgradeFreeBlock()).
  bool free(void* pointer) {
    if (count_ == 0) return false;
    decltype(sizes_)::node_type node;
    {
      const std::lock_guard lock(mutex_);
      node = sizes_.extract(pointer);
      if (node.empty()) return false;
      has_overrun_ |= is_overrun(pointer, node.mapped());
      --count_;
    }
    const std::size_t size_bytes = node.mapped(), open_bytes = open_size(size_bytes);
    std::byte* const open =
        static_cast<std::byte*>(pointer) + rounded_up(size_bytes, kAlignment) - open_bytes;
    remove_host_block(address_of(pointer));
    ::munmap(open - kClosedBytes, open_bytes + 2 * kClosedBytes);
    return true;
  }

  /// Whether the bytes after a block, freed or not, have changed.
  bool has_overrun() {
    const std::lock_guard lock(mutex_);
    return has_overrun_ || std::any_of(sizes_.begin(), sizes_.end(),
                                       [](const auto& one) { return is_overrun(one.first, one.second); });
  }

  /// 0 if the block is not of this heap.
  std::size_t size_of(void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(pointer);
    return found == sizes_.end() ? 0 : found->second;
  }

 private:
  static std::size_t open_size(std::size_t size_bytes) { return rounded_up(size_bytes, kPageBytes); }

  static bool is_overrun(const void* start, std::size_t size_bytes) {
    const std::byte* const end = static_cast<const std::byte*>(start) + size_bytes;
    return !has_room_value(end, rounded_up(size_bytes, kAlignment) - size_bytes);
  }

  std::mutex mutex_;
  std::map<void*, std::size_t> sizes_;  ///< in bytes, by start
  std::atomic<std::size_t> count_ = 0;  ///< of blocks: most programs have none
  bool has_overrun_ = false;            ///< of a block that has been freed
};

void* allocate(std::size_t size_bytes) {
  if (void* block = GuardedHeap::instance().allocate(size_bytes)) return block;
  return std::malloc(size_bytes);
}

void free_block(void* pointer) {
  if (pointer != nullptr && !GuardedHeap::instance().free(pointer)) std::free(pointer);
}

void* allocate_or_throw(std::size_t size_bytes) {
  if (void* block = GuardedHeap::instance().allocate(size_bytes)) return block;
  return ::operator new(size_bytes);
}

void delete_block(void* pointer) {
  if (pointer != nullptr && !GuardedHeap::instance().free(pointer)) ::operator delete(pointer);
}

}  // namespace

bool free_guarded(void* pointer) { return GuardedHeap::instance().free(pointer); }

bool has_overrun_block() { return GuardedHeap::instance().has_overrun(); }

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

bool warpgradeFreeBlock(void* pointer) { return free_guarded(pointer); }

// The linker's names: `__wrap_` before the symbol. _Znwm and _Znam are operator new and new[], _ZdlPv and
// _ZdaPv operator delete and delete[], those with an m at the end get the size, too.
#pragma GCC visibility push(default)
extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
void* __wrap_malloc(std::size_t size) { return allocate(size); }
void __wrap_free(void* pointer) { free_block(pointer); }

void* __wrap_calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = GuardedHeap::instance().allocate(bytes);
  return block != nullptr ? std::memset(block, 0, bytes) : std::calloc(count, size);
}

void* __wrap_realloc(void* pointer, std::size_t size) {
  const std::size_t old_bytes = GuardedHeap::instance().size_of(pointer);
  if (old_bytes == 0) return std::realloc(pointer, size);
  void* moved = size != 0 ? allocate(size) : nullptr;
  if (moved != nullptr) std::memcpy(moved, pointer, std::min(size, old_bytes));
  if (moved != nullptr || size == 0) free_block(pointer);
  return moved;
}

void* __wrap__Znwm(std::size_t size) { return allocate_or_throw(size); }
void* __wrap__Znam(std::size_t size) { return allocate_or_throw(size); }
void __wrap__ZdlPv(void* pointer) { delete_block(pointer); }
void __wrap__ZdaPv(void* pointer) { delete_block(pointer); }
void __wrap__ZdlPvm(void* pointer, std::size_t) { delete_block(pointer); }
void __wrap__ZdaPvm(void* pointer, std::size_t) { delete_block(pointer); }
// NOLINTEND(bugprone-reserved-identifier)
}
#pragma GCC visibility pop
