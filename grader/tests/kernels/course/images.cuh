// Kernels on images and grids.
#pragma once

#include "course.hpp"

namespace course {

constexpr int kRadius = 2, kMaskWidth = 2 * kRadius + 1, kPatch = 16;
__constant__ float convolution_mask[kMaskWidth * kMaskWidth];

__global__ void transpose_naive(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

__global__ void transpose_pad(const float* in, float* out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

__global__ void blur_u8(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0, count = 0;
  for (int j = -kRadius; j <= kRadius; ++j) {
    for (int i = -kRadius; i <= kRadius; ++i) {
      const int xx = x + i, yy = y + j;
      if (xx >= 0 && xx < w && yy >= 0 && yy < h) {
        sum += in[yy * w + xx];
        ++count;
      }
    }
  }
  out[y * w + x] = sum / count;
}

__global__ void rgb2gray(const uchar3* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar3 p = in[i];
  out[i] = static_cast<unsigned char>(0.299F * p.x + 0.587F * p.y + 0.114F * p.z);
}

__global__ void conv_const(const float* in, float* out, int w, int h) {
  __shared__ float patch[kPatch + 2 * kRadius][kPatch + 2 * kRadius];
  const int ox = blockIdx.x * kPatch + threadIdx.x, oy = blockIdx.y * kPatch + threadIdx.y;
  for (int y = threadIdx.y; y < kPatch + 2 * kRadius; y += kPatch) {
    for (int x = threadIdx.x; x < kPatch + 2 * kRadius; x += kPatch) {
      const int gx = blockIdx.x * kPatch + x - kRadius, gy = blockIdx.y * kPatch + y - kRadius;
      patch[y][x] = gx >= 0 && gx < w && gy >= 0 && gy < h ? in[gy * w + gx] : 0.F;
    }
  }
  __syncthreads();
  if (ox >= w || oy >= h) return;
  float sum = 0;
  for (int j = 0; j < kMaskWidth; ++j) {
    for (int i = 0; i < kMaskWidth; ++i) {
      sum += convolution_mask[j * kMaskWidth + i] * patch[threadIdx.y + j][threadIdx.x + i];
    }
  }
  out[oy * w + ox] = sum;
}

__global__ void stencil7(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x <= 0 || y <= 0 || z <= 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const size_t row = nx, layer = static_cast<size_t>(nx) * ny, i = z * layer + y * row + x;
  out[i] = 0.4F * in[i] +
           0.1F * (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - layer] + in[i + layer]);
}

__global__ void mandel(int* out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = x * 3.F / w - 2, ci = y * 2.F / h - 1;
  float zr = 0, zi = 0;
  int steps = 0;
  for (; steps < most && zr * zr + zi * zi < 4; ++steps) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
  }
  out[y * w + x] = steps;
}

inline void run_transposes(Results& results, Random& random) {
  const int w = 37, h = 27;
  const Array<float> in(random.reals(w * h)), naive(w * h), padded(w * h);
  transpose_naive<<<dim3(2, 1), dim3(32, 32)>>>(in, naive, w, h);
  results.launched("transpose_naive");
  results.add("out", naive);
  transpose_pad<<<dim3(2, 1), dim3(32, 8)>>>(in, padded, w, h);
  results.launched("transpose_pad");
  results.add("out", padded);
}

inline void run_pixels(Results& results, Random& random) {
  const int w = 37, h = 27, n = 1001;
  const dim3 block(16, 8), grid = blocks_for(w, h, block);
  const Array<unsigned char> in(random.integers<unsigned char>(w * h, 256)), blurred(w * h);
  blur_u8<<<grid, block>>>(in, blurred, w, h);
  results.launched("blur_u8");
  results.add("out", blurred);

  const Array<unsigned char> colours(random.integers<unsigned char>(3 * n, 256)), gray(n);
  const auto* pixels = reinterpret_cast<const uchar3*>(static_cast<unsigned char*>(colours));
  rgb2gray<<<blocks_for(n, 256), 256>>>(pixels, gray, n);
  results.launched("rgb2gray");
  results.add("out", gray);

  const Array<int> steps(w * h);
  mandel<<<grid, block>>>(steps, w, h, 100);
  results.launched("mandel");
  results.add("out", steps);
}

inline void run_images(Results& results) {
  Random random(4);
  run_transposes(results, random);
  run_pixels(results, random);

  const int w = 37, h = 27;
  const std::vector<float> mask = random.reals(kMaskWidth * kMaskWidth);
  cudaMemcpyToSymbol(convolution_mask, mask.data(), mask.size() * sizeof(float));
  const Array<float> in(random.reals(w * h)), convolved(w * h);
  const dim3 block(kPatch, kPatch);
  conv_const<<<blocks_for(w, h, block), block>>>(in, convolved, w, h);
  results.launched("conv_const");
  results.add("out", convolved);

  const int nx = 13, ny = 11, nz = 7;
  const Array<float> field(random.reals(nx * ny * nz)), next(nx * ny * nz);
  stencil7<<<dim3(2, 3, 4), dim3(8, 4, 2)>>>(field, next, nx, ny, nz);
  results.launched("stencil7");
  results.add("out", next);
}

}  // namespace course
