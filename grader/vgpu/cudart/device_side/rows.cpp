#include "vgpu/cudart/device_side/rows.hpp"

#include <cassert>
#include <cstring>
#include <vector>

namespace vgpu::cudart {

bool holds(const Device& device, const Rows& rows, const Box& box) {
  const auto bytes = bytes_of(box);
  if (!bytes) return false;
  if (*bytes == 0) return true;
  const auto span = span_of(rows, box);
  return span && device.holds(rows.address, *span);
}

std::uint64_t dram_bytes_of(const Rows& rows, const Box& box) {
  if (bytes_of(box).value_or(0) == 0) return 0;
  const Box all = merged(box, {&rows});
  std::uint64_t sectors = 0;
  for_rows(all, [&](std::uint64_t slice, std::uint64_t row) {
    const std::uint64_t start = row_address(rows, slice, row);
    sectors += (start + all.width - 1) / kSectorBytes - start / kSectorBytes + 1;
  });
  return sectors * kSectorBytes;
}

void write_rows(Device& device, const Rows& to, const Box& box, std::span<const std::byte> bytes) {
  assert(bytes_of(box) == bytes.size());
  if (bytes.empty()) return;
  const Box rows = merged(box, {&to});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    device.write(row_address(to, slice, row), bytes.first(rows.width));
    bytes = bytes.subspan(rows.width);
  });
}

void read_rows(const Device& device, const Rows& from, const Box& box, std::span<std::byte> bytes) {
  assert(bytes_of(box) == bytes.size());
  if (bytes.empty()) return;
  const Box rows = merged(box, {&from});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    device.read(row_address(from, slice, row), bytes.first(rows.width));
    bytes = bytes.subspan(rows.width);
  });
}

void copy_rows(Device& device, const Rows& to, const Rows& from, const Box& box) {
  if (bytes_of(box).value_or(0) == 0) return;
  const Box rows = merged(box, {&to, &from});
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    device.copy(row_address(to, slice, row), row_address(from, slice, row), rows.width);
  });
}

void fill_rows(Device& device, const Rows& to, const Box& box, std::uint32_t value,
               std::uint32_t value_bytes) {
  assert((value_bytes == 1 || value_bytes == 2 || value_bytes == 4) && box.width % value_bytes == 0);
  if (bytes_of(box).value_or(0) == 0) return;
  // A merged row consists of whole rows, so its width is also a multiple of value_bytes.
  const Box rows = merged(box, {&to});
  if (value_bytes == 1) {
    for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
      device.fill(row_address(to, slice, row), static_cast<std::byte>(value), rows.width);
    });
    return;
  }
  std::vector<std::byte> filled(rows.width);
  for (std::size_t at = 0; at + value_bytes <= filled.size(); at += value_bytes)
    std::memcpy(&filled[at], &value, value_bytes);  // little endian: the low bytes of `value`
  for_rows(rows, [&](std::uint64_t slice, std::uint64_t row) {
    device.write(row_address(to, slice, row), filled);
  });
}

}  // namespace vgpu::cudart
