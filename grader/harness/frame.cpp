#include "harness/frame.hpp"

#include <cstdint>
#include <cstring>

namespace grader::harness {

struct FrameReader::Sizes {
  std::uint32_t header_bytes, payload_floats;

  std::size_t total() const {
    return sizeof(Sizes) + header_bytes + sizeof(float) * std::size_t{payload_floats};
  }
};

std::string encode(const Frame& frame) {
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(frame.header.size()),
                                 static_cast<std::uint32_t>(frame.payload.size())};
  std::string bytes;
  bytes.reserve(sizeof sizes + frame.header.size() + frame.payload.size() * sizeof(float));
  bytes.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
  bytes += frame.header;
  return bytes.append(reinterpret_cast<const char*>(frame.payload.data()),
                      frame.payload.size() * sizeof(float));
}

std::optional<FrameReader::Sizes> FrameReader::sizes() const {
  if (pending_.size() < sizeof(Sizes)) return std::nullopt;
  Sizes sizes{};
  std::memcpy(&sizes, pending_.data(), sizeof sizes);
  return sizes;
}

bool FrameReader::is_broken() const {
  const auto declared = sizes();
  return declared &&
         (declared->header_bytes > limits_.header_bytes || declared->payload_floats > limits_.payload_floats);
}

void FrameReader::feed(std::string_view bytes) {
  pending_.append(bytes);
  // Once, so that a large frame is not copied whenever the buffer grows.
  if (const auto declared = sizes(); declared && !is_broken()) pending_.reserve(declared->total());
}

std::optional<Frame> FrameReader::take() {
  const auto declared = sizes();
  if (!declared || is_broken() || pending_.size() < declared->total()) return std::nullopt;
  Frame frame{pending_.substr(sizeof(Sizes), declared->header_bytes),
              std::vector<float>(declared->payload_floats)};
  if (!frame.payload.empty())
    std::memcpy(frame.payload.data(), pending_.data() + sizeof(Sizes) + declared->header_bytes,
                frame.payload.size() * sizeof(float));
  pending_.erase(0, declared->total());
  return frame;
}

}  // namespace grader::harness
