// One message on the channel between grader and harness: a JSON header and a payload of floats. On the wire,
// in host byte order (both ends are one machine): header size in bytes and payload size in floats, 4 bytes
// each, then both.
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

/// Puts frames together from the pieces in which a stream delivers them. Holds at most one frame of the
/// largest size permitted and what the caller feeds at once.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits) : limits_(limits) {}

  void feed(std::string_view bytes) { pending_.append(bytes); }
  /// The next frame, once it is there in full.
  std::optional<Frame> take();
  /// Declared sizes exceed the limits: nothing of this stream can be read any more.
  bool is_broken() const;
  bool is_empty() const { return pending_.empty(); }

 private:
  struct Sizes;
  std::optional<Sizes> sizes() const;

  FrameLimits limits_;
  std::string pending_;
};

}  // namespace grader::harness
