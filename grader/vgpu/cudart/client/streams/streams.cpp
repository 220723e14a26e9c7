// Streams. The device executes work in the order of the calls, in all streams. It models when the work runs
// and how long the host waits (device_side/stream_times.hpp), and identifies streams and events by number.

#include "vgpu/cudart/client/streams/streams.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "vgpu/cudart/client/streams/capture.hpp"
#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

// Handles are numbers that are never used twice, so stale handles are always detected. They are as large as
// pointers, which CUDA's handles are: one that is passed as a size of shared memory is too large.
constexpr std::uintptr_t kFirstHandle = std::uintptr_t{0x5000} << 32U;

struct StreamHandles {
  std::uint64_t device = 0;  ///< the device of the streams; see Runtime::device_number()
  Stream legacy;
  std::map<std::thread::id, Stream> of_threads;
  std::map<cudaStream_t, Stream> streams;
  std::map<std::pair<std::uint32_t, unsigned>, std::uint32_t> branches;  ///< by stream and branch
  std::uintptr_t next = kFirstHandle;
  std::uint32_t next_stream = 1;

  cudaStream_t make() { return reinterpret_cast<cudaStream_t>(next += 0x10); }
};

StreamHandles& stream_handles() {
  static StreamHandles& all = *new StreamHandles;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (all.device != device) {
    const std::uintptr_t next = all.next;
    all = StreamHandles();
    all.device = device;
    all.next = next;
  }
  return all;
}

thread_local bool default_stream_is_per_thread = false;

Stream* stream_of_thread() {
  auto& all = stream_handles();
  const auto [found, is_new] = all.of_threads.try_emplace(std::this_thread::get_id());
  if (is_new) found->second.number = all.next_stream++;
  return &found->second;
}

Outcome create_stream(Runtime& runtime, cudaStream_t* result, unsigned flags, int priority) {
  if (!result) return null_argument("the stream's address");
  if ((flags & ~cudaStreamNonBlocking) != 0)
    return {cudaErrorInvalidValue, "no such stream flags: " + std::to_string(flags)};
  Stream stream;
  stream.number = stream_handles().next_stream++;
  stream.flags = flags;
  stream.priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  const bool is_blocking = (flags & cudaStreamNonBlocking) == 0;
  Outcome outcome = outcome_of(runtime.ask(DescribeStream{stream.number, is_blocking, stream.priority}));
  if (outcome.error != cudaSuccess) return outcome;
  *result = stream_handles().make();
  stream_handles().streams[*result] = stream;
  return {};
}

Outcome query_stream(Runtime& runtime, cudaStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (auto problem = forbid_waiting(*stream)) return *std::move(problem);
  const std::uint32_t number = stream->number;
  Outcome outcome = query_ended(runtime, WaitFor::stream, number);
  if (outcome.error == cudaSuccess) run_host_functions_of(runtime, number);
  return outcome;
}

/// The priority affects modelled time only. The other attributes are hints, which the program can read back.
Outcome set_attribute(cudaStream_t handle, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (!value) return null_argument("the value's address");
  if (attribute == cudaStreamAttributePriority)
    stream->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
  stream->hints[attribute] = *value;
  return {};
}

Outcome get_attribute(cudaStream_t handle, cudaStreamAttrID attribute, cudaStreamAttrValue* result) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  cudaStreamAttrValue value = stream->hints[attribute];
  if (attribute == cudaStreamAttributePriority) value.priority = stream->priority;
  return answer(result, value);
}

Outcome copy_attributes(cudaStream_t to, cudaStream_t from) {
  Stream* destination = find_stream(to);
  const Stream* source = find_stream(from);
  if (!destination || !source) return invalid_stream();
  destination->hints = source->hints;
  return {};
}

Outcome destroy_stream(Runtime& runtime, cudaStream_t handle) {
  const auto found = stream_handles().streams.find(handle);
  if (found == stream_handles().streams.end()) return invalid_stream();
  const std::uint32_t number = found->second.number;
  stream_handles().streams.erase(found);
  return outcome_of(runtime.ask(Mark{MarkKind::stream_destroy, number}));
}

/// Assigns *result = value(stream), for calls that query one property of a stream.
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
  if (stream == nullptr || stream == cudaStreamLegacy) return &stream_handles().legacy;
  const auto found = stream_handles().streams.find(stream);
  return found == stream_handles().streams.end() ? nullptr : &found->second;
}

