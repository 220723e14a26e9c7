// Memory that host and device share: pinned, registered and managed. The device is in this process, but has
// its own mapping of the memory.

#include <cstring>
#include <span>

#include <sys/mman.h>

#include "cudart/client_program.hpp"
#include "vgpu/cudart/client/memory/host_room.hpp"

namespace host_memory_test {

using testing::contains;
using testing::device_memory;
using Program = testing::ClientProgram;

TEST_CASE("kernels and the host see each other's writes to pinned memory immediately") {
  Program program;
  int* values = nullptr;
  REQUIRE(cudaHostAlloc(reinterpret_cast<void**>(&values), 64 * 4, cudaHostAllocMapped) == cudaSuccess);
  CHECK(values[63] == 0);
  values[3] = 41;
  void* on_device = nullptr;
  REQUIRE(cudaHostGetDevicePointer(&on_device, values, 0) == cudaSuccess);
  CHECK(program.launch_add_one(on_device, 64) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(values[3] == 42);
  CHECK(values[63] == 1);
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, values) == cudaSuccess);
  CHECK(flags == cudaHostAllocMapped);
  CHECK(cudaFree(values) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(values + 1) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(values) == cudaSuccess);
  CHECK(cudaHostGetFlags(&flags, values) == cudaErrorInvalidValue);
  CHECK(program.report().live_allocations.empty());
}

