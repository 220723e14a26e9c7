#include "vgpu/handlers/texture_objects.hpp"

#include <cstring>

#include <fmt/format.h>

namespace vgpu::exec {
namespace {

using texture::ObjectKind;
using texture::TextureObject;

const char* name_of(ObjectKind kind) { return kind == ObjectKind::texture ? "texture" : "surface"; }

ObjectKind other_than(ObjectKind kind) {
  return kind == ObjectKind::texture ? ObjectKind::surface : ObjectKind::texture;
}

}  // namespace

std::string geometry_name(std::uint32_t dimensions, bool is_layered) {
  return fmt::format("{}D{}", dimensions, is_layered ? " layered" : "");
}

grader::Expected<texture::Texture, std::string> object_at(const GlobalMemory& memory, std::uint64_t handle,
                                                          ObjectKind kind) {
  TextureObject object{.mark = 0};
  const std::byte* stored = memory.host(handle, sizeof object);
  if (stored != nullptr) std::memcpy(&object, stored, sizeof object);
  const bool is_valid = stored != nullptr && why_invalid(object.texture).empty();
  if (is_valid && object.mark == mark_of(kind)) return object.texture;
  if (is_valid && object.mark == mark_of(other_than(kind)))
    return grader::Unexpected{fmt::format("it is a {} object", name_of(other_than(kind)))};
  const Segment* near = memory.near(handle);
  // A destroyed object leaves a freed allocation of its size at the handle.
  const bool was_there =
      near != nullptr && !near->live() && near->start == handle && near->size == sizeof object;
  return grader::Unexpected{was_there ? std::string("it was destroyed")
                                      : fmt::format("there is no {} object there", name_of(kind))};
}

void raise_object(Warp& warp, const Decoded& d, FaultKind kind, int lane, std::uint64_t handle,
                  const std::string& why) {
  raise(warp, d, kind, lane, 1);
  warp.core->fault.address = handle;
  warp.core->fault.detail = why;
}

const std::byte* texels_of(Warp& warp, const Decoded& d, int lane, const texture::Texture& texture) {
  const GlobalMemory& memory = *warp.core->memory;
  if (const std::byte* texels = memory.host(texture.address, texture.span_bytes())) return texels;
  const Segment* near = memory.near(texture.address);
  const bool was_freed = near != nullptr && !near->live();
  raise(warp, d, was_freed ? FaultKind::use_after_free : FaultKind::out_of_bounds, lane, 1);
  Fault& fault = warp.core->fault;
  fault.space = ptx::Space::global;
  fault.address = texture.address;
  fault.access_bytes = texture.texel_bytes();
  if (near != nullptr) fault.nearest = {near->start, near->size, 0, near->ordinal};
  return nullptr;
}

}  // namespace vgpu::exec
