#include "harness/guarded_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

#include "harness/calls.hpp"

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/memory/host_room.hpp"
#endif

namespace grader::harness {
namespace {

/// One page, so arrays keep their offset within a page; large enough to catch a write one image row too far.
constexpr std::size_t kZoneBytes = 4096;
constexpr int kZoneByte = 0xA5;

#ifdef WARPGRADE_VIRTUAL_HARNESS
constexpr bool kDeviceChecksAccesses = true;
#else
constexpr bool kDeviceChecksAccesses = false;
#endif

/// The virtual GPU counts pinned memory in pages; zones would change the count.
std::size_t zone_for(Place place) { return kDeviceChecksAccesses && place != Place::host ? 0 : kZoneBytes; }

std::byte* allocate_plain(std::size_t size_bytes, Place place) {
  void* memory = nullptr;
  if (place == Place::device) {
    require(cudaMalloc(&memory, size_bytes), "cudaMalloc");
  } else if (place == Place::pinned) {
    require(cudaHostAlloc(&memory, size_bytes, cudaHostAllocDefault), "cudaHostAlloc");
  } else {
    memory = std::malloc(std::max(size_bytes, std::size_t{1}));
    if (memory == nullptr) throw RuntimeFailure("malloc: out of memory");
  }
  return static_cast<std::byte*>(memory);
}

void fill_zone(std::byte* zone, std::size_t size_bytes, Place place) {
  if (place == Place::device)
    require(cudaMemset(zone, kZoneByte, size_bytes), "cudaMemset");
  else
    std::memset(zone, kZoneByte, size_bytes);
}

bool is_intact(const std::byte* zone, std::size_t size_bytes, Place place) {
  std::vector<std::byte> bytes(size_bytes);
  if (place == Place::device)
    require(cudaMemcpy(bytes.data(), zone, size_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
  else
    std::memcpy(bytes.data(), zone, size_bytes);
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte one) { return one == std::byte{kZoneByte}; });
}

}  // namespace

void* GuardedMemory::allocate(const std::string& name, std::size_t size_bytes, Place place) {
  const std::size_t zone = zone_for(place);
  const Block block{name, allocate_plain(size_bytes + 2 * zone, place), size_bytes, zone, place};
  if (zone > 0) {
    fill_zone(block.start, zone, place);
    fill_zone(block.start + zone + size_bytes, zone, place);
  }
  blocks_.push_back(block);
#ifdef WARPGRADE_VIRTUAL_HARNESS
  if (place == Place::host) warpgradeHostArray(block.start + zone, size_bytes);
#endif
  return block.start + zone;
}

std::vector<std::string> GuardedMemory::overrun() const {
  std::vector<std::string> names;
  for (const Block& one : blocks_) {
    const std::byte* second_zone = one.start + one.zone_bytes + one.size_bytes;
    if (one.zone_bytes > 0 && !(is_intact(one.start, one.zone_bytes, one.place) &&
                                is_intact(second_zone, one.zone_bytes, one.place)))
      names.push_back(one.name);
  }
  return names;
}

}  // namespace grader::harness
