// Texture objects of all kinds, as programs for real GPUs use them. programs_test.cpp checks every line that
// this program prints.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kWidth = 33, kHeight = 17;

cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalised) {
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = mode;
  texture.filterMode = filter;
  texture.readMode = cudaReadModeElementType;
  texture.normalizedCoords = normalised;
  return texture;
}

cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& texture) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  if (cudaCreateTextureObject(&object, &resource, &texture, nullptr) != cudaSuccess)
    std::printf("no texture\n");
  return object;
}

template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t count;
  explicit Buffer(std::size_t n) : count(n) { cudaMalloc(&data, n * sizeof(T)); }
  ~Buffer() { cudaFree(data); }
  std::vector<T> values() const {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
};

// ---- rotation of an image, as in NVIDIA's simpleTexture

__global__ void rotate(float* out, int width, int height, float theta, cudaTextureObject_t image) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (float)x - (float)width / 2, v = (float)y - (float)height / 2;
  const float tu = (u * cosf(theta) - v * sinf(theta)) / width;
  const float tv = (v * cosf(theta) + u * sinf(theta)) / height;
  out[y * width + x] = tex2D<float>(image, tu + 0.5f, tv + 0.5f);
}

/// Bilinear filtering with wrapped, normalised coordinates; shares no code with the virtual GPU.
float bilinear(const std::vector<float>& image, float u, float v) {
  const double x = (u - std::floor((double)u)) * kWidth - 0.5,
               y = (v - std::floor((double)v)) * kHeight - 0.5;
  const double a = std::floor((x - std::floor(x)) * 256 + 0.5) / 256;
  const double b = std::floor((y - std::floor(y)) * 256 + 0.5) / 256;
  const auto at = [&](int column, int row) {
    return (double)image[(row + kHeight) % kHeight * kWidth + (column + kWidth) % kWidth];
  };
  const int i = (int)std::floor(x), j = (int)std::floor(y);
  return (float)((1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
                 a * b * at(i + 1, j + 1));
}

std::vector<float> picture() {
  std::vector<float> image(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) image[i] = (float)(i * 37 % 256) / 255.0f;
  return image;
}

void rotation() {
  const auto image = picture();
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channels, kWidth, kHeight);
  cudaMemcpy2DToArray(array, 0, 0, image.data(), kWidth * sizeof(float), kWidth * sizeof(float), kHeight,
                      cudaMemcpyHostToDevice);
  const auto object = texture_of(array, description(cudaAddressModeWrap, cudaFilterModeLinear, true));
  Buffer<float> out(kWidth * kHeight);
  rotate<<<dim3(3, 3), dim3(16, 8)>>>(out.data, kWidth, kHeight, 0.5f, object);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  const auto rotated = out.values();
  int wrong = 0;
  const float cosine = cosf(0.5f), sine = sinf(0.5f);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float u = (float)x - (float)kWidth / 2, v = (float)y - (float)kHeight / 2;
      const float tu = (u * cosine - v * sine) / kWidth, tv = (v * cosine + u * sine) / kHeight;
      // The device's cosf can differ in its last bit, and therefore a weight by 1/256.
      if (!(std::fabs(rotated[y * kWidth + x] - bilinear(image, tu + 0.5f, tv + 0.5f)) <= 2.0f / 256))
        ++wrong;
    }
  }
  std::printf("%d wrong\n", wrong);
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
}

// ---- bilinear resize to twice the size: exact weights, sums of float precision

__global__ void resize(float* out, int width, int height, cudaTextureObject_t image) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, (x + 0.5f) / 2, (y + 0.5f) / 2);
}

