// The kinds of memory that a program gets from CUDA, for both ends of the command interface.
#pragma once

#include <cstdint>

namespace vgpu::cudart {

enum class MemoryKind : std::uint8_t {
  unknown,     ///< not memory from CUDA
  device,      ///< cudaMalloc, variables
  pinned,      ///< cudaMallocHost, cudaHostAlloc
  registered,  ///< cudaHostRegister
  managed,     ///< cudaMallocManaged, __managed__ variables
  // Device memory that has another name in the program. Only descriptions of memory have these kinds.
  array,   ///< cudaMallocArray, cudaMalloc3DArray
  object,  ///< a texture object or a surface object
};

}  // namespace vgpu::cudart