TEST_CASE("a kernel that accesses memory outside pinned memory or freed pinned memory faults") {
  Program program;
  void* values = nullptr;
  REQUIRE(cudaMallocHost(&values, 60 * 4) == cudaSuccess);
  SECTION("out of bounds") {
    CHECK(program.launch_store(values, 64) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    const auto fault = program.report().launches.at(0).faults.at(0);
    CHECK(fault.kind == vgpu::FaultKind::out_of_bounds);
    CHECK(fault.nearest->size_bytes == 240);
  }
  SECTION("freed") {
    REQUIRE(cudaFreeHost(values) == cudaSuccess);
    CHECK(program.launch_store(values, 60) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(program.report().launches.at(0).faults.at(0).kind == vgpu::FaultKind::use_after_free);
  }
}

TEST_CASE("managed memory is the source and destination of copies, prefetched and freed") {
  Program program;
  void* managed = nullptr;
  CHECK(cudaMallocManaged(&managed, 0, cudaMemAttachGlobal) == cudaErrorInvalidValue);
  REQUIRE(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal) == cudaSuccess);
  void* device = device_memory(16);
  std::strcpy(static_cast<char*>(managed), "managed memory");
  CHECK(cudaMemcpy(device, managed, 16, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemset(managed, 0, 16) == cudaSuccess);
  CHECK(static_cast<char*>(managed)[0] == 0);
  CHECK(cudaMemcpy(managed, device, 16, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(std::string(static_cast<char*>(managed)) == "managed memory");
  char text[16];
  CHECK(cudaMemcpy(text, managed, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::string(text) == "managed memory");
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, elsewhere{cudaMemLocationTypeDevice, 1};
  CHECK(cudaMemPrefetchAsync(managed, 16, here, 0, nullptr) == cudaSuccess);
  CHECK(cudaMemPrefetchAsync(managed, 17, here, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemPrefetchAsync(device, 16, here, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemAdvise(managed, 16, cudaMemAdviseSetReadMostly, {}) == cudaSuccess);
  CHECK(cudaMemAdvise(managed, 16, static_cast<cudaMemoryAdvise>(77), {}) == cudaErrorInvalidValue);
  CHECK(cudaMemAdvise(managed, 16, cudaMemAdviseSetPreferredLocation, elsewhere) == cudaErrorInvalidDevice);
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CHECK(attributes.hostPointer == managed);
  CHECK(cudaPointerGetAttributes(&attributes, device) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  CHECK(attributes.hostPointer == nullptr);
  CHECK(cudaPointerGetAttributes(&attributes, text) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("pinned memory beyond the limit is refused") {
  Program program;
  void* memory = nullptr;
  CHECK(cudaMallocHost(&memory, size_t{1} << 45U) == cudaErrorMemoryAllocation);
  CHECK(cudaHostAlloc(&memory, 8, 64) == cudaErrorInvalidValue);
  CHECK(cudaMallocHost(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
}

TEST_CASE("memory is registered in place in whole pages, including the stack and two ranges on one page") {
  Program program;
  std::vector<int> heap(5000, 7);
  int stack[64] = {};
  stack[5] = 10;
  REQUIRE(cudaHostRegister(heap.data(), 1000 * 4, cudaHostRegisterDefault) == cudaSuccess);
  REQUIRE(cudaHostRegister(heap.data() + 1000, 4000 * 4, cudaHostRegisterMapped) == cudaSuccess);
  REQUIRE(cudaHostRegister(stack, sizeof stack, cudaHostRegisterDefault) == cudaSuccess);
  CHECK(cudaHostRegister(heap.data() + 10, 4, cudaHostRegisterDefault) ==
        cudaErrorHostMemoryAlreadyRegistered);
  CHECK(program.launch_add_one(heap.data() + 990, 20) == cudaSuccess);
  CHECK(program.launch_add_one(stack, 64) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(heap[989] == 7);
  CHECK(heap[990] == 8);
  CHECK(heap[1009] == 8);
  CHECK(stack[5] == 11);
  CHECK(cudaHostUnregister(heap.data()) == cudaSuccess);
  CHECK(cudaHostUnregister(heap.data()) == cudaErrorHostMemoryNotRegistered);
  CHECK(program.launch_add_one(heap.data() + 1000, 8) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(heap[1000] == 9);
  CHECK(cudaHostUnregister(heap.data() + 1000) == cudaSuccess);
  CHECK(cudaHostUnregister(stack) == cudaSuccess);
  heap[1000] = 1;
  CHECK(program.launch_add_one(heap.data() + 1000, 8) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(heap[1000] == 1);
}

TEST_CASE("memory that is registered as read-only can be copied from, but not copied to or filled") {
  Program program;
  std::vector<int> heap(5000, 7);
  const std::size_t bytes = heap.size() * sizeof(int);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, bytes) == cudaSuccess);
  REQUIRE(cudaHostRegister(heap.data(), bytes, cudaHostRegisterReadOnly) == cudaSuccess);
  CHECK(cudaMemcpy(memory, heap.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, bytes) == cudaSuccess);
  // All as on an H100.
  CHECK(cudaMemcpy(heap.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(heap.data() + 10, memory, 8, cudaMemcpyDefault, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemset(heap.data(), 0, 8) == cudaErrorInvalidValue);
  CHECK(heap == std::vector<int>(5000, 7));
  CHECK(cudaHostUnregister(heap.data()) == cudaSuccess);
  CHECK(cudaMemcpy(heap.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(heap == std::vector<int>(5000, 0));
  CHECK(cudaHostRegister(heap.data(), bytes, cudaHostRegisterIoMemory) == cudaErrorNotSupported);
  CHECK(cudaHostRegister(heap.data(), bytes, 16) == cudaErrorInvalidValue);
}

TEST_CASE("windows that share pages pin the pages of the windows that are registered at the same time") {
  Program program;
  constexpr std::size_t kWindow = 5000, kWindows = 20;
  std::vector<int> heap(kWindow * kWindows, 7);
  const auto window = [&](std::size_t i) { return heap.data() + i * kWindow; };
  for (std::size_t i = 0; i < kWindows; ++i) {
    REQUIRE(cudaHostRegister(window(i), kWindow * 4, cudaHostRegisterDefault) == cudaSuccess);
    if (i > 0) REQUIRE(cudaHostUnregister(window(i - 1)) == cudaSuccess);
  }
  REQUIRE(cudaHostUnregister(window(kWindows - 1)) == cudaSuccess);
  const auto report = program.report();
  CHECK(report.peak_pinned_bytes >= 2 * kWindow * 4);
  CHECK(report.peak_pinned_bytes <= 2 * kWindow * 4 + 2 * 4096);
  CHECK(report.registered_argument_bytes == 0);
}

TEST_CASE("copies from and to registered parts of the caller's arrays are counted, up to their size") {
  Program program;
  static int surrounded[1 << 17];  // an announced array exists until the process ends, with nothing else near
  const std::span<int> array = std::span(surrounded).subspan(1 << 15, 3000);
  std::vector<int> own(3000, 7);
  warpgradeHostArray(array.data(), array.size_bytes(), "a");
  REQUIRE(cudaHostRegister(own.data(), own.size() * 4, cudaHostRegisterDefault) == cudaSuccess);
  void* const device = device_memory(array.size_bytes());
  const auto copy = [&](std::size_t first, std::size_t count) {
    REQUIRE(cudaMemcpy(device, array.data() + first, count * 4, cudaMemcpyHostToDevice) == cudaSuccess);
  };
  copy(0, 3000);  // nothing of it is registered
  REQUIRE(cudaHostRegister(array.data() + 10, 100 * 4, cudaHostRegisterDefault) == cudaSuccess);
  copy(20, 50);
  REQUIRE(cudaMemcpy(own.data(), device, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(cudaHostUnregister(array.data() + 10) == cudaSuccess);
  REQUIRE(cudaHostRegister(array.data() + 60, 100 * 4, cudaHostRegisterDefault) == cudaSuccess);
  REQUIRE(cudaMemcpy(array.data() + 60, device, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 3; ++i) copy(70, 10);
  CHECK(program.report().registered_argument_bytes == 200 + 400 + 3 * 40);
}

TEST_CASE("repeated copies of a registered array count no more than its size") {
  Program program;
  static int surrounded[1 << 17];
  int* const array = surrounded + (1 << 15);
  warpgradeHostArray(array, 4000, "a");
  void* const device = device_memory(4000);
  REQUIRE(cudaHostRegister(array, 4000, cudaHostRegisterDefault) == cudaSuccess);
  for (int i = 0; i < 3; ++i) REQUIRE(cudaMemcpy(device, array, 3000, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(program.report().registered_argument_bytes == 4000);
}

TEST_CASE("the end of a registration does not wait for copies, but the release of pinned memory does") {
  std::vector<int> heap(5000, 7);
  const std::size_t bytes = heap.size() * sizeof(int);
  const auto races_after = [&](auto wait) {
    Program program;
    void* buffer = device_memory(bytes);
    REQUIRE(cudaHostRegister(heap.data(), bytes, cudaHostRegisterDefault) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(buffer, heap.data(), bytes, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
    wait();
    REQUIRE(cudaHostUnregister(heap.data()) == cudaSuccess);
    return program.report().stream_races;
  };
  const auto early = races_after([] {});
  REQUIRE(early.size() == 1);
  CHECK(early[0].later.call == vgpu::cudart::MemoryCall::unregister);
  CHECK(early[0].size_bytes == bytes);
  CHECK(races_after([] { REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess); }).empty());

  Program program;
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(device_memory(64), pinned, 64, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(program.report().stream_races.empty());
}

TEST_CASE("memory that is not mapped cannot be registered") {
  Program program;
  void* hole = ::mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(cudaHostRegister(hole, 8192, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  CHECK(cudaHostRegister(nullptr, 8, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  CHECK(cudaHostRegister(hole, 0, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  ::munmap(hole, 8192);
}

}  // namespace host_memory_test
