// Features of the runtime other than cudaMalloc and cudaMemcpy, one per mode. The first argument selects the
// mode. A mode prints one line.
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

__global__ void add_one(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] += 1;
}

__global__ void fill_rows(float* matrix, size_t pitch, int width) {
  float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(matrix) + blockIdx.x * pitch);
  if (static_cast<int>(threadIdx.x) < width)
    row[threadIdx.x] = static_cast<float>(blockIdx.x * 10 + threadIdx.x);
}

static constexpr int kCount = 1000;

static void launch(int* values, cudaStream_t stream = nullptr) {
  add_one<<<(kCount + 255) / 256, 256, 0, stream>>>(values, kCount);
}

static void managed() {
  int* values = nullptr;
  cudaMallocManaged(&values, kCount * sizeof(int));
  for (int i = 0; i < kCount; ++i) values[i] = i;
  launch(values);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", values[0], values[kCount - 1]);
  cudaFree(values);
}

static void mapped() {
  int *host = nullptr, *device = nullptr;
  cudaHostAlloc(&host, kCount * sizeof(int), cudaHostAllocMapped);
  std::memset(host, 0, kCount * sizeof(int));
  cudaHostGetDevicePointer(&device, host, 0);
  launch(device);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", host[0], host[kCount - 1]);
  cudaFreeHost(host);
}

static void registered() {
  std::vector<int> values(kCount, 5);
  cudaHostRegister(values.data(), kCount * sizeof(int), cudaHostRegisterMapped);
  launch(values.data());
  cudaDeviceSynchronize();
  cudaHostUnregister(values.data());
  std::printf("%d %d\n", values[0], values[kCount - 1]);
}

static void pitched() {
  constexpr int kWidth = 5, kHeight = 3;
  float* matrix = nullptr;
  size_t pitch = 0;
  float host[kHeight][kWidth] = {};
  cudaMallocPitch(&matrix, &pitch, kWidth * sizeof(float), kHeight);
  fill_rows<<<kHeight, 32>>>(matrix, pitch, kWidth);
  cudaMemcpy2D(host, sizeof host[0], matrix, pitch, sizeof host[0], kHeight, cudaMemcpyDeviceToHost);
  std::printf("%g %g %d\n", host[0][4], host[2][3], pitch >= sizeof host[0]);
  cudaFree(matrix);
}

static void report(void* text) { std::printf("%s", static_cast<const char*>(text)); }

static void streams() {
  cudaStream_t first, second;
  cudaEvent_t done;
  int *values = nullptr, *pinned = nullptr;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreate(&second);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaMallocAsync(&values, kCount * sizeof(int), first);
  cudaMallocHost(&pinned, kCount * sizeof(int));
  cudaMemsetAsync(values, 0, kCount * sizeof(int), first);
  launch(values, first);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  cudaMemcpyAsync(pinned, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, second);
  char text[] = "copied ";
  cudaLaunchHostFunc(second, report, text);
  cudaStreamSynchronize(second);
  cudaFreeAsync(values, first);
  std::printf("%d\n", pinned[kCount - 1]);
  cudaFreeHost(pinned);
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

static void graph() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int *values = nullptr, last = -1;
  cudaStreamCreate(&stream);
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMemset(values, 0, kCount * sizeof(int));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; ++i) launch(values, stream);
  cudaMemcpyAsync(&last, values + kCount - 1, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 4; ++i) cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d\n", last);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(values);
}

static void occupancy() {
  int grid = 0, block = 0, blocks = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_one);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, block, 0);
  std::printf("%d threads, full: %d\n", block, blocks * block == 1536);
}

static void launch_ex() {
  int *values = nullptr, last = 0;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMemset(values, 0, kCount * sizeof(int));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(256);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, add_one, values, kCount);
  cudaMemcpy(&last, values + kCount - 1, sizeof(int), cudaMemcpyDefault);
  std::printf("%d\n", last);
  cudaFree(values);
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*function)();
  } kModes[] = {{"managed", managed},     {"mapped", mapped},      {"registered", registered},
                {"pitched", pitched},     {"streams", streams},    {"graph", graph},
                {"occupancy", occupancy}, {"launch-ex", launch_ex}};
  for (const auto& mode : kModes) {
    if (argc < 2 || std::strcmp(argv[1], mode.name) != 0) continue;
    mode.function();
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 1;
  }
  return 99;
}
