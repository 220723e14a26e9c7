// The runtime's semantics: errors, sticky errors, checks.

#include <cstring>

#include "cudart/client_program.hpp"

namespace runtime_test {

using namespace vgpu;
using namespace vgpu::cudart;
using testing::contains;
using testing::device_memory;
using testing::Wrapper;
using Program = testing::ClientProgram;

TEST_CASE("a kernel runs and its result comes back") {
  Program program;
  void* out = device_memory(64 * 4);
  REQUIRE(program.launch_store(out, 64) == cudaSuccess);
  int values[64] = {};
  REQUIRE(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 0);
  CHECK(values[63] == 63);
  REQUIRE(cudaFree(out) == cudaSuccess);
  const SessionReport report = program.report();
  CHECK(report.launches.size() == 1);
  CHECK(report.failures.empty());
}

TEST_CASE("the next call that waits returns a fault, and so do all later calls") {
  Program program;
  void* out = device_memory(4);
  CHECK(program.launch_store(out, 2) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(program.launch_store(out, 1) == cudaSuccess);  // queued after the fault: never runs
  CHECK(cudaMemsetAsync(out, 0, 4) == cudaSuccess);
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorIllegalAddress);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaFree(out) == cudaErrorIllegalAddress);
  CHECK(program.launch_store(out, 1) == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  const SessionReport report = program.report();
  CHECK(report.launches.size() == 1);
  REQUIRE(report.failures.size() == 1);  // reported once
  CHECK(report.failures.front().call == "cudaStreamSynchronize");
  CHECK(report.failures.front().detail == "kernel store_index");
}

TEST_CASE("each kind of fault gives CUDA's error") {
  SECTION("trap") {
    Program program;
    CHECK(cudaLaunchKernel(&program.give_up, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  }
  SECTION("misaligned") {
    Program program;
    void* out = device_memory(64);
    CHECK(program.launch_store(static_cast<char*>(out) + 2, 1) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  }
}

TEST_CASE("launches that the device refuses fail immediately, and the error is not sticky") {
  Program program;
  void* out = device_memory(4);
  CHECK(program.launch_store(out, 1025) == cudaErrorInvalidConfiguration);
  CHECK(program.launch_store(out, 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel(&program.missing, dim3(1), dim3(1), nullptr, 0, nullptr) ==
        cudaErrorInvalidDeviceFunction);
  CHECK(cudaLaunchKernel(&program, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaLaunchKernel(&program.store_index, dim3(1), dim3(1), nullptr, 0, nullptr) ==
        cudaErrorInvalidValue);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(program.launch_store(out, 1) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK_THAT(program.report().failures.front().detail, contains("1025"));
}

TEST_CASE("a device that runs no later code refuses the launches of a kernel for a later architecture") {
  Profile profile = lecture_profile();
  profile.compute_major = 7;
  Program later(profile);
  CHECK(later.launch_store(device_memory(4), 1) == cudaSuccess);
  profile.runs_later_code = false;
  Program program(profile);
  void* out = device_memory(4);
  CHECK(program.launch_store(out, 1) == cudaErrorNoKernelImageForDevice);
  CHECK(cudaGetLastError() == cudaErrorNoKernelImageForDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemset(out, 0, 4) == cudaSuccess);
  CHECK(program.report().failures.front().detail ==
        "kernel store_index: the program has code for compute capability 8.0; this device has 7.0");
}

TEST_CASE("a device that fails after some operations returns the error from all later calls") {
  Profile profile = lecture_profile();
  profile.operations_before_failure = 3;
  Program program(profile);
  void* out = device_memory(4);
  int value = 7;
  CHECK(cudaMemset(out, 0, 4) == cudaSuccess);
  CHECK(program.launch_store(out, 1) == cudaSuccess);
  CHECK(cudaMemcpy(out, &value, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost) == cudaErrorECCUncorrectable);
  CHECK(program.launch_store(out, 1) == cudaErrorECCUncorrectable);
  CHECK(cudaFree(out) == cudaErrorECCUncorrectable);
  CHECK(cudaGetLastError() == cudaErrorECCUncorrectable);
  const SessionReport report = program.report();
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures.front().call == "cudaMemcpy");
}

TEST_CASE("a device can refuse the last requests of a kind only") {
  using vgpu::Refused;
  Profile profile = lecture_profile();
  profile.granted = 1;
  for (const Refused refused : {Refused::launches, Refused::allocations}) {
    profile.refused = refused;
    Program program(profile);
    void* const out = device_memory(4);
    cudaEvent_t start = nullptr;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventRecord(start) == cudaSuccess);
    void* memory = nullptr;
    const bool refuses_memory = refused == Refused::allocations;
    CHECK(cudaMalloc(&memory, 4) == cudaSuccess);
    CHECK(cudaMalloc(&memory, 4) == (refuses_memory ? cudaErrorMemoryAllocation : cudaSuccess));
    cudaGetLastError();
    CHECK(program.launch_store(out, 1) == cudaSuccess);
    CHECK(program.launch_store(out, 1) == (refuses_memory ? cudaSuccess : cudaErrorInvalidConfiguration));
    CHECK(program.report().allocations == 2);
  }
}

TEST_CASE("a device that refuses one kind of request does all others, and its errors are not sticky") {
  using vgpu::Refused;
  for (const Refused refused :
       {Refused::launches, Refused::allocations, Refused::host_allocations, Refused::copies_to_host}) {
    Profile profile = lecture_profile();
    profile.refused = refused;
    Program program(profile);
    void* const out = device_memory(4);  // the program's caller has it, before the first event
    void* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, 4) == cudaSuccess);
    cudaEvent_t start = nullptr;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventRecord(start) == cudaSuccess);

    const auto expected = [&](Refused what, cudaError_t error) {
      return refused == what ? error : cudaSuccess;
    };
    int value = 7;
    void *memory = nullptr, *more = nullptr;
    CHECK(cudaMalloc(&memory, 4) == expected(Refused::allocations, cudaErrorMemoryAllocation));
    const bool refuses_pinned = refused == Refused::allocations || refused == Refused::host_allocations;
    CHECK(cudaMallocHost(&more, 4) == (refuses_pinned ? cudaErrorMemoryAllocation : cudaSuccess));
    CHECK(cudaHostRegister(&value, 4, cudaHostRegisterDefault) == cudaSuccess);
    CHECK(cudaHostUnregister(&value) == cudaSuccess);
    CHECK(cudaMemset(out, 0, 4) == cudaSuccess);
    CHECK(cudaMemcpy(out, &value, 4, cudaMemcpyHostToDevice) == cudaSuccess);
    cudaGetLastError();
    CHECK(program.launch_store(out, 1) == expected(Refused::launches, cudaErrorInvalidConfiguration));
    cudaGetLastError();
    const cudaError_t copy = expected(Refused::copies_to_host, cudaErrorInvalidValue);
    CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost) == copy);
    CHECK(cudaMemcpyAsync(pinned, out, 4, cudaMemcpyDefault) == copy);
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
}

TEST_CASE("the runtime's own copies of __managed__ variables are no operations of the program") {
  Profile profile = lecture_profile();
  profile.operations_before_failure = 2;
  Program program(profile);
  void* const out = device_memory(4);
  void* variable = nullptr;
  __cudaRegisterManagedVar(program.code, &variable, nullptr, "table", 0, 16, 0, 0);
  CHECK(program.launch_store(out, 1) == cudaSuccess);  // copies the variable before and after it
  CHECK(cudaMemset(out, 0, 4) == cudaSuccess);
  CHECK(cudaMemset(out, 0, 4) == cudaErrorECCUncorrectable);
}

TEST_CASE("copies outside an allocation or in the wrong direction copy nothing and give the reason") {
  Program program;
  char host[16] = {};
  void* memory = device_memory(8);
  CHECK(cudaMemcpy(memory, host, 9, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, static_cast<char*>(memory) + 4, 5, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, memory, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(memory, memory, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(memory, nullptr, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(memory, host, 8, static_cast<cudaMemcpyKind>(7)) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemset(memory, 0, 9) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  cudaFree(memory);
  CHECK(cudaMemcpy(memory, host, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  const auto failures = program.report().failures;
  REQUIRE(failures.size() == 8);
  CHECK(failures[7].detail == "the destination is in memory that has been freed");
  CHECK(failures[0].detail == "9 bytes, but the destination has room for 8 up to the end of its allocation");
  CHECK(failures[2].detail ==
        "the destination is not device memory; the pointers are swapped, or the direction is wrong");
  CHECK(failures[3].detail == "the source is device memory, but the copy direction requires host memory");
}

TEST_CASE("an address next to device memory is described by its distance") {
  Program program;
  void* memory = nullptr;
  char host[8] = {};
  cudaMalloc(&memory, 256);
  const auto copy_to = [&](std::ptrdiff_t offset) {
    return cudaMemcpy(static_cast<char*>(memory) + offset, host, 8, cudaMemcpyHostToDevice);
  };
  CHECK(copy_to(256) == cudaErrorInvalidValue);
  CHECK(copy_to(512) == cudaErrorInvalidValue);
  CHECK(copy_to(513) == cudaErrorInvalidValue);
  cudaFree(memory);
  const auto failures = program.report().failures;
  REQUIRE(failures.size() == 3);
  CHECK(failures[0].detail == "the destination begins 0 bytes after the end of an allocation of 256 bytes");
  CHECK(failures[1].detail == "the destination begins 256 bytes after the end of an allocation of 256 bytes");
  CHECK(failures[2].detail == "the destination is not device memory");
}

TEST_CASE("cudaMemcpyDefault infers the direction") {
  Program program;
  const char text[8] = "default";
  char back[8] = {}, copy[8] = {};
  void* first = device_memory(8);
  void* second = device_memory(8);
  CHECK(cudaMemcpy(first, text, 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(second, first, 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(back, second, 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(copy, back, 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(std::strcmp(copy, "default") == 0);
}

TEST_CASE("copies larger than one piece arrive completely or not at all") {
  Program program;
  const std::size_t size = 2 * kMaxCopyPieceBytes + 12345;
  std::vector<char> sent(size), received(size);
  for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<char>(i * 31 + i / 4096);
  void* memory = device_memory(size);
  REQUIRE(cudaMemcpy(memory, sent.data(), size, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaMemcpy(received.data(), memory, size, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(received == sent);
  const std::vector<char> longer(size + 1, 'x');
  CHECK(cudaMemcpy(memory, longer.data(), size + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  REQUIRE(cudaMemcpy(received.data(), memory, size, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(received == sent);
}

TEST_CASE("device variables are read, written and queried by their host address") {
  Program program;
  const int values[4] = {1, 2, 3, 4};
  int two[2] = {};
  CHECK(cudaMemcpyToSymbol(&program.table, values, sizeof values) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(two, &program.table, sizeof two, 8) == cudaSuccess);
  CHECK(two[0] == 3);
  CHECK(two[1] == 4);
  CHECK(cudaMemcpyToSymbol(&program.table, values, sizeof values, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(&program, values, 4) == cudaErrorInvalidSymbol);
  size_t size = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&size, &program.table) == cudaSuccess);
  CHECK(size == 16);
  CHECK(cudaGetSymbolAddress(&address, &program.table) == cudaSuccess);
  CHECK(cudaMemcpy(two, address, sizeof two, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(two[0] == 1);
}

TEST_CASE("memory is allocated and freed by the rules of CUDA") {
  Program program;
  void* pointer = &program;
  CHECK(cudaMalloc(&pointer, 0) == cudaSuccess);
  CHECK(pointer == nullptr);
  CHECK(cudaMalloc(nullptr, 8) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&pointer, size_t{1} << 45U) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  void* memory = device_memory(1000);
  size_t free_before = 0, total = 0, free_after = 0;
  CHECK(cudaMemGetInfo(&free_before, &total) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaMemGetInfo(&free_after, &total) == cudaSuccess);
  CHECK(free_after == free_before + 1000);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  CHECK(cudaFree(static_cast<char*>(device_memory(8)) + 4) == cudaErrorInvalidValue);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(program.report().live_allocations.size() == 1);  // the 8 bytes that were not freed before
}

TEST_CASE("events measure modelled device time, and stale handles are detected") {
  Program program;
  cudaEvent_t start = nullptr, stop = nullptr, untimed = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(start) == cudaSuccess);
  CHECK(program.launch_store(device_memory(256 * 4), 256) == cudaSuccess);
  CHECK(cudaEventRecord(stop) == cudaSuccess);
  CHECK(cudaEventRecord(untimed) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess);
  // Such a short kernel ends before the host issues the second event, two calls after the first.
  CHECK(ms == Approx(2 * vgpu::lecture_profile().host_call_s * 1e3));
  CHECK(ms > 0);
  CHECK(cudaEventElapsedTime(&ms, start, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(stop) == cudaSuccess);
  CHECK(cudaEventSynchronize(stop) == cudaErrorInvalidResourceHandle);

  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(stream, start) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
}

TEST_CASE("device properties match the profile") {
  Program program;
  const Profile profile = lecture_profile();
  cudaDeviceProp prop;
  REQUIRE(cudaGetDeviceProperties(&prop, 0) == cudaSuccess);
  CHECK(prop.sharedMemPerBlock == profile.shared_bytes_per_block);
  CHECK(prop.multiProcessorCount == static_cast<int>(profile.sm_count));
  CHECK(prop.warpSize == 32);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess);
  CHECK(value == 1024);
  CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(200), 0) == cudaErrorInvalidValue);
  CHECK(cudaGetDeviceProperties(&prop, 1) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
}

TEST_CASE("the scarcest resource of an SM limits the occupancy") {
  Program program;
  const Profile profile = lecture_profile();
  int blocks = 0;
  const auto ask_blocks = [&](int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program.store_index, threads, shared);
  };
  CHECK(ask_blocks(32, 0) == cudaSuccess);
  CHECK(blocks == static_cast<int>(profile.max_blocks_per_sm));
  CHECK(ask_blocks(1024, 0) == cudaSuccess);
  CHECK(blocks == static_cast<int>(profile.max_threads_per_sm / 1024));
  CHECK(ask_blocks(32, profile.shared_bytes_per_sm / 2) == cudaSuccess);
  CHECK(blocks == 2);
  CHECK(ask_blocks(2048, 0) == cudaSuccess);
  CHECK(blocks == 0);
  CHECK(ask_blocks(0, 0) == cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, &program.store_index) == cudaSuccess);
  CHECK(attributes.sharedSizeBytes == 0);
  CHECK(cudaFuncSetAttribute(&program.store_index, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024) ==
        cudaSuccess);
  CHECK(cudaFuncSetAttribute(&program.store_index, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             48 * 1024 + 1) == cudaErrorInvalidValue);
}

TEST_CASE("a launch of device code that cannot be loaded fails with the reason") {
  Program program;
  Wrapper broken;
  broken.data = "this is not PTX at all";
  char stub = 0;
  void** code = __cudaRegisterFatBinary(&broken);
  __cudaRegisterFunction(code, &stub, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  CHECK(cudaLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidPtx);
  __cudaUnregisterFatBinary(code);
  CHECK(cudaLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  REQUIRE(program.report().failures.size() == 2);
}

TEST_CASE("errors have CUDA's names and texts") {
  CHECK(std::string(cudaGetErrorName(cudaErrorIllegalAddress)) == "cudaErrorIllegalAddress");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) ==
        "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(998))) == "unrecognized error code");
}

}  // namespace runtime_test
