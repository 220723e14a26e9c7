// Streams and events that the program created. Access under the runtime's mutex.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

struct Capture;

struct Stream {
  std::uint32_t number = 0;  ///< on the device; 0: the legacy default stream
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> hints{};  ///< attributes that change no result
  std::shared_ptr<Capture> capture{};                       ///< nullptr: work is done, not recorded
  std::vector<cudaGraphNode_t> captured{};  ///< the nodes that the next one stands behind, ordered
};

struct Event {
  std::uint64_t number = 0;  ///< on the device
  unsigned flags = cudaEventDefault;
  bool is_recorded = false;
  std::shared_ptr<Capture> capture{};       ///< it was last recorded in a stream that was captured
  std::vector<cudaGraphNode_t> captured{};  ///< the nodes that it stands behind, ordered
};

/// nullptr: not a live stream. What the default stream is depends on the thread and on UsePerThreadStream.
Stream* find_stream(cudaStream_t stream);
Event* find_event(cudaEvent_t event);
/// Calls visit(stream) for every stream that there is.
void for_streams(const std::function<void(Stream&)>& visit);

/// The host waits, in modelled time.
Outcome wait_for_stream(Runtime& runtime, cudaStream_t stream);
Outcome wait_for_device(Runtime& runtime);
/// What goes with work for the device's stream `stream`: the call, too, once its order can matter.
Issue issue_to(const Runtime& runtime, std::uint32_t stream,
               CallSite::Caller caller = CallSite::Caller::program);
/// cudaErrorNotReady, or success.
Outcome ask_ended(Runtime& runtime, WaitFor what, std::uint64_t number);

inline Outcome null_argument(const char* name) {
  return {cudaErrorInvalidValue, std::string(name) + " is null"};
}
inline Outcome invalid_stream() { return {cudaErrorInvalidResourceHandle, "not a live stream"}; }
inline Outcome invalid_event() { return {cudaErrorInvalidResourceHandle, "not a live event"}; }

/// While one lives, the calling thread's default stream is its own: --default-stream per-thread.
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
