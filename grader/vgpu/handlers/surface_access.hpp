// suld.b and sust.b (PTX ISA 9.7.12): the forms that nvcc generates for surf1Dread, surf2Dwrite, surf3D… and
// their layered variants.
//
// Each has two steps: the first turns each lane's handle and coordinates into an address, the second loads or
// stores. So the second step is an access to global memory whose addresses a checker can inspect. The first
// step counts the traffic, which is that of the texture unit.
#pragma once

#include <optional>
#include <string>

#include "vgpu/state/warp.hpp"
#include "vgpu/texture/surface.hpp"

namespace vgpu::exec {

/// The properties of an access that its form defines.
struct SurfaceForm {
  std::uint8_t dimensions = 1;
  bool is_layered = false;
  bool is_store = false;
  texture::Boundary boundary = texture::Boundary::trap;
  std::uint8_t element_bytes = 4;  ///< 1, 2, 4 or 8
  std::uint8_t elements = 1;       ///< 1, 2 or 4; together at most 16 bytes

  std::uint32_t bytes() const { return std::uint32_t{element_bytes} * elements; }
};

/// The form of, for example, "sust.b.2d.v2.b32.trap"; nullopt if unsupported.
std::optional<SurfaceForm> surface_form(const std::string& name);

/// The first step. d.a: the handle; list d.extra: the layer if there is one, the coordinates; d.dst:
/// the resulting addresses, 8 bytes per lane; d.option: packed_place(). Lanes whose access is left out get an
/// address outside memory.
Handler surface_locator(bool is_store);
std::uint8_t packed_place(const SurfaceForm& form);

/// The second step. d.a: the addresses; d.dst or, for vectors, list d.extra: the values, kNowhere for
/// unused ones; d.option: packed_values().
Handler surface_handler(bool is_store);
std::uint8_t packed_values(const SurfaceForm& form);

}  // namespace vgpu::exec
