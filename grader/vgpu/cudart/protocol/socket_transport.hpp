// The command interface over a connected stream socket. Blocks until the answer has arrived.
#pragma once

#include "vgpu/cudart/protocol/transport.hpp"

namespace vgpu::cudart {

class SocketTransport : public Transport {
 public:
  /// `socket` is not owned.
  explicit SocketTransport(int socket) : socket_(socket) {}

  RawAnswer exchange(Command command, std::span<const std::byte> head, std::span<const std::byte> bulk,
                     std::span<std::byte> answer_bulk) override;

 private:
  int socket_;
};

}  // namespace vgpu::cudart
