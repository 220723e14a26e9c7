// What the program has not destroyed when it ends.

#include "cudart/client_program.hpp"
#include "vgpu/cudart/client/core/end_report.hpp"

namespace live_objects_test {

using Program = testing::ClientProgram;

namespace {

struct Objects {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaMemPool_t pool = nullptr;

  Objects() {
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);  // never recorded
    REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
  }
  void destroy() const {
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaMemPoolDestroy(pool) == cudaSuccess);
  }
};

}  // namespace

TEST_CASE("streams, events, graphs and memory pools that exist at the end are counted") {
  Program program;
  const Objects objects;
  warpgradeEndReport();
  const auto report = program.report();
  CHECK(report.live.streams == 1);
  CHECK(report.live.events == 1);
  CHECK(report.live.graphs == 1);
  CHECK(report.live.executable_graphs == 1);
  CHECK(report.live.memory_pools == 1);
}

TEST_CASE("destroyed objects are not counted, and neither is the device's own memory pool") {
  Program program;
  cudaMemPool_t own = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&own, 0) == cudaSuccess);
  Objects().destroy();
  warpgradeEndReport();
  const auto report = program.report();
  CHECK(report.live.streams + report.live.events + report.live.graphs + report.live.executable_graphs +
            report.live.memory_pools ==
        0);
}

}  // namespace live_objects_test
