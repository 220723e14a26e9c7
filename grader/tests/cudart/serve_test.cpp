// The device side over a real socket, with clients that violate the protocol.

#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.hpp"
#include "catch.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/cudart/protocol/socket_transport.hpp"
#include "vgpu/state/unwritten.hpp"

namespace serve_test {

using namespace vgpu;
using namespace vgpu::cudart;
using testing::contains;

namespace {

/// A served device and the client's end of its socket. Closing that end (or setting `stop`) ends the session.
class Served {
 public:
  explicit Served(ServeOptions options = {}) {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_) == 0);
    options.stop = &stop_;
    server_ = std::thread([this, options] {
      Device device(lecture_profile());
      report_ = serve(sockets_[0], device, options);
    });
  }
  ~Served() { finish(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  int socket() const { return sockets_[1]; }
  void send(std::span<const std::byte> bytes) const {
    ::send(sockets_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void send_header(std::uint32_t command, std::uint32_t head_bytes, std::uint64_t bulk_bytes) const {
    const Header header{command, head_bytes, bulk_bytes};
    send(std::as_bytes(std::span(&header, 1)));
  }
  const SessionReport& finish() {
    if (!server_.joinable()) return report_;
    ::close(sockets_[1]);
    return join();
  }
  const SessionReport& stop() {
    stop_ = true;
    return join();
  }

 private:
  const SessionReport& join() {
    server_.join();
    ::close(sockets_[0]);
    return report_;
  }

  int sockets_[2] = {-1, -1};
  std::atomic<bool> stop_ = false;
  SessionReport report_;
  std::thread server_;
};

template <class Request>
constexpr auto number() {
  return static_cast<std::uint32_t>(command_of<Request>());
}

}  // namespace

TEST_CASE("a client that connects and disconnects is a well-formed session") {
  Served served;
  const SessionReport& report = served.finish();
  CHECK(report.protocol_error.empty());
  CHECK_FALSE(report.stopped);
}

TEST_CASE("a copy from memory that does not exist is refused, and the connection stays") {
  Served served;
  SocketTransport transport(served.socket());
  CHECK(ask(transport, Open{}).status == Status::ok);
  const auto allocated = ask(transport, Allocate{64});
  REQUIRE(allocated);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const hidden = ::mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(hidden != MAP_FAILED);
  Write write;
  write.to.address = allocated.answer.address;
  write.box.width = 64;
  const auto refused = ask(transport, write, {static_cast<const std::byte*>(hidden), 64});
  CHECK(refused.status == Status::invalid_value);
  CHECK_THAT(refused.reason, testing::contains("does not exist"));
  ::munmap(hidden, page);
  std::array<std::byte, 64> bytes{};
  CHECK(ask(transport, write, bytes));
}

TEST_CASE("copies and allocations work over the socket") {
  Served served;
  SocketTransport transport(served.socket());
  CHECK(ask(transport, Open{}).answer.max_threads_per_block == 1024);
  const auto allocated = ask(transport, Allocate{std::uint64_t{8} << 20U});
  REQUIRE(allocated);
  std::vector<std::byte> sent(std::size_t{8} << 20U);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 251);
  Write write;
  write.to.address = allocated.answer.address;
  write.box.width = sent.size();
  REQUIRE(ask(transport, write, sent));
  std::vector<std::byte> received(sent.size());
  Read read;
  read.from.address = allocated.answer.address;
  read.box.width = received.size();
  REQUIRE(ask(transport, read, {}, received));
  CHECK(received == sent);

  read.box.width += 1;
  received.resize(read.box.width);
  const auto refused = ask(transport, read, {}, received);
  CHECK(refused.status == Status::invalid_value);
  CHECK_THAT(refused.reason, contains("8388609 bytes"));

  const SessionReport& report = served.finish();
  CHECK(report.protocol_error.empty());
  REQUIRE(report.live_allocations.size() == 1);
  CHECK(report.live_allocations.front().size_bytes == sent.size());
}

TEST_CASE("shared memory has a descriptor whose size cannot be changed") {
  Served served;
  SocketTransport transport(served.socket());
  ShareHostMemory share;
  share.address = std::uint64_t{1} << 40U;
  share.size_bytes = 5000;
  const auto answered = ask(transport, share);
  REQUIRE(answered);
  REQUIRE(answered.descriptor >= 0);
  CHECK(::ftruncate(answered.descriptor, 0) != 0);
  CHECK(::ftruncate(answered.descriptor, 1 << 20) != 0);
  CHECK(::fcntl(answered.descriptor, F_ADD_SEALS, F_SEAL_WRITE) != 0);
  auto* bytes =
      static_cast<char*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, answered.descriptor, 0));
  ::close(answered.descriptor);
  REQUIRE(bytes != MAP_FAILED);
  bytes[4999] = 77;
  std::byte last{};
  Read read;
  read.from.address = share.address + 4999;
  read.box.width = 1;
  REQUIRE(ask(transport, read, {}, {&last, 1}));
  CHECK(last == std::byte{77});
  ::munmap(bytes, 8192);
  served.finish();
}

