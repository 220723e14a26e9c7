// Random commands to a device session: well-formed messages with arbitrary values, as a program sends them
// whose arguments are wrong, and malformed ones. The session answers each of them and continues to work.
// WARPGRADE_FUZZ_COMMANDS=1000000 sets the number of commands per seed.
#include "vgpu/cudart/device_side/session.hpp"

#include <cstdlib>
#include <limits>

#include "fuzz/random.hpp"
#include "vgpu/cudart/protocol/commands.hpp"
#include "vgpu/gpu.hpp"

namespace fuzz_session_test {
namespace {

using namespace vgpu;
using namespace vgpu::cudart;
using fuzz::Random;

constexpr std::uint64_t kHostPages = 0x7000'0000'0000;

/// An archive (message.hpp) that gives every field a random value: often a limit of its type, or an address,
/// a size or a name that means something to the device.
class RandomFields {
 public:
  RandomFields(Random& random, const std::vector<std::uint64_t>& numbers)
      : random_(random), numbers_(numbers) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }

 private:
  std::uint64_t number() {
    switch (random_.below(8)) {
      case 0:
        return random_.next();
      case 1:
        return ~std::uint64_t{0} - random_.below(4);
      case 2:
        return std::uint64_t{1} << random_.below(64);
      case 3:
      case 4:
        return random_.one_of(numbers_) + random_.below(8) * random_.below(2);
      default:
        return random_.below(5);
    }
  }
  template <Scalar T>
  void get(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      value = random_.one_in(4) ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(number());
    } else {
      value = static_cast<T>(number());
    }
  }
  void get(bool& value) { value = random_.one_in(2); }
  void get(Dim3& extent) { (*this)(extent.x, extent.y, extent.z); }
  void get(std::string& text) {
    static const std::string kTexts[] = {"", "k", "variable", "no_such_name", std::string(600, '\xFF')};
    text = random_.one_of(kTexts);
  }
  template <class Message>
  requires requires(Message& message, RandomFields& archive) { message.fields(archive); }
  void get(Message& message) { message.fields(*this); }
  void get(std::vector<std::uint64_t>& values) {
    values.resize(random_.below(10));
    for (std::uint64_t& value : values) value = number();
  }

  Random& random_;
  const std::vector<std::uint64_t>& numbers_;
};

const std::string kModule = test::kernel_text(".param .u64 out, .param .u32 n",
                                              R"(.reg .b64 %a; .reg .b32 %r<3>; .reg .pred %p;
    ld.param.u64 %a, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r1; @%p bra E;
    st.global.u32 [%a], %r2; E: ret;)",
                                              ".visible .global .align 4 .b8 variable[64];");

/// The bulk that belongs to a request, or another one.
std::vector<std::byte> some_bulk(Random& random, std::uint32_t command,
                                 const std::vector<std::uint64_t>& numbers) {
  if (command == static_cast<std::uint32_t>(command_of<LoadModule>()) && random.one_in(2)) {
    const auto text = std::as_bytes(std::span(kModule));
    return {text.begin(), text.end()};
  }
  if (command == static_cast<std::uint32_t>(command_of<LaunchKernel>()) && random.one_in(2))
    return test::pack(random.one_of(numbers), static_cast<std::uint32_t>(random.below(64)));
  std::vector<std::byte> bytes(random.one_in(2) ? 0 : random.below(80));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

void send_commands(std::uint64_t seed, std::uint64_t commands) {
  Random random(seed);
  DeviceOptions options;
  options.step_limit = 1U << 10U;
  options.checks = {true, true};
  Profile profile = lecture_profile();
  profile.global_bytes = std::size_t{16} << 20U;
  Device device(profile, options);
  Session session(device, {});
  REQUIRE(
      session
          .handle(static_cast<std::uint32_t>(command_of<LoadModule>()), {}, std::as_bytes(std::span(kModule)))
          .status == Status::ok);
  std::vector<std::uint64_t> numbers{4, 32, 64, 256, 4096, kHostPages, kHostPages + 4096};
  for (std::uint64_t i = 0; i < commands; ++i) {
    const auto command = static_cast<std::uint32_t>(random.below(AllCommands::kSize + 1));
    std::vector<std::byte> head;
    AllCommands::visit_at(command, [&]<class Request>(std::type_identity<Request>) {
      Request request;
      RandomFields fields(random, numbers);
      request.fields(fields);
      head = encode(request);
    });
    if (random.one_in(16) && !head.empty()) head.resize(random.below(head.size()));
    const auto bulk = some_bulk(random, command, numbers);
    CAPTURE(seed, i, command);
    const SessionAnswer answer = session.handle(command, head, bulk);
    CHECK(static_cast<std::uint32_t>(answer.status) <= static_cast<std::uint32_t>(Status::protocol_error));
    DeviceAddress address;
    MemoryInUse in_use;
    const bool is_address = command == static_cast<std::uint32_t>(command_of<Allocate>()) ||
                            command == static_cast<std::uint32_t>(command_of<CreateTexture>());
    if (is_address && answer.status == Status::ok && decode(answer.head, address, in_use) &&
        numbers.size() < 64)
      numbers.push_back(address.address);
  }
  const SessionReport report = session.take_report();
  CHECK(report.launches.size() <= commands);
}

}  // namespace

TEST_CASE("a session answers any sequence of commands with any values") {
  const char* asked = std::getenv("WARPGRADE_FUZZ_COMMANDS");
  const std::uint64_t commands = asked ? std::strtoull(asked, nullptr, 10) : 500;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) send_commands(seed, commands);
}

}  // namespace fuzz_session_test
