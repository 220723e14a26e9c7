// What kind of memory a program got from CUDA, as both ends of the command interface call it.
#pragma once

#include <cstdint>

namespace vgpu::cudart {

enum class MemoryKind : std::uint8_t {
  unknown,     ///< none of CUDA's
  device,      ///< cudaMalloc, variables
  pinned,      ///< cudaMallocHost, cudaHostAlloc
  registered,  ///< cudaHostRegister
  managed,     ///< cudaMallocManaged, __managed__ variables
};

}  // namespace vgpu::cudart
