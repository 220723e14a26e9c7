// tex (PTX ISA 9.7.12): the forms that nvcc makes of tex1Dfetch, tex1D, tex2D, tex3D, tex1DLayered and
// tex2DLayered.
//
// What the launch itself wrote may or may not be seen, as in a real texture cache.
#pragma once

#include <optional>
#include <string>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// What a form says of the texture; Decoded::option holds it packed.
struct FetchForm {
  std::uint8_t dimensions = 1;
  bool is_layered = false;
  bool has_numbers = false;  ///< .s32 coordinates: whole texels

  std::uint8_t packed() const {
    return static_cast<std::uint8_t>(dimensions | (is_layered ? 4U : 0U) | (has_numbers ? 8U : 0U));
  }
  static FetchForm unpacked(std::uint8_t option) {
    return {static_cast<std::uint8_t>(option & 3U), (option & 4U) != 0, (option & 8U) != 0};
  }
};

/// Of "tex.2d.v4.f32.f32"; nullopt: not supported.
std::optional<FetchForm> fetch_form(const std::string& name);

/// d.a: the handle; list d.extra: four results (kNowhere: not wanted), the layer if there is one, the
/// coordinates.
const Decoded* fetch_texture(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec
