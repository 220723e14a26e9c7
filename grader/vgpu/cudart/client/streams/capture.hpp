// The capture of streams into a graph. Work issued to a captured stream becomes nodes, and events extend the
// capture from stream to stream. Hold the runtime's mutex to access captures. Covered by
// tests/cudart/capture_test.cpp.
#pragma once

#include <optional>
#include <thread>

#include "vgpu/cudart/client/graphs/graph.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  cudaGraph_t handle = nullptr;  ///< the graph's handle
  bool is_into_given = false;    ///< the program passed the graph
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread{};       ///< the thread that began the capture
  std::uint32_t origin = 0;       ///< number of the stream where the capture began
  unsigned long long number = 0;  ///< number of the capture, from 1
  bool is_invalid = false;        ///< the program issued work that cannot be captured
};

/// Records the work if the stream is captured or the work extends a capture to the stream. Returns nullopt if
/// the caller must perform the work.
std::optional<Outcome> capture_work(Stream& stream, const Work& work);

// Called for operations that are not permitted during a capture; they invalidate the capture. Return nullopt
// if the operation is permitted.
std::optional<Outcome> forbid_waiting(Stream& stream);
std::optional<Outcome> forbid_waiting();  ///< for the whole device
std::optional<Outcome> forbid_unsafe();   ///< for calls that can wait for other streams, such as cudaMalloc

inline Outcome captured_event() {
  return {cudaErrorCapturedEvent, "the event was last recorded in a stream that was captured"};
}

}  // namespace vgpu::cudart::client
