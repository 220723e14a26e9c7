// Events. The device stores the modelled time at which each event was recorded, and identifies events by
// number.

#include <map>

#include "vgpu/cudart/client/streams/capture.hpp"
#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

// Handles are numbers that are never used twice, so stale handles are always detected.
struct EventHandles {
  std::uint64_t device = 0;  ///< the device of the events; see Runtime::device_number()
  std::map<cudaEvent_t, Event> events;
  std::uintptr_t next = 0x1000;
  std::uint64_t next_event = 1;

  cudaEvent_t make() { return reinterpret_cast<cudaEvent_t>(next += 0x10); }
};

EventHandles& event_handles() {
  static EventHandles& all = *new EventHandles;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (all.device != device) all = EventHandles{.device = device, .events = {}, .next = all.next};
  return all;
}

Outcome create_event(cudaEvent_t* result, unsigned flags) {
  if (!result) return null_argument("the event's address");
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if ((flags & ~kKnown) != 0) return {cudaErrorInvalidValue, "no such event flags: " + std::to_string(flags)};
  if ((flags & cudaEventInterprocess) != 0)
    return {cudaErrorNotSupported, "the virtual GPU cannot share events between processes"};
  *result = event_handles().make();
  event_handles().events[*result] = Event{.number = new_event_number(), .flags = flags};
  return {};
}

Outcome destroy_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  Outcome outcome;
  if (event->is_recorded) outcome = outcome_of(runtime.ask(Mark{MarkKind::event_destroy, 0, event->number}));
  event_handles().events.erase(handle);
  return outcome;
}

Outcome wait_for_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  if (event->capture) return captured_event();
  if (!event->is_recorded) return {};
  run_host_functions_before(runtime, event->stream, event->last_host_function);
  event = find_event(handle);  // the program can have changed it meanwhile
  if (!event) return invalid_event();
  return outcome_of(runtime.ask(Synchronise{WaitFor::event, event->number}));
}

Outcome query_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  if (event->capture) return captured_event();
  if (!event->is_recorded) return {};
  const std::uint32_t stream = event->stream;
  const std::uint64_t last = event->last_host_function;
  Outcome outcome = query_ended(runtime, WaitFor::event, event->number);
  if (outcome.error == cudaSuccess) run_host_functions_before(runtime, stream, last);
  return outcome;
}

Outcome elapsed(Runtime& runtime, float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return null_argument("the result's address");
  const Event* first = find_event(start);
  const Event* second = find_event(end);
  if (!first || !second) return invalid_event();
  if (first->capture || second->capture) return captured_event();
  // The errors of CUDA Runtime API, "cudaEventElapsedTime".
  if (((first->flags | second->flags) & cudaEventDisableTiming) != 0)
    return {cudaErrorInvalidResourceHandle, "an event was created with cudaEventDisableTiming"};
  if (!first->is_recorded || !second->is_recorded)
    return {cudaErrorInvalidResourceHandle, "an event was never recorded"};
  const auto answered = runtime.ask(QueryElapsedTime{first->number, second->number});
  if (!answered) return outcome_of(answered);
  if (!answered.answer.has_ended) return cudaErrorNotReady;
  *milliseconds = static_cast<float>(answered.answer.seconds * 1e3);
  return {};
}

}  // namespace

std::size_t live_events() { return event_handles().events.size(); }

std::uint64_t new_event_number() { return event_handles().next_event++; }

Event* find_event(cudaEvent_t event) {
  const auto found = event_handles().events.find(event);
  return found == event_handles().events.end() ? nullptr : &found->second;
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

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
                  [&](Runtime& runtime) { return issue(runtime, stream, RecordWork{event}); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return api_call("cudaEventRecordWithFlags", CallKind::queued,
                  [&](Runtime& runtime) { return issue(runtime, stream, RecordWork{event}); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call("cudaEventQuery", CallKind::polling,
                  [&](Runtime& runtime) { return query_event(runtime, event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call("cudaEventSynchronize", CallKind::waiting,
                  [&](Runtime& runtime) { return wait_for_event(runtime, event); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api_call("cudaEventElapsedTime", CallKind::host,
                  [&](Runtime& runtime) { return elapsed(runtime, ms, start, end); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call("cudaEventDestroy", CallKind::host,
                  [&](Runtime& runtime) { return destroy_event(runtime, event); });
}
}

// The symbol that programs built with CUDA 12 use.
CUDART_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
