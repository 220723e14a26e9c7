#include "vgpu/cudart/device_side/registrations.hpp"

#include <iterator>

namespace vgpu::cudart {
namespace {

std::uint64_t page_of(std::uint64_t address) { return address / Registrations::kPageBytes; }

}  // namespace

void Registrations::begin(std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t end = address + size_bytes;
  if (end <= address) return;
  const auto next = end_of_.lower_bound(address);
  if (next != end_of_.end() && next->first < end) return;
  if (next != end_of_.begin() && std::prev(next)->second > address) return;
  page_bytes_ += own_page_bytes(address, end);
  end_of_[address] = end;
}

void Registrations::end(std::uint64_t address) {
  const auto found = end_of_.find(address);
  if (found == end_of_.end()) return;
  const std::uint64_t end = found->second;
  end_of_.erase(found);
  page_bytes_ -= own_page_bytes(address, end);
}

void Registrations::end_all() {
  end_of_.clear();
  page_bytes_ = 0;
}

bool Registrations::hold(std::uint64_t address, std::uint64_t size_bytes) const {
  const auto next = end_of_.upper_bound(address);
  return next != end_of_.begin() && address + size_bytes <= std::prev(next)->second;
}

/// The pages of this range that no other range uses. Ranges do not overlap, so only its first and its last
/// page can be used by others.
std::uint64_t Registrations::own_page_bytes(std::uint64_t start, std::uint64_t end) const {
  const std::uint64_t first = page_of(start), last = page_of(end - 1);
  const auto next = end_of_.lower_bound(end);
  const bool shares_last = next != end_of_.end() && page_of(next->first) == last;
  const auto after = end_of_.lower_bound(start);
  const bool shares_first = after != end_of_.begin() && page_of(std::prev(after)->second - 1) == first;
  std::uint64_t pages = last - first + 1;
  if (first == last) return shares_first || shares_last ? 0 : kPageBytes;
  pages -= (shares_first ? 1U : 0U) + (shares_last ? 1U : 0U);
  return pages * kPageBytes;
}

}  // namespace vgpu::cudart
