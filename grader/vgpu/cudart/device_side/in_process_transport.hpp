// The command interface without a process boundary, for unit tests: a request is a function call.
#pragma once

#include <algorithm>

#include "vgpu/cudart/device_side/session.hpp"
#include "vgpu/cudart/protocol/transport.hpp"

namespace vgpu::cudart {

class InProcessTransport : public Transport {
 public:
  explicit InProcessTransport(Session& session) : session_(session) {}

  RawAnswer exchange(Command command, std::span<const std::byte> head, std::span<const std::byte> bulk,
                     std::span<std::byte> answer_bulk) override {
    SessionAnswer answer = session_.handle(static_cast<std::uint32_t>(command), head, bulk);
    const std::size_t expected = answer.status == Status::ok ? answer_bulk.size() : 0;
    if (answer.bulk.size() != expected) return {};
    std::copy(answer.bulk.begin(), answer.bulk.end(), answer_bulk.begin());
    return {answer.status, std::move(answer.head), answer.descriptor.release()};
  }

 private:
  Session& session_;
};

}  // namespace vgpu::cudart
