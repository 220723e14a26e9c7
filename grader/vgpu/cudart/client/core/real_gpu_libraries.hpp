// Libraries of CUDA whose kernels exist only as machine code (cuBLAS, cuFFT, …). They can be linked, but
// their functions fail without a real GPU, and many programs do not check that. Covered by
// tests/cudart/real_gpu_libraries_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vgpu::cudart::client {

/// The library that a function belongs to ("cuBLAS" for "cublasCreate_v2"); empty if it is none of these.
std::string_view real_gpu_library_of(std::string_view function);

/// One function per library that the program itself calls.
struct RealGpuCall {
  std::string library, function;
};
std::vector<RealGpuCall> real_gpu_calls();

}  // namespace vgpu::cudart::client
