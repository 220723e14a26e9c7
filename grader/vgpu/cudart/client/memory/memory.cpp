// Device memory: allocation, copies, fills, and attributes of pointers.

#include "vgpu/cudart/client/memory/device_memory.hpp"
#include "vgpu/cudart/client/memory/shared_memory.hpp"
#include "vgpu/cudart/client/streams/capture.hpp"
#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

Outcome allocate_pitched(Runtime& runtime, void** pointer, std::size_t* pitch, const cudaExtent& extent) {
  if (!pointer || !pitch) return null_result();
  const Box box{extent.width, extent.height, extent.depth};
  *pitch = (extent.width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  const auto bytes = bytes_of(Box{*pitch, box.height, box.depth});
  // Rounding up wraps around for widths near 2^64.
  if (!bytes || *pitch < extent.width)
    return {cudaErrorMemoryAllocation, "the size is larger than any memory"};
  return allocate_device(runtime, pointer, *bytes);
}

FillWork linear_fill(void* pointer, int value, std::size_t size_bytes) {
  return {{address_of(pointer)}, {size_bytes, 1, 1}, static_cast<std::uint8_t>(value), 1};
}

FillWork fill_3d(const cudaPitchedPtr& memory, int value, const cudaExtent& extent) {
  return {{address_of(memory.ptr), memory.pitch, memory.ysize},
          {extent.width, extent.height, extent.depth},
          static_cast<std::uint8_t>(value),
          1};
}

cudaMemcpy3DParms pitched_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy{};
  copy.dstPtr = {to, to_pitch, width, height};
  copy.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  copy.extent = {width, height, 1};
  copy.kind = kind;
  return copy;
}

Outcome issue_copy_3d(Runtime& runtime, cudaStream_t stream, const cudaMemcpy3DParms* parameters) {
  const auto work = copy_3d(parameters);
  return work ? issue(runtime, stream, *work) : work.error();
}

Outcome issue_copy_3d_and_wait(Runtime& runtime, const cudaMemcpy3DParms* parameters) {
  const auto work = copy_3d(parameters);
  return work ? issue_and_wait(runtime, *work) : work.error();
}

Outcome describe(const Runtime& runtime, cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return null_result();
  void* const address = const_cast<void*>(pointer);
  *attributes = {};
  const auto memory = runtime.memory().find(address_of(pointer));
  if (!memory) {
    // Not an error since CUDA 11.0 (CUDA Runtime API, "cudaPointerGetAttributes").
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = address;
    return {};
  }
  // With unified addressing, host and device use the same address.
  attributes->devicePointer = address;
  if (memory->kind != MemoryKind::device) attributes->hostPointer = address;
  switch (memory->kind) {
    case MemoryKind::device:
      attributes->type = cudaMemoryTypeDevice;
      break;
    case MemoryKind::pinned:
    case MemoryKind::registered:
      attributes->type = cudaMemoryTypeHost;
      break;
    case MemoryKind::unknown:
    case MemoryKind::array:
    case MemoryKind::object:
      break;
    case MemoryKind::managed:
      attributes->type = cudaMemoryTypeManaged;
      break;
  }
  return {};
}

/// Converts a copy between devices. The only device is device 0, so the copy is within device 0.
OrOutcome<CopyWork> copy_between_devices(const cudaMemcpy3DPeerParms* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  Outcome problem = require_device_0(given->dstDevice, given->srcDevice);
  if (problem.error) return grader::Unexpected{std::move(problem)};
  const cudaMemcpy3DParms same{given->srcArray, given->srcPos, given->srcPtr, given->dstArray,
                               given->dstPos,   given->dstPtr, given->extent, cudaMemcpyDeviceToDevice};
  return copy_3d(&same);
}

/// `is_synchronising`: the host then waits for the device, but not for memory from cudaMallocAsync: "the
/// driver assumes that all accesses to the allocation are complete and performs no further synchronization"
/// (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
Outcome free_memory(Runtime& runtime, void* pointer, const std::optional<Issue>& issue,
                    bool is_synchronising) {
  if (!pointer) return {};
  if (auto problem = forbid_unsafe()) return *std::move(problem);
  if (issue)
    run_host_functions_of(runtime, issue->stream);
  else
    run_host_functions(runtime);
  const auto memory = runtime.memory().at(address_of(pointer));
  const bool is_pooled = memory && memory->in_stream_order;
  if (is_synchronising && !is_pooled) {
    if (auto problem = forbid_waiting()) return *std::move(problem);
  }
  if (memory && memory->kind == MemoryKind::managed) {
    Outcome outcome = free_shared(runtime, *memory);
    return outcome.error || !is_synchronising ? outcome : wait_for_device(runtime);
  }
  if (memory && memory->kind != MemoryKind::device) {
    return mistake(memory->kind == MemoryKind::pinned
                       ? "this is host memory: free it with cudaFreeHost"
                       : "this is registered host memory: unregister it with cudaHostUnregister");
  }
  Free request;
  request.address = address_of(pointer);
  request.in_stream_order = issue.has_value();
  request.is_wait = !issue && !is_pooled;
  request.is_synchronising = is_synchronising && !is_pooled;
  request.issue = issue.value_or(issue_to(runtime, 0));
  const auto answered = runtime.ask(request);
  if (!answered) return mistake(answered.reason);
  if (memory) runtime.memory().free(*memory, CallSite::here());
  return {};
}

}  // namespace

