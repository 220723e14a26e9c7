// The values that a program exchanges with the device, as the device records them.
#include "vgpu/cudart/device_side/transfers.hpp"

#include <cstring>

#include "catch.hpp"

namespace transfers_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kHost = 0x7000'0000'0000;

/// A device with 8 words of device memory and a page of shared memory.
struct Fixture {
  Device device{lecture_profile()};
  HostMemory host{device};
  Transfers transfers{device, host, true};
  DevicePtr memory = device.allocate(32).value();
  Descriptor file = host.share(kHost, 4096);

  void put(std::uint64_t address, std::uint32_t value) {
    device.write(address, std::as_bytes(std::span(&value, 1)));
  }
  LaunchRecord launch(std::vector<MemoryAccess> accesses) {
    LaunchRecord record;
    record.accesses = std::move(accesses);
    record.counters.global_loads = {.requests = 1, .requested_bytes = 4};
    return record;
  }
};

using Words = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("copies are recorded with their values, padded to words") {
  Fixture f;
  const std::byte bytes[] = {std::byte{1}, {}, {}, {}, std::byte{2}, {}};
  f.transfers.sent(bytes);
  f.transfers.fetched({f.memory, 0, 0}, {4, 1, 1}, std::span(bytes).first(4));
  f.transfers.sent(bytes);
  f.transfers.filled(0xab, 1);
  CHECK(f.transfers.traffic().to_device == 13);
  CHECK(f.transfers.traffic().to_host == 4);
  const TransferredWords words = f.transfers.take_words();
  CHECK(words.to_device.words == Words{1, 2, 1, 2, 0xabababab});
  CHECK(words.to_host == Words{1});
  REQUIRE(words.to_device.pieces.size() == 3);
  CHECK(words.to_device.pieces[0].fetched == 0);
  CHECK(words.to_device.pieces[1].end == 4);
  CHECK(words.to_device.pieces[1].fetched == 1);
}

TEST_CASE("parameters count as sent unless they follow from the kernel's launches before") {
  Fixture f;
  const auto launch = [&](const char* kernel, Words words) {
    f.transfers.sent_parameters(kernel, std::as_bytes(std::span(words)));
    return f.transfers.traffic().to_device / 4;
  };
  CHECK(launch("add", {100, 200, 7}) == 3);
  CHECK(launch("add", {100, 200, 7}) == 3);
  CHECK(launch("scale", {100, 200}) == 5);  // another kernel's
  CHECK(launch("add", {110, 190, 7}) == 7);
  for (std::uint32_t i = 2; i < 100; ++i) {  // the same distance each time
    launch("scale", {100, 200});
    CHECK(launch("add", {100 + 10 * i, 200 - 10 * i, 7}) == 7);
  }
  CHECK(launch("add", {5, 6, 8}) == 10);
  CHECK(launch("add", {5, 6}) == 12);  // another kernel of this name
  CHECK(f.transfers.take_words().unforeseen_parameters == 12);
}

TEST_CASE("buffers that are used in turn do not count again, values of the host's choice do") {
  Fixture turns, bits;
  constexpr std::uint32_t kSets = 5, kLaunches = 1000;
  for (std::uint32_t i = 0; i < kLaunches; ++i) {
    const Words sets = {1000 + 64 * (i % kSets) * (i % kSets), 256 * i},
                chosen = {i * 2654435761U * i >> 31U, 5};
    turns.transfers.sent_parameters("add", std::as_bytes(std::span(sets)));
    bits.transfers.sent_parameters("add", std::as_bytes(std::span(chosen)));
  }
  CHECK(turns.transfers.traffic().to_device / 4 < 4 * kSets);
  CHECK(bits.transfers.traffic().to_device / 4 > kLaunches / 4);
}

