// Exact results of linear filtering: fetches at random places from textures of random texels. Prints a hash
// of all results for each kind of texture; programs_test.cpp contains the hashes of an NVIDIA H200.
//
// On a real GPU: nvcc -std=c++17 -arch=native -DALONE -o texture_filter texture_filter.cu && ./texture_filter

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kFetches = 1 << 15;
constexpr int kSide = 64;  // texels

/// Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
class Random {
 public:
  std::uint32_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }
  /// A coordinate from -2 to `extent` + 2: a multiple of 1/256 texel, or with a finer fraction.
  float place(int extent) {
    const std::uint32_t whole = bits() % ((extent + 4) * 256), fraction = bits() % 256;
    const float fine = bits() % 2 == 0 ? 0 : static_cast<float>(fraction) / 65536;
    return static_cast<float>(whole) / 256 - 2 + fine;
  }
  /// Numbers of both signs and very different magnitudes.
  float number() {
    return static_cast<float>(static_cast<int>(bits() & 0xffffffu) - 0x800000) /
           static_cast<float>(1 << bits() % 24);
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

struct Places {
  float3* data = nullptr;
  Places(Random& random, int width, int height, int depth) {
    std::vector<float3> places(kFetches);
    for (float3& place : places) place = {random.place(width), random.place(height), random.place(depth)};
    cudaMalloc(&data, kFetches * sizeof(float3));
    cudaMemcpy(data, places.data(), kFetches * sizeof(float3), cudaMemcpyHostToDevice);
  }
  ~Places() { cudaFree(data); }
};

__global__ void fetch_line(float* out, const float3* at, cudaTextureObject_t texture) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1D<float>(texture, at[i].x);
}
__global__ void fetch_plane(float* out, const float3* at, cudaTextureObject_t texture) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}
__global__ void fetch_volume(float* out, const float3* at, cudaTextureObject_t texture) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex3D<float>(texture, at[i].x, at[i].y, at[i].z);
}

using Fetch = void (*)(float*, const float3*, cudaTextureObject_t);

/// A height or depth of 0 means a texture without that dimension.
template <class Texel>
void ask(const char* name, Fetch fetch, cudaExtent extent, const cudaChannelFormatDesc& channels,
         std::vector<Texel> texels, Random& random) {
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &channels, extent);
  const std::size_t height = extent.height == 0 ? 1 : extent.height,
                    depth = extent.depth == 0 ? 1 : extent.depth;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), extent.width * sizeof(Texel), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.filterMode = cudaFilterModeLinear;
  for (cudaTextureAddressMode& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.readMode =
      channels.f == cudaChannelFormatKindFloat ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);

  const Places places(random, static_cast<int>(extent.width), static_cast<int>(height),
                      static_cast<int>(depth));
  float* out = nullptr;
  cudaMalloc(&out, kFetches * sizeof(float));
  fetch<<<kFetches / 256, 256>>>(out, places.data, texture);
  std::vector<std::uint32_t> bits(kFetches);
  cudaMemcpy(bits.data(), out, kFetches * sizeof(float), cudaMemcpyDeviceToHost);
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a over words
  for (const std::uint32_t word : bits) hash = (hash ^ word) * 1099511628211u;
  std::printf("%s %016llx %s\n", name, static_cast<unsigned long long>(hash),
              cudaGetErrorName(cudaGetLastError()));
  cudaFree(out);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}

template <class Texel, class Draw>
std::vector<Texel> drawn(std::size_t count, Draw draw) {
  std::vector<Texel> texels(count);
  for (Texel& texel : texels) texel = static_cast<Texel>(draw());
  return texels;
}

void ask_all() {
  Random random;
  const auto numbers = [&](std::size_t count) {
    return drawn<float>(count, [&] { return random.number(); });
  };
  const auto floats = cudaCreateChannelDesc<float>();
  ask("1D", fetch_line, make_cudaExtent(512, 0, 0), floats, numbers(512), random);
  ask("2D", fetch_plane, make_cudaExtent(kSide, kSide, 0), floats, numbers(kSide * kSide), random);
  ask("3D", fetch_volume, make_cudaExtent(kSide, kSide, 8), floats, numbers(kSide * kSide * 8), random);
  const auto any = [&] { return random.bits(); };
  const auto plane = make_cudaExtent(kSide, kSide, 0);
  ask("2D u8", fetch_plane, plane, cudaCreateChannelDesc<unsigned char>(),
      drawn<unsigned char>(kSide * kSide, any), random);
  ask("2D u16", fetch_plane, plane, cudaCreateChannelDesc<unsigned short>(),
      drawn<unsigned short>(kSide * kSide, any), random);
  ask("2D s8", fetch_plane, plane, cudaCreateChannelDesc<signed char>(),
      drawn<signed char>(kSide * kSide, any), random);
  ask("2D s16", fetch_plane, plane, cudaCreateChannelDesc<short>(), drawn<short>(kSide * kSide, any), random);
  // Normal numbers: an exponent from 1 to 30, any fraction and sign.
  const auto half = [&] {
    const std::uint32_t bits = random.bits();
    return (bits & 0x83ffu) | (1 + (bits >> 16) % 30) << 10;
  };
  ask("2D f16", fetch_plane, plane, cudaCreateChannelDescHalf(), drawn<unsigned short>(kSide * kSide, half),
      random);
}

}  // namespace

#ifdef ALONE
int main() { ask_all(); }
#else
extern "C" int run(const char*) {
  ask_all();
  return 0;
}
#endif
