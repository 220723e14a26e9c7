#include "vgpu/handlers/texture_fetch.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/cost/texture_traffic.hpp"
#include "vgpu/handlers/texture_objects.hpp"
#include "vgpu/texture/layout.hpp"
#include "vgpu/texture/sample.hpp"

namespace vgpu::exec {
namespace {

using texture::Texture;

constexpr std::size_t kChannels = 4;

/// A readable texture and its texels.
struct BoundTexture {
  Texture texture;
  const std::byte* texels = nullptr;
};

/// Why the form cannot read the texture; empty if it can.
std::string mismatch(const Texture& texture, const FetchForm& form) {
  if (texture.dimensions != form.dimensions || (texture.layers != 0) != form.is_layered) {
    return fmt::format("it is a {} texture, which a {} fetch cannot read",
                       geometry_name(texture.dimensions, texture.layers != 0),
                       geometry_name(form.dimensions, form.is_layered));
  }
  if (texture.resource == texture::Resource::linear && !form.has_numbers)
    return "linear memory must be read by texel number, with tex1Dfetch()";
  if (texture.coordinates == texture::Coordinates::normalised && form.has_numbers &&
      texture.resource != texture::Resource::linear)
    return "its coordinates are normalised, but the fetch passes texel numbers";
  return {};
}

/// Raises a fault and returns false if the form cannot use the lane's handle.
bool bind(Warp& warp, const Decoded& d, int lane, std::uint64_t handle, BoundTexture& bound) {
  const auto found = object_at(*warp.core->memory, handle, texture::ObjectKind::texture);
  const std::string problem = found ? mismatch(*found, FetchForm::unpacked(d.option)) : found.error();
  if (!problem.empty()) {
    raise_object(warp, d, FaultKind::invalid_texture, lane, handle, problem);
    return false;
  }
  bound = {*found, texels_of(warp, d, lane, *found)};
  if (bound.texels == nullptr) return false;
  BlockChecker* checker = warp.core->checker;
  if (checker != nullptr) checker->fetch(bound.texture.address, bound.texture.span_bytes());
  return true;
}

texture::Selection selected_by(const Warp& warp, const FetchForm& form, const std::uint32_t* places,
                               const Texture& texture, int lane) {
  const std::uint32_t* coordinate = places;
  const std::uint32_t layer = form.is_layered ? lane_value<std::uint32_t>(warp, *coordinate++, lane) : 0;
  if (form.has_numbers) {
    texture::Numbers numbers{};
    for (std::size_t axis = 0; axis < form.dimensions; ++axis)
      numbers[axis] = lane_value<std::int32_t>(warp, coordinate[axis], lane);
    return selected(texture, numbers, layer);
  }
  texture::Position position{.layer = layer};
  for (std::size_t axis = 0; axis < form.dimensions; ++axis)
    position.at[axis] = static_cast<double>(lane_value<float>(warp, coordinate[axis], lane));
  return selected(texture, position);
}

void add_texels(TextureAccess& access, const Texture& texture, const texture::Selection& selection) {
  for (std::size_t i = 0; i < selection.count; ++i) {
    const texture::Texel& texel = selection.texels[i];
    if (is_outside(texture, texel) || (selection.weights && (*selection.weights)[i] == 0)) continue;
    const auto number = [&](std::size_t axis) { return static_cast<std::uint64_t>(texel[axis]); };
    access.add_texel(stored_at(texture, {number(0) * texture.texel_bytes(), number(1), number(2)}),
                     texture.texel_bytes());
  }
}

}  // namespace

std::optional<FetchForm> fetch_form(const std::string& name) {
  static const auto known = [] {
    std::unordered_map<std::string, FetchForm> forms;
    for (const auto& [geometry, dimensions, is_layered] : kGeometries) {
      for (const char* type : {"f32", "s32", "u32"}) {
        for (const bool has_numbers : {false, true}) {
          forms[fmt::format("tex.{}.v4.{}.{}", geometry, type, has_numbers ? "s32" : "f32")] = {
              dimensions, is_layered, has_numbers};
        }
      }
    }
    return forms;
  }();
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

const Decoded* fetch_texture(Warp& warp, const Decoded& d) {
  const FetchForm form = FetchForm::unpacked(d.option);
  const std::vector<std::uint32_t>& places = warp.core->program().list_of(d);
  // Results can use the registers of coordinates.
  std::array<texture::Channels, kWarpLanes> results{};
  TextureAccess access;
  BoundTexture bound;
  std::uint64_t bound_handle = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto handle = lane_value<std::uint64_t>(warp, d.a, lane);
    if (bound.texels == nullptr || handle != bound_handle) {
      const bool is_first = bound.texels == nullptr;
      if (!bind(warp, d, lane, handle, bound)) return nullptr;
      bound_handle = handle;
      if (!is_first) access.count(warp, d, Traffic::fetch);
      access.begin(shape_of_fetch(bound.texture));
    }
    const auto selection = selected_by(warp, form, places.data() + kChannels, bound.texture, lane);
    results[static_cast<std::size_t>(lane)] = value_of(bound.texture, bound.texels, selection);
    access.add_lane(lane);
    add_texels(access, bound.texture, selection);
  }
  access.count(warp, d, Traffic::fetch);
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    if (places[channel] == kNowhere) continue;
    auto* to = reinterpret_cast<std::uint32_t*>(warp.file + places[channel]);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      to[lane] = results[static_cast<std::size_t>(lane)][channel];
    }
  }
  return &d + 1;
}

}  // namespace vgpu::exec
