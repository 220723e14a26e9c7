#include "vgpu/exec/texture_fetch.hpp"

#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "vgpu/texture/sample.hpp"

namespace vgpu::exec {
namespace {

using texture::Texture;
using texture::TextureObject;

constexpr std::size_t kChannels = 4;

/// A texture that may be read, and where its texels are.
struct Bound {
  Texture texture;
  const std::byte* texels = nullptr;
};

template <class T>
T lane_value(const Warp& warp, std::uint32_t offset, int lane) {
  return reinterpret_cast<const T*>(warp.file + offset)[lane];
}

std::string name_of(std::uint32_t dimensions, bool is_layered) {
  return fmt::format("{}D{}", dimensions, is_layered ? " layered" : "");
}

/// Why the form cannot read the texture; empty if it can.
std::string mismatch(const Texture& texture, const FetchForm& form) {
  if (texture.dimensions != form.dimensions || (texture.layers != 0) != form.is_layered) {
    return fmt::format("it is a {} texture, which a {} fetch cannot read",
                       name_of(texture.dimensions, texture.layers != 0),
                       name_of(form.dimensions, form.is_layered));
  }
  if (texture.resource == texture::Resource::linear && !form.has_numbers)
    return "linear memory is read by the number of the texel, with tex1Dfetch()";
  if (texture.coordinates == texture::Coordinates::normalised && form.has_numbers &&
      texture.resource != texture::Resource::linear)
    return "its coordinates are normalised, which numbers of texels are not";
  return {};
}

void raise_texture(Warp& warp, const Decoded& d, int lane, std::uint64_t handle, std::string why) {
  raise(warp, d, FaultKind::invalid_texture, lane, 1);
  warp.core->fault.address = handle;
  warp.core->fault.detail = std::move(why);
}

/// The texels are not there any more, or never were.
void raise_texels(Warp& warp, const Decoded& d, int lane, const Texture& texture) {
  const Segment* near = warp.core->memory->near(texture.address);
  const bool was_freed = near != nullptr && !near->live();
  raise(warp, d, was_freed ? FaultKind::use_after_free : FaultKind::out_of_bounds, lane, 1);
  Fault& fault = warp.core->fault;
  fault.space = ptx::Space::global;
  fault.address = texture.address;
  fault.access_bytes = texture.texel_bytes();
  if (near != nullptr) fault.nearest = {near->start, near->size, 0, near->ordinal};
}

/// Raises a fault and returns false if the lane's handle is not good for the form.
bool bind(Warp& warp, const Decoded& d, int lane, std::uint64_t handle, Bound& bound) {
  const GlobalMemory& memory = *warp.core->memory;
  TextureObject object;
  const std::byte* stored = memory.host(handle, sizeof object);
  if (stored != nullptr) std::memcpy(&object, stored, sizeof object);
  if (stored == nullptr || object.mark != TextureObject::kMark || !why_invalid(object.texture).empty()) {
    const Segment* near = memory.near(handle);
    const bool was_there =
        near != nullptr && !near->live() && near->start == handle && near->size == sizeof object;
    raise_texture(warp, d, lane, handle, was_there ? "it was destroyed" : "there is no texture object there");
    return false;
  }
  if (std::string why = mismatch(object.texture, FetchForm::unpacked(d.option)); !why.empty()) {
    raise_texture(warp, d, lane, handle, std::move(why));
    return false;
  }
  bound = {object.texture, memory.host(object.texture.address, object.texture.span_bytes())};
  if (bound.texels == nullptr) raise_texels(warp, d, lane, object.texture);
  return bound.texels != nullptr;
}

texture::Channels fetch_lane(const Warp& warp, const FetchForm& form, const std::uint32_t* places,
                             const Bound& bound, int lane) {
  const std::uint32_t* coordinate = places;
  const std::uint32_t layer = form.is_layered ? lane_value<std::uint32_t>(warp, *coordinate++, lane) : 0;
  if (form.has_numbers) {
    texture::Numbers numbers{};
    for (std::size_t axis = 0; axis < form.dimensions; ++axis)
      numbers[axis] = lane_value<std::int32_t>(warp, coordinate[axis], lane);
    return fetch_numbered(bound.texture, bound.texels, numbers, layer);
  }
  texture::Position position{.layer = layer};
  for (std::size_t axis = 0; axis < form.dimensions; ++axis)
    position.at[axis] = static_cast<double>(lane_value<float>(warp, coordinate[axis], lane));
  return fetch(bound.texture, bound.texels, position);
}

}  // namespace

std::optional<FetchForm> fetch_form(const std::string& name) {
  static const auto known = [] {
    const std::unordered_map<std::string, FetchForm> geometries{
        {"1d", {1, false}}, {"2d", {2, false}}, {"3d", {3, false}}, {"a1d", {1, true}}, {"a2d", {2, true}}};
    std::unordered_map<std::string, FetchForm> forms;
    for (const auto& [geometry, form] : geometries) {
      for (const char* type : {"f32", "s32", "u32"}) {
        for (const bool has_numbers : {false, true}) {
          forms[fmt::format("tex.{}.v4.{}.{}", geometry, type, has_numbers ? "s32" : "f32")] = {
              form.dimensions, form.is_layered, has_numbers};
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
  const std::vector<std::uint32_t>& places = warp.core->program().lists[d.extra];
  // Results may lie where coordinates did.
  std::array<texture::Channels, kWarpLanes> results{};
  Bound bound;
  std::uint64_t bound_handle = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto handle = lane_value<std::uint64_t>(warp, d.a, lane);
    if (bound.texels == nullptr || handle != bound_handle) {
      if (!bind(warp, d, lane, handle, bound)) return nullptr;
      bound_handle = handle;
    }
    results[static_cast<std::size_t>(lane)] = fetch_lane(warp, form, places.data() + kChannels, bound, lane);
  }
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
