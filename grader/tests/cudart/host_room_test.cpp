// Tests that a copy that is larger than a host array is refused, and that queries leave no error.
#include "vgpu/cudart/client/memory/host_room.hpp"

#include "cudart/client_program.hpp"

namespace host_room_test {

using testing::contains;
using testing::device_memory;
using Program = testing::ClientProgram;

TEST_CASE("a copy must fit into an announced array, in both directions") {
  Program program;
  static char block[1 << 18];  // nothing else is near an announced array
  char* const array = block + (1 << 17);
  warpgradeHostArray(array, 32, "h_a");
  void* memory = device_memory(64);
  CHECK(cudaMemcpy(array, memory, 32, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(array, memory, 33, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(array + 8, memory, 24, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpyAsync(memory, array + 8, 25, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy2D(array, 16, memory, 16, 16, 2, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy2D(array, 16, memory, 16, 16, 3, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(memory, array + 40, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(array - 4, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  const auto failures = program.report().failures;
  REQUIRE(failures.size() == 5);
  CHECK(failures[3].detail == "the source begins 8 bytes after the end of `h_a`, which has 32 bytes");
  CHECK(failures[4].detail == "the destination begins 4 bytes before `h_a`, which has 32 bytes");
  CHECK(failures[0].detail ==
        "33 bytes, but the destination has room for 32 up to the end of its host array");
  CHECK_THAT(failures[1].detail, contains("25 bytes, but the source has room for 24"));
  CHECK(failures[0].is_mistake);
}

TEST_CASE("an address that misses an announced array by little finds the array") {
  static char block[1 << 18];  // static: other tests announce arrays on the stack
  char* const array = block + (1 << 17);
  warpgradeHostArray(array, 32, "h_b");
  const auto from = [&](std::ptrdiff_t offset) {
    return vgpu::cudart::client::array_next_to(reinterpret_cast<std::uintptr_t>(array + offset));
  };
  REQUIRE(from(32));
  CHECK(from(32)->name == "h_b");
  CHECK(from(32)->offset == 32);
  CHECK(from(32)->size_bytes == 32);
  REQUIRE(from(-4));
  CHECK(from(-4)->name == "h_b");
  CHECK(from(-4)->offset == -4);
  CHECK_FALSE(from(31));
  CHECK_FALSE(from(100'000));
  CHECK_FALSE(from(-100'000));
}

TEST_CASE("memory of unknown size is not restricted") {
  Program program;
  static char array[64];
  void* memory = device_memory(64);
  CHECK(cudaMemcpy(array, memory, 64, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(program.report().failures.empty());
}

TEST_CASE("a query of unfinished work is neither the last error nor a failure") {
  Program program;
  constexpr std::size_t kBytes = std::size_t{1} << 22U;  // takes longer than several calls
  void* memory = device_memory(kBytes);
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, kBytes) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  const auto start_work = [&] {
    REQUIRE(cudaMemcpyAsync(memory, pinned, kBytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, stream) == cudaSuccess);
  };
  start_work();
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  start_work();
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);  // the query has not replaced it
  CHECK(program.report().failures.size() == 1);
}

}  // namespace host_room_test