void resizing() {
  const auto image = picture();
  float* pitched = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, kWidth * sizeof(float), kHeight);
  cudaMemcpy2D(pitched, pitch, image.data(), kWidth * sizeof(float), kWidth * sizeof(float), kHeight,
               cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  const auto texture = description(cudaAddressModeClamp, cudaFilterModeLinear, false);
  cudaTextureObject_t object = 0;
  std::printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&object, &resource, &texture, nullptr)));
  Buffer<float> out(4 * kWidth * kHeight);
  resize<<<dim3(5, 5), dim3(16, 8)>>>(out.data, 2 * kWidth, 2 * kHeight, object);
  const auto resized = out.values();
  int wrong = 0;
  for (int y = 0; y < 2 * kHeight; ++y) {
    for (int x = 0; x < 2 * kWidth; ++x) {
      const auto at = [&](int column, int row) {
        column = column < 0 ? 0 : column >= kWidth ? kWidth - 1 : column;
        row = row < 0 ? 0 : row >= kHeight ? kHeight - 1 : row;
        return (double)image[row * kWidth + column];
      };
      const int i = (x + 1) / 2 - 1, j = (y + 1) / 2 - 1;
      const double a = x % 2 == 0 ? 0.75 : 0.25, b = y % 2 == 0 ? 0.75 : 0.25;
      const auto expected = (float)((1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) +
                                    (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1));
      // The device aligns texels before it adds them, so the last bit can differ.
      if (!(std::fabs(resized[y * 2 * kWidth + x] - expected) <= 0x1p-22f)) ++wrong;
    }
  }
  std::printf("%d wrong\n", wrong);
  cudaDestroyTextureObject(object);
  cudaFree(pitched);
}

// ---- every form of fetch

__global__ void fetch_all(int* ints, float* floats, cudaTextureObject_t linear, cudaTextureObject_t bytes,
                          cudaTextureObject_t line, cudaTextureObject_t volume, cudaTextureObject_t lines,
                          cudaTextureObject_t planes) {
  const int i = threadIdx.x;
  ints[i] = tex1Dfetch<int>(linear, i - 1);
  const uchar4 colour = tex2D<uchar4>(bytes, i, 0.5f);
  ints[4 + i] = colour.x + 256 * colour.w;
  floats[i] = tex1D<float>(line, (i + 1.0f) / 4);
  floats[4 + i] = tex3D<float>(volume, 0.5f, 1.5f, i);
  const float2 pair = tex1DLayered<float2>(lines, 1.5f, i);
  floats[8 + i] = pair.x - pair.y;
  if (i < 3) floats[12 + i] = tex2DLayered<float>(planes, 1.5f, 0.5f, i);
}

cudaArray_t filled(const cudaChannelFormatDesc& channels, cudaExtent extent, unsigned flags, const void* data,
                   std::size_t texel_bytes) {
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &channels, extent, flags);
  cudaMemcpy3DParms copy{};
  const std::size_t height = extent.height == 0 ? 1 : extent.height;
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<void*>(data), extent.width * texel_bytes, extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, extent.depth == 0 ? 1 : extent.depth);
  copy.kind = cudaMemcpyHostToDevice;
  const cudaError_t error = cudaMemcpy3D(&copy);
  if (error != cudaSuccess) std::printf("copy: %s\n", cudaGetErrorName(error));
  return array;
}