Outcome allocate_device(Runtime& runtime, void** pointer, std::size_t size_bytes,
                        const std::optional<Issue>& issue) {
  if (!pointer) return {cudaErrorInvalidValue, "the pointer's address is null"};
  *pointer = nullptr;
  if (auto problem = forbid_unsafe()) return *std::move(problem);
  if (size_bytes == 0) return {};
  const auto answered = runtime.ask(Allocate{size_bytes, issue.has_value(), issue.value_or(Issue())});
  if (!answered) return outcome_of(answered);
  runtime.memory().add({.address = answered.answer.address,
                        .size_bytes = size_bytes,
                        .site = CallSite::here(),
                        .in_stream_order = issue.has_value()});
  *pointer = pointer_to(answered.answer.address);
  return {};
}

Outcome free_device(Runtime& runtime, void* pointer, const std::optional<Issue>& issue) {
  return free_memory(runtime, pointer, issue, false);
}

Outcome free_device_and_wait(Runtime& runtime, void* pointer) {
  return free_memory(runtime, pointer, {}, true);
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api_call("cudaMalloc", CallKind::waiting,
                  [&](Runtime& runtime) { return allocate_device(runtime, devPtr, size); });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return api_call("cudaMallocPitch", CallKind::waiting, [&](Runtime& runtime) {
    return allocate_pitched(runtime, devPtr, pitch, {width, height, 1});
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return api_call("cudaMalloc3D", CallKind::waiting, [&](Runtime& runtime) {
    if (!pitchedDevPtr) return null_result();
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return allocate_pitched(runtime, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent);
  });
}

cudaError_t cudaFree(void* devPtr) {
  Runtime::instance().note_attempted_free(devPtr);
  return api_call("cudaFree", CallKind::waiting,
                  [&](Runtime& runtime) { return free_device_and_wait(runtime, devPtr); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api_call("cudaMemGetInfo", CallKind::waiting, [&](Runtime& runtime) {
    if (!free || !total) return null_result();
    const auto answered = runtime.ask(vgpu::cudart::QueryMemory{});
    *free = answered.answer.free_bytes;
    *total = answered.answer.total_bytes;
    return outcome_of(answered);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return api_call("cudaPointerGetAttributes", CallKind::host,
                  [&](Runtime& runtime) { return describe(runtime, attributes, ptr); });
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy", CallKind::waiting, [&](Runtime& runtime) {
    return issue_and_wait(runtime, linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api_call("cudaMemcpyAsync", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2D", CallKind::waiting, [&](Runtime& runtime) {
    const auto copy = pitched_copy(dst, dpitch, src, spitch, width, height, kind);
    return issue_copy_3d_and_wait(runtime, &copy);
  });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpy2DAsync", CallKind::queued, [&](Runtime& runtime) {
    const auto copy = pitched_copy(dst, dpitch, src, spitch, width, height, kind);
    return issue_copy_3d(runtime, stream, &copy);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return api_call("cudaMemcpy3D", CallKind::waiting,
                  [&](Runtime& runtime) { return issue_copy_3d_and_wait(runtime, p); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return api_call("cudaMemcpy3DAsync", CallKind::queued,
                  [&](Runtime& runtime) { return issue_copy_3d(runtime, stream, p); });
}

// cudaMemcpyPeer and cudaMemcpy3DPeer are asynchronous with respect to the host (CUDA Runtime API).
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return api_call("cudaMemcpyPeer", CallKind::waiting, [&](Runtime& runtime) {
    Outcome problem = require_device_0(dstDevice, srcDevice);
    if (problem.error) return problem;
    return issue(runtime, nullptr, linear_copy(dst, src, count, cudaMemcpyDeviceToDevice));
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  return api_call("cudaMemcpyPeerAsync", CallKind::queued, [&](Runtime& runtime) {
    Outcome problem = require_device_0(dstDevice, srcDevice);
    if (problem.error) return problem;
    return issue(runtime, stream, linear_copy(dst, src, count, cudaMemcpyDeviceToDevice));
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return api_call("cudaMemcpy3DPeer", CallKind::waiting, [&](Runtime& runtime) {
    const auto work = copy_between_devices(p);
    return work ? issue(runtime, nullptr, *work) : work.error();
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return api_call("cudaMemcpy3DPeerAsync", CallKind::queued, [&](Runtime& runtime) {
    const auto work = copy_between_devices(p);
    return work ? issue(runtime, stream, *work) : work.error();
  });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return api_call("cudaMemset", CallKind::queued, [&](Runtime& runtime) {
    return issue_and_wait(runtime, linear_fill(devPtr, value, count));
  });
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api_call("cudaMemsetAsync", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, linear_fill(devPtr, value, count));
  });
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return api_call("cudaMemset2D", CallKind::queued, [&](Runtime& runtime) {
    return issue_and_wait(runtime, fill_3d({devPtr, pitch, width, height}, value, {width, height, 1}));
  });
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return api_call("cudaMemset2DAsync", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, fill_3d({devPtr, pitch, width, height}, value, {width, height, 1}));
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return api_call("cudaMemset3D", CallKind::queued, [&](Runtime& runtime) {
    return issue_and_wait(runtime, fill_3d(pitchedDevPtr, value, extent));
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return api_call("cudaMemset3DAsync", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, fill_3d(pitchedDevPtr, value, extent));
  });
}
}
