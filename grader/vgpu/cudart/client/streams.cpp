// Streams and events. Work is done in the order of the calls, whatever its stream; when it runs on the
// modelled device, and for how long the host waits, the device knows (../stream_times.hpp): it has every
// stream and event by its number.

#include "client/streams.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "client/capture.hpp"
#include "client/work.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

// Handles are numbers that are never used twice: a stale one is always found out.
struct Handles {
  std::uint64_t device = 0;  ///< whose they are; see Runtime::device_number()
  Stream legacy;
  std::map<std::thread::id, Stream> of_threads;
  std::map<cudaStream_t, Stream> streams;
  std::map<cudaEvent_t, Event> events;
  std::uintptr_t next = 0x1000;
  std::uint32_t next_stream = 1;
  std::uint64_t next_event = 1;

  template <class Handle>
  Handle make() {
    return reinterpret_cast<Handle>(next += 0x10);
  }
};

Handles& handles() {
  static Handles& all = *new Handles;  // outlives other libraries' destructors
  const std::uint64_t device = Runtime::instance().device_number();
  if (all.device != device) {
    const std::uintptr_t next = all.next;
    all = Handles();
    all.device = device;
    all.next = next;
  }
  return all;
}

thread_local bool default_stream_is_per_thread = false;

Stream* stream_of_thread() {
  auto& all = handles();
  const auto [found, is_new] = all.of_threads.try_emplace(std::this_thread::get_id());
  if (is_new) found->second.number = all.next_stream++;
  return &found->second;
}

Outcome null_argument(const char* name) { return {cudaErrorInvalidValue, std::string(name) + " is null"}; }

Outcome create_stream(Runtime& runtime, cudaStream_t* result, unsigned flags, int priority) {
  if (!result) return null_argument("the stream's address");
  if ((flags & ~cudaStreamNonBlocking) != 0)
    return {cudaErrorInvalidValue, "no such stream flags: " + std::to_string(flags)};
  Stream stream;
  stream.number = handles().next_stream++;
  stream.flags = flags;
  stream.priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  const bool is_blocking = (flags & cudaStreamNonBlocking) == 0;
  Outcome outcome = outcome_of(runtime.ask(DescribeStream{stream.number, is_blocking, stream.priority}));
  if (outcome.error != cudaSuccess) return outcome;
  *result = handles().make<cudaStream_t>();
  handles().streams[*result] = stream;
  return {};
}

Outcome create_event(cudaEvent_t* result, unsigned flags) {
  if (!result) return null_argument("the event's address");
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if ((flags & ~kKnown) != 0) return {cudaErrorInvalidValue, "no such event flags: " + std::to_string(flags)};
  if ((flags & cudaEventInterprocess) != 0)
    return {cudaErrorNotSupported, "events are of one process on the virtual GPU"};
  *result = handles().make<cudaEvent_t>();
  handles().events[*result] = Event{.number = handles().next_event++, .flags = flags};
  return {};
}

Outcome destroy_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  Outcome outcome;
  if (event->is_recorded) outcome = outcome_of(runtime.ask(Mark{MarkKind::event_destroy, 0, event->number}));
  handles().events.erase(handle);
  return outcome;
}

Outcome wait_for_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  if (event->capture) return captured_event();
  if (!event->is_recorded) return {};
  return outcome_of(runtime.ask(Synchronise{WaitFor::event, event->number}));
}

Outcome ready(Runtime& runtime, WaitFor what, std::uint64_t number) {
  const auto answered = runtime.ask(AskEnded{what, number});
  if (!answered) return outcome_of(answered);
  return answered.answer.has_ended ? cudaSuccess : cudaErrorNotReady;
}

Outcome query_stream(Runtime& runtime, cudaStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (auto problem = forbid_waiting(*stream)) return *std::move(problem);
  return ready(runtime, WaitFor::stream, stream->number);
}

Outcome query_event(Runtime& runtime, cudaEvent_t handle) {
  const Event* event = find_event(handle);
  if (!event) return invalid_event();
  if (event->capture) return captured_event();
  return event->is_recorded ? ready(runtime, WaitFor::event, event->number) : Outcome();
}

Outcome elapsed(Runtime& runtime, float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return null_argument("the result's address");
  const Event* first = find_event(start);
  const Event* second = find_event(end);
  if (!first || !second) return invalid_event();
  if (first->capture || second->capture) return captured_event();
  if (((first->flags | second->flags) & cudaEventDisableTiming) != 0)
    return {cudaErrorInvalidResourceHandle, "an event was created with cudaEventDisableTiming"};
  if (!first->is_recorded || !second->is_recorded)
    return {cudaErrorInvalidResourceHandle, "an event was never recorded"};
  const auto answered = runtime.ask(AskElapsed{first->number, second->number});
  if (!answered) return outcome_of(answered);
  if (!answered.answer.has_ended) return cudaErrorNotReady;
  *milliseconds = static_cast<float>(answered.answer.seconds * 1e3);
  return {};
}

