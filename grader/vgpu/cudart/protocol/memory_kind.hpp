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
};

}  // namespace vgpu::cudart
