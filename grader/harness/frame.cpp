#include "harness/frame.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

namespace grader::harness {

struct FrameReader::Sizes {
  std::uint32_t header_bytes, payload_floats;
};

namespace {

/// The part of a frame before the payload.
std::string head_of(const std::string& header, std::size_t payload_bytes) {
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(header.size()),
                                 static_cast<std::uint32_t>(payload_bytes / sizeof(float))};
  return std::string(reinterpret_cast<const char*>(sizes), sizeof sizes) + header;
}

std::size_t payload_bytes(const Message& message) {
  std::size_t bytes = 0;
  for (const auto& part : message.payload) bytes += part.size();
  return bytes;
}

}  // namespace

std::string encode(const Frame& frame) {
  return encode(Message{frame.header, {std::as_bytes(std::span(frame.payload))}});
}

std::string encode(const Message& message) {
  std::string bytes = head_of(message.header, payload_bytes(message));
  for (const auto& part : message.payload)
    bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
  return bytes;
}

void Outbox::add(Message message) {
  parts_.push_back({head_of(message.header, payload_bytes(message)), {}});
  for (const auto& part : message.payload)
    if (!part.empty()) parts_.push_back({{}, part});
}

void Outbox::drop(std::size_t bytes) {
  while (bytes > 0) {
    Part& first = parts_.front();
    const std::size_t now = std::min(bytes, first.rest().size());
    first.sent_bytes += now;
    bytes -= now;
    if (first.rest().empty()) parts_.pop_front();
  }
}

bool Outbox::send(int socket) {
  constexpr std::size_t kMostParts = 8;
  while (!parts_.empty()) {
    std::array<iovec, kMostParts> parts{};
    std::size_t count = 0;
    for (; count < std::min(parts_.size(), kMostParts); ++count) {
      const auto rest = parts_[count].rest();
      parts[count] = {const_cast<std::byte*>(rest.data()), rest.size()};  // sendmsg() does not write
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN;
    drop(static_cast<std::size_t>(sent));
  }
  return true;
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
  while (!bytes.empty() && begun_ && !payload_room().empty()) {
    const std::span<std::byte> room = payload_room();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    received(count);
    bytes.remove_prefix(count);
  }
  pending_.append(bytes);
  if (!begun_) begin_payload();
}

/// Begins a frame if its header is complete, with the part of its payload that has arrived.
void FrameReader::begin_payload() {
  const auto declared = sizes();
  if (!declared || is_broken() || pending_.size() < sizeof(Sizes) + declared->header_bytes) return;
  begun_ = Frame{pending_.substr(sizeof(Sizes), declared->header_bytes),
                 std::vector<float>(declared->payload_floats)};
  filled_bytes_ = 0;
  const std::string after = pending_.substr(sizeof(Sizes) + declared->header_bytes);
  pending_.clear();
  feed(after);
}

std::span<std::byte> FrameReader::payload_room() {
  if (!begun_) return {};
  return std::as_writable_bytes(std::span(begun_->payload)).subspan(filled_bytes_);
}

void FrameReader::received(std::size_t count) { filled_bytes_ += count; }

std::optional<Frame> FrameReader::take() {
  if (!begun_ || !payload_room().empty()) return std::nullopt;
  std::optional<Frame> frame = std::exchange(begun_, std::nullopt);
  begin_payload();
  return frame;
}

}  // namespace grader::harness