TEST_CASE("pinned memory holds values that mean nothing, if the device is asked for it") {
  for (const bool spoils : {false, true}) {
    ServeOptions options;
    options.spoils_pinned_memory = spoils;
    Served served(options);
    SocketTransport transport(served.socket());
    ShareHostMemory share;
    share.address = std::uint64_t{1} << 40U;
    share.size_bytes = 5000;
    const auto answered = ask(transport, share);
    REQUIRE(answered);
    ::close(answered.descriptor);
    std::uint32_t word = 1;
    Read read;
    read.from.address = share.address + 4096;
    read.box.width = sizeof word;
    REQUIRE(ask(transport, read, {}, std::as_writable_bytes(std::span(&word, 1))));
    CHECK(word == (spoils ? kUnwrittenWords[0] : 0U));
    served.finish();
  }
}

TEST_CASE("memory is shared only at valid addresses, once, and up to a limit") {
  Served served;
  SocketTransport transport(served.socket());
  const auto share = [&](std::uint64_t address, std::uint64_t size_bytes) {
    ShareHostMemory request;
    request.address = address;
    request.size_bytes = size_bytes;
    const auto answered = ask(transport, request);
    if (answered.descriptor >= 0) ::close(answered.descriptor);
    return answered.status;
  };
  constexpr std::uint64_t kPlace = std::uint64_t{1} << 40U;
  CHECK(share(kPlace, 8192) == Status::ok);
  CHECK(share(kPlace, 8192) == Status::out_of_memory);
  CHECK(share(kPlace + 4096, 8192) == Status::out_of_memory);
  CHECK(share(kPlace - 4096, 8192) == Status::out_of_memory);
  CHECK(share(kPlace + 1, 8) == Status::out_of_memory);
  CHECK(share(0, 8) == Status::out_of_memory);
  CHECK(share((std::uint64_t{1} << 47U) - 4096, 8192) == Status::out_of_memory);
  CHECK(share(std::uint64_t{1} << 62U, 8192) == Status::out_of_memory);
  CHECK(share(kPlace + (1 << 20), 0) == Status::out_of_memory);
  CHECK(share(kPlace + (1 << 20), ~std::uint64_t{0}) == Status::out_of_memory);
  CHECK(share(kPlace + (1 << 20), (std::uint64_t{1} << 30U) + 1) == Status::out_of_memory);
  UnshareHostMemory unshare;
  unshare.address = kPlace;
  CHECK(ask(transport, unshare).status == Status::ok);
  CHECK(ask(transport, unshare).status == Status::invalid_value);
  CHECK(share(kPlace - 4096, 8192) == Status::ok);
  CHECK(served.finish().protocol_error.empty());
}

TEST_CASE("streams and recorded events count until they are destroyed") {
  Served served;
  SocketTransport transport(served.socket());
  for (const std::uint32_t stream : {1U, 2U, 3U}) CHECK(ask(transport, DescribeStream{stream}));
  for (const std::uint64_t event : {1U, 2U, 3U})
    CHECK(ask(transport, Mark{MarkKind::event_record, 1, event}));
  CHECK(ask(transport, Mark{MarkKind::event_destroy, 0, 2}));
  CHECK(ask(transport, Mark{MarkKind::stream_destroy, 3}));
  const SessionReport& report = served.finish();
  CHECK(report.live.streams == 2);
  CHECK(report.live.events == 2);
}

