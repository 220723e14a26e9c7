// Pinned host memory: ordinary page-aligned memory, since the device copies through the socket either way.

#include "client/host_memory.hpp"

#include <cstdlib>
#include <map>

#include "client/runtime.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr std::size_t kPageBytes = 4096;

struct PinnedMemory {
  std::map<const void*, std::size_t> allocated, registered;  ///< start → size in bytes
};

PinnedMemory& pinned() {
  static PinnedMemory& all = *new PinnedMemory;  // outlives other libraries' destructors
  return all;
}

Outcome allocate(void** pointer, std::size_t size_bytes) {
  if (!pointer) return {cudaErrorInvalidValue, "the pointer's address is null"};
  *pointer = nullptr;
  if (size_bytes == 0) return {};
  if (posix_memalign(pointer, kPageBytes, size_bytes) != 0) {
    return {cudaErrorMemoryAllocation, "no room for " + std::to_string(size_bytes) + " bytes of host memory"};
  }
  pinned().allocated.emplace(*pointer, size_bytes);
  return {};
}

Outcome release(void* pointer) {
  if (!pointer) return {};
  if (pinned().allocated.erase(pointer) == 0) {
    return {cudaErrorInvalidValue, "the pointer did not come from cudaMallocHost or cudaHostAlloc"};
  }
  std::free(pointer);
  return {};
}

Outcome register_memory(const void* pointer, std::size_t size_bytes) {
  if (!pointer || size_bytes == 0) return {cudaErrorInvalidValue, "nothing to register"};
  return pinned().registered.emplace(pointer, size_bytes).second
             ? Outcome()
             : Outcome(cudaErrorHostMemoryAlreadyRegistered);
}

Outcome unregister_memory(const void* pointer) {
  return pinned().registered.erase(pointer) == 1 ? Outcome() : Outcome(cudaErrorHostMemoryNotRegistered);
}

bool holds(const std::map<const void*, std::size_t>& memory, const void* pointer) {
  const auto next = memory.upper_bound(pointer);
  if (next == memory.begin()) return false;
  const auto& [start, size_bytes] = *std::prev(next);
  return address_of(pointer) - address_of(start) < size_bytes;
}

}  // namespace

bool is_pinned(const void* pointer) {
  return holds(pinned().allocated, pointer) || holds(pinned().registered, pointer);
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return api_call("cudaMallocHost", CallKind::host, [&](Runtime&) { return allocate(ptr, size); });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int) {
  return api_call("cudaHostAlloc", CallKind::host, [&](Runtime&) { return allocate(pHost, size); });
}

cudaError_t cudaFreeHost(void* ptr) {
  return api_call("cudaFreeHost", CallKind::waiting, [&](Runtime&) { return release(ptr); });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int) {
  return api_call("cudaHostRegister", CallKind::host, [&](Runtime&) { return register_memory(ptr, size); });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return api_call("cudaHostUnregister", CallKind::host, [&](Runtime&) { return unregister_memory(ptr); });
}
}