/// *result = value(stream), for the calls that ask for one fact of a stream.
template <class T, class Value>
cudaError_t stream_fact(const char* name, cudaStream_t handle, T* result, Value value) {
  return api_call(name, CallKind::host, [&](Runtime&) {
    const Stream* stream = find_stream(handle);
    return stream ? answer(result, static_cast<T>(value(*stream))) : invalid_stream();
  });
}

}  // namespace

Stream* find_stream(cudaStream_t stream) {
  if (stream == cudaStreamPerThread || (stream == nullptr && default_stream_is_per_thread))
    return stream_of_thread();
  if (stream == nullptr || stream == cudaStreamLegacy) return &handles().legacy;
  const auto found = handles().streams.find(stream);
  return found == handles().streams.end() ? nullptr : &found->second;
}

Event* find_event(cudaEvent_t event) {
  const auto found = handles().events.find(event);
  return found == handles().events.end() ? nullptr : &found->second;
}

Outcome wait_for_stream(Runtime& runtime, cudaStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (auto problem = forbid_waiting(*stream)) return *std::move(problem);
  return outcome_of(runtime.ask(Synchronise{WaitFor::stream, stream->number}));
}

Outcome wait_for_device(Runtime& runtime) {
  if (auto problem = forbid_waiting()) return *std::move(problem);
  return outcome_of(runtime.ask(Synchronise{WaitFor::device}));
}

void for_streams(const std::function<void(Stream&)>& visit) {
  visit(handles().legacy);
  for (auto& [_, stream] : handles().of_threads) visit(stream);
  for (auto& [_, stream] : handles().streams) visit(stream);
}

UsePerThreadStream::UsePerThreadStream() : before_(std::exchange(default_stream_is_per_thread, true)) {}
UsePerThreadStream::~UsePerThreadStream() { default_stream_is_per_thread = before_; }

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return api_call("cudaStreamCreate", CallKind::host, [&](Runtime& runtime) {
    return create_stream(runtime, pStream, cudaStreamDefault, kLeastPriority);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return api_call("cudaStreamCreateWithFlags", CallKind::host,
                  [&](Runtime& runtime) { return create_stream(runtime, pStream, flags, kLeastPriority); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return api_call("cudaStreamCreateWithPriority", CallKind::host,
                  [&](Runtime& runtime) { return create_stream(runtime, pStream, flags, priority); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return api_call("cudaDeviceGetStreamPriorityRange", CallKind::host, [&](Runtime&) {
    if (leastPriority) *leastPriority = kLeastPriority;
    if (greatestPriority) *greatestPriority = kGreatestPriority;
    return Outcome();
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return stream_fact("cudaStreamGetPriority", hStream, priority, [](const Stream& s) { return s.priority; });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return stream_fact("cudaStreamGetFlags", hStream, flags, [](const Stream& s) { return s.flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  return stream_fact("cudaStreamGetId", hStream, streamId, [](const Stream& s) { return s.number; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  return stream_fact("cudaStreamGetDevice", hStream, device, [](const Stream&) { return 0; });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call("cudaStreamDestroy", CallKind::host, [&](Runtime&) {
    return handles().streams.erase(stream) == 1 ? Outcome() : invalid_stream();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call("cudaStreamSynchronize", CallKind::waiting,
                  [&](Runtime& runtime) { return wait_for_stream(runtime, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call("cudaStreamQuery", CallKind::waiting,
                  [&](Runtime& runtime) { return query_stream(runtime, stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return api_call("cudaStreamWaitEvent", CallKind::queued,
                  [&](Runtime& runtime) { return issue(runtime, stream, WaitWork{event}); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return api_call("cudaLaunchHostFunc", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, HostWork{fn, userData});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  struct Call {
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void* data;
  };
  return api_call("cudaStreamAddCallback", CallKind::queued, [&](Runtime& runtime) {
    if (!callback || flags != 0)
      return Outcome(cudaErrorInvalidValue, "the callback is null, or flags are not 0");
    Stream* found = find_stream(stream);
    if (!found) return invalid_stream();
    if (auto problem = forbid_waiting(*found)) return *std::move(problem);
    Call call{callback, stream, userData};
    const HostWork work{[](void* data) {
                          const Call& made = *static_cast<Call*>(data);
                          made.callback(made.stream, cudaSuccess, made.data);
                        },
                        &call};
    return perform(runtime, work, found->number);
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
                  [&](Runtime& runtime) { return issue(runtime, stream, RecordWork{event}); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return api_call("cudaEventRecordWithFlags", CallKind::queued,
                  [&](Runtime& runtime) { return issue(runtime, stream, RecordWork{event}); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call("cudaEventQuery", CallKind::waiting,
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

// The name that programs built with CUDA 12 use.
CUDART_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
