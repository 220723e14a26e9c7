// Functions that make the structures for pitched and 3D memory.
#pragma once

#include "kit/memory_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) {
  return {d, p, xsz, ysz};
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
