#include "vgpu/cudart/client/streams/capture.hpp"

#include <algorithm>

namespace vgpu::cudart::client {
namespace {

/// The mode of cudaThreadExchangeStreamCaptureMode.
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

unsigned long long captures_begun = 0;

Outcome invalidate(Capture& capture, cudaError_t error, std::string detail) {
  capture.is_invalid = true;
  return {error, std::move(detail)};
}

Outcome invalidated() { return {cudaErrorStreamCaptureInvalidated, "the capture has already failed"}; }

/// The capture of any captured stream for which matters(stream) is true; nullptr if there is none.
template <class Matters>
std::shared_ptr<Capture> any_capture(Matters matters) {
  std::shared_ptr<Capture> found;
  for_streams([&](const Stream& stream) {
    if (!found && stream.capture && matters(stream)) found = stream.capture;
  });
  return found;
}

void add_to(std::vector<cudaGraphNode_t>& nodes, const std::vector<cudaGraphNode_t>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

bool is_active(const Capture& capture) {
  return any_capture([&](const Stream& stream) { return stream.capture.get() == &capture; }) != nullptr;
}

/// Handles a wait for an event that belongs to a capture, or a wait in a captured stream.
std::optional<Outcome> capture_wait(Stream& stream, const WaitWork& wait) {
  const Event& event = *find_event(wait.event);
  if (!event.capture) {
    if (!stream.capture || !event.is_recorded)
      return stream.capture ? std::optional(Outcome()) : std::nullopt;
    return invalidate(*stream.capture, cudaErrorStreamCaptureIsolation,
                      "the event was recorded in a stream that is not captured");
  }
  if (!is_active(*event.capture)) return captured_event();
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->is_invalid = true;
    return invalidate(*event.capture, cudaErrorStreamCaptureMerge, "the event belongs to another capture");
  }
  if (stream.number == 0) {
    return invalidate(*event.capture, cudaErrorStreamCaptureImplicit,
                      "the legacy default stream cannot be captured");
  }
  stream.capture = event.capture;
  add_to(stream.captured, event.captured);
  return Outcome();
}

/// A graph to capture into, and the dependencies of its first new node.
struct Given {
  cudaGraph_t handle = nullptr;
  std::shared_ptr<Graph> graph{};
  std::vector<cudaGraphNode_t> after{};
};

OrOutcome<Given> given_graph(cudaGraph_t handle, const cudaGraphNode_t* after, std::size_t count) {
  Given given{handle, find_graph(handle)};
  if (!given.graph) return grader::Unexpected{invalid_graph()};
  if (count > 0 && !after) return grader::Unexpected{null_result()};
  add_to(given.after, {after, after + count});
  for (const cudaGraphNode_t node : given.after)
    if (given.graph->nodes.count(node) == 0)
      return grader::Unexpected{Outcome(cudaErrorInvalidValue, "a dependency is not a node of the graph")};
  return given;
}

Outcome begin(cudaStream_t handle, cudaStreamCaptureMode mode, Given given = {}) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return {cudaErrorInvalidValue, "no such capture mode"};
  if (stream->number == 0)
    return {cudaErrorStreamCaptureUnsupported, "the legacy default stream cannot be captured"};
  if (stream->capture) return {cudaErrorIllegalState, "the stream is already captured"};
  stream->capture = std::make_shared<Capture>();
  stream->capture->is_into_given = given.graph != nullptr;
  if (given.graph) stream->capture->graph = std::move(given.graph);
  stream->capture->handle = given.handle ? given.handle : add_graph(stream->capture->graph);
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->capture->origin = stream->number;
  stream->capture->number = ++captures_begun;
  stream->captured = std::move(given.after);
  return {};
}

/// Whether the capture has work of another stream that no work in the origin stream depends on.
bool is_unjoined(const Capture& capture, const std::vector<cudaGraphNode_t>& end) {
  const auto joined = capture.graph->with_ancestors(end);
  bool all_joined = true;
  for_streams([&](const Stream& stream) {
    if (stream.capture.get() != &capture) return;
    for (const cudaGraphNode_t node : stream.captured)
      all_joined = all_joined && std::find(joined.begin(), joined.end(), node) != joined.end();
  });
  return !all_joined;
}

Outcome end(cudaStream_t handle, cudaGraph_t* result) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  if (!result) return null_result();
  *result = nullptr;
  if (!stream->capture) return {cudaErrorIllegalState, "the stream is not captured"};
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream->number)
    return invalidate(*capture, cudaErrorStreamCaptureUnmatched, "the capture began in another stream");
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return {cudaErrorStreamCaptureWrongThread, "the capture began in another thread"};
  const bool unjoined = is_unjoined(*capture, stream->captured);
  for_streams([&](Stream& other) {
    if (other.capture != capture) return;
    other.capture.reset();
    other.captured.clear();
  });
  if (!capture->is_invalid && !unjoined) {
    *result = capture->handle;
    return {};
  }
  if (!capture->is_into_given) remove_graph(capture->handle);
  if (capture->is_invalid) return invalidated();
  return {cudaErrorStreamCaptureUnjoined,
          "another stream of the capture is not joined: record an event in it, and let the stream where the "
          "capture began wait for the event"};
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

