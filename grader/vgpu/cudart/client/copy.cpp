#include "client/copy.hpp"

#include <algorithm>
#include <cstring>

namespace vgpu::cudart::client {
namespace {

/// Calls transfer(offset, piece size) for each piece of a copy until one is refused.
template <class Transfer>
Outcome in_pieces(std::size_t size_bytes, Transfer transfer) {
  for (std::size_t offset = 0; offset < size_bytes; offset += kMaxCopyPieceBytes) {
    Outcome outcome = transfer(offset, std::min(kMaxCopyPieceBytes, size_bytes - offset));
    if (outcome.error != cudaSuccess) return outcome;
  }
  return {};
}

Outcome upload(Runtime& runtime, std::uint64_t to, const void* from, std::size_t size_bytes) {
  return in_pieces(size_bytes, [&](std::size_t offset, std::size_t piece) {
    Write request;
    request.address = to + offset;
    return outcome_of(runtime.ask(request, {static_cast<const std::byte*>(from) + offset, piece}));
  });
}

Outcome download(Runtime& runtime, void* to, std::uint64_t from, std::size_t size_bytes) {
  return in_pieces(size_bytes, [&](std::size_t offset, std::size_t piece) {
    Read request;
    request.address = from + offset;
    request.size_bytes = piece;
    return outcome_of(runtime.ask(request, {}, {static_cast<std::byte*>(to) + offset, piece}));
  });
}

cudaMemcpyKind actual_kind(const Runtime& runtime, const void* to, const void* from) {
  const bool to_device = runtime.device_range(address_of(to)).has_value();
  const bool from_device = runtime.device_range(address_of(from)).has_value();
  if (to_device) return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

/// A side that is said to be host memory, but is null or the device's.
Outcome check_host_side(const Runtime& runtime, const char* side, const void* pointer) {
  if (!pointer) return {cudaErrorInvalidValue, std::string("the ") + side + " is a null pointer"};
  if (!runtime.device_range(address_of(pointer))) return {};
  return {cudaErrorInvalidValue,
          std::string("the ") + side + " is device memory, but the direction says that it is host memory"};
}

/// Both pointers are good, but for the other direction.
Outcome with_hint(const Runtime& runtime, Outcome problem, cudaMemcpyKind kind, const void* to,
                  const void* from) {
  const cudaMemcpyKind actual = actual_kind(runtime, to, from);
  const bool is_opposite = (kind == cudaMemcpyHostToDevice && actual == cudaMemcpyDeviceToHost) ||
                           (kind == cudaMemcpyDeviceToHost && actual == cudaMemcpyHostToDevice);
  if (is_opposite) problem.detail += "; the pointers are swapped, or the direction is wrong";
  return problem;
}

Outcome move_bytes(Runtime& runtime, void* to, const void* from, std::size_t size_bytes,
                   cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return upload(runtime, address_of(to), from, size_bytes);
  if (kind == cudaMemcpyDeviceToHost) return download(runtime, to, address_of(from), size_bytes);
  if (kind == cudaMemcpyDeviceToDevice)
    return outcome_of(runtime.ask(Copy{address_of(to), address_of(from), size_bytes}));
  std::memmove(to, from, size_bytes);
  return {};
}

}  // namespace

Outcome check_device_range(const Runtime& runtime, const char* side, std::uint64_t address,
                           std::size_t size_bytes) {
  const auto range = runtime.device_range(address);
  if (!range) return {cudaErrorInvalidValue, std::string("the ") + side + " is not device memory"};
  const std::uint64_t room = range->size_bytes - (address - range->address);
  if (size_bytes <= room) return {};
  return {cudaErrorInvalidValue, std::to_string(size_bytes) + " bytes, but the " + side + " has room for " +
                                     std::to_string(room) + " up to the end of its allocation"};
}

Outcome copy_memory(Runtime& runtime, void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                    cudaStream_t stream, HostWaits host_waits) {
  if (size_bytes == 0) return {};
  if (kind == cudaMemcpyDefault) kind = actual_kind(runtime, to, from);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDeviceToDevice) {
    return {cudaErrorInvalidMemcpyDirection, "no such direction"};
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  Outcome problem = to_device ? check_device_range(runtime, "destination", address_of(to), size_bytes)
                              : check_host_side(runtime, "destination", to);
  if (problem.error != cudaSuccess) return with_hint(runtime, std::move(problem), kind, to, from);
  problem = from_device ? check_device_range(runtime, "source", address_of(from), size_bytes)
                        : check_host_side(runtime, "source", from);
  if (problem.error != cudaSuccess) return with_hint(runtime, std::move(problem), kind, to, from);

  runtime.note_work_done();
  Outcome outcome = move_bytes(runtime, to, from, size_bytes, kind);
  if (outcome.error != cudaSuccess || kind == cudaMemcpyHostToHost) return outcome;
  return tell_copy(runtime, kind, to_device ? from : to, size_bytes, stream, host_waits);
}

}  // namespace vgpu::cudart::client
