// Copies to the host of device memory that was never written. What the host does with the bytes is not known,
// so that such a copy is reported as a note. Covered by tests/cudart/unwritten_copies_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vgpu/cudart/device_side/host_place.hpp"
#include "vgpu/cudart/protocol/stream_messages.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Copies from one allocation by one call of the program.
struct UnwrittenCopy {
  Allocation allocation;
  std::uint64_t first_byte = 0;     ///< of the allocation: the first unwritten byte of the first copy
  std::uint64_t bytes = 0;          ///< unwritten ones, of all copies
  std::uint64_t copied_bytes = 0;   ///< of all copies
  std::uint64_t count = 1;          ///< of copies
  std::vector<std::uint64_t> site;  ///< Issue::site
  HostPlace place{};                ///< of the call; can be unknown
};

class UnwrittenCopies {
 public:
  static constexpr std::size_t kMost = 16;  ///< calls; further ones are not recorded

  /// Called before a copy to the host.
  void note(const Device& device, const Issue& issue, const Rows& from, const Box& box);
  const std::vector<UnwrittenCopy>& found() const { return found_; }
  /// Ignores an index that is too large.
  void place(std::size_t index, HostPlace place);
  std::vector<UnwrittenCopy> take() { return std::move(found_); }

 private:
  std::vector<UnwrittenCopy> found_;
};

}  // namespace vgpu::cudart
