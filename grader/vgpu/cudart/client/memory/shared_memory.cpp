#include "vgpu/cudart/client/memory/shared_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "vgpu/cudart/client/memory/host_room.hpp"

namespace vgpu::cudart::client {
namespace {

/// Inaccessible space on both sides of an allocation, so that a slightly wrong index does not reach another
/// allocation.
constexpr std::size_t kGuardBytes = std::size_t{64} << 10U;

std::size_t whole_pages(std::size_t size_bytes) {
  return (size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Outcome no_host_memory(std::size_t size_bytes) {
  return {cudaErrorMemoryAllocation, "no room for " + std::to_string(size_bytes) + " bytes of host memory"};
}

ShareHostMemory share_request(std::uint64_t address, std::uint64_t size_bytes) {
  ShareHostMemory request;
  request.address = address;
  request.size_bytes = size_bytes;
  return request;
}

Outcome unshare(Runtime& runtime, std::uint64_t address, bool is_wait = true) {
  UnshareHostMemory request;
  request.is_wait = is_wait;
  request.address = address;
  return outcome_of(runtime.ask(request));
}

/// Like memcpy, but returns false instead of crashing if memory is not accessible: write() to a pipe fails
/// for such memory. (process_vm_readv would fail, too, but sandboxes forbid it.)
bool copy_readable(std::byte* to, const std::byte* from, std::size_t size_bytes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const grader::Descriptor out(ends[0]), in(ends[1]);
  for (const std::byte* const end = to + size_bytes; to != end;) {
    constexpr std::ptrdiff_t kPipeBytes = std::ptrdiff_t{64} << 10U;  // pipe(7): its capacity
    // Whole pages hold more than what the program allocated, which AddressSanitizer's write() would report.
    ssize_t waiting =
        ::syscall(SYS_write, in.get(), from, static_cast<std::size_t>(std::min(end - to, kPipeBytes)));
    if (waiting < 0 && errno != EINTR) return false;
    while (waiting > 0) {
      const ssize_t got = ::read(out.get(), to, static_cast<std::size_t>(waiting));
      if (got < 0 && errno != EINTR) return false;
      const ssize_t moved = std::max<ssize_t>(got, 0);
      waiting -= moved;
      from += moved;
      to += moved;
    }
  }
  return true;
}

/// Copies the `size_bytes` at `address` to `pages` and moves the pages to `address`. Returns false if not all
/// of the memory is readable. Another thread does this, because the memory can be the stack of the calling
/// thread, which must not change meanwhile.
bool exchange_pages(std::uint64_t address, std::size_t size_bytes, void* pages) {
  bool is_done = false;
  std::thread([&] {
    const auto* from = static_cast<const std::byte*>(pointer_to(address));
    if (!copy_readable(static_cast<std::byte*>(pages), from, size_bytes)) return;
    is_done = ::mremap(pages, size_bytes, size_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer_to(address)) !=
              MAP_FAILED;
  }).join();
  return is_done;
}

/// Whether the program wrote past the end of memory that it has freed since.
bool has_overrun_freed = false;

bool is_overrun(const KnownMemory& memory) {
  return memory.kind == MemoryKind::pinned &&
         !has_room_value(static_cast<const std::byte*>(pointer_to(memory.end())),
                         whole_pages(memory.size_bytes) - memory.size_bytes);
}

}  // namespace

OrOutcome<void*> allocate_shared(Runtime& runtime, std::size_t size_bytes, MemoryKind kind, unsigned flags,
                                 const CallSite& site) {
  const std::size_t pages = whole_pages(size_bytes);
  if (pages < size_bytes) return grader::Unexpected{no_host_memory(size_bytes)};
  const std::size_t reserved_bytes = pages + 2 * kGuardBytes;
  void* reserved =
      ::mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return grader::Unexpected{no_host_memory(size_bytes)};
  void* memory = static_cast<std::byte*>(reserved) + kGuardBytes;
  const auto answered = runtime.ask(share_request(address_of(memory), size_bytes));
  void* mapped = MAP_FAILED;
  if (answered) {
    // MAP_FIXED replaces the middle of the reservation; the guards on both sides remain.
    mapped = ::mmap(memory, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, answered.descriptor, 0);
    ::close(answered.descriptor);
  }
  if (mapped != MAP_FAILED) {
    std::memset(static_cast<std::byte*>(memory) + size_bytes, kRoomValue, pages - size_bytes);
    runtime.memory().add({address_of(memory), size_bytes, kind, flags, site});
    return memory;
  }
  if (answered) unshare(runtime, address_of(memory));
  ::munmap(reserved, reserved_bytes);
  return grader::Unexpected{answered ? no_host_memory(size_bytes) : outcome_of(answered)};
}

bool has_overrun_pinned(const Runtime& runtime) {
  bool found = has_overrun_freed;
  runtime.memory().for_each([&](const KnownMemory& memory) { found |= is_overrun(memory); });
  return found;
}

Outcome free_shared(Runtime& runtime, const KnownMemory& memory) {
  has_overrun_freed |= is_overrun(memory);
  runtime.memory().free(memory, CallSite::here());
  Outcome outcome = unshare(runtime, memory.address);
  ::munmap(pointer_to(memory.address - kGuardBytes), whole_pages(memory.size_bytes) + 2 * kGuardBytes);
  return outcome;
}

Outcome share_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes,
                       const MemoryRange& registered) {
  ShareHostMemory request = share_request(address, size_bytes);
  request.registered = registered;
  const auto answered = runtime.ask(request);
  if (!answered) return outcome_of(answered);
  void* pages = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, answered.descriptor, 0);
  ::close(answered.descriptor);
  if (pages != MAP_FAILED && exchange_pages(address, size_bytes, pages)) return {};
  if (pages != MAP_FAILED) ::munmap(pages, size_bytes);
  unshare(runtime, address);
  return {cudaErrorInvalidValue, "the program cannot read and write the whole range"};
}

Outcome unshare_in_place(Runtime& runtime, std::uint64_t address, std::uint64_t size_bytes) {
  void* pages = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return no_host_memory(size_bytes);
  Outcome outcome =
      unshare(runtime, address, false);  // first, so that delayed copies arrive before the exchange
  // This fails if the program has already unmapped the memory. Then there is nothing to exchange.
  if (!exchange_pages(address, size_bytes, pages)) ::munmap(pages, size_bytes);
  return outcome;
}

}  // namespace vgpu::cudart::client
