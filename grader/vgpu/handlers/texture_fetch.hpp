// tex (PTX ISA 9.7.12): the forms that nvcc generates for tex1Dfetch, tex1D, tex2D, tex3D, tex1DLayered and
// tex2DLayered.
//
// A fetch can see writes of the same launch or miss them, as with a real texture cache.
#pragma once

#include <optional>
#include <string>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// The properties of a fetch that its form defines; Decoded::option holds them packed.
struct FetchForm {
  std::uint8_t dimensions = 1;
  bool is_layered = false;
  bool has_numbers = false;  ///< .s32 coordinates: texel numbers

  std::uint8_t packed() const {
    return static_cast<std::uint8_t>(dimensions | (is_layered ? 4U : 0U) | (has_numbers ? 8U : 0U));
  }
  static FetchForm unpacked(std::uint8_t option) {
    return {static_cast<std::uint8_t>(option & 3U), (option & 4U) != 0, (option & 8U) != 0};
  }
};

/// The form of, for example, "tex.2d.v4.f32.f32"; nullopt if unsupported.
std::optional<FetchForm> fetch_form(const std::string& name);

/// d.a: the handle; list d.extra: four results (kNowhere: unused), the layer if there is one, the
/// coordinates.
const Decoded* fetch_texture(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec
