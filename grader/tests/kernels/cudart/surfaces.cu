// Surface objects of all kinds, as programs for real GPUs use them. programs_test.cpp checks every line that
// this program prints.

#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kWidth = 37, kHeight = 19;

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t object = 0;
  if (cudaCreateSurfaceObject(&object, &resource) != cudaSuccess) std::printf("no surface\n");
  return object;
}

template <class T>
cudaArray_t array_of(cudaExtent extent, unsigned flags = 0) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  cudaArray_t array = nullptr;
  if (cudaMalloc3DArray(&array, &channels, extent, flags | cudaArraySurfaceLoadStore) != cudaSuccess)
    std::printf("no array\n");
  return array;
}

// ---- a blurred picture: written to a surface, read as a texture, copied back

__global__ void draw(cudaSurfaceObject_t picture) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth && y < kHeight) surf2Dwrite((float)(x * 7 + y * y), picture, x * (int)sizeof(float), y);
}

/// Writes the texture's value and the mean of four neighbours, which it reads from the surface.
__global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t same, cudaSurfaceObject_t to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kWidth || y >= kHeight) return;
  const auto at = [&](int i, int j) {
    return surf2Dread<float>(same, i * (int)sizeof(float), j, cudaBoundaryModeClamp);
  };
  const float mean = (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 4;
  surf2Dwrite(make_float2(tex2D<float>(from, x, y), mean), to, x * (int)sizeof(float2), y);
}

void blurring() {
  const cudaArray_t picture = array_of<float>({kWidth, kHeight, 0});
  const cudaArray_t result = array_of<float2>({kWidth, kHeight, 0});
  const cudaSurfaceObject_t surface = surface_of(picture), out = surface_of(result);
  const cudaResourceDesc resource = resource_of(picture);
  const cudaTextureDesc plain{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &plain, nullptr);
  const dim3 grid(3, 3), block(16, 8);
  draw<<<grid, block>>>(surface);
  blur<<<grid, block>>>(texture, surface, out);
  std::vector<float2> found(kWidth * kHeight);
  const std::size_t row = kWidth * sizeof(float2);
  std::printf("%s\n", cudaGetErrorName(cudaMemcpy2DFromArray(found.data(), row, result, 0, 0, row, kHeight,
                                                             cudaMemcpyDeviceToHost)));
  int wrong = 0;
  const auto at = [](int x, int y) {
    x = x < 0 ? 0 : x >= kWidth ? kWidth - 1 : x;
    y = y < 0 ? 0 : y >= kHeight ? kHeight - 1 : y;
    return (float)(x * 7 + y * y);
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float mean = (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 4;
      if (found[y * kWidth + x].x != at(x, y) || found[y * kWidth + x].y != mean) ++wrong;
    }
  }
  std::printf("%d wrong\n", wrong);
  cudaDestroyTextureObject(texture);
  cudaDestroySurfaceObject(surface);
  cudaDestroySurfaceObject(out);
  cudaFreeArray(picture);
  cudaFreeArray(result);
}

// ---- every type in every geometry: element i goes to element (count - 1 - i)

enum class Shape { line, plane, volume, lines, planes };
constexpr int kX = 5, kY = 3, kZ = 2;

template <class T>
__device__ T read(cudaSurfaceObject_t from, Shape shape, int x, int y, int z) {
  const int at = x * (int)sizeof(T);
  switch (shape) {
    case Shape::line:
      return surf1Dread<T>(from, at);
    case Shape::plane:
      return surf2Dread<T>(from, at, y, cudaBoundaryModeZero);
    case Shape::volume:
      return surf3Dread<T>(from, at, y, z, cudaBoundaryModeClamp);
    case Shape::lines:
      return surf1DLayeredread<T>(from, at, z);
    default:
      return surf2DLayeredread<T>(from, at, y, z);
  }
}

template <class T>
__device__ void write(T value, cudaSurfaceObject_t to, Shape shape, int x, int y, int z) {
  const int at = x * (int)sizeof(T);
  switch (shape) {
    case Shape::line:
      return surf1Dwrite(value, to, at);
    case Shape::plane:
      return surf2Dwrite(value, to, at, y, cudaBoundaryModeZero);
    case Shape::volume:
      return surf3Dwrite(value, to, at, y, z, cudaBoundaryModeClamp);
    case Shape::lines:
      return surf1DLayeredwrite(value, to, at, z);
    default:
      return surf2DLayeredwrite(value, to, at, y, z);
  }
}

template <class T>
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, Shape shape, int height, int depth) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  write(read<T>(from, shape, x, y, z), to, shape, kX - 1 - x, height - 1 - y, depth - 1 - z);
}

cudaMemcpy3DParms copy_of(cudaExtent extent, void* memory, std::size_t element_bytes) {
  cudaMemcpy3DParms copy{};
  copy.extent = make_cudaExtent(extent.width, extent.height == 0 ? 1 : extent.height,
                                extent.depth == 0 ? 1 : extent.depth);
  copy.dstPtr = copy.srcPtr =
      make_cudaPitchedPtr(memory, extent.width * element_bytes, extent.width, copy.extent.height);
  return copy;
}

/// Reverses the elements and returns how many are wrong. Texels are of type Texel, which can differ from T,
/// because surfaces have no type.
template <class T, class Texel = T>
int turned(Shape shape) {
  const bool has_rows = shape != Shape::line && shape != Shape::lines;
  const bool has_slices = shape != Shape::line && shape != Shape::plane;
  const bool is_layered = shape == Shape::lines || shape == Shape::planes;
  const int height = has_rows ? kY : 1, depth = has_slices ? kZ : 1, count = kX * height * depth;
  const cudaExtent extent{kX * sizeof(T) / sizeof(Texel), has_rows ? kY : std::size_t{0},
                          has_slices ? kZ : std::size_t{0}};
  const unsigned flags = is_layered ? cudaArrayLayered : 0;
  const cudaArray_t from = array_of<Texel>(extent, flags), to = array_of<Texel>(extent, flags);
  std::vector<unsigned char> sent(count * sizeof(T)), received(count * sizeof(T));
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = (unsigned char)(i * 37 + 11);
  cudaMemcpy3DParms up = copy_of(extent, sent.data(), sizeof(Texel));
  up.dstPtr = {};
  up.dstArray = from;
  up.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&up);
  const cudaSurfaceObject_t in = surface_of(from), out = surface_of(to);
  turn<T><<<1, dim3(kX, height, depth)>>>(in, out, shape, height, depth);
  cudaMemcpy3DParms down = copy_of(extent, received.data(), sizeof(Texel));
  down.srcPtr = {};
  down.srcArray = to;
  down.kind = cudaMemcpyDeviceToHost;
  int wrong = cudaMemcpy3D(&down) == cudaSuccess ? 0 : 1000;
  for (int i = 0; i < count; ++i) {
    if (std::memcmp(&sent[i * sizeof(T)], &received[(count - 1 - i) * sizeof(T)], sizeof(T)) != 0) ++wrong;
  }
  cudaDestroySurfaceObject(in);
  cudaDestroySurfaceObject(out);
  cudaFreeArray(from);
  cudaFreeArray(to);
  return wrong;
}

void types() {
  for (const Shape shape : {Shape::line, Shape::plane, Shape::volume, Shape::lines, Shape::planes}) {
    std::printf("%d", turned<char>(shape) + turned<uchar2>(shape) + turned<uchar4>(shape) +
                          turned<short>(shape) + turned<short2>(shape) + turned<ushort4>(shape) +
                          turned<int>(shape) + turned<uint2>(shape) + turned<int4>(shape) +
                          turned<float>(shape) + turned<float2>(shape) + turned<float4>(shape) +
                          turned<long long, int2>(shape) + turned<ulonglong2, uint4>(shape) +
                          turned<uchar4, float>(shape) + turned<float, uchar4>(shape));
    std::printf(" ");
  }
  std::printf("wrong\n");
}

// ---- boundary modes

__global__ void beyond(cudaSurfaceObject_t line, int* out) {
  const int x = ((int)threadIdx.x - 2) * (int)sizeof(int);
  out[threadIdx.x] = surf1Dread<int>(line, x, cudaBoundaryModeZero);
  out[8 + threadIdx.x] = surf1Dread<int>(line, x, cudaBoundaryModeClamp);
}

__global__ void store_beyond(cudaSurfaceObject_t line) {
  surf1Dwrite(70, line, -4, cudaBoundaryModeZero);
  surf1Dwrite(71, line, 16, cudaBoundaryModeZero);
  surf1Dwrite(72, line, -100, cudaBoundaryModeClamp);
  surf1Dwrite(73, line, 100, cudaBoundaryModeClamp);
}

