// Converts device facts to cudaDeviceProp and cudaDeviceAttr. Properties that the device does not model are
// 0.
#pragma once

#include <optional>

#include "vgpu/cudart/client/core/api.hpp"
#include "vgpu/cudart/protocol/commands.hpp"

namespace vgpu::cudart::client {

inline constexpr int kWarpSize = 32;
// Bytes.
inline constexpr std::size_t kTextureAlignment = 512;
inline constexpr std::size_t kTexturePitchAlignment = 32;

cudaDeviceProp device_properties(const DeviceInfo& info);

/// Returns nullopt if the attribute does not exist.
std::optional<int> device_attribute(const DeviceInfo& info, cudaDeviceAttr attribute);

}  // namespace vgpu::cudart::client
