// Carries a request to the device and its answer back: over a socket (socket_transport.hpp), or with a
// function call within one process (in_process_transport.hpp, for tests). Not thread safe; the caller
// serialises requests.
#pragma once

#include <span>
#include <vector>

#include "vgpu/cudart/protocol/commands.hpp"

namespace vgpu::cudart {

struct RawAnswer {
  Status status = Status::disconnected;
  std::vector<std::byte> head;
  int descriptor = -1;  ///< that accompanies the answer; the caller owns it
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends one request and waits for its answer. An answer with Status::ok fills `answer_bulk` exactly. Other
  /// answers have no bulk data.
  virtual RawAnswer exchange(Command command, std::span<const std::byte> head,
                             std::span<const std::byte> bulk, std::span<std::byte> answer_bulk) = 0;
};

/// The answer to a request, or the status and the reason for its absence.
template <class Request>
struct Answered {
  Status status = Status::disconnected;
  typename Request::Answer answer{};
  MemoryInUse in_use{};  ///< if it has changed
  std::string reason;
  int descriptor = -1;  ///< that accompanies the answer; the caller closes it

  explicit operator bool() const { return status == Status::ok; }
};

template <class Request>
Answered<Request> ask(Transport& transport, const Request& request, std::span<const std::byte> bulk = {},
                      std::span<std::byte> answer_bulk = {}) {
  const RawAnswer raw = transport.exchange(command_of<Request>(), encode(request), bulk, answer_bulk);
  Answered<Request> result{raw.status, {}, {}, {}, raw.descriptor};
  if (raw.status == Status::disconnected) return result;
  if (raw.status == Status::ok) {
    if (!decode(raw.head, result.answer, result.in_use)) result.status = Status::protocol_error;
    return result;
  }
  Refusal refusal;
  if (decode(raw.head, refusal)) result.reason = std::move(refusal.reason);
  return result;
}

}  // namespace vgpu::cudart