TEST_CASE("rows of device memory are recorded without the gaps between them") {
  Fixture f;
  for (std::uint32_t i = 0; i < 8; ++i) f.put(f.memory + 4 * i, 10 + i);
  f.transfers.fetched({f.memory, 16, 2}, {8, 2, 1}, 16);
  CHECK(f.transfers.take_words().to_host == Words{10, 11, 14, 15});
}

TEST_CASE("of a managed variable, only the words that changed count as traffic") {
  Fixture f;
  for (std::uint32_t i = 0; i < 8; ++i) f.put(f.memory + 4 * i, 10 + i);
  f.transfers.link(f.memory, kHost, 32);
  const Rows rows{f.memory, 0, 0};
  f.transfers.fetched(rows, {32, 1, 1}, 32);
  CHECK(f.transfers.traffic().to_host == 0);
  f.put(f.memory + 8, 7);
  f.transfers.fetched(rows, {32, 1, 1}, 32);
  CHECK(f.transfers.traffic().to_host == 4);
  f.put(f.memory + 12, 8);
  f.put(f.memory + 16, 9);
  f.transfers.sent(rows, {32, 1, 1}, 32);
  CHECK(f.transfers.traffic().to_device == 8);
  const TransferredWords words = f.transfers.take_words();
  CHECK(words.to_host == Words{10, 11, 12, 13, 14, 15, 16, 17, 10, 11, 7, 13, 14, 15, 16, 17});
  CHECK(words.is_asked_for == std::vector<bool>(16, false));
  CHECK(words.to_device.words == Words{10, 11, 7, 8, 9, 15, 16, 17});
}

TEST_CASE("what a kernel stored in the host's copy of a managed variable does not come from the host") {
  Fixture f;
  const std::uint64_t variable = kHost + 64;  // its copy on the host
  f.transfers.link(f.memory, variable, 32);
  f.transfers.before_launch();
  for (std::uint32_t i = 0; i < 4; ++i) f.put(variable + 4 * i, 10 + i);
  f.transfers.after_launch(f.launch({{variable, 16, true}}));
  const auto bytes_of_copy = [&](std::uint32_t changed_by_host) {
    for (std::uint32_t i = 0; i < 4; ++i) f.put(f.memory + 4 * i, 10 + i + (i < changed_by_host ? 100 : 0));
    const std::uint64_t before = f.transfers.traffic().to_device;
    f.transfers.sent({f.memory, 0, 0}, {32, 1, 1}, 32);
    return f.transfers.traffic().to_device - before;
  };
  CHECK(bytes_of_copy(0) == 0);
  CHECK(bytes_of_copy(3) == 12);
}

TEST_CASE("what is kept of managed variables is limited") {
  Fixture f;
  const auto large = f.device.allocate(Transfers::kMaxBytes).value();
  f.transfers.link(f.memory, kHost, 32);
  f.transfers.link(large, kHost + 4096, Transfers::kMaxBytes);  // with the first, too much
  f.transfers.link(large, kHost + 4096, ~std::uint64_t{0});
  f.transfers.fetched({large, 0, 0}, {64, 1, 1}, 64);
  CHECK(f.transfers.traffic().to_host == 64);
  f.transfers.fetched({f.memory, 0, 0}, {32, 1, 1}, 32);
  CHECK(f.transfers.traffic().to_host == 64);
}

TEST_CASE("copies from other memory count in full, next to a managed variable as well") {
  Fixture f;
  for (std::uint32_t i = 0; i < 8; ++i) f.put(f.memory + 4 * i, 10 + i);
  f.transfers.link(f.memory, kHost, 16);
  f.transfers.fetched({f.memory + 8, 0, 0}, {16, 1, 1}, 16);
  CHECK(f.transfers.traffic().to_host == 16);
  CHECK(f.transfers.take_words().is_asked_for == std::vector<bool>(4, true));
}

