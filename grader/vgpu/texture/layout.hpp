// Where a GPU keeps a texel: it decides which texels share a sector and a line of the caches.
//
// Linear and pitched memory is stored row by row. NVIDIA does not publish the layout of CUDA arrays; this is
// the one that open-source drivers describe (Mesa, src/nouveau/nil/tiling.rs; envytools, "Tesla surface
// memory layout"): tiles of 64 bytes × 8 rows, in which a sector of 32 bytes holds 16 bytes of two rows and a
// line of 128 bytes holds 32 bytes of four rows. The sectors of an H200 fit it, also for arrays of one row,
// whose second rows are empty (grader/doc/validation.md).
// The virtual GPU itself stores arrays row by row; the layout here is used for counting only.
#pragma once

#include <cstdint>

#include "vgpu/texture/texture.hpp"

namespace vgpu::texture {

/// The bytes at x in a row of a slice or layer; inside the texture.
struct Place {
  std::uint64_t x_bytes = 0, y = 0, slice = 0;
};

/// The address of the place on a real GPU. At least 16 aligned bytes of a row are contiguous.
std::uint64_t stored_at(const Texture& texture, const Place& place);

}  // namespace vgpu::texture
