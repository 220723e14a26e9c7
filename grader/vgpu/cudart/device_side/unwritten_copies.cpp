#include "vgpu/cudart/device_side/unwritten_copies.hpp"

#include <algorithm>

namespace vgpu::cudart {

void UnwrittenCopies::note(const Device& device, const Issue& issue, const Rows& from, const Box& box) {
  const std::uint64_t bytes = bytes_of(box).value_or(0);
  if (bytes == 0 || issue.site.size() > kSiteNumbers) return;
  const auto source = device.allocation_at(from.address);
  if (!source) return;
  Device::UnwrittenBytes unwritten;
  const Box rows = merged(box, {&from});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    const auto of_row = device.unwritten(row_address(from, slice, row), rows.width);
    if (unwritten.bytes == 0) unwritten.first = of_row.first;
    unwritten.bytes += of_row.bytes;
  });
  if (unwritten.bytes == 0) return;
  const Allocation& allocation = source->allocation;
  const auto known = std::find_if(found_.begin(), found_.end(), [&](const UnwrittenCopy& copy) {
    return copy.allocation.start == allocation.start && copy.site == issue.site;
  });
  if (known != found_.end()) {
    known->bytes += unwritten.bytes;
    known->copied_bytes += bytes;
    known->count += issue.continues ? 0 : 1;
  } else if (found_.size() < kMost) {
    found_.push_back({.allocation = allocation,
                      .first_byte = unwritten.first - allocation.start,
                      .bytes = unwritten.bytes,
                      .copied_bytes = bytes,
                      .site = issue.site});
  }
}

void UnwrittenCopies::place(std::size_t index, HostPlace place) {
  if (index < found_.size()) found_[index].place = std::move(place);
}

}  // namespace vgpu::cudart
