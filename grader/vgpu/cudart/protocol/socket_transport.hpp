// The command interface over a connected stream socket. Blocks until the answer has arrived.
#pragma once

#include <array>

#include "vgpu/cudart/protocol/transport.hpp"

namespace vgpu::cudart {

class SocketTransport : public Transport {
 public:
  /// `socket` is not owned.
  explicit SocketTransport(int socket) : socket_(socket) {}

  RawAnswer exchange(Command command, std::span<const std::byte> head, std::span<const std::byte> bulk,
                     std::span<std::byte> answer_bulk) override;

 private:
  /// Receives the answer's first bytes: the header, and as much of the fields as has arrived with it.
  bool receive_first(std::span<std::byte> bytes, std::size_t& received, int& descriptor) const;

  int socket_;
  std::array<std::byte, 4096> first_{};  ///< most answers fit, so one system call receives them
};

}  // namespace vgpu::cudart
