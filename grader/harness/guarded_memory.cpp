#include "harness/guarded_memory.hpp"

#include <algorithm>
#include <cstring>

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include "harness/calls.hpp"

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/memory/host_room.hpp"
#endif

namespace grader::harness {
namespace {

constexpr std::size_t kPageBytes = 4096;
/// Large enough to catch a write one image row too far.
constexpr std::size_t kZoneBytes = kPageBytes;
/// Space around pageable arrays that cannot be accessed. Costs address space only.
constexpr std::size_t kClosedBytes = std::size_t{64} << 10U;
/// malloc's promise to programs on x86-64, for example for float4. A read of fewer than 16 bytes past the end
/// of an array whose size is no multiple of 16 therefore stays in the zone.
constexpr std::size_t kHostAlignment = 16;
/// Four such bytes are 3.4e38 or 2139062143, so that a sum or a maximum that includes the zone shows it.
constexpr int kZoneByte = 0x7F;

#ifdef WARPGRADE_VIRTUAL_HARNESS
constexpr bool kDeviceChecksAccesses = true;
#else
constexpr bool kDeviceChecksAccesses = false;
#endif

bool has_device_zones = !kDeviceChecksAccesses;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

void fill_zone(std::byte* zone, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return;
  if (place == Place::device)
    require(cudaMemset(zone, kZoneByte, size_bytes), "cudaMemset");
  else
    std::memset(zone, kZoneByte, size_bytes);
}

bool is_intact(const std::byte* zone, std::size_t size_bytes, Place place) {
  if (size_bytes == 0) return true;
  std::vector<std::byte> bytes(size_bytes);
  if (place == Place::device)
    require(cudaMemcpy(bytes.data(), zone, size_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
  else
    std::memcpy(bytes.data(), zone, size_bytes);
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte one) { return one == std::byte{kZoneByte}; });
}

}  // namespace

void leave_out_device_zones() { has_device_zones = false; }

GuardedMemory::Block GuardedMemory::allocate_on_device(std::size_t size_bytes) {
  const std::size_t zone = has_device_zones ? kZoneBytes : 0;
  void* memory = nullptr;
  require(cudaMalloc(&memory, size_bytes + 2 * zone), "cudaMalloc");
  return {{}, static_cast<std::byte*>(memory) + zone, size_bytes, {zone, zone}, Place::device};
}

/// The virtual GPU checks the runtime's accesses and counts pinned memory, so the only zone there is the rest
/// of the last page, which is not part of the allocation.
GuardedMemory::Block GuardedMemory::allocate_pinned(std::size_t size_bytes) {
  Zones zones{kZoneBytes, kZoneBytes};
  if (kDeviceChecksAccesses) zones = {0, rounded_up(size_bytes, kPageBytes) - size_bytes};
  const std::size_t requested_bytes = size_bytes + (kDeviceChecksAccesses ? 0 : 2 * kZoneBytes);
  void* memory = nullptr;
  require(cudaHostAlloc(&memory, requested_bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return {{}, static_cast<std::byte*>(memory) + zones.before_bytes, size_bytes, zones, Place::pinned};
}

/// Closed space, the zone before the array, the array, less than 16 bytes of zone, closed space.
GuardedMemory::Block GuardedMemory::allocate_pageable(std::size_t size_bytes) {
  const std::size_t from_start_to_end = rounded_up(size_bytes, kHostAlignment);
  const std::size_t open_bytes = rounded_up(kZoneBytes + from_start_to_end, kPageBytes);
  void* reserved = ::mmap(nullptr, open_bytes + 2 * kClosedBytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw RuntimeFailure("mmap: out of memory");
  std::byte* const open = static_cast<std::byte*>(reserved) + kClosedBytes;
  if (::mprotect(open, open_bytes, PROT_READ | PROT_WRITE) != 0)
    throw RuntimeFailure("mprotect: out of memory");
  const Zones zones{open_bytes - from_start_to_end, from_start_to_end - size_bytes};
  return {{}, open + zones.before_bytes, size_bytes, zones, Place::host};
}

void* GuardedMemory::allocate(const std::string& name, std::size_t size_bytes, Place place) {
  Block block = place == Place::device   ? allocate_on_device(size_bytes)
                : place == Place::pinned ? allocate_pinned(size_bytes)
                                         : allocate_pageable(size_bytes);
  block.name = name;
  fill_zone(block.array - block.zones.before_bytes, block.zones.before_bytes, place);
  fill_zone(block.array + size_bytes, block.zones.after_bytes, place);
  blocks_.push_back(block);
#ifdef WARPGRADE_VIRTUAL_HARNESS
  if (place == Place::host) warpgradeHostArray(block.array, size_bytes, name.c_str());
#endif
  return block.array;
}

void* GuardedMemory::allocate_own(std::size_t size_bytes) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, size_bytes), "cudaMalloc");
  own_.push_back(memory);
  return memory;
}

void GuardedMemory::free() {
  for (const Block& one : blocks_) {
    std::byte* const start = one.array - one.zones.before_bytes;
    const std::size_t open_bytes = one.zones.before_bytes + one.size_bytes + one.zones.after_bytes;
    if (one.place == Place::device)
      static_cast<void>(cudaFree(start));
    else if (one.place == Place::pinned)
      static_cast<void>(cudaFreeHost(start));
    else
      ::munmap(start - kClosedBytes, open_bytes + 2 * kClosedBytes);
  }
  for (void* one : own_) static_cast<void>(cudaFree(one));
  blocks_.clear();
  own_.clear();
}

std::vector<std::string> GuardedMemory::overrun() const {
  std::vector<std::string> names;
  for (const Block& one : blocks_) {
    const auto [before, after] = one.zones;
    if (!is_intact(one.array - before, before, one.place) ||
        !is_intact(one.array + one.size_bytes, after, one.place))
      names.push_back(one.name);
  }
#ifdef WARPGRADE_VIRTUAL_HARNESS
  if (const char* const memory = warpgradeOverrunMemory()) names.emplace_back(memory);
#endif
  return names;
}

}  // namespace grader::harness
