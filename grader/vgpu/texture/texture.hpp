// Texture objects: the place of the texels, their type, and how a fetch reads them (CUDA Programming Guide,
// "Texture and Surface Memory"). A texture object is a TextureObject in device memory, and its handle is its
// address. The runtime writes it, kernels read it. A program can overwrite its bytes: check why_invalid()
// before using any member.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vgpu::texture {

inline constexpr std::size_t kMaxDimensions = 3;

enum class Resource : std::uint8_t {
  array,
  linear,  ///< 1D, read by texel numbers only
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
  /// Number of layers, stored like the slices of a texture with one more dimension; 0: not layered.
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
  std::array<float, 4> border{};  ///< for fetches that return floats; for others the border is 0

  std::uint32_t texel_bytes() const { return std::uint32_t{channels} * channel_bytes; }
  /// Whether a fetch returns floats, whatever the type of the texels.
  bool gives_floats() const { return kind == ChannelKind::floating || read_mode == ReadMode::normalised; }
  /// The number of dimensions; at most kMaxDimensions, even if the texture is invalid.
  std::size_t axes() const { return dimensions < kMaxDimensions ? dimensions : kMaxDimensions; }
  /// Bytes from one slice or layer to the next.
  std::uint64_t slice_bytes() const { return pitch * (dimensions > 1 ? extent[1] : 1); }
  /// Bytes from the first texel to the end of the last. The texture must be valid.
  std::uint64_t span_bytes() const;

  void fields(auto& archive) {
    archive(address, pitch, extent[0], extent[1], extent[2], layers, dimensions, resource);
    archive(channels, channel_bytes, kind, filter, coordinates, read_mode);
    archive(address_modes[0], address_modes[1], address_modes[2]);
    archive(border[0], border[1], border[2], border[3]);
  }
};

/// A surface object describes an array in the same way; members about fetches are ignored (surface.hpp).
enum class ObjectKind : std::uint8_t { texture, surface };

/// The first 8 bytes of an object, which distinguish it from other memory: "vgpu tex" or "vgpu srf".
constexpr std::uint64_t mark_of(ObjectKind kind) {
  return kind == ObjectKind::texture ? 0x7865742075706776 : 0x6672732075706776;
}

struct TextureObject {
  std::uint64_t mark = mark_of(ObjectKind::texture);
  Texture texture;
};

/// Why the texture cannot be used, as a sentence; empty if it is valid. Accepts any bytes.
std::string why_invalid(const Texture& texture);

}  // namespace vgpu::texture
