#include "vgpu/cudart/client/memory/host_guard.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/memory/shared_memory.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr int kOpen = PROT_READ | PROT_WRITE;

std::uint64_t page_at(std::uint64_t address) { return address / kPageBytes * kPageBytes; }
std::uint64_t page_from(std::uint64_t address) { return page_at(address + kPageBytes - 1); }

bool set_protection(std::uint64_t start, std::uint64_t end, int protection) {
  return ::mprotect(pointer_to(start), end - start, protection) == 0;
}

}  // namespace

std::vector<HostGuard::Pages> HostGuard::pages_of(const MemoryMap& memory,
                                                  std::span<const std::uint64_t> ranges) {
  std::vector<Pages> all;
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) {
    const auto holder = memory.find(ranges[i]);
    if (!holder || !is_shared(holder->kind)) continue;
    const std::uint64_t end = std::min(ranges[i] + ranges[i + 1], holder->end());
    const bool is_small = holder->size_bytes <= kPageBytes;
    const Pages pages{is_small ? page_at(ranges[i]) : page_from(ranges[i]),
                      is_small || end == holder->end() ? page_from(end) : page_at(end), *holder};
    if (pages.start < pages.end) all.push_back(pages);
  }
  std::sort(all.begin(), all.end(), [](const Pages& a, const Pages& b) { return a.start < b.start; });
  return all;
}

// Work in many small pieces uses the same pages again and again.
void HostGuard::close(const MemoryMap& memory, std::span<const std::uint64_t> ranges, int protection) {
  std::vector<Pages> joined;
  for (const Pages& pages : pages_of(memory, ranges)) {
    const bool continues = !joined.empty() && pages.start <= joined.back().end &&
                           pages.memory.address == joined.back().memory.address;
    if (continues)
      joined.back().end = std::max(joined.back().end, pages.end);
    else
      joined.push_back(pages);
  }
  for (const Pages& pages : joined)
    if (set_protection(pages.start, pages.end, protection)) closed_.push_back(pages);
}

void HostGuard::close(const MemoryMap& memory, std::span<const std::uint64_t> read,
                      std::span<const std::uint64_t> written) {
  process_ = ::getpid();
  close(memory, read, PROT_READ);
  close(memory, written, PROT_NONE);  // last, because ranges that are read and written must not be readable
}

void HostGuard::open() {
  for (const Pages& pages : closed_) set_protection(pages.start, pages.end, kOpen);
  closed_.clear();
}

void HostGuard::open(const KnownMemory& memory) {
  std::erase_if(closed_, [&](const Pages& pages) {
    return pages.memory.address == memory.address && set_protection(pages.start, pages.end, kOpen);
  });
}

bool HostGuard::is_of_this_process() const { return process_ == ::getpid(); }

std::optional<KnownMemory> HostGuard::at(std::uint64_t address) const {
  const auto found = std::find_if(closed_.begin(), closed_.end(), [&](const Pages& pages) {
    return address >= pages.start && address < pages.end;
  });
  return found == closed_.end() ? std::nullopt : std::optional(found->memory);
}

}  // namespace vgpu::cudart::client
