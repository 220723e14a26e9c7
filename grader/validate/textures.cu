// The traffic of the texture unit: kernels for which Nsight Compute's counts are compared with those of the
// virtual GPU. Each kernel is launched once. Textures are small, so that a profiler's passes are quick.
//
//   nvcc -O3 -arch=sm_90 -o textures textures.cu && ./textures
#include "texture_kernels.cuh"

namespace {

using namespace validate;

constexpr int kSide = 256, kDepth = 16, kProduct = 64;

__global__ void linear_floats(cudaTextureObject_t t, int* found) { fetch_linear<float>(t, 1, found); }
__global__ void linear_strided(cudaTextureObject_t t, int* found) { fetch_linear<float>(t, 8, found); }
__global__ void linear_bytes(cudaTextureObject_t t, int* found) { fetch_linear<unsigned char>(t, 1, found); }
__global__ void linear_float2(cudaTextureObject_t t, int* found) { fetch_linear<float2>(t, 1, found); }
__global__ void linear_float4(cudaTextureObject_t t, int* found) { fetch_linear<float4>(t, 1, found); }

__global__ void rows(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 0.5F, found); }
__global__ void columns(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 0.5F, found); }
__global__ void squares(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 0.5F, found); }
__global__ void rows_of_bytes(cudaTextureObject_t t, int* found) {
  fetch_image<unsigned char>(t, 0.5F, found);
}
__global__ void rows_of_uchar4(cudaTextureObject_t t, int* found) { fetch_image<uchar4>(t, 0.5F, found); }
__global__ void rows_of_float2(cudaTextureObject_t t, int* found) { fetch_image<float2>(t, 0.5F, found); }
__global__ void rows_of_float4(cudaTextureObject_t t, int* found) { fetch_image<float4>(t, 0.5F, found); }
__global__ void squares_of_float4(cudaTextureObject_t t, int* found) { fetch_image<float4>(t, 0.5F, found); }
__global__ void pitched(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 0.5F, found); }
__global__ void pitched_squares(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 0.5F, found); }
__global__ void filtered(cudaTextureObject_t t, int* found) { fetch_image<float>(t, 1, found); }
__global__ void filtered_float2(cudaTextureObject_t t, int* found) { fetch_image<float2>(t, 1, found); }
__global__ void filtered_float4(cudaTextureObject_t t, int* found) { fetch_image<float4>(t, 1, found); }

__global__ void line(cudaTextureObject_t t, int* found) {
  if (is_set(tex1D<float>(t, static_cast<float>(thread_x()) + 0.5F))) *found = 1;
}
template <class T>
__device__ void fetch_volume(cudaTextureObject_t t, float shift, int* found) {
  const float x = static_cast<float>(thread_x()) + shift, y = static_cast<float>(thread_y()) + shift;
  if (is_set(tex3D<T>(t, x, y, static_cast<float>(blockIdx.z) + shift))) *found = 1;
}
__global__ void volume(cudaTextureObject_t t, int* found) { fetch_volume<float>(t, 0.5F, found); }
__global__ void filtered_volume(cudaTextureObject_t t, int* found) { fetch_volume<float>(t, 1, found); }
__global__ void layers(cudaTextureObject_t t, int* found) {
  const float x = static_cast<float>(thread_x()) + 0.5F, y = static_cast<float>(thread_y()) + 0.5F;
  if (is_set(tex2DLayered<float>(t, x, y, static_cast<int>(blockIdx.z)))) *found = 1;
}

__global__ void surface_rows(cudaSurfaceObject_t s, int* found) { read_surface<float>(s, found); }
__global__ void surface_float2(cudaSurfaceObject_t s, int* found) { read_surface<float2>(s, found); }
__global__ void surface_float4(cudaSurfaceObject_t s, int* found) { read_surface<float4>(s, found); }
__global__ void surface_columns(cudaSurfaceObject_t s, int* found) { read_surface<float>(s, found); }
__global__ void surface_volume(cudaSurfaceObject_t s, int* found) {
  if (is_set(surf3Dread<float>(s, thread_x() * 4, thread_y(), static_cast<int>(blockIdx.z)))) *found = 1;
}
__global__ void write_rows(cudaSurfaceObject_t s) { write_surface<float>(s); }
__global__ void write_bytes(cudaSurfaceObject_t s) { write_surface<unsigned char>(s); }
__global__ void write_float4(cudaSurfaceObject_t s) { write_surface<float4>(s); }

const dim3 kWide(32, 8), kTall(1, 256), kSquare(8, 8);

dim3 blocks_of(dim3 block, unsigned depth = 1) { return {kSide / block.x, kSide / block.y, depth}; }