Outcome wait_for_stream(Runtime& runtime, cudaStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (auto problem = forbid_waiting(*stream)) return *std::move(problem);
  const std::uint32_t number = stream->number;
  run_host_functions_of(runtime, number);
  return outcome_of(runtime.ask(Synchronise{WaitFor::stream, number}));
}

Outcome wait_for_device(Runtime& runtime) {
  if (auto problem = forbid_waiting()) return *std::move(problem);
  run_host_functions(runtime);
  return outcome_of(runtime.ask(Synchronise{WaitFor::device}));
}

Outcome query_ended(Runtime& runtime, WaitFor what, std::uint64_t number) {
  const auto answered = runtime.ask(QueryEnded{what, number});
  if (!answered) return outcome_of(answered);
  return answered.answer.has_ended ? cudaSuccess : cudaErrorNotReady;
}

OrOutcome<std::uint32_t> branch_stream(Runtime& runtime, std::uint32_t stream, unsigned branch) {
  StreamHandles& all = stream_handles();
  const auto [found, is_new] = all.branches.try_emplace({stream, branch}, all.next_stream);
  if (!is_new) return found->second;
  constexpr bool kBlocking =
      false;  // the launch's stream is ordered with the default stream, if it is blocking
  const std::uint32_t number = all.next_stream++;
  Outcome outcome = outcome_of(runtime.ask(DescribeStream{number, kBlocking, 0}));
  if (outcome.error != cudaSuccess) return grader::Unexpected{outcome};
  // The program cannot destroy this stream, so it must not count as one that the program left.
  outcome = outcome_of(runtime.ask(Mark{MarkKind::stream_destroy, number}));
  if (outcome.error != cudaSuccess) return grader::Unexpected{outcome};
  return number;
}

Issue issue_to(const Runtime& runtime, std::uint32_t stream, CallSite::Caller caller) {
  Issue issue;
  issue.stream = stream;
  // Without streams and memory of the host, no work can race, and the site, which takes time to find, is not
  // needed.
  const bool has_streams = stream_handles().next_stream > 1;
  if (has_streams || runtime.memory().holds_host()) issue.site = CallSite::here(caller).numbers();
  return issue;
}

void for_streams(const std::function<void(Stream&)>& visit) {
  visit(stream_handles().legacy);
  for (auto& [_, stream] : stream_handles().of_threads) visit(stream);
  for (auto& [_, stream] : stream_handles().streams) visit(stream);
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

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue* value) {
  return api_call("cudaStreamSetAttribute", CallKind::host,
                  [&](Runtime&) { return set_attribute(hStream, attr, value); });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                   cudaStreamAttrValue* value_out) {
  return api_call("cudaStreamGetAttribute", CallKind::host,
                  [&](Runtime&) { return get_attribute(hStream, attr, value_out); });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return api_call("cudaStreamCopyAttributes", CallKind::host,
                  [&](Runtime&) { return copy_attributes(dst, src); });
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return api_call("cudaCtxResetPersistingL2Cache", CallKind::host, [](Runtime&) { return Outcome(); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call("cudaStreamDestroy", CallKind::host,
                  [&](Runtime& runtime) { return destroy_stream(runtime, stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call("cudaStreamSynchronize", CallKind::waiting,
                  [&](Runtime& runtime) { return wait_for_stream(runtime, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call("cudaStreamQuery", CallKind::polling,
                  [&](Runtime& runtime) { return query_stream(runtime, stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return api_call("cudaStreamWaitEvent", CallKind::queued, [&](Runtime& runtime) {
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
      return mistake("flags are neither cudaEventWaitDefault nor cudaEventWaitExternal");
    return issue(runtime, stream, WaitWork{event});
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return api_call("cudaLaunchHostFunc", CallKind::queued, [&](Runtime& runtime) {
    return issue(runtime, stream, HostWork{fn, userData});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  return api_call("cudaStreamAddCallback", CallKind::queued, [&](Runtime& runtime) {
    if (!callback || flags != 0)
      return Outcome(cudaErrorInvalidValue, "the callback is null, or flags are not 0");
    Stream* found = find_stream(stream);
    if (!found) return invalid_stream();
    if (auto problem = forbid_waiting(*found)) return *std::move(problem);
    return add_host_function(runtime, found->number, [=] { callback(stream, cudaSuccess, userData); });
  });
}
}
