// Registration of device code. The host code that nvcc and clang generate calls these functions in static
// constructors and destructors. They send nothing to the device; see registry.hpp.

#include "vgpu/cudart/client/memory/managed_section.hpp"
#include "vgpu/cudart/client/memory/managed_variables.hpp"

namespace {

using vgpu::cudart::client::add_managed_variable;
using vgpu::cudart::client::api_call;
using vgpu::cudart::client::CallKind;
using vgpu::cudart::client::FatBinary;
using vgpu::cudart::client::fill_managed_variables;
using vgpu::cudart::client::has_managed_variables_in_place;
using vgpu::cudart::client::is_in_managed_section;
using vgpu::cudart::client::place_managed_variables;
using vgpu::cudart::client::Registry;
using vgpu::cudart::client::remove_managed_variables;
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

/// Host code can use managed variables that clang compiled without any further call.
void __cudaRegisterFatBinaryEnd(void** handle) {
  if (!has_managed_variables_in_place(binary_of(handle))) return;
  api_call("__managed__ variables", CallKind::waiting,
           [&](Runtime& runtime) { return fill_managed_variables(runtime, binary_of(handle)); });
}

void __cudaUnregisterFatBinary(void** handle) {
  with_registry([&](Registry& registry) {
    remove_managed_variables(binary_of(handle));
    registry.remove_binary(binary_of(handle));
  });
}

void __cudaRegisterFunction(void** handle, const char* host_function, char* /*device_function*/,
                            const char* name, int /*thread_limit*/, void*, void*, void*, void*, int*) {
  with_registry([&](Registry& registry) { registry.add_kernel(binary_of(handle), host_function, name); });
}

void __cudaRegisterVar(void** handle, char* host_variable, char* /*device_address*/, const char* name,
                       int /*is_extern*/, size_t size_bytes, int /*is_constant*/, int /*is_global*/) {
  with_registry([&](Registry& registry) { registry.add_variable(binary_of(handle), host_variable, name); });
  if (is_in_managed_section(host_variable))
    add_managed_variable(
        {.binary = binary_of(handle), .name = name, .size_bytes = size_bytes, .in_place = host_variable});
}

void __cudaRegisterManagedVar(void** handle, void** host_variable, char* /*device_address*/, const char* name,
                              int /*is_extern*/, size_t size_bytes, int /*is_constant*/, int /*is_global*/) {
  with_registry([&](Registry&) {
    add_managed_variable(
        {.binary = binary_of(handle), .name = name, .size_bytes = size_bytes, .host_pointer = host_variable});
  });
}

/// Called before host code first uses a managed variable.
char __cudaInitModule(void** handle) {
  return api_call("__managed__ variables", CallKind::waiting, [&](Runtime& runtime) {
           return place_managed_variables(runtime, binary_of(handle));
         }) == cudaSuccess;
}
}
#pragma GCC visibility pop
