#include "vgpu/cudart/device_side/host_memory.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/state/unwritten.hpp"

namespace vgpu::cudart {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
/// The amount that a program can always share, even with a small device.
constexpr std::uint64_t kHostBytes = std::uint64_t{1} << 30U;
/// Linux permits four times as many per process (vm.max_map_count).
constexpr std::size_t kMaxMappings = 16384;

/// Makes an anonymous file of a fixed size, in whole pages.
Descriptor sealed_memory(std::uint64_t size_bytes) {
  Descriptor file(::memfd_create("warpgrade-host-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.number(), static_cast<off_t>(size_bytes)) != 0) return {};
  // The program gets the descriptor. Without seals it could shrink the file, and the device's next access
  // would raise SIGBUS (memfd_create(2), "File sealing").
  if (::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return {};
  return file;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

HostMemory::~HostMemory() { unshare_all(); }

Descriptor HostMemory::share(std::uint64_t address, std::uint64_t size_bytes, Origin origin) {
  const std::uint64_t limit = std::max(device_.memory_bytes(), kHostBytes);
  if (size_bytes == 0 || size_bytes > limit || address % kPageBytes != 0) return {};
  assert(used_bytes_ <= limit);
  const std::uint64_t rounded = (size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (rounded > limit - used_bytes_ || mappings_.size() == kMaxMappings) return {};
  Descriptor file = sealed_memory(rounded);
  if (!file) return {};
  void* memory = ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return {};
  const Mapping mapping{static_cast<std::byte*>(memory), rounded, size_bytes, origin};
  if (!device_.map_host(address, {mapping.memory, size_bytes})) {
    ::munmap(memory, rounded);
    return {};
  }
  mappings_[address] = mapping;
  used_bytes_ += rounded;
  if (origin == Origin::allocated) allocated_bytes_ += rounded;
  return file;
}

void HostMemory::spoil(std::uint64_t address) {
  const auto found = mappings_.find(address);
  if (found != mappings_.end()) fill_unwritten(found->second.memory, found->second.requested_bytes);
}

bool HostMemory::unshare(std::uint64_t address) {
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return false;
  device_.unmap_host(address);
  ::munmap(found->second.memory, found->second.size_bytes);
  assert(used_bytes_ >= found->second.size_bytes);
  used_bytes_ -= found->second.size_bytes;
  if (found->second.origin == Origin::allocated) allocated_bytes_ -= found->second.size_bytes;
  mappings_.erase(found);
  return true;
}

std::optional<std::uint64_t> HostMemory::start_of(std::uint64_t address) const {
  const auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return std::nullopt;
  const auto& [start, mapping] = *std::prev(next);
  return address - start < mapping.size_bytes ? std::optional(start) : std::nullopt;
}

void HostMemory::unshare_all() {
  while (!mappings_.empty()) unshare(mappings_.begin()->first);
}

}  // namespace vgpu::cudart