TEST_CASE("invalid work is refused or ends the session") {
  Served served;
  SocketTransport transport(served.socket());
  const auto allocated = ask(transport, Allocate{64});
  REQUIRE(allocated);
  const Rows rows{allocated.answer.address, 8, 8};
  CHECK(ask(transport, Fill{{}, rows, {8, 8, 1}, 0, 1}));
  CHECK(ask(transport, Fill{{}, rows, {8, 9, 1}, 0, 1}).status == Status::invalid_value);
  CHECK(ask(transport, Copy{{}, rows, rows, {8, 8, 1}}));
  CHECK(ask(transport, QueryElapsedTime{1, 2}).status == Status::invalid_value);
  CHECK(ask(transport, Mark{MarkKind::event_record, 3, 1}));
  CHECK(ask(transport, Mark{MarkKind::event_record, 3, 2}));
  CHECK(ask(transport, QueryElapsedTime{1, 2}).answer.has_ended);
  CHECK(ask(transport, Mark{static_cast<MarkKind>(99), 0, 0}).status == Status::protocol_error);
  CHECK_THAT(served.finish().protocol_error, contains("unknown mark 99"));

  Served other;
  SocketTransport to_other(other.socket());
  CHECK(ask(to_other, Fill{{}, rows, {6, 1, 1}, 0, 4}).status == Status::protocol_error);
}

TEST_CASE("an unknown command ends the session") {
  Served served;
  served.send_header(77, 0, 0);
  Header answer;
  CHECK(::recv(served.socket(), &answer, sizeof answer, MSG_WAITALL) == sizeof answer);
  CHECK(answer.kind == static_cast<std::uint32_t>(Status::protocol_error));
  CHECK(served.finish().protocol_error == "unknown command 77");
}

TEST_CASE("malformed fields end the session") {
  Served served;
  served.send_header(number<Allocate>(), 3, 0);
  served.send(std::vector<std::byte>(3));
  CHECK_THAT(served.finish().protocol_error, contains("malformed fields (3 bytes)"));
}

TEST_CASE("a message beyond the limit ends the session before anything is allocated for it") {
  Served served;
  served.send_header(number<Write>(), 8, ~std::uint64_t{0});
  CHECK_THAT(served.finish().protocol_error, contains("at most"));

  Served other;
  other.send_header(number<Write>(), ~std::uint32_t{0}, 0);
  CHECK_THAT(other.finish().protocol_error, contains("at most"));
}

TEST_CASE("an answer beyond the limit ends the session") {
  Served served;
  SocketTransport transport(served.socket());
  Read read;
  read.box.width = std::uint64_t{1} << 60U;
  CHECK(ask(transport, read).status == Status::protocol_error);
  CHECK_THAT(served.finish().protocol_error, contains("read of"));
}

TEST_CASE("a client with another protocol version is refused, and the message contains both versions") {
  Served served;
  SocketTransport transport(served.socket());
  Open open;
  open.version = 99;
  CHECK(ask(transport, open).status == Status::protocol_error);
  CHECK_THAT(served.finish().protocol_error, contains("version 99"));
}

TEST_CASE("a client that disconnects in the middle of a message is reported") {
  Served half_header;
  half_header.send(std::vector<std::byte>(5));
  CHECK_THAT(half_header.finish().protocol_error, contains("in the middle"));

  Served half_body;
  half_body.send_header(number<Write>(), 8, 100);
  half_body.send(std::vector<std::byte>(20));
  CHECK_THAT(half_body.finish().protocol_error, contains("in the middle"));
}

