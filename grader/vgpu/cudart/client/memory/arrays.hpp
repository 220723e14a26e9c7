// CUDA arrays: on the virtual GPU, pitched device memory that remembers what its texels are. Access under the
// runtime's mutex. Covered by tests/cudart/programs_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::cudart::client {

struct Array {
  std::uint64_t address = 0, pitch = 0;
  cudaExtent extent{};  ///< texels, as the program gave it: 0 where there is no such dimension
  cudaChannelFormatDesc channels{};
  unsigned flags = cudaArrayDefault;

  bool is_layered() const { return (flags & cudaArrayLayered) != 0; }
};

/// nullptr: not a live array.
Array* find_array(cudaArray_const_t array);
Outcome invalid_array();

/// Channels, 1, 2 or 4 and all of the same size; 0: no texels of GPUs are like this.
int channel_count(const cudaChannelFormatDesc& channels);
/// Of such texels.
std::size_t texel_bytes(const cudaChannelFormatDesc& channels);

/// Extents beyond 32 bits become 0, which no texture has.
std::uint32_t extent_of(std::size_t texels);
void set_channels(texture::Texture& texture, const cudaChannelFormatDesc& channels);
/// An array as a texture object or a surface object describes it.
texture::Texture texels_of(const Array& array);

/// Writes the description of a texture or surface object into device memory; its address is the handle.
OrOutcome<std::uint64_t> new_object(Runtime& runtime, const texture::Texture& texels,
                                    texture::ObjectKind kind);

/// The rows of an array that begin at the position (x in bytes) and hold the box, or why they do not.
OrOutcome<Rows> rows_in(const Array& array, const cudaPos& position, const Box& box);

}  // namespace vgpu::cudart::client
