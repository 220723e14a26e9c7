#include "vgpu/texture/surface.hpp"

#include <algorithm>
#include <cassert>

namespace vgpu::texture {
namespace {

std::int64_t row_bytes(const Texture& array) {
  return static_cast<std::int64_t>(std::uint64_t{array.extent[0]} * array.texel_bytes());
}

bool is_in_row(const Texture& array, std::int64_t x, std::uint32_t bytes) {
  return x >= 0 && x + bytes <= row_bytes(array);
}

bool is_in(std::int64_t number, std::uint32_t extent) { return number >= 0 && number < extent; }

std::string bytes_text(std::int64_t x, std::uint32_t bytes) {
  if (bytes == 1) return "byte " + std::to_string(x);
  return "bytes " + std::to_string(x) + " to " + std::to_string(x + bytes - 1);
}

std::string outside_text(const char* name, std::int64_t number, std::uint32_t extent) {
  return std::string(name) + " is " + std::to_string(number) + ", but the valid range is 0 to " +
         std::to_string(extent - 1);
}

}  // namespace

std::optional<std::uint64_t> offset_in(const Texture& array, const SurfacePlace& place, std::uint32_t bytes) {
  const auto& at = place.at;
  const bool is_inside = is_in_row(array, at[0], bytes) && is_in(at[1], array.extent[1]) &&
                         is_in(at[2], array.extent[2]) && place.layer < std::max(array.layers, 1U);
  if (!is_inside) return std::nullopt;
  const std::uint64_t slice = array.layers != 0 ? place.layer : static_cast<std::uint64_t>(at[2]);
  const std::uint64_t offset = slice * array.slice_bytes() + static_cast<std::uint64_t>(at[1]) * array.pitch +
                               static_cast<std::uint64_t>(at[0]);
  assert(offset + bytes <= array.span_bytes());
  return offset;
}

SurfacePlace clamped(const Texture& array, SurfacePlace place, std::uint32_t bytes) {
  if (!is_in_row(array, place.at[0], bytes)) {
    const std::int64_t last = std::max<std::int64_t>(row_bytes(array) / bytes - 1, 0) * bytes;
    // x has 32 bits: no x is beyond a row of 2^31 bytes or more, so the cast does not truncate.
    place.at[0] = static_cast<std::int32_t>(std::clamp<std::int64_t>(place.at[0], 0, last));
  }
  for (std::size_t axis = 1; axis < kMaxDimensions; ++axis) {
    const auto last = static_cast<std::int32_t>(array.extent[axis] - 1);
    place.at[axis] = std::clamp(place.at[axis], 0, last);
  }
  place.layer = std::min(place.layer, std::max(array.layers, 1U) - 1);
  return place;
}

std::string why_outside(const Texture& array, const SurfacePlace& place, std::uint32_t bytes) {
  if (!is_in_row(array, place.at[0], bytes)) {
    return "x is " + bytes_text(place.at[0], bytes) + ", but a row has bytes 0 to " +
           std::to_string(row_bytes(array) - 1);
  }
  if (!is_in(place.at[1], array.extent[1])) return outside_text("y", place.at[1], array.extent[1]);
  if (!is_in(place.at[2], array.extent[2])) return outside_text("z", place.at[2], array.extent[2]);
  return outside_text("the layer", place.layer, std::max(array.layers, 1U));
}

}  // namespace vgpu::texture
