#include "vgpu/cudart/protocol/socket_transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

namespace vgpu::cudart {
namespace {

enum class Sent : std::uint8_t { all, none, part };

/// Sends all pieces with as few system calls as the socket allows, without joining them in a buffer.
Sent send_all(int socket, std::span<iovec> pieces) {
  Sent so_far = Sent::none;
  while (!pieces.empty()) {
    if (pieces.front().iov_len == 0) {
      pieces = pieces.subspan(1);
      continue;
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return so_far;
    so_far = Sent::part;
    for (iovec& piece : pieces) {
      const std::size_t taken = std::min(piece.iov_len, static_cast<std::size_t>(sent));
      piece.iov_base = static_cast<std::byte*>(piece.iov_base) + taken;
      piece.iov_len -= taken;
      sent -= static_cast<ssize_t>(taken);
    }
  }
  return Sent::all;
}

bool receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

iovec piece_of(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg does not write to it
}

}  // namespace

/// A descriptor can accompany the first byte.
bool SocketTransport::receive_first(std::span<std::byte> bytes, std::size_t& received,
                                    int& descriptor) const {
  iovec piece{bytes.data(), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count = 0;
  do count = ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  received = static_cast<std::size_t>(count);
  if (received >= sizeof(Header)) return true;
  const auto rest = bytes.subspan(received, sizeof(Header) - received);
  received = sizeof(Header);
  return receive_all(socket_, rest);
}

RawAnswer SocketTransport::exchange(Command command, std::span<const std::byte> head,
                                    std::span<const std::byte> bulk, std::span<std::byte> answer_bulk) {
  Header header{static_cast<std::uint32_t>(command), static_cast<std::uint32_t>(head.size()), bulk.size()};
  std::array<iovec, 3> pieces = {piece_of(std::as_bytes(std::span(&header, 1))), piece_of(head),
                                 piece_of(bulk)};
  const Sent sent = send_all(socket_, pieces);
  // The request was not sent because the program passed a pointer to nothing: the device is still there.
  if (sent == Sent::none && errno == EFAULT)
    return {Status::invalid_value,
            encode(Refusal{"host memory at this address does not exist, or ends before the "
                           "last byte: the pointer or the size leaves its array"})};
  if (sent != Sent::all) return {};

  // Bulk data goes directly to where the caller needs it.
  const std::span first = answer_bulk.empty() ? std::span(first_) : std::span(first_).first(sizeof header);
  std::size_t received = 0;
  int descriptor = -1;
  if (!receive_first(first, received, descriptor)) return {};
  std::memcpy(&header, first.data(), sizeof header);
  const std::span early = first.subspan(sizeof header, received - sizeof header);
  const auto status = static_cast<Status>(header.kind);
  const std::size_t expected = status == Status::ok ? answer_bulk.size() : 0;
  if (header.head_bytes > kMaxHeadBytes || header.head_bytes < early.size() || header.bulk_bytes != expected)
    return {};
  RawAnswer answer{status, std::vector<std::byte>(header.head_bytes), descriptor};
  std::copy(early.begin(), early.end(), answer.head.begin());
  if (!receive_all(socket_, std::span(answer.head).subspan(early.size()))) return {};
  if (!receive_all(socket_, answer_bulk.first(expected))) return {};
  return answer;
}

}  // namespace vgpu::cudart