TEST_CASE("stop ends a session whose client is silent, stuck in a message, or never reads answers") {
  Served silent;
  CHECK(silent.stop().stopped);

  Served stuck;
  stuck.send_header(number<Write>(), 8, 100);
  CHECK(stuck.stop().stopped);

  Served unread;
  SocketTransport transport(unread.socket());
  const auto allocated = ask(transport, Allocate{std::uint64_t{4} << 20U});
  Read read;
  read.from.address = allocated.answer.address;
  read.box.width = std::uint64_t{4} << 20U;
  const auto fields = encode(read);
  unread.send_header(number<Read>(), static_cast<std::uint32_t>(fields.size()), 0);
  unread.send(fields);
  CHECK(unread.stop().stopped);
}

TEST_CASE("reports of a client are capped and printable") {
  Served served;
  SocketTransport transport(served.socket());
  for (int i = 0; i < 100; ++i)
    REQUIRE(ask(transport, ReportFailure{"cuda\x1b[31m", 1, std::string(5000, 'x')}));
  for (int i = 0; i < 300; ++i) REQUIRE(ask(transport, ReportUnsupported{"cudaMade" + std::to_string(i)}));
  REQUIRE(ask(transport, ReportUnsupported{"cudaMade1"}));
  const SessionReport& report = served.finish();
  CHECK(report.failures.size() == 64);
  CHECK(report.failures.front().call == "cuda?[31m");
  CHECK(report.failures.front().detail.size() < 1000);
  CHECK(report.unsupported.size() == 256);
}

TEST_CASE("descriptions of memory are capped and printable, and change nothing else") {
  Served served;
  SocketTransport transport(served.socket());
  for (std::uint64_t i = 0; i < 1000; ++i)
    REQUIRE(ask(transport, DescribeMemory{.address = i,
                                          .allocated = {"a\x1b[31m.cu" + std::string(5000, 'x'), 7, "f\n"}}));
  const SessionReport& report = served.finish();
  CHECK(report.live_allocations.empty());
  CHECK(report.memory.size() == 256);
  const auto& place = report.memory.at(0).allocated;
  CHECK(place.file.starts_with("a?[31m.cu"));
  CHECK(place.file.size() < 1000);
  CHECK(place.line == 7);
  CHECK(place.function == "f?");
}

TEST_CASE("device code that is too large or invalid is refused and the session continues") {
  Served served;
  SocketTransport transport(served.socket());
  CHECK(ask(transport, LoadModule{}, std::vector<std::byte>(kMaxImageBytes + 1)).status ==
        Status::invalid_image);
  CHECK(ask(transport, LoadModule{}, std::vector<std::byte>(100)).status == Status::invalid_image);
  CHECK(ask(transport, LoadModule{}).status == Status::invalid_image);
  CHECK(ask(transport, QueryKernel{1, "k"}).status == Status::unknown_symbol);
  LaunchKernel launch;
  launch.module = 9;
  CHECK(ask(transport, launch).status == Status::unknown_symbol);
  CHECK(ask(transport, Allocate{0}).status == Status::out_of_memory);
  CHECK(served.finish().protocol_error.empty());
}

TEST_CASE("launches beyond the limit of recorded launches are counted") {
  ServeOptions options;
  options.max_launch_records = 2;
  Served served(options);
  SocketTransport transport(served.socket());
  for (int i = 0; i < 5; ++i) ask(transport, LaunchKernel{});
  const SessionReport& report = served.finish();
  CHECK(report.launches.size() == 2);
  CHECK(report.launches_dropped == 3);
}

TEST_CASE("random bytes end a session without a crash or a hang") {
  grader::SplitMix64 random(2024);
  for (int round = 0; round < 300; ++round) {
    Served served;
    for (std::uint64_t message = 0; message < 1 + random.below(6); ++message) {
      std::vector<std::byte> body(random.below(64));
      for (std::byte& byte : body)
        byte = static_cast<std::byte>(random.below(random.below(2) == 0 ? 3 : 256));
      // Most headers match their body, so that the test reaches the fields, too.
      if (random.below(8) != 0) {
        const std::uint64_t head = random.below(body.size() + 1);
        served.send_header(static_cast<std::uint32_t>(random.below(30)), static_cast<std::uint32_t>(head),
                           body.size() - head);
      }
      served.send(body);
    }
    ::shutdown(served.socket(), SHUT_WR);
    served.finish();
  }
}

}  // namespace serve_test