std::optional<Outcome> capture_work(Stream& stream, const Work& work) {
  if (stream.capture && stream.capture->is_invalid) return invalidated();
  if (const auto* wait = std::get_if<WaitWork>(&work)) return capture_wait(stream, *wait);
  if (!stream.capture) {
    if (stream.number != 0) return std::nullopt;
    // The legacy stream would wait for blocking streams only (CUDA Runtime API, "Stream synchronization
    // behavior").
    const auto blocked =
        any_capture([](const Stream& other) { return (other.flags & cudaStreamNonBlocking) == 0; });
    if (!blocked) return std::nullopt;
    return invalidate(*blocked, cudaErrorStreamCaptureImplicit,
                      "the legacy default stream would wait for a stream that is captured");
  }
  if (const auto* record = std::get_if<RecordWork>(&work)) {
    Event& event = *find_event(record->event);
    event.capture = stream.capture;
    event.captured = stream.captured;
    return Outcome();
  }
  stream.captured = {stream.capture->graph->add(work, stream.captured)};
  return Outcome();
}

std::optional<Outcome> forbid_waiting(Stream& stream) {
  if (!stream.capture) return std::nullopt;
  return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported,
                    "a captured stream executes nothing, so the program cannot wait for it");
}

std::optional<Outcome> forbid_waiting() {
  const auto capture = any_capture([](const Stream&) { return true; });
  if (!capture) return std::nullopt;
  return invalidate(*capture, cudaErrorStreamCaptureUnsupported,
                    "the program cannot wait for the device while a stream is captured");
}

std::optional<Outcome> forbid_unsafe() {
  // The rules of cudaThreadExchangeStreamCaptureMode: a capture in global mode forbids the call to its own
  // thread and to all threads in global mode, a capture in thread-local mode to its own thread.
  if (thread_mode == cudaStreamCaptureModeRelaxed) return std::nullopt;
  const auto capture = any_capture([](const Stream& stream) {
    const bool is_own = stream.capture->thread == std::this_thread::get_id();
    return stream.capture->mode == cudaStreamCaptureModeGlobal
               ? thread_mode == cudaStreamCaptureModeGlobal || is_own
               : stream.capture->mode == cudaStreamCaptureModeThreadLocal && is_own;
  });
  if (!capture) return std::nullopt;
  return invalidate(
      *capture, cudaErrorStreamCaptureUnsupported,
      "the call can wait for other streams, but a stream is captured: move the call before the capture");
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api_call("cudaStreamBeginCapture", CallKind::host, [&](Runtime&) { return begin(stream, mode); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                          size_t numDependencies, cudaStreamCaptureMode mode) {
  return api_call("cudaStreamBeginCaptureToGraph", CallKind::host, [&](Runtime&) {
    auto given = given_graph(graph, dependencies, numDependencies);
    return given ? begin(stream, mode, *std::move(given)) : given.error();
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return api_call("cudaStreamEndCapture", CallKind::host, [&](Runtime&) { return end(stream, pGraph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  return api_call("cudaStreamIsCapturing", CallKind::host, [&](Runtime&) {
    const Stream* found = find_stream(stream);
    return found ? answer(pCaptureStatus, status_of(*found)) : invalid_stream();
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out, cudaGraph_t* graph_out,
                                     const cudaGraphNode_t** dependencies_out,
                                     const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return api_call("cudaStreamGetCaptureInfo", CallKind::host, [&](Runtime&) {
    const Stream* found = find_stream(stream);
    if (!found) return invalid_stream();
    Outcome outcome = answer(captureStatus_out, status_of(*found));
    if (outcome.error || !found->capture) return outcome;
    if (id_out) *id_out = found->capture->number;
    if (graph_out) *graph_out = found->capture->handle;
    if (dependencies_out) *dependencies_out = found->captured.data();
    if (edgeData_out) *edgeData_out = nullptr;
    if (numDependencies_out) *numDependencies_out = found->captured.size();
    return outcome;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api_call("cudaThreadExchangeStreamCaptureMode", CallKind::host, [&](Runtime&) {
    if (!mode) return null_result();
    std::swap(*mode, thread_mode);
    return Outcome();
  });
}
}
