// Kernels that reach memory through the texture unit, and what they need of the host.
#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include "kernel_timer.cuh"

namespace validate {

// ---- arrays and objects, which exist until the program ends

enum class Filter { point, linear };

inline cudaTextureObject_t texture_of(const cudaResourceDesc& resource, Filter filter) {
  cudaTextureDesc how{};
  how.filterMode = filter == Filter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &how, nullptr), "cudaCreateTextureObject");
  return texture;
}

/// A height or depth of 0 means an array without that dimension. Filled with zeros.
template <class T>
cudaResourceDesc array_of(std::size_t width, std::size_t height, std::size_t depth = 0, unsigned flags = 0) {
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<T>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  check(cudaMalloc3DArray(&resource.res.array.array, &texel, make_cudaExtent(width, height, depth),
                          flags | cudaArraySurfaceLoadStore),
        "cudaMalloc3DArray");
  const std::size_t rows = std::max<std::size_t>(height, 1), slices = std::max<std::size_t>(depth, 1);
  void* zeros = nullptr;
  check(cudaMalloc(&zeros, width * rows * slices * sizeof(T)), "cudaMalloc");
  check(cudaMemset(zeros, 0, width * rows * slices * sizeof(T)), "cudaMemset");
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(zeros, width * sizeof(T), width, rows);
  copy.dstArray = resource.res.array.array;
  copy.extent = make_cudaExtent(width, rows, slices);
  copy.kind = cudaMemcpyDeviceToDevice;
  check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
  check(cudaFree(zeros), "cudaFree");
  return resource;
}

template <class T>
cudaResourceDesc linear_of(T* texels, std::size_t count) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = texels;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = count * sizeof(T);
  return resource;
}

template <class T>
cudaResourceDesc pitched_of(int width, int height) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  auto& pitched = resource.res.pitch2D;
  pitched.width = static_cast<unsigned>(width);
  pitched.height = static_cast<unsigned>(height);
  pitched.desc = cudaCreateChannelDesc<T>();
  check(cudaMallocPitch(&pitched.devPtr, &pitched.pitchInBytes, width * sizeof(T), pitched.height),
        "cudaMallocPitch");
  check(cudaMemset(pitched.devPtr, 0, pitched.pitchInBytes * pitched.height), "cudaMemset");
  return resource;
}

inline cudaSurfaceObject_t surface_of(const cudaResourceDesc& array) {
  cudaSurfaceObject_t surface = 0;
  check(cudaCreateSurfaceObject(&surface, &array), "cudaCreateSurfaceObject");
  return surface;
}

// ---- kernels; every texel is 0, so nothing is stored

__device__ inline bool is_set(float value) { return value != 0; }
__device__ inline bool is_set(float2 value) { return value.x != 0 || value.y != 0; }
__device__ inline bool is_set(float4 value) { return value.x != 0 || value.w != 0; }
__device__ inline bool is_set(unsigned char value) { return value != 0; }
__device__ inline bool is_set(uchar4 value) { return value.x != 0 || value.w != 0; }

__device__ inline int thread_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int thread_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }

/// Thread i fetches texel i × stride of linear memory.
template <class T>
__device__ void fetch_linear(cudaTextureObject_t texture, int stride, int* found) {
  if (is_set(tex1Dfetch<T>(texture, thread_x() * stride))) *found = 1;
}

/// One texel per thread. A shift of 0.5 is a texel's centre.
template <class T>
__device__ void fetch_image(cudaTextureObject_t texture, float shift, int* found) {
  const float x = static_cast<float>(thread_x()) + shift, y = static_cast<float>(thread_y()) + shift;
  if (is_set(tex2D<T>(texture, x, y))) *found = 1;
}

template <class T>
__device__ void read_surface(cudaSurfaceObject_t surface, int* found) {
  if (is_set(surf2Dread<T>(surface, thread_x() * static_cast<int>(sizeof(T)), thread_y()))) *found = 1;
}

template <class T>
__device__ void write_surface(cudaSurfaceObject_t surface) {
  surf2Dwrite<T>(T{}, surface, thread_x() * static_cast<int>(sizeof(T)), thread_y());
}

/// The sum of 3 × 3 texels.
__global__ static void fetch_stencil(cudaTextureObject_t texture, float* out, int width) {
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += tex2D<float>(texture, static_cast<float>(thread_x() + dx) + 0.5F,
                          static_cast<float>(thread_y() + dy) + 0.5F);
  out[thread_y() * width + thread_x()] = sum;
}

/// A naive product whose factors are textures of linear memory.
__global__ static void fetch_product(cudaTextureObject_t a, cudaTextureObject_t b, float* c, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += tex1Dfetch<float>(a, thread_y() * n + k) * tex1Dfetch<float>(b, k * n + thread_x());
  c[thread_y() * n + thread_x()] = sum;
}
__global__ static void fetch_product_2d(cudaTextureObject_t a, cudaTextureObject_t b, float* c, int n) {
  const float x = static_cast<float>(thread_x()) + 0.5F, y = static_cast<float>(thread_y()) + 0.5F;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float at = static_cast<float>(k) + 0.5F;
    sum += tex2D<float>(a, at, y) * tex2D<float>(b, x, at);
  }
  c[thread_y() * n + thread_x()] = sum;
}

/// A chain of fetches that hit L1: every texel contains 0.
__global__ static void chase_texels(cudaTextureObject_t texture, int steps, int* out) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = tex1Dfetch<int>(texture, at);
  *out = at;
}

}  // namespace validate
