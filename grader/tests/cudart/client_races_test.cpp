// Races between streams as a program's calls cause them: cases that must be reported and cases that must not.
#include <cstdint>
#include <vector>

#include "cudart/client_program.hpp"
#include "vgpu/cudart/client/core/end_report.hpp"

extern "C" void __cudaRegisterManagedVar(void** handle, void** host_variable, char*, const char* name, int,
                                         size_t, int, int);

namespace client_races_test {

using testing::device_memory;
using Program = testing::ClientProgram;

namespace {

/// A buffer of 64 bytes and two streams that do not wait for the default stream.
struct TwoStreams {
  Program program{};
  void* buffer = device_memory(64);
  cudaStream_t first = nullptr, second = nullptr;

  TwoStreams() {
    for (cudaStream_t* stream : {&first, &second})
      REQUIRE(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking) == cudaSuccess);
  }
  void fill(cudaStream_t stream) { REQUIRE(cudaMemsetAsync(buffer, 0, 64, stream) == cudaSuccess); }
  std::vector<vgpu::cudart::StreamRace> races() { return program.report().stream_races; }
};

}  // namespace

TEST_CASE("an asynchronous copy from pageable memory is ordered by its stream only") {
  const std::vector<std::uint32_t> values(16);
  TwoStreams other;
  REQUIRE(cudaMemcpyAsync(other.buffer, values.data(), 64, cudaMemcpyHostToDevice, other.first) ==
          cudaSuccess);
  other.fill(other.second);
  const auto found = other.races();
  REQUIRE(found.size() == 1);
  CHECK(found[0].earlier.kind == vgpu::OperationKind::copy_to_device);
  CHECK(found[0].later.kind == vgpu::OperationKind::fill);

  TwoStreams same;
  REQUIRE(cudaMemcpyAsync(same.buffer, values.data(), 64, cudaMemcpyHostToDevice, same.first) == cudaSuccess);
  same.fill(same.first);
  CHECK(same.races().empty());

  TwoStreams complete;
  REQUIRE(cudaMemcpy(complete.buffer, values.data(), 64, cudaMemcpyHostToDevice) == cudaSuccess);
  complete.fill(complete.second);
  CHECK(complete.races().empty());
}

TEST_CASE("an asynchronous copy to pageable memory has ended when the call returns") {
  std::vector<std::uint32_t> values(16);
  TwoStreams scene;
  REQUIRE(cudaMemcpyAsync(values.data(), scene.buffer, 64, cudaMemcpyDeviceToHost, scene.first) ==
          cudaSuccess);
  scene.fill(scene.second);
  CHECK(scene.races().empty());
}

TEST_CASE("placing a __managed__ variable before a launch is no wait for earlier work") {
  TwoStreams scene;
  void *variable = nullptr, *const other = device_memory(64);
  __cudaRegisterManagedVar(scene.program.code, &variable, nullptr, "table", 0, 16, 0, 0);
  scene.fill(scene.first);
  REQUIRE(scene.program.launch_store(other, 16, scene.second) == cudaSuccess);
  scene.fill(scene.second);
  CHECK(variable != nullptr);
  CHECK(scene.races().size() == 1);
}

TEST_CASE("work that the caller's default stream does not wait for races with the caller") {
  TwoStreams pending;
  pending.fill(pending.first);
  warpgradeReadByCaller(pending.buffer, 64);
  const auto found = pending.races();
  REQUIRE(found.size() == 1);
  CHECK(found[0].later.call == vgpu::cudart::MemoryCall::read_by_caller);
  CHECK(found[0].earlier.stream == 1);
  CHECK(found[0].size_bytes == 64);

  TwoStreams waits;
  waits.fill(waits.first);
  REQUIRE(cudaStreamSynchronize(waits.first) == cudaSuccess);
  warpgradeReadByCaller(waits.buffer, 64);
  CHECK(waits.races().empty());

  TwoStreams ordered;  // blocking streams and the default stream wait for each other
  cudaStream_t blocking = nullptr;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  ordered.fill(nullptr);
  ordered.fill(blocking);
  warpgradeReadByCaller(ordered.buffer, 64);
  CHECK(ordered.races().empty());

  TwoStreams elsewhere;
  void* const other = device_memory(64);
  elsewhere.fill(elsewhere.first);
  warpgradeReadByCaller(other, 64);
  CHECK(elsewhere.races().empty());
}

}  // namespace client_races_test
