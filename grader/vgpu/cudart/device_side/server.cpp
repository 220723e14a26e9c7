// The session's loop over a socket. No transfer waits longer than kPollInterval_ms. So `stop` can end a
// session whose client sends half a message or never reads its answers.

#include "vgpu/cudart/device_side/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "vgpu/cudart/device_side/session.hpp"

namespace vgpu::cudart {
namespace {

constexpr int kPollInterval_ms = 100;

enum class Io {
  done,
  closed,  ///< the client disconnected before the first byte
  cut,     ///< the client disconnected after the first byte
  failed,  ///< the session has recorded the reason
  stopped,
};

/// Reads ahead: the header and the fields of a request usually arrive together.
class ClientStream {
 public:
  ClientStream(int socket, const std::atomic<bool>* stop) : socket_(socket), stop_(stop) {
    const timeval interval{.tv_sec = 0, .tv_usec = kPollInterval_ms * 1000};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &interval, sizeof interval);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &interval, sizeof interval);
  }

  Io receive(std::span<std::byte> bytes) {
    for (std::size_t received = 0; received < bytes.size();) {
      const auto rest = bytes.subspan(received);
      std::size_t count = 0;
      Io io = Io::done;
      if (ahead_.empty() && rest.size() >= buffer_.size()) {
        io = receive_some(rest, count);
      } else {
        if (ahead_.empty()) io = read_ahead();
        count = std::min(rest.size(), ahead_.size());
        std::copy_n(ahead_.begin(), count, rest.begin());
        ahead_ = ahead_.subspan(count);
      }
      if (io == Io::closed && received > 0) return Io::cut;
      if (io != Io::done) return io;
      received += count;
    }
    return Io::done;
  }

  /// The descriptor, if any, accompanies the first byte.
  Io send(std::span<const std::byte> bytes, const Descriptor& descriptor = {}) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = send_some(bytes.subspan(sent), sent == 0 ? descriptor.number() : -1);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
        continue;
      }
      if (!can_retry()) return Io::closed;
      if (is_stopped()) return Io::stopped;
    }
    return Io::done;
  }

  bool is_stopped() const { return stop_ && stop_->load(std::memory_order_relaxed); }

 private:
  /// After the time limit of a transfer, or after a signal.
  static bool can_retry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  Io receive_some(std::span<std::byte> bytes, std::size_t& count) const {
    while (true) {
      const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), 0);
      count = received > 0 ? static_cast<std::size_t>(received) : 0;
      if (received > 0) return Io::done;
      if (received == 0 || !can_retry()) return Io::closed;
      if (is_stopped()) return Io::stopped;
    }
  }

  Io read_ahead() {
    std::size_t count = 0;
    const Io io = receive_some(buffer_, count);
    ahead_ = std::span(buffer_).first(count);
    return io;
  }

  ssize_t send_some(std::span<const std::byte> bytes, int descriptor) const {
    iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg does not write to it
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    if (descriptor >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof descriptor);
      std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return ::sendmsg(socket_, &message, MSG_NOSIGNAL);
  }

  int socket_;
  const std::atomic<bool>* stop_;
  std::array<std::byte, 4096> buffer_{};
  std::span<const std::byte> ahead_;  ///< received and not taken yet
};

/// A buffer whose size the client chooses. It is not initialised, so the system provides memory only as data
/// arrives.
struct Buffer {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t capacity = 0;

  std::span<std::byte> of_size(std::size_t size) {
    if (size > capacity) {
      bytes = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity = size;
    }
    return {bytes.get(), size};
  }
};

struct Buffers {
  Buffer head, bulk;
};

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// The answer's header and fields in one buffer, so that most answers need only one system call.
std::vector<std::byte> framed(const SessionAnswer& answer) {
  Header header{static_cast<std::uint32_t>(answer.status), static_cast<std::uint32_t>(answer.head.size()),
                answer.bulk.size()};
  const auto raw = bytes_of(header);
  std::vector<std::byte> frame(raw.begin(), raw.end());
  frame.insert(frame.end(), answer.head.begin(), answer.head.end());
  return frame;
}

/// Serves one request. Io::closed means that the client disconnected between requests.
Io serve_one(ClientStream& client, Session& session, Buffers& buffers, const ServeOptions& options) {
  Header header;
  if (const Io io = client.receive(bytes_of(header)); io != Io::done) return io;
  if (header.head_bytes > kMaxHeadBytes || header.bulk_bytes > options.max_message_bytes) {
    session.fail(fmt::format("command {} announces {} + {} bytes; at most {} + {}", header.kind,
                             header.head_bytes, header.bulk_bytes, kMaxHeadBytes, options.max_message_bytes));
    return Io::failed;
  }
  const auto head = buffers.head.of_size(header.head_bytes);
  const auto bulk = buffers.bulk.of_size(header.bulk_bytes);
  for (const auto part : {head, bulk}) {
    if (const Io io = client.receive(part); io != Io::done) return io == Io::closed ? Io::cut : io;
  }

  if (options.busy != nullptr) options.busy->begin();
  const SessionAnswer answer = session.handle(header.kind, head, bulk);
  if (options.busy != nullptr) options.busy->end();
  if (const Io io = client.send(framed(answer), answer.descriptor); io != Io::done) return io;
  if (const Io io = client.send(answer.bulk); io != Io::done) return io;
  return answer.status == Status::protocol_error ? Io::failed : Io::done;
}

}  // namespace

SessionReport serve(int socket, Device& device, const ServeOptions& options) {
  ClientStream client(socket, options.stop);
  Session session(device, options);
  Buffers buffers;
  Io io = Io::done;
  while (io == Io::done) {
    io = client.is_stopped() ? Io::stopped : serve_one(client, session, buffers, options);
  }
  if (io == Io::stopped) session.stop();
  if (io == Io::cut) session.fail("the program ended in the middle of a command");
  return session.take_report();
}

}  // namespace vgpu::cudart
