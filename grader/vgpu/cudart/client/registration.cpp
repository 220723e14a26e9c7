// What the host code that nvcc and clang generate calls: registration of device code from static constructors
// and destructors. None of it reaches the device; see registry.hpp.

#include "client/runtime.hpp"

namespace {

using vgpu::cudart::client::FatBinary;
using vgpu::cudart::client::Registry;
using vgpu::cudart::client::Runtime;

template <class Body>
void with_registry(Body body) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  body(runtime.registry());
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  FatBinary* binary = nullptr;
  with_registry([&](Registry& registry) { binary = registry.add_binary(wrapper); });
  return reinterpret_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  with_registry([&](Registry& registry) { registry.remove_binary(binary_of(handle)); });
}

void __cudaRegisterFunction(void** handle, const char* host_function, char* /*device_function*/,
                            const char* name, int /*thread_limit*/, void*, void*, void*, void*, int*) {
  with_registry([&](Registry& registry) { registry.add_kernel(binary_of(handle), host_function, name); });
}

void __cudaRegisterVar(void** handle, char* host_variable, char* /*device_address*/, const char* name,
                       int /*is_extern*/, size_t /*size_bytes*/, int /*is_constant*/, int /*is_global*/) {
  with_registry([&](Registry& registry) { registry.add_variable(binary_of(handle), host_variable, name); });
}

/// Managed variables live in memory that host and device share, which this device does not have.
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  runtime.report_unsupported("__managed__ variables");
}

char __cudaInitModule(void**) { return 1; }
}
#pragma GCC visibility pop
