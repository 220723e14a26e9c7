// Stream-ordered allocation and memory pools.

#include "cudart/client_program.hpp"

namespace pools_test {

using testing::contains;
using testing::device_memory;
using Program = testing::ClientProgram;

TEST_CASE("memory from cudaMallocAsync is device memory, and cudaFree and cudaFreeAsync free it") {
  Program program;
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE(cudaMallocAsync(&first, 256, nullptr) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&second, 256, cudaStreamPerThread) == cudaSuccess);
  CHECK(program.launch_store(first, 64) == cudaSuccess);
  CHECK(cudaFreeAsync(first, nullptr) == cudaSuccess);
  CHECK(cudaFree(second) == cudaSuccess);
  CHECK(cudaFreeAsync(device_memory(8), nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(first, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(nullptr, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(program.report().live_allocations.empty());
}

TEST_CASE("pools count their allocations and store their settings") {
  Program program;
  cudaMemPool_t pool = nullptr, own = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  std::uint64_t value = ~std::uint64_t{0};
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value) == cudaSuccess);
  value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value) == cudaSuccess);
  CHECK(value == ~std::uint64_t{0});
  int allowed = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &allowed) == cudaSuccess);
  CHECK(allowed == 1);

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 1000;
  REQUIRE(cudaMemPoolCreate(&own, &properties) == cudaSuccess);
  void* memory = nullptr;
  CHECK(cudaMallocFromPoolAsync(&memory, 1001, own, nullptr) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMallocFromPoolAsync(&memory, 600, own, nullptr) == cudaSuccess);
  CHECK(cudaMallocFromPoolAsync(&memory, 600, own, nullptr) == cudaErrorMemoryAllocation);
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &value) == cudaSuccess);
  CHECK(value == 600);
  CHECK(cudaFreeAsync(memory, nullptr) == cudaSuccess);
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &value) == cudaSuccess);
  CHECK(value == 0);
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &value) == cudaSuccess);
  CHECK(value == 600);
  CHECK(cudaDeviceSetMemPool(0, own) == cudaSuccess);
  CHECK(cudaMemPoolDestroy(own) == cudaSuccess);
  CHECK(cudaMemPoolTrimTo(own, 0) == cudaErrorInvalidValue);
  CHECK(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
  CHECK(cudaMallocAsync(&memory, 8, nullptr) == cudaSuccess);
}

TEST_CASE("allocations during a capture are refused with the name of the call") {
  Program program;
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMallocAsync(&memory, 8, stream) == cudaErrorNotSupported);
  CHECK(program.report().unsupported ==
        std::vector<std::string>{"cudaMallocAsync into a stream that is captured"});
}

}  // namespace pools_test
