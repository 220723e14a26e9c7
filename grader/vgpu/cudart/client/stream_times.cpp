#include "client/stream_times.hpp"

#include "client/host_memory.hpp"

namespace vgpu::cudart::client {
namespace {

OperationKind operation_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return OperationKind::copy_to_device;
    case cudaMemcpyDeviceToHost:
      return OperationKind::copy_to_host;
    default:
      return OperationKind::copy_on_device;
  }
}

Outcome progress(Runtime& runtime, const AskProgress& about, double* end_s) {
  const auto answered = runtime.ask(about);
  if (!answered) return outcome_of(answered);
  if (!answered.answer.has_ended) return cudaErrorNotReady;
  if (end_s) *end_s = answered.answer.end_s;
  return {};
}

}  // namespace

std::uint32_t number_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return kLegacyStream;
  if (stream == cudaStreamPerThread) return 1;
  constexpr std::uintptr_t kHandleStep = 0x10;  // handles count in these, from far above 1
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream) / kHandleStep);
}

Outcome tell_copy(Runtime& runtime, cudaMemcpyKind kind, const void* host_side, std::size_t size_bytes,
                  cudaStream_t stream, HostWaits host_waits) {
  StreamOperation operation;
  operation.kind = operation_of(kind);
  operation.stream = number_of(stream);
  operation.size_bytes = size_bytes;
  const bool crosses_link = operation.kind != OperationKind::copy_on_device;
  operation.is_pageable = crosses_link && !is_pinned(host_side);
  operation.host_waits = operation.is_pageable || (crosses_link && host_waits == HostWaits::yes);
  return outcome_of(runtime.ask(operation));
}

Outcome tell_fill(Runtime& runtime, std::size_t size_bytes, cudaStream_t stream) {
  StreamOperation operation;
  operation.kind = OperationKind::fill;
  operation.stream = number_of(stream);
  operation.size_bytes = size_bytes;
  return outcome_of(runtime.ask(operation));
}

OrOutcome<std::uint64_t> tell_event(Runtime& runtime, cudaStream_t stream) {
  StreamOperation operation;
  operation.kind = OperationKind::event_record;
  operation.stream = number_of(stream);
  const auto answered = runtime.ask(operation);
  if (!answered) return grader::Unexpected{outcome_of(answered)};
  return answered.answer.number;
}

Outcome tell_wait_for_event(Runtime& runtime, cudaStream_t stream, std::uint64_t event) {
  StreamOperation operation;
  operation.kind = OperationKind::event_wait;
  operation.stream = number_of(stream);
  operation.event = event;
  return outcome_of(runtime.ask(operation));
}

Outcome wait_for_device(Runtime& runtime) { return outcome_of(runtime.ask(WaitFor{})); }

Outcome wait_for_stream(Runtime& runtime, cudaStream_t stream) {
  return outcome_of(runtime.ask(WaitFor{Awaited::stream, number_of(stream)}));
}

Outcome wait_for_operation(Runtime& runtime, std::uint64_t operation) {
  return outcome_of(runtime.ask(WaitFor{Awaited::operation, operation}));
}

Outcome progress_of_stream(Runtime& runtime, cudaStream_t stream) {
  return progress(runtime, {Awaited::stream, number_of(stream)}, nullptr);
}

Outcome progress_of_operation(Runtime& runtime, std::uint64_t operation, double* end_s) {
  return progress(runtime, {Awaited::operation, operation}, end_s);
}

}  // namespace vgpu::cudart::client
