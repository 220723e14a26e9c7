// Streams and events. Work runs in the order of the calls, whatever its stream, so a stream is only a name
// and waiting for an event is done at once. An event holds the modelled device time at which it was recorded.

#include <set>

#include "client/handles.hpp"

namespace vgpu::cudart::client {
namespace {

struct Event {
  bool has_timing = true;
  std::optional<double> recorded_s;
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

Outcome create_stream(cudaStream_t* stream) {
  if (!stream) return null_argument("the stream's address");
  *stream = handles().make<cudaStream_t>();
  handles().streams.insert(*stream);
  return {};
}

Outcome create_event(cudaEvent_t* event, unsigned int flags) {
  if (!event) return null_argument("the event's address");
  *event = handles().make<cudaEvent_t>();
  handles().events[*event].has_timing = (flags & cudaEventDisableTiming) == 0;
  return {};
}

Outcome require_event(cudaEvent_t event) { return find_event(event) ? Outcome() : invalid_event(); }
Outcome require_stream(cudaStream_t stream) { return is_stream(stream) ? Outcome() : invalid_stream(); }

Outcome elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return null_argument("the result's address");
  const Event* first = find_event(start);
  const Event* second = find_event(end);
  if (!first || !second) return invalid_event();
  if (!first->has_timing || !second->has_timing) {
    return {cudaErrorInvalidResourceHandle, "an event was created with cudaEventDisableTiming"};
  }
  if (!first->recorded_s || !second->recorded_s)
    return {cudaErrorInvalidResourceHandle, "an event was never recorded"};
  *milliseconds = static_cast<float>((*second->recorded_s - *first->recorded_s) * 1e3);
  return {};
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
  return api_call("cudaStreamCreate", CallKind::host, [&](Runtime&) { return create_stream(pStream); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int) {
  return api_call("cudaStreamCreateWithFlags", CallKind::host,
                  [&](Runtime&) { return create_stream(pStream); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int, int) {
  return api_call("cudaStreamCreateWithPriority", CallKind::host,
                  [&](Runtime&) { return create_stream(pStream); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call("cudaStreamDestroy", CallKind::host, [&](Runtime&) {
    return handles().streams.erase(stream) == 1 ? Outcome() : invalid_stream();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call("cudaStreamSynchronize", CallKind::waiting,
                  [&](Runtime&) { return require_stream(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call("cudaStreamQuery", CallKind::waiting, [&](Runtime&) { return require_stream(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return api_call("cudaStreamWaitEvent", CallKind::host,
                  [&](Runtime&) { return is_stream(stream) ? require_event(event) : invalid_stream(); });
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
  return api_call("cudaEventRecord", CallKind::queued, [&](Runtime& runtime) {
    Event* recorded = find_event(event);
    if (!recorded) return invalid_event();
    if (!is_stream(stream)) return invalid_stream();
    recorded->recorded_s = runtime.modelled_seconds();
    return Outcome();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call("cudaEventQuery", CallKind::waiting, [&](Runtime&) { return require_event(event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call("cudaEventSynchronize", CallKind::waiting, [&](Runtime&) { return require_event(event); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api_call("cudaEventElapsedTime", CallKind::host, [&](Runtime&) { return elapsed(ms, start, end); });
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
