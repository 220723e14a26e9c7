// Idea: images are copied to pitched memory and read through 2D textures, whose border is 0.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kW = 32, kH = 8, kRows = 4;
__constant__ float c_weights[17 * 17];
__device__ int bright;

// A copy of an image in pitched memory, with a texture that returns 0 outside.
template <class T>
class Image {
 public:
  Image(const T* d_in, int width, int height) {
    size_t pitch = 0;
    CUDA_CHECK(cudaMallocPitch(&memory_, &pitch, width * sizeof(T), height));
    CUDA_CHECK(cudaMemcpy2D(memory_, pitch, d_in, width * sizeof(T), width * sizeof(T), height,
                            cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory_;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<T>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeBorder;
    texture.filterMode = cudaFilterModePoint;
    texture.readMode = cudaReadModeElementType;
    CUDA_CHECK(cudaCreateTextureObject(&texture_, &resource, &texture, nullptr));
  }
  ~Image() {
    CUDA_CHECK(cudaDestroyTextureObject(texture_));
    CUDA_CHECK(cudaFree(memory_));
  }
  cudaTextureObject_t texture() const { return texture_; }

 private:
  T* memory_ = nullptr;
  cudaTextureObject_t texture_ = 0;
};

__global__ void blur_kernel(cudaTextureObject_t in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kW + threadIdx.x, row = blockIdx.y * kH + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = col - radius; x <= col + radius; ++x) sum += tex2D<float>(in, x, y);
  const int rows = min(row + radius, height - 1) - max(row - radius, 0) + 1;
  const int cols = min(col + radius, width - 1) - max(col - radius, 0) + 1;
  out[row * width + col] = sum / static_cast<float>(rows * cols);
}

dim3 blocks(int width, int height, int rows) {
  return dim3(lab::ceil_div(width, kW), lab::ceil_div(height, rows));
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  const Image<float> in(d_in, width, height);
  blur_kernel<<<blocks(width, height, kH), dim3(kW, kH)>>>(in.texture(), d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void convolve_constant_kernel(cudaTextureObject_t in, float* out, int width, int height,
                                         int radius) {
  const int col = blockIdx.x * kW + threadIdx.x, row = blockIdx.y * kH + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0;
  int w = 0;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = col - radius; x <= col + radius; ++x) sum += c_weights[w++] * tex2D<float>(in, x, y);
  out[row * width + col] = sum;
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  const int window = 2 * radius + 1;
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, window * window * sizeof(float)));
  const Image<float> in(d_in, width, height);
  convolve_constant_kernel<<<blocks(width, height, kH), dim3(kW, kH)>>>(in.texture(), d_out, width, height,
                                                                        radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void convolve_tiled_kernel(cudaTextureObject_t in, float* out, int width, int height, int radius) {
  __shared__ float tile[kRows * kH + 16][kW + 16];
  const int col = blockIdx.x * kW, row = blockIdx.y * kRows * kH, window = 2 * radius + 1;
  for (int y = threadIdx.y; y < kRows * kH + 2 * radius; y += kH)
    for (int x = threadIdx.x; x < kW + 2 * radius; x += kW)
      tile[y][x] = tex2D<float>(in, col + x - radius, row + y - radius);
  __syncthreads();
  float4 sum = {0, 0, 0, 0};
  for (int dy = 0; dy < window; ++dy)
    for (int dx = 0; dx < window; ++dx) {
      const float weight = c_weights[dy * window + dx];
      const float* pixel = &tile[threadIdx.y + dy][threadIdx.x + dx];
      sum.x += weight * pixel[0 * kH * (kW + 16)];
      sum.y += weight * pixel[1 * kH * (kW + 16)];
      sum.z += weight * pixel[2 * kH * (kW + 16)];
      sum.w += weight * pixel[3 * kH * (kW + 16)];
    }
  const auto store = [&](int y, float value) {
    if (y < height && col + threadIdx.x < width) out[y * width + col + threadIdx.x] = value;
  };
  store(row + threadIdx.y, sum.x);
  store(row + threadIdx.y + kH, sum.y);
  store(row + threadIdx.y + 2 * kH, sum.z);
  store(row + threadIdx.y + 3 * kH, sum.w);
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  const int window = 2 * radius + 1;
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, window * window * sizeof(float)));
  const Image<float> in(d_in, width, height);
  convolve_tiled_kernel<<<blocks(width, height, kRows * kH), dim3(kW, kH)>>>(in.texture(), d_out, width,
                                                                             height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < pixels && image[i] > threshold);
  if (threadIdx.x == 0 && count > 0) atomicAdd(&bright, count);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  void* address = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(&address, bright));
  if (restart) CUDA_CHECK(cudaMemset(address, 0, sizeof(int)));
  count_kernel<<<lab::ceil_div(width * height, 256), 256>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(h_count, address, sizeof(int), cudaMemcpyDeviceToHost));
}

__global__ void most_frequent_kernel(cudaTextureObject_t levels, int* out, int width, int height,
                                     int radius) {
  const int col = blockIdx.x * kW + threadIdx.x, row = blockIdx.y * kH + threadIdx.y;
  if (row >= height || col >= width) return;
  int histogram[lab::kLevels] = {};
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = tex2D<int>(levels, x, y);
#pragma unroll
      for (int i = 0; i < lab::kLevels; ++i) histogram[i] += level == i;
    }
  int best = 0, count = histogram[0];
#pragma unroll
  for (int i = 1; i < lab::kLevels; ++i)
    if (histogram[i] > count) best = i, count = histogram[i];
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  const Image<int> levels(d_levels, width, height);
  most_frequent_kernel<<<blocks(width, height, kH), dim3(kW, kH)>>>(levels.texture(), d_out, width, height,
                                                                    radius);
  CUDA_CHECK(cudaGetLastError());
}
