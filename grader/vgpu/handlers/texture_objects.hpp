// What fetches and surface accesses have in common: the objects that their handles name, which lie in device
// memory (texture/texture.hpp), and the shapes of arrays.
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

/// "2D layered".
std::string geometry_name(std::uint32_t dimensions, bool is_layered);

template <class T>
T lane_value(const Warp& warp, std::uint32_t offset, int lane) {
  return reinterpret_cast<const T*>(warp.file + offset)[lane];
}

/// What the object at the handle says, or why there is none of this kind.
grader::Expected<texture::Texture, std::string> object_at(const GlobalMemory& memory, std::uint64_t handle,
                                                          texture::ObjectKind kind);

/// Raises a fault of one lane about its handle.
void raise_object(Warp& warp, const Decoded& d, FaultKind kind, int lane, std::uint64_t handle,
                  const std::string& why);

/// Where the texels lie in this process. nullptr, and a fault of the lane: they are not there any more, or
/// never were.
const std::byte* texels_of(Warp& warp, const Decoded& d, int lane, const texture::Texture& texture);

}  // namespace vgpu::exec
