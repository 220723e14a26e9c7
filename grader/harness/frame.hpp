// One message on the channel between grader and harness: a JSON header and a payload of floats. Format, in
// host byte order (both ends are on one machine): the header's size in bytes and the payload's size in
// floats, 4 bytes each; then header and payload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader::harness {

struct Frame {
  std::string header;
  std::vector<float> payload;
};

std::string encode(const Frame& frame);

struct FrameLimits {
  std::size_t header_bytes = 64 * 1024;
  std::size_t payload_floats = 0;
};

/// Assembles frames from the pieces that a stream delivers. Buffers at most one frame of the largest
/// permitted size, plus the bytes of one feed().
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits) : limits_(limits) {}

  void feed(std::string_view bytes);
  /// The next frame, once all of it has arrived.
  std::optional<Frame> take();
  /// True if declared sizes exceed the limits: the rest of the stream cannot be read.
  bool is_broken() const;
  bool is_empty() const { return pending_.empty(); }

 private:
  struct Sizes;
  std::optional<Sizes> sizes() const;

  FrameLimits limits_;
  std::string pending_;
};

}  // namespace grader::harness
