// What the host asks of the device after the device has sent it anything.
#include "vgpu/cudart/device_side/host_commands.hpp"

#include "catch.hpp"

namespace host_commands_test {

using namespace vgpu;
using namespace vgpu::cudart;
using Kind = HostCommand::Kind;

namespace {

constexpr std::uint64_t kHost = 0x7000'0000'0000;

/// A device with 8 words of device memory and a page of shared memory.
struct Fixture {
  Device device{lecture_profile()};
  HostMemory host{device};
  HostCommands commands{device, host, KeptCommands::after_values};
  DevicePtr memory = device.allocate(32).value();
  Descriptor file = host.share(kHost, 4096);

  void put(std::uint64_t address, std::uint32_t value) {
    device.write(address, std::as_bytes(std::span(&value, 1)));
  }
  void upload(std::uint32_t value) {
    commands.uploaded({memory, 0, 0}, {4, 1, 1}, std::as_bytes(std::span(&value, 1)));
    put(memory, value);
  }
  void upload_and_inform() {
    upload(1);
    commands.inform();
  }
  void launch(const std::vector<std::uint64_t>& parameters, const std::vector<bool>& read,
              std::vector<MemoryAccess> accesses = {}) {
    Launch launch;
    launch.kernel = "k";
    launch.parameters = std::as_bytes(std::span(parameters));
    commands.launching(launch, read);
    LaunchRecord record;
    record.accesses = std::move(accesses);
    commands.launched(record);
  }
};

}  // namespace

TEST_CASE("nothing is recorded until the device has sent something") {
  Fixture f;
  f.upload(1);
  f.launch({1}, {});
  f.commands.noted(Kind::limit, {1, 2});
  CHECK(f.commands.take().commands.empty());
}

TEST_CASE("what the host receives before the device has any values says nothing") {
  Fixture f;
  f.commands.inform();
  f.upload(1);
  f.upload(2);
  CHECK(f.commands.take().commands.empty());
}

TEST_CASE("nothing is recorded if it is off") {
  Fixture f;
  HostCommands off(f.device, f.host, KeptCommands::none);
  off.copied(Kind::copy_to_device, {f.memory, 0, 0}, {}, {4, 1, 1});
  off.inform();
  off.noted(Kind::limit, {1, 2});
  CHECK(off.take().commands.empty());
}

TEST_CASE("where arrays are in host memory, all commands are recorded without contents") {
  Fixture f;
  HostCommands all(f.device, f.host, KeptCommands::all);
  const std::uint32_t value = 7;
  all.uploaded({f.memory, 0, 0}, {4, 1, 1}, std::as_bytes(std::span(&value, 1)));
  all.noted(Kind::memory, {1}, std::as_bytes(std::span(&value, 1)));
  f.put(kHost, 5);
  Launch launch;
  launch.kernel = "k";
  const std::uint64_t parameter = 9;
  launch.parameters = std::as_bytes(std::span(&parameter, 1));
  all.launching(launch, {});
  all.launched({});
  const auto commands = all.take().commands;
  REQUIRE(commands.size() == 3);
  CHECK(commands[0].words.empty());
  CHECK(commands[1].words.at(0).value == 7);
  CHECK(commands[2].words.size() == 2);  // the parameter, not shared memory
}

TEST_CASE("uploads have their values, and whether the device knew them") {
  Fixture f;
  f.upload_and_inform();
  f.upload(7);
  f.upload(7);
  f.commands.filled({f.memory, 0, 0}, {8, 1, 1}, 3, 4);
  const auto commands = f.commands.take().commands;
  REQUIRE(commands.size() == 3);
  CHECK(commands[0].words.at(0).value == 7);
  CHECK_FALSE(commands[0].words.at(0).is_known);
  CHECK(commands[1].words.at(0).is_known);
  CHECK(commands[2].kind == Kind::fill);
  CHECK(commands[2].words.at(0).value == 3);
}

TEST_CASE("bytes of parameters that the kernel cannot read are left out, and shared memory has a number") {
  Fixture f;
  f.upload_and_inform();
  std::vector<bool> read(16, true);
  read[13] = false;
  f.launch({kHost + 16, 0x0102030405060708}, read);
  const auto commands = f.commands.take().commands;
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].parameter_words == 4);
  CHECK(commands[0].words[0].value == 16);
  CHECK(commands[0].words[1].value == 1U << 16U);  // the first shared memory
  CHECK(commands[0].words[2].value == 0x05060708);
  CHECK(commands[0].words[3].value == 0x01020004);
}

TEST_CASE("of shared memory, words that a kernel read count, unless they are what the device stored") {
  Fixture f;
  f.put(kHost, 1);
  f.launch({}, {}, {{kHost, 4, true}});  // the device has written: the host can know
  f.put(kHost + 4, 5);
  f.launch({}, {}, {{kHost, 8, false}});
  const auto commands = f.commands.take().commands;
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].words.size() == 1024);
  CHECK(commands[0].words[0].is_known);
  CHECK(commands[0].words[0].is_used);
  CHECK(commands[0].words[1].value == 5);
  CHECK_FALSE(commands[0].words[1].is_known);
  CHECK(commands[0].words[1].is_used);
  CHECK_FALSE(commands[0].words[2].is_used);
}

TEST_CASE("a copy within the device to shared memory is what the device stored") {
  Fixture f;
  f.put(kHost + 8, 6);
  f.commands.delivered({kHost + 8, 0, 0}, {4, 1, 1});
  f.upload_and_inform();
  f.launch({}, {}, {{kHost, 16, false}});
  const auto commands = f.commands.take().commands;
  REQUIRE(commands.size() == 1);
  CHECK_FALSE(commands[0].words[1].is_known);
  CHECK(commands[0].words[2].is_known);
}

TEST_CASE("a managed variable counts at launches, not when the runtime copies it") {
  Fixture f;
  f.commands.link(f.memory, 32);
  f.launch({}, {}, {{f.memory, 4, true}});  // the device has written: the host can know
  f.upload(7);
  f.commands.copied(Kind::copy_to_host, {}, {f.memory, 0, 0}, {32, 1, 1});
  f.launch({}, {}, {{f.memory, 8, false}});
  const auto commands = f.commands.take().commands;
  REQUIRE(commands.size() == 1);
  REQUIRE(commands[0].words.size() == 1024 + 8);
  CHECK(commands[0].words[1024].value == 7);
  CHECK_FALSE(commands[0].words[1024].is_known);
  CHECK(commands[0].words[1025].is_known);
  CHECK(commands[0].words[1025].is_used);
  CHECK_FALSE(commands[0].words[1026].is_used);
}

TEST_CASE("the record is limited") {
  Fixture f;
  f.upload_and_inform();
  for (std::size_t i = 0; i <= HostCommands::kMaxWords / HostCommands::kWordsPerCommand; ++i)
    f.commands.noted(Kind::limit, {1, i});
  const HostCommandRecord record = f.commands.take();
  CHECK_FALSE(record.is_complete);
  CHECK(record.commands.size() == HostCommands::kMaxWords / HostCommands::kWordsPerCommand);
}

}  // namespace host_commands_test
