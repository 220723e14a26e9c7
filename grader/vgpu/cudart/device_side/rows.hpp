// Copies and fills of boxes of rows in device memory. All copies and fills of CUDA (1D, pitched and 3D) use
// them.
#pragma once

#include <span>

#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Whether one live allocation contains the whole span. True for an empty box.
bool holds(const Device& device, const Rows& rows, const Box& box);

/// Bytes of DRAM that the rows of a box touch: each row consists of whole sectors.
std::uint64_t dram_bytes_of(const Rows& rows, const Box& box);

// Precondition of these functions: holds() is true, and `bytes` has bytes_of(box) bytes.
void write_rows(Device& device, const Rows& to, const Box& box, std::span<const std::byte> bytes);
void read_rows(const Device& device, const Rows& from, const Box& box, std::span<std::byte> bytes);
void copy_rows(Device& device, const Rows& to, const Rows& from, const Box& box);
/// `value_bytes` is 1, 2 or 4 and divides a row.
void fill_rows(Device& device, const Rows& to, const Box& box, std::uint32_t value,
               std::uint32_t value_bytes);

}  // namespace vgpu::cudart
