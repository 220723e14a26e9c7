// Streams and events of the program. Hold the runtime's mutex to access them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

struct Capture;

struct Stream {
  std::uint32_t number = 0;  ///< the device's number of the stream; 0: the legacy default stream
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> hints{};  ///< attributes without an effect on results
  std::shared_ptr<Capture> capture{};                       ///< nullptr: work is performed, not recorded
  std::vector<cudaGraphNode_t> captured{};                  ///< the dependencies of the next node, sorted
};

struct Event {
  std::uint64_t number = 0;  ///< the device's number of the event
  unsigned flags = cudaEventDefault;
  bool is_recorded = false;
  std::uint32_t stream = 0;                 ///< in which it was last recorded
  std::uint64_t last_host_function = 0;     ///< of those added before
  std::shared_ptr<Capture> capture{};       ///< set if the event was last recorded in a captured stream
  std::vector<cudaGraphNode_t> captured{};  ///< the nodes before the event, sorted
};

/// These return nullptr if the handle is not live. The default stream depends on the thread and on
/// UsePerThreadStream.
Stream* find_stream(cudaStream_t stream);
Event* find_event(cudaEvent_t event);
/// The events that the program has created and not destroyed.
std::size_t live_events();
/// Calls visit(stream) for every live stream.
void for_streams(const std::function<void(Stream&)>& visit);

/// The host waits, in modelled time.
Outcome wait_for_stream(Runtime& runtime, cudaStream_t stream);
Outcome wait_for_device(Runtime& runtime);
/// The Issue for work in the device's stream `stream`. Includes the call site if races are possible: if the
/// program has several streams, or if work can use memory of the host.
Issue issue_to(const Runtime& runtime, std::uint32_t stream,
               CallSite::Caller caller = CallSite::Caller::program);
/// The device's stream for a branch, 1 or more, of the graphs that are launched in `stream`. Launches in one
/// stream run one after another, so they share these streams.
OrOutcome<std::uint32_t> branch_stream(Runtime& runtime, std::uint32_t stream, unsigned branch);
/// A number that no event has or had.
std::uint64_t new_event_number();
/// Whether the stream or event has ended: cudaSuccess or cudaErrorNotReady.
Outcome query_ended(Runtime& runtime, WaitFor what, std::uint64_t number);

inline Outcome null_argument(const char* name) {
  return {cudaErrorInvalidValue, std::string(name) + " is null"};
}
/// After a reset of the device, which destroys all streams and events: that it was one. Else empty.
std::string possibly_by_reset();
inline Outcome invalid_stream() {
  return {cudaErrorInvalidResourceHandle, "the stream does not exist or was destroyed" + possibly_by_reset()};
}
inline Outcome invalid_event() {
  return {cudaErrorInvalidResourceHandle, "the event does not exist or was destroyed" + possibly_by_reset()};
}

/// During the lifetime of an instance, the calling thread has its own default stream, as with
/// --default-stream per-thread.
class UsePerThreadStream {
 public:
  UsePerThreadStream();
  ~UsePerThreadStream();
  UsePerThreadStream(const UsePerThreadStream&) = delete;
  UsePerThreadStream& operator=(const UsePerThreadStream&) = delete;

 private:
  bool before_;
};

}  // namespace vgpu::cudart::client
