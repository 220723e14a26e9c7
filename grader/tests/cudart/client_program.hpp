// A program inside the test: this process contains both the client library and the device. Kernels are PTX
// text, registered like a compiler's host code does.
#pragma once

#include "catch.hpp"
#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/device_side/in_process_transport.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, void*,
                            void*, void*, void*, int*);
void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int, size_t, int, int);
}

namespace testing {

/// The registration in a compiler's host code, for PTX text.
struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* unused = nullptr;
};

/// A program with registered device code on a fresh device.
struct ClientProgram {
  vgpu::Device device;
  vgpu::cudart::Session session{device, {}};
  Wrapper wrapper;
  char store_index = 0, give_up = 0, add_one = 0, in_pairs = 0,
       missing = 0;  // their addresses serve as the host stubs
  char table = 0;
  void** code = nullptr;

  explicit ClientProgram(vgpu::Profile profile = vgpu::lecture_profile());
  ~ClientProgram();
  ClientProgram(const ClientProgram&) = delete;
  ClientProgram& operator=(const ClientProgram&) = delete;

  /// out[i] = i for all threads of one block.
  cudaError_t launch_store(void* out, unsigned threads, cudaStream_t stream = nullptr);
  /// values[i] += 1, 32-bit.
  cudaError_t launch_add_one(void* values, unsigned threads, cudaStream_t stream = nullptr);
  vgpu::cudart::SessionReport report() { return session.take_report(); }
};

inline void* device_memory(std::size_t size_bytes) {
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, size_bytes) == cudaSuccess);
  return pointer;
}

}  // namespace testing
