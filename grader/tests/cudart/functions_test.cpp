// Kernels and the device: launches with attributes, occupancy, attributes, limits.

#include "cudart/client_program.hpp"

namespace functions_test {

using testing::contains;
using testing::device_memory;
using Program = testing::ClientProgram;

namespace {

cudaLaunchConfig_t one_block(unsigned threads) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  return config;
}

}  // namespace

TEST_CASE("the blocks of a cooperative launch must all fit on the device at the same time") {
  Program program;
  void* out = device_memory(1024 * 4);
  void* arguments[] = {&out};
  CHECK(cudaLaunchCooperativeKernel(&program.store_index, dim3(1), dim3(64), arguments, 0, nullptr) ==
        cudaSuccess);
  CHECK(cudaLaunchCooperativeKernel(&program.store_index, dim3(100000), dim3(64), arguments, 0, nullptr) ==
        cudaErrorCooperativeLaunchTooLarge);
  CHECK_THAT(program.report().failures.front().detail, contains("100000 blocks"));
}

TEST_CASE("launch attributes are applied, ignored as hints, or refused with their name") {
  Program program;
  void* out = device_memory(64 * 4);
  void* arguments[] = {&out};
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = one_block(64);
  config.attrs = attributes;
  config.numAttrs = 2;
  attributes[0].id = cudaLaunchAttributePriority;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  CHECK(cudaLaunchKernelExC(&config, &program.store_index, arguments) == cudaSuccess);
  config.gridDim = dim3(100000);
  CHECK(cudaLaunchKernelExC(&config, &program.store_index, arguments) == cudaErrorCooperativeLaunchTooLarge);
  config = one_block(64);
  config.attrs = attributes;
  config.numAttrs = 1;
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {2, 1, 1};
  CHECK(cudaLaunchKernelExC(&config, &program.store_index, arguments) == cudaErrorNotSupported);
  attributes[0].val.clusterDim = {1, 1, 1};
  CHECK(cudaLaunchKernelExC(&config, &program.store_index, arguments) == cudaSuccess);
  attributes[0].id = cudaLaunchAttributeProgrammaticEvent;
  CHECK(cudaLaunchKernelExC(&config, &program.store_index, arguments) == cudaErrorNotSupported);
  CHECK(cudaLaunchKernelExC(nullptr, &program.store_index, arguments) == cudaErrorInvalidValue);
  CHECK(program.report().unsupported ==
        std::vector<std::string>{"a launch in clusters of several blocks", "launch attribute 7"});
}

TEST_CASE("kernels with cluster dimensions are refused with their name instead of running in single blocks") {
  Program program;
  CHECK(cudaLaunchKernel(&program.in_pairs, dim3(4), dim3(32), nullptr, 0, nullptr) == cudaErrorNotSupported);
  CHECK(program.report().unsupported ==
        std::vector<std::string>{"a launch of in_pairs in clusters of 2 blocks"});
}

TEST_CASE("attributes of kernels contain the architecture of their code") {
  Program program(*vgpu::find_profile("h200"));
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, &program.store_index) == cudaSuccess);
  CHECK(attributes.ptxVersion == 80);
  CHECK(attributes.binaryVersion == 90);
}

TEST_CASE("dynamic shared memory beyond 48 KiB requires a function attribute") {
  const auto h200 = vgpu::find_profile("h200");
  REQUIRE(h200);
  Program program(*h200);
  void* out = device_memory(64 * 4);
  void* arguments[] = {&out};
  const auto launch = [&](size_t shared) {
    return cudaLaunchKernel(&program.store_index, dim3(1), dim3(64), arguments, shared, nullptr);
  };
  const int most = 227 * 1024;
  int optin = 0;
  CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess);
  CHECK(optin == most);
  CHECK(launch(48 * 1024) == cudaSuccess);
  CHECK(launch(48 * 1024 + 1) == cudaErrorInvalidValue);
  const auto allow = [&](int bytes) {
    return cudaFuncSetAttribute(&program.store_index, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  CHECK(allow(most + 1) == cudaErrorInvalidValue);
  CHECK(allow(most) == cudaSuccess);
  CHECK(launch(most) == cudaSuccess);
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, &program.store_index) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == most);
}

TEST_CASE("the available dynamic shared memory for a number of resident blocks") {
  Program program;
  size_t bytes = 0;
  int blocks = 0;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &program.store_index, 3, 64) == cudaSuccess);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program.store_index, 64, bytes) ==
        cudaSuccess);
  CHECK(blocks == 3);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program.store_index, 64, bytes + 1) ==
        cudaSuccess);
  CHECK(blocks == 2);
}

TEST_CASE("the name and the parameters of a kernel are available") {
  Program program;
  const char* name = nullptr;
  size_t offset = 9, size = 9;
  CHECK(cudaFuncGetName(&name, &program.store_index) == cudaSuccess);
  CHECK(std::string(name) == "store_index");
  CHECK(cudaFuncGetParamInfo(&program.store_index, 0, &offset, &size) == cudaSuccess);
  CHECK(offset == 0);
  CHECK(size == 8);
  CHECK(cudaFuncGetParamInfo(&program.store_index, 1, &offset, &size) == cudaErrorInvalidValue);
}

TEST_CASE("limits are set, returned and capped") {
  Program program;
  size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
  CHECK(value == 1024);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess);
  CHECK(program.device.stack_bytes() == 4096);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 40U) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaSuccess);
  CHECK(program.device.heap_bytes() == 1 << 20);
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096) == cudaSuccess);
  CHECK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize) == cudaSuccess);
  CHECK(value == 4096);
  CHECK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth) == cudaErrorUnsupportedLimit);
}

TEST_CASE("every error of CUDA has a name and a text") {
  CHECK(std::string(cudaGetErrorName(cudaErrorStreamCaptureIsolation)) == "cudaErrorStreamCaptureIsolation");
  CHECK(std::string(cudaGetErrorString(cudaErrorTimeout)) == "wait operation timed out");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) == "unrecognized error code");
}

}  // namespace functions_test
