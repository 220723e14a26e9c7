// What a texture object says: where texels lie, what they are, and how a fetch reads them (CUDA Programming
// Guide, "Texture and Surface Memory"). A texture object is a TextureObject in device memory, its handle the
// address of it: the runtime puts it there, kernels find it there. Its bytes may have been overwritten:
// whoever reads one asks why_invalid() before it uses anything of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vgpu::texture {

inline constexpr std::size_t kMaxDimensions = 3;

enum class Resource : std::uint8_t {
  array,
  linear,  ///< 1D, read by whole texel numbers only
  pitched  ///< 2D in linear memory
};

enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, floating };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class Filter : std::uint8_t { point, linear };
enum class Coordinates : std::uint8_t {
  texels,     ///< 0 to the extent
  normalised  ///< 0 to 1
};
enum class ReadMode : std::uint8_t {
  element,
  normalised  ///< integers as floats: -1 or 0 to 1
};

struct Texture {
  std::uint64_t address = 0;                                  ///< of the first texel
  std::uint64_t pitch = 0;                                    ///< bytes from one row to the next
  std::array<std::uint32_t, kMaxDimensions> extent{1, 1, 1};  ///< texels; 1 beyond `dimensions`
  /// Of a layered texture, whose layers lie as the slices of one with a further dimension do; 0: not layered.
  std::uint32_t layers = 0;
  std::uint8_t dimensions = 1;
  Resource resource = Resource::array;
  std::uint8_t channels = 1;       ///< 1, 2 or 4
  std::uint8_t channel_bytes = 4;  ///< 1, 2 or 4
  ChannelKind kind = ChannelKind::floating;
  Filter filter = Filter::point;
  Coordinates coordinates = Coordinates::texels;
  ReadMode read_mode = ReadMode::element;
  std::array<AddressMode, kMaxDimensions> address_modes{AddressMode::clamp, AddressMode::clamp,
                                                        AddressMode::clamp};
  std::array<float, 4> border{};  ///< of fetches that give floats; others have 0 there

  std::uint32_t texel_bytes() const { return std::uint32_t{channels} * channel_bytes; }
  /// A fetch gives floats, whatever the texels are.
  bool gives_floats() const { return kind == ChannelKind::floating || read_mode == ReadMode::normalised; }
  /// Of a valid texture all its dimensions; never more than there are coordinates.
  std::size_t axes() const { return dimensions < kMaxDimensions ? dimensions : kMaxDimensions; }
  /// Bytes from one slice or layer to the next.
  std::uint64_t slice_bytes() const { return pitch * (dimensions > 1 ? extent[1] : 1); }
  /// From the first texel to behind the last. Of a valid texture.
  std::uint64_t span_bytes() const;

  void fields(auto& archive) {
    archive(address, pitch, extent[0], extent[1], extent[2], layers, dimensions, resource);
    archive(channels, channel_bytes, kind, filter, coordinates, read_mode);
    archive(address_modes[0], address_modes[1], address_modes[2]);
    archive(border[0], border[1], border[2], border[3]);
  }
};

/// A surface object says the same of an array; what concerns fetches does not matter (surface.hpp).
enum class ObjectKind : std::uint8_t { texture, surface };

/// With these an object begins, so that it is no other memory: "vgpu tex" and "vgpu srf".
constexpr std::uint64_t mark_of(ObjectKind kind) {
  return kind == ObjectKind::texture ? 0x7865742075706776 : 0x6672732075706776;
}

struct TextureObject {
  std::uint64_t mark = mark_of(ObjectKind::texture);
  Texture texture;
};

/// What no texture can be, as a sentence; empty if it can be used. Takes any bytes.
std::string why_invalid(const Texture& texture);

}  // namespace vgpu::texture
