// The capture of streams: which work becomes a node, how events extend a capture, and what ends it.

#include <string>

#include "cudart/client_program.hpp"

namespace capture_test {

using testing::device_memory;
using Program = testing::ClientProgram;

namespace {

cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
  return stream;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  return event;
}

int first_of(const void* values) {
  int value = -1;
  CHECK(cudaMemcpy(&value, values, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  return value;
}

}  // namespace

TEST_CASE("captured work runs when the graph is launched, and not before") {
  Program program;
  void* values = device_memory(64 * 4);
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMemsetAsync(values, 0, 64 * 4, stream) == cudaSuccess);
  CHECK(program.launch_add_one(values, 64, stream) == cudaSuccess);
  CHECK(program.launch_add_one(values, 64, stream) == cudaSuccess);
  cudaStreamCaptureStatus status{};
  size_t dependencies = 0;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, &dependencies) ==
        cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(dependencies == 1);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(program.report().launches.empty());
  CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);

  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(first_of(values) == 2);
}

TEST_CASE("an event extends the capture to another stream, and back") {
  Program program;
  void* values = device_memory(64 * 4);
  const cudaStream_t first = new_stream(), second = new_stream();
  const cudaEvent_t fork = new_event(), join = new_event();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(cudaMemsetAsync(values, 0, 64 * 4, first) == cudaSuccess);
  CHECK(cudaEventRecord(fork, first) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(second, fork) == cudaSuccess);
  CHECK(program.launch_add_one(values, 64, second) == cudaSuccess);
  SECTION("joined") {
    CHECK(cudaEventRecord(join, second) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(first, join) == cudaSuccess);
    CHECK(program.launch_add_one(values, 64, first) == cudaSuccess);
    REQUIRE(cudaStreamEndCapture(first, &graph) == cudaSuccess);
    size_t edges = 0;
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges) == cudaSuccess);
    CHECK(edges == 3);  // the last kernel depends on the fill, too
    CHECK(cudaEventQuery(join) == cudaErrorCapturedEvent);
    CHECK(cudaEventRecord(join, second) == cudaSuccess);
    CHECK(cudaEventQuery(join) == cudaSuccess);
  }
  SECTION("not joined") {
    CHECK(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureUnjoined);
    CHECK(graph == nullptr);
    CHECK(program.launch_store(values, 64, second) == cudaSuccess);
    CHECK(program.report().launches.size() == 1);
  }
}

TEST_CASE("work that cannot be captured invalidates the capture and returns the reason") {
  Program program;
  void* values = device_memory(64 * 4);
  const cudaStream_t stream = new_stream(cudaStreamDefault);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  SECTION("waiting for the stream") {
    CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("waiting for the device") { CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported); }
  SECTION("the legacy default stream") {
    CHECK(program.launch_store(values, 64) == cudaErrorStreamCaptureImplicit);
  }
  SECTION("an allocation") {
    void* more = nullptr;
    CHECK(cudaMalloc(&more, 8) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("an event from outside") {
    const cudaEvent_t event = new_event();
    const cudaStream_t outside = new_stream();
    CHECK(cudaEventRecord(event, outside) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(stream, event) == cudaErrorStreamCaptureIsolation);
  }
  CHECK(program.launch_store(values, 64, stream) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(program.launch_store(values, 64, stream) == cudaSuccess);
}

TEST_CASE("a relaxed capture allows allocations") {
  Program program;
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  void* values = device_memory(64 * 4);
  CHECK(program.launch_store(values, 64, stream) == cudaSuccess);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(graph != nullptr);
}

}  // namespace capture_test
