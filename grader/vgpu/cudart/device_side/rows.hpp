// Boxes of rows in device memory: what 1D, pitched and 3D copies and fills come down to.
#pragma once

#include <span>

#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// The whole span lies in one live allocation. An empty box lies everywhere.
bool holds(const Device& device, const Rows& rows, const Box& box);

// For boxes that the device holds; `bytes` is as long as bytes_of(box).
void write_rows(Device& device, const Rows& to, const Box& box, std::span<const std::byte> bytes);
void read_rows(const Device& device, const Rows& from, const Box& box, std::span<std::byte> bytes);
void copy_rows(Device& device, const Rows& to, const Rows& from, const Box& box);
/// `value_bytes` is 1, 2 or 4 and divides a row.
void fill_rows(Device& device, const Rows& to, const Box& box, std::uint32_t value,
               std::uint32_t value_bytes);

}  // namespace vgpu::cudart
