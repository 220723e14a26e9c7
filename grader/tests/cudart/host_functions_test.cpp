// When host functions run: late, but before whatever must follow them.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "cudart/client_program.hpp"

namespace host_functions_test {

using testing::device_memory;
using Program = testing::ClientProgram;

namespace {

void add_one(void* number) { ++*static_cast<std::atomic<int>*>(number); }

struct Streams {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
  Streams() {
    REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  }
};

}  // namespace

TEST_CASE("a host function uses its data as they are when the program waits") {
  Program program;
  const Streams streams;
  int number = 1, seen = 0;
  struct Data {
    int *number, *seen;
  } data{&number, &seen};
  const auto look = [](void* given) {
    const auto* in = static_cast<Data*>(given);
    *in->seen = *in->number;
  };
  CHECK(cudaLaunchHostFunc(streams.first, look, &data) == cudaSuccess);
  number = 2;
  CHECK(cudaStreamSynchronize(streams.first) == cudaSuccess);
  CHECK(seen == 2);
}

TEST_CASE("work of the stream, and what waits for the stream, follow a host function") {
  Program program;
  const Streams streams;
  std::atomic<int> count = 0;
  const auto add = [&](cudaStream_t stream) {
    REQUIRE(cudaLaunchHostFunc(stream, add_one, &count) == cudaSuccess);
  };
  void* memory = device_memory(64);

  add(streams.first);
  CHECK(cudaMemsetAsync(memory, 0, 64, streams.first) == cudaSuccess);
  CHECK(count == 1);
  add(streams.first);
  add(streams.first);
  CHECK(cudaEventRecord(streams.event, streams.first) == cudaSuccess);
  add(streams.first);
  CHECK(cudaStreamWaitEvent(streams.second, streams.event) == cudaSuccess);
  CHECK(count == 3);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(count == 4);
  add(streams.first);
  CHECK(cudaStreamSynchronize(streams.second) == cudaSuccess);
  CHECK(cudaMemsetAsync(memory, 0, 64, streams.second) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(count == 5);
}

TEST_CASE("errors of calls in a host function are not those of the thread that waits for it") {
  Program program;
  const Streams streams;
  const auto allocate = [](void* error) {
    void* memory = nullptr;
    *static_cast<cudaError_t*>(error) = cudaMalloc(&memory, 4);
  };
  cudaError_t inside = cudaSuccess;
  REQUIRE(cudaLaunchHostFunc(streams.first, allocate, &inside) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(streams.first) == cudaSuccess);
  CHECK(inside == cudaErrorNotPermitted);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaStreamWaitEvent(streams.second, streams.event, 5) == cudaErrorInvalidValue);
}

TEST_CASE("a stream that has ended has run its host functions") {
  Program program;
  const Streams streams;
  std::atomic<int> count = 0;
  REQUIRE(cudaLaunchHostFunc(streams.first, add_one, &count) == cudaSuccess);
  while (cudaStreamQuery(streams.first) == cudaErrorNotReady) {
  }
  CHECK(count == 1);
  REQUIRE(cudaLaunchHostFunc(streams.first, add_one, &count) == cudaSuccess);
  REQUIRE(cudaEventRecord(streams.event, streams.first) == cudaSuccess);
  while (cudaEventQuery(streams.event) == cudaErrorNotReady) {
  }
  CHECK(count == 2);
}

TEST_CASE("a program that polls a flag, or sleeps, gets the host function that it waits for") {
  Program program;
  const Streams streams;
  std::atomic<int> count = 0;
  REQUIRE(cudaLaunchHostFunc(streams.first, add_one, &count) == cudaSuccess);
  while (count == 0) {
  }
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_set = false;
  } signal;
  const auto set = [](void* given) {
    auto* one = static_cast<Signal*>(given);
    const std::lock_guard lock(one->mutex);
    one->is_set = true;
    one->changed.notify_all();
  };
  REQUIRE(cudaLaunchHostFunc(streams.second, set, &signal) == cudaSuccess);
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.is_set; });
  CHECK(signal.is_set);
}

TEST_CASE("a host function that waits for the program does not hold up other streams") {
  Program program;
  const Streams streams;
  struct Flags {
    std::atomic<bool> has_begun{false}, may_end{false};
  } flags;
  const auto wait = [](void* given) {
    auto* both = static_cast<Flags*>(given);
    both->has_begun = true;
    while (!both->may_end) {
    }
  };
  REQUIRE(cudaLaunchHostFunc(streams.first, wait, &flags) == cudaSuccess);
  while (!flags.has_begun) {
  }
  CHECK(cudaStreamSynchronize(streams.second) == cudaSuccess);
  flags.may_end = true;
  CHECK(cudaStreamSynchronize(streams.first) == cudaSuccess);
}

TEST_CASE("host functions of a device that was reset run before") {
  Program program;
  const Streams streams;
  std::atomic<int> count = 0;
  REQUIRE(cudaLaunchHostFunc(streams.first, add_one, &count) == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(count == 1);
}

}  // namespace host_functions_test
