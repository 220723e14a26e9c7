// Streams and events. Work is done in the order of the calls, whatever its stream; when it runs on the
// modelled device, and for how long the host waits, the device's timeline knows (stream_times.hpp).

#include <set>

#include "client/handles.hpp"
#include "client/stream_times.hpp"

namespace vgpu::cudart::client {
namespace {

struct Event {
  bool has_timing = true;
  std::optional<std::uint64_t> recorded;  ///< number of the operation
};

// Handles are numbers that are never used twice: a stale one is always found out.
struct Handles {
  std::set<cudaStream_t> streams;
  std::map<cudaEvent_t, Event> events;
  std::uintptr_t next = 0x1000;

  template <class Handle>
  Handle make() {
    return reinterpret_cast<Handle>(next += 0x10);
  }
};

Handles& handles() {
  static Handles& all = *new Handles;  // outlives other libraries' destructors
  return all;
}

Event* find_event(cudaEvent_t event) {
  const auto found = handles().events.find(event);
  return found == handles().events.end() ? nullptr : &found->second;
}

Outcome invalid_event() { return {cudaErrorInvalidResourceHandle, "not a live event"}; }

Outcome null_argument(const char* name) { return {cudaErrorInvalidValue, std::string(name) + " is null"}; }

Outcome create_stream(Runtime& runtime, cudaStream_t* stream, unsigned int flags) {
  if (!stream) return null_argument("the stream's address");
  *stream = handles().make<cudaStream_t>();
  handles().streams.insert(*stream);
  if ((flags & cudaStreamNonBlocking) == 0) return {};
  return outcome_of(runtime.ask(DefineStream{number_of(*stream), true}));
}

Outcome create_event(cudaEvent_t* event, unsigned int flags) {
  if (!event) return null_argument("the event's address");
  *event = handles().make<cudaEvent_t>();
  handles().events[*event].has_timing = (flags & cudaEventDisableTiming) == 0;
  return {};
}

Outcome record(Runtime& runtime, cudaEvent_t event, cudaStream_t stream) {
  Event* recorded = find_event(event);
  if (!recorded) return invalid_event();
  if (!is_stream(stream)) return invalid_stream();
  const auto operation = tell_event(runtime, stream);
  if (!operation) return operation.error();
  recorded->recorded = *operation;
  return {};
}

/// Calls use(operation) if the event was recorded. One that never was counts as over.
template <class Use>
Outcome with_recorded(cudaEvent_t event, Use use) {
  const Event* found = find_event(event);
  if (!found) return invalid_event();
  return found->recorded ? use(*found->recorded) : Outcome();
}

Outcome elapsed(Runtime& runtime, float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return null_argument("the result's address");
  const Event* first = find_event(start);
  const Event* second = find_event(end);
  if (!first || !second) return invalid_event();
  if (!first->has_timing || !second->has_timing) {
    return {cudaErrorInvalidResourceHandle, "an event was created with cudaEventDisableTiming"};
  }
  if (!first->recorded || !second->recorded)
    return {cudaErrorInvalidResourceHandle, "an event was never recorded"};
  double first_s = 0, second_s = 0;
  Outcome outcome = progress_of_operation(runtime, *first->recorded, &first_s);
  if (outcome.error == cudaSuccess) outcome = progress_of_operation(runtime, *second->recorded, &second_s);
  if (outcome.error == cudaSuccess) *milliseconds = static_cast<float>((second_s - first_s) * 1e3);
  return outcome;
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         handles().streams.count(stream) > 0;
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return api_call("cudaStreamCreate", CallKind::host,
                  [&](Runtime& runtime) { return create_stream(runtime, pStream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return api_call("cudaStreamCreateWithFlags", CallKind::host,
                  [&](Runtime& runtime) { return create_stream(runtime, pStream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int) {
  return api_call("cudaStreamCreateWithPriority", CallKind::host,
                  [&](Runtime& runtime) { return create_stream(runtime, pStream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call("cudaStreamDestroy", CallKind::host, [&](Runtime&) {
    return handles().streams.erase(stream) == 1 ? Outcome() : invalid_stream();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call("cudaStreamSynchronize", CallKind::waiting, [&](Runtime& runtime) {
    return is_stream(stream) ? wait_for_stream(runtime, stream) : invalid_stream();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call("cudaStreamQuery", CallKind::waiting, [&](Runtime& runtime) {
    return is_stream(stream) ? progress_of_stream(runtime, stream) : invalid_stream();
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return api_call("cudaStreamWaitEvent", CallKind::host, [&](Runtime& runtime) {
    if (!is_stream(stream)) return invalid_stream();
    return with_recorded(
        event, [&](std::uint64_t operation) { return tell_wait_for_event(runtime, stream, operation); });
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api_call("cudaEventCreate", CallKind::host,
                  [&](Runtime&) { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api_call("cudaEventCreateWithFlags", CallKind::host,
                  [&](Runtime&) { return create_event(event, flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api_call("cudaEventRecord", CallKind::queued,
                  [&](Runtime& runtime) { return record(runtime, event, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call("cudaEventQuery", CallKind::waiting, [&](Runtime& runtime) {
    return with_recorded(event,
                         [&](std::uint64_t operation) { return progress_of_operation(runtime, operation); });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call("cudaEventSynchronize", CallKind::waiting, [&](Runtime& runtime) {
    return with_recorded(event,
                         [&](std::uint64_t operation) { return wait_for_operation(runtime, operation); });
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api_call("cudaEventElapsedTime", CallKind::host,
                  [&](Runtime& runtime) { return elapsed(runtime, ms, start, end); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call("cudaEventDestroy", CallKind::host,
                  [&](Runtime&) { return handles().events.erase(event) == 1 ? Outcome() : invalid_event(); });
}
}

CUDART_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
CUDART_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
CUDART_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
CUDART_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
