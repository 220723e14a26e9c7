// Code that fetches and surface accesses share: the objects in device memory to which their handles refer
// (texture/texture.hpp), and the shapes of arrays.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/expected.hpp"
#include "vgpu/state/warp.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::exec {

struct Geometry {
  const char* name;  ///< in PTX
  std::uint8_t dimensions;
  bool is_layered;
};
inline constexpr std::array<Geometry, 5> kGeometries{
    {{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}}};

/// For example "2D layered".
std::string geometry_name(std::uint32_t dimensions, bool is_layered);

template <class T>
T lane_value(const Warp& warp, std::uint32_t offset, int lane) {
  return reinterpret_cast<const T*>(warp.file + offset)[lane];
}

/// The object at the handle, or the reason why there is none of this kind.
grader::Expected<texture::Texture, std::string> object_at(const GlobalMemory& memory, std::uint64_t handle,
                                                          texture::ObjectKind kind);

/// Raises a fault of one lane about its handle.
void raise_object(Warp& warp, const Decoded& d, FaultKind kind, int lane, std::uint64_t handle,
                  const std::string& why);

/// The texels in the memory of this process. If they are not in live memory: raises a fault of the lane and
/// returns nullptr.
const std::byte* texels_of(Warp& warp, const Decoded& d, int lane, const texture::Texture& texture);

}  // namespace vgpu::exec
