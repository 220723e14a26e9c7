// Pinned, registered and managed memory of the host. Kernels use all of it at the host's addresses, as with
// unified addressing on a real GPU.

#include <map>

#include "vgpu/cudart/client/memory/shared_memory.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

Outcome allocate_pinned(Runtime& runtime, void** pointer, std::size_t size_bytes, unsigned flags) {
  if (!pointer) return {cudaErrorInvalidValue, "the pointer's address is null"};
  *pointer = nullptr;
  constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~kKnown) != 0) return {cudaErrorInvalidValue, "no such flags: " + std::to_string(flags)};
  if (size_bytes == 0) return {};
  const auto memory = allocate_shared(runtime, size_bytes, MemoryKind::pinned, flags, CallSite::here());
  if (!memory) return memory.error();
  *pointer = *memory;
  return {};
}

Outcome free_pinned(Runtime& runtime, void* pointer) {
  if (!pointer) return {};
  const auto memory = runtime.memory().at(address_of(pointer));
  if (memory && memory->kind == MemoryKind::pinned) {
    // The CUDA Runtime API documents no wait, but the memory is unmapped, so that the driver waits.
    Outcome outcome = wait_for_device(runtime);
    return outcome.error == cudaSuccess ? free_shared(runtime, *memory) : outcome;
  }
  if (runtime.memory().freed_at(address_of(pointer))) return mistake("this memory has already been freed");
  return mistake("the pointer did not come from cudaMallocHost or cudaHostAlloc");
}

Outcome allocate_managed(Runtime& runtime, void** pointer, std::size_t size_bytes, unsigned flags) {
  if (!pointer || size_bytes == 0)
    return {cudaErrorInvalidValue, "the pointer's address is null, or the size is 0"};
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return {cudaErrorInvalidValue, "the flags are neither cudaMemAttachGlobal nor cudaMemAttachHost"};
  const auto memory = allocate_shared(runtime, size_bytes, MemoryKind::managed, flags, CallSite::here());
  if (!memory) return memory.error();
  *pointer = *memory;
  return {};
}

// Registered memory is shared in whole pages. Registered ranges that touch the same pages form a region,
// whose pages are exchanged together.
struct Regions {
  std::uint64_t device = 0;
  std::map<std::uint64_t, std::uint64_t> end_of;  ///< end of each region, by its start

  /// The first region that overlaps [start, end), or end_of.end().
  auto touching(std::uint64_t start, std::uint64_t end) {
    auto found = end_of.upper_bound(start);
    if (found != end_of.begin() && std::prev(found)->second > start) return std::prev(found);
    return found != end_of.end() && found->first < end ? found : end_of.end();
  }
};

Regions& regions() {
  static Regions& all = *new Regions;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (all.device != device) all = {.device = device, .end_of = {}};
  return all;
}

