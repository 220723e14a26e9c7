#include "vgpu/model/mapped_memory.hpp"

#include <algorithm>
#include <cassert>

namespace vgpu {

std::size_t MappedMemory::block_for(std::uint64_t bytes) {
  const auto has_room = [&](std::uint64_t used) { return used != 0 && used + bytes <= block_bytes_; };
  auto found = std::find_if(used_.begin(), used_.end(), has_room);
  if (found == used_.end()) found = std::find(used_.begin(), used_.end(), 0U);
  if (found == used_.end()) found = used_.insert(used_.end(), 0);
  return static_cast<std::size_t>(found - used_.begin());
}

double MappedMemory::allocate_s(std::uint64_t address, std::uint64_t bytes) {
  if (block_bytes_ == 0) return 0;
  // A larger allocation fills a block of its own, so that no other shares it.
  const bool shares = bytes <= block_bytes_ / 2;
  const std::uint64_t taken = shares ? std::max<std::uint64_t>(bytes, 1) : block_bytes_;
  const Part part{block_for(taken), taken};
  const bool is_new = used_[part.block] == 0;
  used_[part.block] += taken;
  assert(used_[part.block] <= block_bytes_);
  parts_[address] = part;
  return is_new ? map_s_ : 0;
}

double MappedMemory::free_s(std::uint64_t address) {
  const auto found = parts_.find(address);
  if (found == parts_.end()) return 0;
  const Part part = found->second;
  parts_.erase(found);
  assert(part.bytes <= used_[part.block]);
  used_[part.block] -= part.bytes;
  return used_[part.block] == 0 ? unmap_s_ : 0;
}

}  // namespace vgpu
