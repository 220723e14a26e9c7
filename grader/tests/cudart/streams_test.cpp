// Streams, events and host functions.

#include <string>

#include "cudart/client_program.hpp"

namespace streams_test {

using testing::device_memory;
using Program = testing::ClientProgram;

extern "C" cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id);

TEST_CASE("streams have flags, priorities and numbers of their own") {
  Program program;
  cudaStream_t stream = nullptr;
  int least = 9, greatest = 9, priority = 9;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  CHECK(greatest < least);
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100) == cudaSuccess);
  CHECK(cudaStreamGetPriority(stream, &priority) == cudaSuccess);
  CHECK(priority == greatest);
  unsigned flags = 0;
  CHECK(cudaStreamGetFlags(stream, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  unsigned long long own = 0, legacy = 0, of_thread = 0, of_default = 0;
  CHECK(cudaStreamGetId(stream, &own) == cudaSuccess);
  CHECK(cudaStreamGetId(nullptr, &legacy) == cudaSuccess);
  CHECK(cudaStreamGetId(cudaStreamPerThread, &of_thread) == cudaSuccess);
  CHECK(cudaStreamGetId_ptsz(nullptr, &of_default) == cudaSuccess);
  CHECK(own != legacy);
  CHECK(of_thread != legacy);
  CHECK(of_thread == of_default);
  CHECK(cudaStreamGetId_ptsz(cudaStreamLegacy, &of_default) == cudaSuccess);
  CHECK(of_default == legacy);
  CHECK(cudaStreamCreateWithFlags(&stream, 8) == cudaErrorInvalidValue);
  CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("attributes of streams are stored, returned and copied") {
  Program program;
  cudaStream_t one = nullptr, other = nullptr;
  REQUIRE(cudaStreamCreate(&one) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.num_bytes = 4096;
  CHECK(cudaStreamSetAttribute(one, cudaStreamAttributeAccessPolicyWindow, &value) == cudaSuccess);
  CHECK(cudaStreamCopyAttributes(other, one) == cudaSuccess);
  cudaStreamAttrValue reported{};
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &reported) == cudaSuccess);
  CHECK(reported.accessPolicyWindow.num_bytes == 4096);
  value.priority = -2;
  int priority = 0;
  CHECK(cudaStreamSetAttribute(one, cudaStreamAttributePriority, &value) == cudaSuccess);
  CHECK(cudaStreamGetPriority(one, &priority) == cudaSuccess);
  CHECK(priority == -2);
}

namespace {

struct Log {
  std::string text;
  int* value = nullptr;
  cudaError_t inside = cudaSuccess;
};

void note(void* data) {
  Log& log = *static_cast<Log*>(data);
  log.text += "host " + std::to_string(*log.value) + "; ";
  log.inside = cudaDeviceSynchronize();
}

void note_callback(cudaStream_t, cudaError_t status, void* data) {
  Log& log = *static_cast<Log*>(data);
  log.text += std::string("callback ") + cudaGetErrorName(status) + "; ";
}

}  // namespace

TEST_CASE("host functions run after earlier work and must not call CUDA") {
  Program program;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  Log log;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&log.value), 4) == cudaSuccess);
  CHECK(program.launch_add_one(log.value, 1, stream) == cudaSuccess);
  CHECK(cudaLaunchHostFunc(stream, note, &log) == cudaSuccess);
  CHECK(program.launch_add_one(log.value, 1, stream) == cudaSuccess);
  CHECK(cudaLaunchHostFunc(stream, note, &log) == cudaSuccess);
  CHECK(cudaStreamAddCallback(stream, note_callback, &log, 0) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(log.text == "host 1; host 2; callback cudaSuccess; ");
  CHECK(log.inside == cudaErrorNotPermitted);
  CHECK(cudaLaunchHostFunc(stream, nullptr, nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("invalid uses of events are detected") {
  Program program;
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, 64) == cudaErrorInvalidValue);
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventBlockingSync) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess);  // never recorded: nothing to wait for
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(cudaEventRecord(event) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaEventRecord(event) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(nullptr, event, event) == cudaErrorInvalidValue);
}

TEST_CASE("a reset destroys the device's streams, events and memory") {
  Program program;
  cudaStream_t stream = nullptr;
  void* memory = device_memory(8);
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
}

}  // namespace streams_test