TEST_CASE("shared memory that a kernel reads is recorded as it was before the launch") {
  Fixture f;
  f.put(kHost + 8, 5);
  f.put(kHost + 12, 6);
  f.transfers.before_launch();
  f.put(kHost + 8, 7);  // the kernel's store
  f.transfers.after_launch(f.launch({{kHost + 8, 8, false}, {kHost + 8, 4, true}, {f.memory, 32, false}}));
  CHECK(f.transfers.traffic().read_from_host == 8);
  CHECK(f.transfers.traffic().written_to_host == 4);
  const TransferredWords words = f.transfers.take_words();
  CHECK(words.to_device.words == Words{5, 6});
  CHECK(words.to_device.pieces.at(0).fetched == 0);  // read before the kernel wrote
  CHECK(words.to_host == Words{7});
}

TEST_CASE("words that a kernel stored in shared memory did not come from the host") {
  Fixture f;
  const auto read_from_host = [&](std::vector<MemoryAccess> accesses) {
    const std::uint64_t before = f.transfers.traffic().read_from_host;
    f.transfers.before_launch();
    f.transfers.after_launch(f.launch(std::move(accesses)));
    return f.transfers.traffic().read_from_host - before;
  };
  const MemoryAccess read{kHost, 16}, write{kHost, 16, true};
  CHECK(read_from_host({read}) == 16);
  CHECK(read_from_host({write}) == 0);
  CHECK(read_from_host({read}) == 0);
  SECTION("until the host changes them") {
    f.put(kHost + 4, 5);
    CHECK(read_from_host({read}) == 4);
  }
  SECTION("but a launch that stores them, too, can have read the host's values before") {
    CHECK(read_from_host({read, write}) == 16);
    CHECK(read_from_host({read}) == 0);
  }
  SECTION("but atomics and parts of words keep bytes of the host") {
    f.put(kHost + 16, 5);
    CHECK(read_from_host({{kHost + 16, 4, true, true}, {kHost + 20, 2, true}}) == 0);
    CHECK(read_from_host({{kHost + 16, 8}}) == 8);
  }
}

TEST_CASE("shared memory that no kernel accesses is not recorded") {
  Fixture f;
  f.put(kHost, 5);
  f.transfers.before_launch();
  f.transfers.after_launch(f.launch({{f.memory, 32, true}}));
  CHECK(f.transfers.traffic().read_from_host == 0);
  CHECK(f.transfers.take_words().to_device.words.empty());
}

TEST_CASE("accesses in too many pieces to be recorded count as reads of all shared memory") {
  Fixture f;
  f.put(kHost + 4092, 5);
  f.transfers.before_launch();
  f.transfers.after_launch(f.launch({}));
  CHECK(f.transfers.traffic().read_from_host == 4096);
  const TransferredWords words = f.transfers.take_words();
  CHECK(words.to_device.words.back() == 5);
  CHECK(words.to_host.empty());
}

TEST_CASE("values are kept up to a limit, bytes are counted beyond it") {
  Fixture f;
  const std::vector<std::byte> much(Transfers::kMaxBytes);
  f.transfers.sent(much);
  f.transfers.sent(std::span(much).first(4));
  f.transfers.fetched({f.memory, 0, 0}, {4, 1, 1}, std::span(much).first(4));
  CHECK(f.transfers.traffic().to_device == Transfers::kMaxBytes + 4);
  const TransferredWords words = f.transfers.take_words();
  CHECK_FALSE(words.is_complete);
  CHECK(words.to_host.empty());
}

TEST_CASE("without a judge only the number of bytes is recorded") {
  Fixture f;
  Transfers transfers(f.device, f.host, false);
  transfers.sent(std::vector<std::byte>(8));
  transfers.fetched({f.memory, 0, 0}, {32, 1, 1}, 32);
  transfers.before_launch();
  transfers.after_launch(f.launch({{kHost, 8, false}}));
  CHECK(transfers.traffic().to_device == 8);
  CHECK(transfers.traffic().to_host == 32);
  CHECK(transfers.traffic().read_from_host == 8);
  CHECK(transfers.take_words().to_device.words.empty());
}

}  // namespace transfers_test
