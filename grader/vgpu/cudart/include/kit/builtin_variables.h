// Conversions of threadIdx and the other built-in variables to uint3 and dim3.
#pragma once

#define KIT_READS_AS_VECTOR(name)                                                              \
  __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return {x, y, z}; }

KIT_READS_AS_VECTOR(threadIdx)
KIT_READS_AS_VECTOR(blockIdx)
KIT_READS_AS_VECTOR(blockDim)
KIT_READS_AS_VECTOR(gridDim)

#undef KIT_READS_AS_VECTOR