Outcome register_memory(Runtime& runtime, const void* pointer, std::size_t size_bytes, unsigned flags) {
  const std::uint64_t address = address_of(pointer);
  if (address == 0 || size_bytes == 0 || address + size_bytes < address)
    return {cudaErrorInvalidValue, "the range is empty or invalid"};
  constexpr unsigned kKnown =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if ((flags & ~kKnown) != 0) return {cudaErrorInvalidValue, "no such flags: " + std::to_string(flags)};
  if ((flags & cudaHostRegisterIoMemory) != 0)
    return {cudaErrorNotSupported, "the range is not the I/O memory of a device"};
  if (runtime.memory().overlaps(address, size_bytes)) return cudaErrorHostMemoryAlreadyRegistered;
  std::uint64_t start = address / kPageBytes * kPageBytes;
  std::uint64_t end = (address + size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  auto& all = regions();
  for (auto region = all.touching(start, end); region != all.end_of.end();
       region = all.touching(start, end)) {
    const auto [region_start, region_end] = *region;
    all.end_of.erase(region);
    Outcome outcome = unshare_in_place(runtime, region_start, region_end - region_start);
    if (outcome.error != cudaSuccess) return outcome;
    start = std::min(start, region_start);
    end = std::max(end, region_end);
  }
  MemoryRange registered;
  registered.address = address;
  registered.size_bytes = size_bytes;
  Outcome outcome = share_in_place(runtime, start, end - start, registered);
  if (outcome.error != cudaSuccess) return outcome;
  all.end_of[start] = end;
  runtime.memory().add({address, size_bytes, MemoryKind::registered, flags});
  return {};
}

Outcome unregister_memory(Runtime& runtime, const void* pointer) {
  const auto memory = runtime.memory().at(address_of(pointer));
  if (!memory || memory->kind != MemoryKind::registered) return cudaErrorHostMemoryNotRegistered;
  EndRegistration request;
  request.address = memory->address;
  request.size_bytes = memory->size_bytes;
  request.site = CallSite::here().numbers();
  if (const auto answered = runtime.ask(request); !answered) return outcome_of(answered);
  runtime.memory().remove(memory->address);
  auto& all = regions();
  const auto region = all.touching(memory->address, memory->end());
  if (region == all.end_of.end()) return {};
  const auto [start, end] = *region;
  if (runtime.memory().overlaps(start, end - start))
    return {};  // other registered ranges still need the region
  all.end_of.erase(region);
  return unshare_in_place(runtime, start, end - start);
}

/// The pinned or registered memory at the pointer, if any.
std::optional<KnownMemory> mapped_memory(const Runtime& runtime, const void* pointer) {
  const auto memory = runtime.memory().find(address_of(pointer));
  if (!memory || memory->kind == MemoryKind::device || memory->kind == MemoryKind::managed)
    return std::nullopt;
  return memory;
}

Outcome not_mapped() { return {cudaErrorInvalidValue, "this is not pinned or registered host memory"}; }

/// Checks a hint about managed memory. The virtual GPU ignores valid hints, because the location of managed
/// memory makes no difference.
Outcome check_managed(const Runtime& runtime, const void* pointer, std::size_t size_bytes) {
  const auto memory = runtime.memory().find(address_of(pointer));
  if (!memory || memory->kind != MemoryKind::managed)
    return {cudaErrorInvalidValue, "this is not managed memory"};
  if (size_bytes <= memory->end() - address_of(pointer)) return {};
  return {cudaErrorInvalidValue, "the range extends past the end of its allocation"};
}

Outcome check_location(const cudaMemLocation& location) {
  const bool is_host = location.type >= cudaMemLocationTypeHost;
  if (is_host || (location.type == cudaMemLocationTypeDevice && location.id == 0)) return {};
  return {cudaErrorInvalidDevice, "the only device is device 0"};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return api_call("cudaMallocHost", CallKind::host, [&](Runtime& runtime) {
    return allocate_pinned(runtime, ptr, size, cudaHostAllocDefault);
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return api_call("cudaHostAlloc", CallKind::host,
                  [&](Runtime& runtime) { return allocate_pinned(runtime, pHost, size, flags); });
}

cudaError_t cudaFreeHost(void* ptr) {
  Runtime::instance().note_attempted_free(ptr);
  return api_call("cudaFreeHost", CallKind::waiting,
                  [&](Runtime& runtime) { return free_pinned(runtime, ptr); });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return api_call("cudaHostRegister", CallKind::host,
                  [&](Runtime& runtime) { return register_memory(runtime, ptr, size, flags); });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return api_call("cudaHostUnregister", CallKind::waiting,
                  [&](Runtime& runtime) { return unregister_memory(runtime, ptr); });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return api_call("cudaHostGetDevicePointer", CallKind::host, [&](Runtime& runtime) {
    if (flags != 0) return Outcome(cudaErrorInvalidValue, "the flags must be 0");
    return mapped_memory(runtime, pHost) ? answer(pDevice, pHost) : not_mapped();
  });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return api_call("cudaHostGetFlags", CallKind::host, [&](Runtime& runtime) {
    const auto memory = mapped_memory(runtime, pHost);
    return memory ? answer(pFlags, memory->flags) : not_mapped();
  });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return api_call("cudaMallocManaged", CallKind::waiting,
                  [&](Runtime& runtime) { return allocate_managed(runtime, devPtr, size, flags); });
}

// The device uses managed memory at its place on the host: a prefetch moves nothing, advice changes nothing.
cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location, unsigned int,
                                 cudaStream_t stream) {
  return api_call("cudaMemPrefetchAsync", CallKind::queued, [&](Runtime& runtime) {
    if (!find_stream(stream)) return invalid_stream();
    Outcome problem = check_location(location);
    return problem.error ? problem : check_managed(runtime, devPtr, count);
  });
}

cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return api_call("cudaMemAdvise", CallKind::host, [&](Runtime& runtime) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
      return mistake("no such advice");
    const bool has_place =
        advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy;
    Outcome problem = has_place ? check_location(location) : Outcome();
    return problem.error ? problem : check_managed(runtime, devPtr, count);
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length, unsigned int) {
  return api_call("cudaStreamAttachMemAsync", CallKind::queued, [&](Runtime& runtime) {
    return find_stream(stream) ? check_managed(runtime, devPtr, length) : invalid_stream();
  });
}
}
