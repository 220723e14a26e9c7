// Messages: decoding accepts the bytes that encoding produces, and no others.

#include "base/random.hpp"
#include "catch.hpp"
#include "vgpu/cudart/protocol/commands.hpp"

namespace protocol_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

KernelFacts some_kernel() {
  KernelFacts facts;
  facts.parameter_sizes = {8, 8, 4};
  facts.parameter_offsets = {0, 8, 16};
  facts.parameter_bytes = 20;
  facts.static_shared_bytes = 2048;
  facts.max_threads_per_block = 256;
  return facts;
}

LaunchKernel some_launch() {
  LaunchKernel launch;
  launch.module = 3;
  launch.kernel = "_Z3addPf";
  launch.grid = {4, 5, 6};
  launch.block = {32, 2, 1};
  launch.dynamic_shared_bytes = std::uint64_t{1} << 40U;
  return launch;
}

}  // namespace

TEST_CASE("decoding restores encoded messages") {
  LaunchKernel launch;
  REQUIRE(decode(encode(some_launch()), launch));
  CHECK(launch.module == 3);
  CHECK(launch.kernel == "_Z3addPf");
  CHECK(launch.grid == Dim3{4, 5, 6});
  CHECK(launch.block == Dim3{32, 2, 1});
  CHECK(launch.dynamic_shared_bytes == std::uint64_t{1} << 40U);

  KernelFacts facts;
  REQUIRE(decode(encode(some_kernel()), facts));
  CHECK(facts.parameter_sizes == std::vector<std::uint64_t>{8, 8, 4});
  CHECK(facts.parameter_offsets == std::vector<std::uint64_t>{0, 8, 16});
  CHECK(facts.static_shared_bytes == 2048);
  CHECK(facts.max_threads_per_block == 256);

  LaunchOutcome outcome;
  outcome.seconds = 0.25;
  outcome.faulted = true;
  outcome.fault = FaultKind::misaligned;
  LaunchOutcome read;
  REQUIRE(decode(encode(outcome), read));
  CHECK(read.seconds == 0.25);
  CHECK(read.faulted);
  CHECK(read.fault == FaultKind::misaligned);
}

TEST_CASE("a truncated message is refused") {
  const auto whole = encode(some_launch());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    LaunchKernel launch;
    CHECK_FALSE(decode(std::span(whole).first(size), launch));
  }
}

TEST_CASE("a message with bytes left over is refused") {
  auto longer = encode(some_launch());
  longer.push_back(std::byte{0});
  LaunchKernel launch;
  CHECK_FALSE(decode(longer, launch));
}

TEST_CASE("a string or list with a length beyond the message allocates nothing and is refused") {
  const std::uint32_t huge = 0xffffffff;
  Encoder encoder;
  encoder(huge);
  const auto bytes = encoder.take();
  ReportUnsupported name;
  CHECK_FALSE(decode(bytes, name));
  CHECK(name.call.empty());
  KernelFacts facts;
  CHECK_FALSE(decode(bytes, facts));
  CHECK(facts.parameter_sizes.empty());
}

TEST_CASE("decoding restores an encoded texture, and random textures are decoded or refused") {
  CreateTexture sent, received;
  sent.texture.address = 512;
  sent.texture.extent = {7, 8, 9};
  sent.texture.border = {1, 2, 3, 4};
  REQUIRE(decode(encode(sent), received));
  CHECK(encode(received) == encode(sent));
  CHECK(received.texture.border[3] == 4);
  grader::SplitMix64 random(7);
  const std::size_t size = encode(sent).size();
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(round % 2 == 0 ? 256 : 4));
    REQUIRE(decode(bytes, received));
    if (why_invalid(received.texture).empty())
      CHECK(received.texture.span_bytes() <= std::uint64_t{1} << 41U);
  }
}

TEST_CASE("random bytes are decoded or refused, and allocate no more than their size") {
  grader::SplitMix64 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random.below(80));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(round % 2 == 0 ? 256 : 4));
    LaunchKernel launch;
    KernelFacts facts;
    DeviceInfo info;
    decode(bytes, launch);
    decode(bytes, facts);
    decode(bytes, info);
    CHECK(launch.kernel.size() <= bytes.size());
    CHECK(facts.parameter_sizes.size() <= bytes.size());
  }
}

}  // namespace protocol_test
