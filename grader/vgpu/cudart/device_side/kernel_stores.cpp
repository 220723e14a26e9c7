#include "vgpu/cudart/device_side/kernel_stores.hpp"

#include <algorithm>
#include <cstring>

#include "vgpu/cudart/device_side/lineage.hpp"

namespace vgpu::cudart {
namespace {

/// Words [first, end) of a region.
struct Words {
  std::size_t first = 0, end = 0;
};

void set(std::vector<std::uint8_t>& is_stored, Words words, std::uint8_t value) {
  const auto begin = is_stored.begin();
  std::fill(begin + static_cast<std::ptrdiff_t>(words.first), begin + static_cast<std::ptrdiff_t>(words.end),
            value);
}

}  // namespace

std::span<const std::byte> part_of(const MemoryAccess& access, std::uint64_t start,
                                   std::span<const std::byte> memory) {
  const std::uint64_t from = std::max(access.start, start),
                      to = std::min(access.end(), start + memory.size());
  if (from >= to) return {};
  const std::size_t offset = (from - start) / kWordBytes * kWordBytes;
  return memory.subspan(offset, to - start - offset);
}

void KernelStores::remember(std::uint64_t start, std::span<const std::byte> memory,
                            const MemoryAccess& access) {
  if (access.is_atomic) return;
  const std::uint64_t from = std::max(access.start, start),
                      to = std::min(access.end(), start + memory.size());
  if (from >= to) return;
  const Words words{(from - start + kWordBytes - 1) / kWordBytes, (to - start) / kWordBytes};
  if (words.first >= words.end) return;
  Region& region = regions_[start];
  if (region.values.size() != memory.size()) {
    bytes_ -= region.values.size();
    region = {};
    if (memory.size() > max_bytes_ - bytes_) return;
    bytes_ += memory.size();
    region.values.resize(memory.size());
    region.is_stored.resize(memory.size() / kWordBytes + 1);
  }
  const std::size_t at = words.first * kWordBytes;
  std::memcpy(&region.values[at], &memory[at], (words.end - words.first) * kWordBytes);
  set(region.is_stored, words, 1);
}

void KernelStores::forget(std::span<const MemoryAccess> accesses) {
  for (auto& [start, region] : regions_)
    for (const MemoryAccess& access : accesses) {
      const auto part =
          access.is_write ? part_of(access, start, region.values) : std::span<const std::byte>();
      if (part.empty()) continue;
      const auto first = static_cast<std::size_t>(part.data() - region.values.data());
      set(region.is_stored, {first / kWordBytes, (first + part.size() + kWordBytes - 1) / kWordBytes}, 0);
    }
}

void KernelStores::forget_all() {
  regions_.clear();
  bytes_ = 0;
}

std::uint64_t KernelStores::other_bytes(std::uint64_t start, std::span<const std::byte> memory,
                                        std::span<const std::byte> part) const {
  const auto found = regions_.find(start);
  if (found == regions_.end() || found->second.values.size() != memory.size()) return part.size();
  const auto first = static_cast<std::size_t>(part.data() - memory.data()), end = first + part.size();
  std::uint64_t bytes = 0;
  for (std::size_t at = first; at < end; at += kWordBytes) {
    const auto word = memory.subspan(at, std::min(kWordBytes, end - at));
    bytes += found->second.has(at, word) ? 0 : word.size();
  }
  return bytes;
}

bool KernelStores::has(std::uint64_t address, std::span<const std::byte> word) const {
  const auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return false;
  const auto& [start, region] = *std::prev(next);
  return region.has(address - start, word);
}

bool KernelStores::Region::has(std::size_t offset, std::span<const std::byte> word) const {
  return offset % kWordBytes == 0 && offset + word.size() <= values.size() &&
         is_stored[offset / kWordBytes] != 0 && std::memcmp(word.data(), &values[offset], word.size()) == 0;
}

}  // namespace vgpu::cudart