void fetch_from_linear_memory(int* found) {
  constexpr int kTexels = kSide * kSide, kBlocks = kTexels / 256;
  void* memory = device_array<float4>(kTexels);
  check(cudaMemset(memory, 0, kTexels * sizeof(float4)), "cudaMemset");
  const auto floats = texture_of(linear_of(static_cast<float*>(memory), kTexels), Filter::point);
  const auto bytes = texture_of(linear_of(static_cast<unsigned char*>(memory), kTexels), Filter::point);
  const auto pairs = texture_of(linear_of(static_cast<float2*>(memory), kTexels), Filter::point);
  const auto quadruples = texture_of(linear_of(static_cast<float4*>(memory), kTexels), Filter::point);
  linear_floats<<<kBlocks, 256>>>(floats, found);
  linear_strided<<<kBlocks / 8, 256>>>(floats, found);
  linear_bytes<<<kBlocks, 256>>>(bytes, found);
  linear_float2<<<kBlocks, 256>>>(pairs, found);
  linear_float4<<<kBlocks, 256>>>(quadruples, found);
  fetch_product<<<dim3(kProduct / 16, kProduct / 16), dim3(16, 16)>>>(floats, floats,
                                                                      device_array<float>(kTexels), kProduct);
}

void fetch_from_images(int* found) {
  const auto floats = array_of<float>(kSide, kSide), pairs = array_of<float2>(kSide, kSide),
             quadruples = array_of<float4>(kSide, kSide);
  const auto point = texture_of(floats, Filter::point),
             pitch = texture_of(pitched_of<float>(kSide, kSide), Filter::point),
             points4 = texture_of(quadruples, Filter::point);
  rows<<<blocks_of(kWide), kWide>>>(point, found);
  columns<<<blocks_of(kTall), kTall>>>(point, found);
  squares<<<blocks_of(kSquare), kSquare>>>(point, found);
  rows_of_bytes<<<blocks_of(kWide), kWide>>>(texture_of(array_of<unsigned char>(kSide, kSide), Filter::point),
                                             found);
  rows_of_uchar4<<<blocks_of(kWide), kWide>>>(texture_of(array_of<uchar4>(kSide, kSide), Filter::point),
                                              found);
  rows_of_float2<<<blocks_of(kWide), kWide>>>(texture_of(pairs, Filter::point), found);
  rows_of_float4<<<blocks_of(kWide), kWide>>>(points4, found);
  squares_of_float4<<<blocks_of(kSquare), kSquare>>>(points4, found);
  pitched<<<blocks_of(kWide), kWide>>>(pitch, found);
  pitched_squares<<<blocks_of(kSquare), kSquare>>>(pitch, found);
  filtered<<<blocks_of(kWide), kWide>>>(texture_of(floats, Filter::linear), found);
  filtered_float2<<<blocks_of(kWide), kWide>>>(texture_of(pairs, Filter::linear), found);
  filtered_float4<<<blocks_of(kWide), kWide>>>(texture_of(quadruples, Filter::linear), found);
  fetch_stencil<<<blocks_of(kWide), kWide>>>(point, device_array<float>(kSide * kSide), kSide);
}

void fetch_from_other_shapes(int* found) {
  const auto deep = array_of<float>(kSide, kSide, kDepth);
  line<<<16, 256>>>(texture_of(array_of<float>(4096, 0), Filter::point), found);
  volume<<<blocks_of(kWide, kDepth), kWide>>>(texture_of(deep, Filter::point), found);
  filtered_volume<<<blocks_of(kWide, kDepth), kWide>>>(texture_of(deep, Filter::linear), found);
  layers<<<blocks_of(kWide, kDepth), kWide>>>(
      texture_of(array_of<float>(kSide, kSide, kDepth, cudaArrayLayered), Filter::point), found);
  surface_volume<<<blocks_of(kWide, kDepth), kWide>>>(surface_of(deep), found);
}

void access_surfaces(int* found) {
  const auto floats = surface_of(array_of<float>(kSide, kSide)),
             quadruples = surface_of(array_of<float4>(kSide, kSide));
  surface_rows<<<blocks_of(kWide), kWide>>>(floats, found);
  surface_columns<<<blocks_of(kTall), kTall>>>(floats, found);
  surface_float2<<<blocks_of(kWide), kWide>>>(surface_of(array_of<float2>(kSide, kSide)), found);
  surface_float4<<<blocks_of(kWide), kWide>>>(quadruples, found);
  write_rows<<<blocks_of(kWide), kWide>>>(floats);
  write_bytes<<<blocks_of(kWide), kWide>>>(surface_of(array_of<unsigned char>(kSide, kSide)));
  write_float4<<<blocks_of(kWide), kWide>>>(quadruples);
}

}  // namespace

int main() {
  int* found = device_array<int>(1);
  fetch_from_linear_memory(found);
  fetch_from_images(found);
  fetch_from_other_shapes(found);
  access_surfaces(found);
  check(cudaGetLastError(), "a launch");
  check(cudaDeviceSynchronize(), "the end");
  return 0;
}
