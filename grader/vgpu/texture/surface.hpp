// The place of a surface access in its array (PTX ISA 9.7.12, suld.b and sust.b; CUDA C++ Programming Guide,
// "Surface Functions"): x counts bytes; y, z and the layer count rows, slices and layers. Texels have no type
// here: an access can be to any 1 to 16 bytes of a row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "vgpu/texture/texture.hpp"

namespace vgpu::texture {

/// The effect of an access outside.
enum class Boundary : std::uint8_t {
  trap,   ///< a fault
  clamp,  ///< the access goes to the nearest place inside
  zero    ///< a load returns 0, a store has no effect
};

struct SurfacePlace {
  std::array<std::int32_t, kMaxDimensions> at{};  ///< x in bytes; 0 beyond the dimensions
  std::uint32_t layer = 0;                        ///< 0 if there are no layers
};

/// The offset in bytes of an access of `bytes` bytes from the first texel; nullopt if part of it is outside.
/// The array is valid.
std::optional<std::uint64_t> offset_in(const Texture& array, const SurfacePlace& place, std::uint32_t bytes);

/// PTX ISA: "the nearest surface location (sized appropriately)": the nearest multiple of the access's size
/// in each row. Rows that are shorter than the access have none.
SurfacePlace clamped(const Texture& array, SurfacePlace place, std::uint32_t bytes);

/// A sentence that names the coordinate outside.
std::string why_outside(const Texture& array, const SurfacePlace& place, std::uint32_t bytes);

}  // namespace vgpu::texture
