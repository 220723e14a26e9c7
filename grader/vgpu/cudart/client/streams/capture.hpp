// The capture of streams into a graph: work that is issued to a captured stream becomes nodes, events carry
// the capture from stream to stream. Access under the runtime's mutex. Covered by
// tests/cudart/capture_test.cpp.
#pragma once

#include <optional>
#include <thread>

#include "vgpu/cudart/client/graphs/graph.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  cudaGraph_t handle = nullptr;  ///< of the graph
  bool is_into_given = false;    ///< the graph was the program's before
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread{};       ///< that began it
  std::uint32_t origin = 0;       ///< number of the stream where it began
  unsigned long long number = 0;  ///< of the program's captures, from 1
  bool is_invalid = false;        ///< something was asked for that cannot be captured
};

/// Records the work if the stream is captured, or joins a capture by it; nullopt: the work is to be done.
std::optional<Outcome> capture_work(Stream& stream, const Work& work);

// What is not allowed while something is captured, and then ends the capture. nullopt: it is allowed.
std::optional<Outcome> forbid_waiting(Stream& stream);
std::optional<Outcome> forbid_waiting();  ///< for the whole device
std::optional<Outcome> forbid_unsafe();   ///< what may wait for other streams, as cudaMalloc

inline Outcome captured_event() {
  return {cudaErrorCapturedEvent, "the event was last recorded in a stream that was captured"};
}

}  // namespace vgpu::cudart::client
