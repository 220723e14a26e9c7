// One message on the channel between grader and harness: a JSON header and a payload of floats. Format, in
// host byte order (both ends are on one machine): the header's size in bytes and the payload's size in
// floats, 4 bytes each; then header and payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grader::harness {

struct Frame {
  std::string header;
  std::vector<float> payload;
};

std::string encode(const Frame& frame);

/// A frame whose payload stays where it is: parts of arrays that must outlive the message.
struct Message {
  std::string header;
  std::vector<std::span<const std::byte>> payload;  ///< whole floats
};

std::string encode(const Message& message);

/// Messages that wait to be sent on a stream socket.
class Outbox {
 public:
  void add(Message message);
  bool is_empty() const { return parts_.empty(); }
  void clear() { parts_.clear(); }
  /// Sends as much as the socket takes without blocking, if the socket is non-blocking; otherwise all. False:
  /// an error, in errno.
  bool send(int socket);

 private:
  /// A head, or a part of a payload.
  struct Part {
    std::string head;
    std::span<const std::byte> payload;
    std::size_t sent_bytes = 0;

    std::span<const std::byte> rest() const {
      return (head.empty() ? payload : std::as_bytes(std::span(head))).subspan(sent_bytes);
    }
  };
  void drop(std::size_t bytes);

  std::deque<Part> parts_;
};

struct FrameLimits {
  std::size_t header_bytes = 64 * 1024;
  std::size_t payload_floats = 0;
};

/// Assembles frames from the pieces that a stream delivers. Buffers at most one frame of the largest
/// permitted size, plus the bytes of one feed(). Payloads are large: their bytes are stored once.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits) : limits_(limits) {}

  void feed(std::string_view bytes);
  /// The place for the rest of the current frame's payload; empty unless the payload has begun. A caller that
  /// writes `count` bytes there calls received(count) instead of feed().
  std::span<std::byte> payload_room();
  void received(std::size_t count);
  /// The next frame, once all of it has arrived.
  std::optional<Frame> take();
  /// True if declared sizes exceed the limits: the rest of the stream cannot be read.
  bool is_broken() const;
  bool is_empty() const { return pending_.empty() && !begun_; }

 private:
  struct Sizes;
  std::optional<Sizes> sizes() const;

  void begin_payload();

  FrameLimits limits_;
  std::string pending_;           ///< sizes and header; after the frame's payload, the bytes of later frames
  std::optional<Frame> begun_;    ///< its header is complete
  std::size_t filled_bytes_ = 0;  ///< of its payload
};

}  // namespace grader::harness