void forms() {
  std::vector<float> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = (float)i;
  std::vector<int> whole{10, 11, 12};
  std::vector<uchar4> colours{{1, 0, 0, 2}, {3, 0, 0, 4}, {5, 0, 0, 6}, {7, 0, 0, 8}};
  Buffer<int> memory(3);
  cudaMemcpy(memory.data, whole.data(), 12, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory.data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 12;
  const cudaTextureDesc plain{};
  cudaTextureObject_t linear = 0;
  cudaCreateTextureObject(&linear, &resource, &plain, nullptr);

  const auto one = cudaCreateChannelDesc<float>(), two = cudaCreateChannelDesc<float2>();
  const auto point = description(cudaAddressModeClamp, cudaFilterModePoint, false);
  const cudaArray_t arrays[] = {filled(cudaCreateChannelDesc<uchar4>(), {4, 1, 0}, 0, colours.data(), 4),
                                filled(one, {4, 0, 0}, 0, numbers.data(), 4),
                                filled(one, {2, 2, 3}, 0, numbers.data(), 4),
                                filled(two, {2, 0, 3}, cudaArrayLayered, numbers.data(), 8),
                                filled(one, {2, 2, 3}, cudaArrayLayered, numbers.data(), 4)};
  const cudaTextureObject_t objects[] = {
      texture_of(arrays[0], point),
      texture_of(arrays[1], description(cudaAddressModeMirror, cudaFilterModePoint, true)),
      texture_of(arrays[2], description(cudaAddressModeBorder, cudaFilterModeLinear, false)),
      texture_of(arrays[3], point), texture_of(arrays[4], point)};
  Buffer<int> ints(8);
  Buffer<float> floats(15);
  fetch_all<<<1, 4>>>(ints.data, floats.data, linear, objects[0], objects[1], objects[2], objects[3],
                      objects[4]);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (const int value : ints.values()) std::printf("%d ", value);
  std::printf("\n");
  for (const float value : floats.values()) std::printf("%g ", value);
  std::printf("\n");

  cudaExtent extent{};
  unsigned flags = 0;
  cudaChannelFormatDesc channels{};
  cudaArrayGetInfo(&channels, &extent, &flags, arrays[4]);
  std::printf("%d bits, %d x %d x %d, flags %u\n", channels.x, (int)extent.width, (int)extent.height,
              (int)extent.depth, flags);
  cudaTextureDesc known{};
  cudaGetTextureObjectTextureDesc(&known, objects[2]);
  cudaResourceDesc source{};
  cudaGetTextureObjectResourceDesc(&source, objects[2]);
  std::printf("%d %d\n", known.filterMode == cudaFilterModeLinear, source.res.array.array == arrays[2]);
  std::vector<float> back(4);
  cudaMemcpy2DFromArray(back.data(), 8, arrays[2], 0, 0, 8, 2, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %g\n", back[0], back[1], back[2], back[3]);

  cudaDestroyTextureObject(linear);
  for (const auto object : objects) cudaDestroyTextureObject(object);
  for (const auto array : arrays) cudaFreeArray(array);
}

// ---- mistakes

__global__ void read_one(float* out, cudaTextureObject_t object) {
  out[0] = tex2D<float>(object, 0.5f, 0.5f);
}
__global__ void read_line(float* out, cudaTextureObject_t object) { out[0] = tex1D<float>(object, 0.5f); }

enum class Mistake { no_object, destroyed, freed, other_kind };

void mistake(Mistake which) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channels, 4, 4);
  const auto object = texture_of(array, description(cudaAddressModeClamp, cudaFilterModePoint, false));
  Buffer<float> out(1);
  if (which == Mistake::destroyed) cudaDestroyTextureObject(object);
  if (which == Mistake::freed) cudaFreeArray(array);
  if (which == Mistake::other_kind) {
    read_line<<<1, 1>>>(out.data, object);
  } else {
    read_one<<<1, 1>>>(out.data, which == Mistake::no_object ? 5 : object);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

void refusals() {
  const auto ints = cudaCreateChannelDesc<int>();
  const auto three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMallocArray(&array, &three, 4, 4)));
  cudaMallocArray(&array, &ints, 4, 4);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  auto texture = description(cudaAddressModeClamp, cudaFilterModeLinear, false);
  std::printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&object, &resource, &texture, nullptr)));
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeNormalizedFloat;
  std::printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&object, &resource, &texture, nullptr)));
  const int value = 0;
  std::printf("%s\n",
              cudaGetErrorName(cudaMemcpy2DToArray(array, 16, 0, &value, 4, 4, 1, cudaMemcpyHostToDevice)));
  cudaFreeArray(array);
  std::printf("%s\n", cudaGetErrorName(cudaFreeArray(array)));
  std::printf("%s\n", cudaGetErrorName(cudaDestroyTextureObject(7)));
}

}  // namespace

extern "C" int run(const char* mode) {
  const auto is = [&](const char* name) { return std::strcmp(mode, name) == 0; };
  if (is("rotation")) return rotation(), 0;
  if (is("resizing")) return resizing(), 0;
  if (is("forms")) return forms(), 0;
  if (is("refusals")) return refusals(), 0;
  if (is("no-object")) return mistake(Mistake::no_object), 0;
  if (is("destroyed")) return mistake(Mistake::destroyed), 0;
  if (is("freed")) return mistake(Mistake::freed), 0;
  if (is("other-kind")) return mistake(Mistake::other_kind), 0;
  return 1;
}
