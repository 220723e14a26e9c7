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

namespace {

struct TwoStreams {
  Program program{};
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
  void* memory = nullptr;

  TwoStreams() {
    REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    REQUIRE(cudaMallocAsync(&memory, 256, first) == cudaSuccess);
  }
  void fill(cudaStream_t stream) { REQUIRE(cudaMemsetAsync(memory, 0, 256, stream) == cudaSuccess); }
  void free(cudaStream_t stream) { REQUIRE(cudaFreeAsync(memory, stream) == cudaSuccess); }
  void second_waits_for_first() {
    REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  }
  std::vector<vgpu::cudart::StreamRace> races() { return program.report().stream_races; }
};

}  // namespace

TEST_CASE("a use of memory races with its allocation and its release in another stream") {
  using vgpu::cudart::MemoryCall;
  TwoStreams early;
  early.fill(early.second);
  const auto used = early.races();
  REQUIRE(used.size() == 1);
  CHECK(used[0].earlier.call == MemoryCall::allocate);
  CHECK(used[0].earlier.stream == 1);
  CHECK(used[0].later.kind == vgpu::OperationKind::fill);
  CHECK(used[0].later.stream == 2);
  CHECK(used[0].size_bytes == 256);
  CHECK(used[0].allocation == 1);

  TwoStreams late;
  late.fill(late.first);
  late.free(late.second);
  const auto freed = late.races();
  REQUIRE(freed.size() == 1);
  CHECK(freed[0].earlier.kind == vgpu::OperationKind::fill);
  CHECK(freed[0].later.call == MemoryCall::free);
}

TEST_CASE("allocations and releases in stream order are no wait of the host") {
  TwoStreams scene;
  void* other = device_memory(256);
  REQUIRE(cudaMemsetAsync(other, 0, 256, scene.first) == cudaSuccess);
  scene.free(scene.first);
  REQUIRE(cudaMallocAsync(&scene.memory, 256, scene.second) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(other, 0, 256, scene.second) == cudaSuccess);
  CHECK(scene.races().size() == 1);
}

TEST_CASE("cudaFree does not wait for work that uses memory from cudaMallocAsync") {
  TwoStreams early;
  early.fill(early.first);
  REQUIRE(cudaFree(early.memory) == cudaSuccess);
  const auto found = early.races();
  REQUIRE(found.size() == 1);
  CHECK(found[0].later.call == vgpu::cudart::MemoryCall::free_by_host);
  CHECK(found[0].earlier.kind == vgpu::OperationKind::fill);
  CHECK(found[0].size_bytes == 256);

  TwoStreams unused;
  REQUIRE(cudaFree(unused.memory) == cudaSuccess);
  CHECK(unused.races().empty());

  TwoStreams waits;
  waits.fill(waits.first);
  REQUIRE(cudaStreamSynchronize(waits.first) == cudaSuccess);
  REQUIRE(cudaFree(waits.memory) == cudaSuccess);
  CHECK(waits.races().empty());

  TwoStreams other;  // memory from cudaMalloc: the wait covers all work
  void* plain = device_memory(64);
  other.fill(other.first);
  REQUIRE(cudaFree(plain) == cudaSuccess);
  REQUIRE(cudaFree(other.memory) == cudaSuccess);
  CHECK(other.races().empty());
}

TEST_CASE("the same stream, events and waits order the uses of memory from cudaMallocAsync") {
  TwoStreams same;
  same.fill(same.first);
  same.free(same.first);
  CHECK(same.races().empty());

  TwoStreams events;
  events.second_waits_for_first();
  events.fill(events.second);
  events.free(events.second);
  CHECK(events.races().empty());

  TwoStreams waits;
  REQUIRE(cudaStreamSynchronize(waits.first) == cudaSuccess);
  waits.fill(waits.second);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  waits.free(waits.first);
  CHECK(waits.races().empty());

  Program program;  // blocking streams and the default stream wait for each other
  cudaStream_t blocking = nullptr;
  void* memory = nullptr;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&memory, 256, nullptr) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(memory, 0, 256, blocking) == cudaSuccess);
  REQUIRE(cudaFreeAsync(memory, nullptr) == cudaSuccess);
  CHECK(program.report().stream_races.empty());
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
