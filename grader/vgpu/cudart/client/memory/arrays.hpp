// CUDA arrays. On the virtual GPU, an array is pitched device memory with a description of its texels. Hold
// the runtime's mutex to access arrays. Covered by tests/cudart/programs_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::cudart::client {

struct Array {
  std::uint64_t address = 0, pitch = 0;
  cudaExtent extent{};  ///< in texels, as passed by the program: 0 for a missing dimension
  cudaChannelFormatDesc channels{};
  unsigned flags = cudaArrayDefault;

  bool is_layered() const { return (flags & cudaArrayLayered) != 0; }
};

/// Returns nullptr if the array is not live.
Array* find_array(cudaArray_const_t array);
Outcome invalid_array();

/// The number of channels: 1, 2 or 4, all of the same size. Returns 0 for formats that GPUs do not support.
int channel_count(const cudaChannelFormatDesc& channels);
/// The size of a texel with these channels.
std::size_t texel_bytes(const cudaChannelFormatDesc& channels);

/// Converts an extent. Extents beyond 32 bits become 0, which is invalid for textures.
std::uint32_t extent_of(std::size_t texels);
void set_channels(texture::Texture& texture, const cudaChannelFormatDesc& channels);
/// Describes an array for a texture or surface object.
texture::Texture texels_of(const Array& array);

/// Writes the description of a texture or surface object to device memory. The handle is its address.
OrOutcome<std::uint64_t> new_object(Runtime& runtime, const texture::Texture& texels,
                                    texture::ObjectKind kind);

/// The rows of an array for a box at the position (x in bytes), or the reason why the box does not fit.
OrOutcome<Rows> rows_in(const Array& array, const cudaPos& position, const Box& box);

}  // namespace vgpu::cudart::client