void print(const int* values, int count) {
  for (int i = 0; i < count; ++i) std::printf("%d ", values[i]);
  std::printf("\n");
}

void boundaries() {
  int values[4] = {10, 11, 12, 13}, found[16];
  const cudaArray_t array = array_of<int>({4, 0, 0});
  cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice);
  const cudaSurfaceObject_t surface = surface_of(array);
  int* out = nullptr;
  cudaMalloc(&out, sizeof found);
  beyond<<<1, 8>>>(surface, out);
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  print(found, 8);
  print(found + 8, 8);
  store_beyond<<<1, 1>>>(surface);
  cudaMemcpy2DFromArray(values, sizeof values, array, 0, 0, sizeof values, 1, cudaMemcpyDeviceToHost);
  print(values, 4);
  cudaFree(out);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

// ---- calls that the runtime refuses

void refusals() {
  const auto report = [](cudaError_t error) { std::printf("%s\n", cudaGetErrorName(error)); };
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t plain = nullptr;
  cudaMallocArray(&plain, &channels, 4, 4);
  cudaSurfaceObject_t object = 0;
  cudaResourceDesc resource = resource_of(plain);
  report(cudaCreateSurfaceObject(&object, &resource));  // the array is not for surfaces
  resource.resType = cudaResourceTypePitch2D;
  report(cudaCreateSurfaceObject(&object, &resource));
  cudaFreeArray(plain);
  resource = resource_of(plain);
  report(cudaCreateSurfaceObject(&object, &resource));  // the array is gone
  report(cudaCreateSurfaceObject(&object, nullptr));
  report(cudaDestroySurfaceObject(12345));
  const cudaArray_t array = array_of<float>({4, 4, 0});
  object = surface_of(array);
  cudaResourceDesc got{};
  report(cudaGetSurfaceObjectResourceDesc(&got, object));
  std::printf("%d %d\n", got.resType == cudaResourceTypeArray, got.res.array.array == array);
  report(cudaDestroySurfaceObject(object));
  report(cudaDestroySurfaceObject(object));
  report(cudaGetSurfaceObjectResourceDesc(&got, object));
  cudaFreeArray(array);
  int alignment = 0;
  cudaDeviceProp properties{};
  cudaDeviceGetAttribute(&alignment, cudaDevAttrSurfaceAlignment, 0);
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%d\n", alignment > 0 && alignment == static_cast<int>(properties.surfaceAlignment));
}

// ---- mistakes in kernels

__global__ void store(cudaSurfaceObject_t surface, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  surf2Dwrite(1.0f, surface, i * step, 0);  // faults are reported at this line
}

enum class Mistake { outside, columns, destroyed, freed, texture, line };

void mistake(Mistake kind) {
  const cudaArray_t array = array_of<float>({8, kind == Mistake::line ? std::size_t{0} : 8, 0});
  cudaSurfaceObject_t surface = surface_of(array);
  if (kind == Mistake::destroyed) cudaDestroySurfaceObject(surface);
  if (kind == Mistake::freed) cudaFreeArray(array);
  if (kind == Mistake::texture) {
    const cudaResourceDesc resource = resource_of(array);
    const cudaTextureDesc plain{};
    cudaCreateTextureObject(&surface, &resource, &plain, nullptr);
  }
  // The second block is outside. Columns must be counted in bytes; otherwise they are misaligned.
  store<<<2, 8>>>(surface, kind == Mistake::columns ? 1 : 4);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

}  // namespace

extern "C" int run(const char* mode) {
  const auto is = [&](const char* name) { return std::strcmp(mode, name) == 0; };
  if (is("blurring")) return blurring(), 0;
  if (is("types")) return types(), 0;
  if (is("boundaries")) return boundaries(), 0;
  if (is("refusals")) return refusals(), 0;
  if (is("outside")) return mistake(Mistake::outside), 0;
  if (is("columns")) return mistake(Mistake::columns), 0;
  if (is("destroyed")) return mistake(Mistake::destroyed), 0;
  if (is("freed")) return mistake(Mistake::freed), 0;
  if (is("texture")) return mistake(Mistake::texture), 0;
  if (is("line")) return mistake(Mistake::line), 0;
  return 1;
}
