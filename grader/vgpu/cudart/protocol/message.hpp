// Converts the fields of a message to bytes and back. A message type lists its fields once, in
// fields(archive). Encoder and Decoder are the two archives. Numbers have the machine's byte order, because
// both ends are processes on one machine.
//
// Decoder accepts hostile bytes. It never reads past its input and never allocates more bytes than the input
// has. After the first failure it sets all fields to zero. Covered by tests/cudart/protocol_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "vgpu/facts/dim3.hpp"

namespace vgpu::cudart {

template <class T>
concept Scalar = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, bool>;

class Encoder {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  /// Not inlined, because g++ 12 would then warn of overflows that cannot occur.
  [[gnu::noinline]] void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <Scalar T>
  void put(T value) {
    append(&value, sizeof value);
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value)); }
  void put(const Dim3& extent) { (*this)(extent.x, extent.y, extent.z); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  /// A message inside another message.
  template <class Message>
  requires requires(Message& message, Encoder& archive) { message.fields(archive); }
  void put(const Message& message) {
    const_cast<Message&>(message).fields(*this);  // the encoder only reads; see encode()
  }
  void put(const std::vector<std::uint64_t>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    append(values.data(), values.size() * sizeof(std::uint64_t));
  }

  std::vector<std::byte> bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  /// The input had all fields and no further bytes.
  bool is_complete() const { return ok_ && rest_.empty(); }

 private:
  /// Returns nullptr if fewer than `size` bytes are left; all later calls then fail, too.
  const std::byte* take(std::size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return nullptr;
    const std::byte* first = rest_.data();
    rest_ = rest_.subspan(size);
    return first;
  }
  template <Scalar T>
  void get(T& value) {
    const std::byte* from = take(sizeof value);
    value = T{};
    if (from) std::memcpy(&value, from, sizeof value);
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  void get(Dim3& extent) { (*this)(extent.x, extent.y, extent.z); }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    const std::byte* from = take(size);
    text.assign(from ? reinterpret_cast<const char*>(from) : "", from ? size : 0);
  }
  template <class Message>
  requires requires(Message& message, Decoder& archive) { message.fields(archive); }
  void get(Message& message) { message.fields(*this); }
  void get(std::vector<std::uint64_t>& values) {
    std::uint32_t count = 0;
    get(count);
    const std::byte* from = take(std::size_t{count} * sizeof(std::uint64_t));
    values.assign(from ? count : 0, 0);
    if (!values.empty()) std::memcpy(values.data(), from, values.size() * sizeof(std::uint64_t));
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

template <class Message>
std::vector<std::byte> encode(const Message& message) {
  Encoder encoder;
  // fields() works in both directions, so it is not const. The encoder only reads.
  const_cast<Message&>(message).fields(encoder);
  return encoder.take();
}

/// Returns false unless the bytes are exactly these messages.
template <class... Messages>
bool decode(std::span<const std::byte> bytes, Messages&... messages) {
  Decoder decoder(bytes);
  (messages.fields(decoder), ...);
  return decoder.is_complete();
}

}  // namespace vgpu::cudart
