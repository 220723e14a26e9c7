// Kernels as nvcc compiles them: calls that cannot be inlined, cooperative groups and libcu++. The PTX is
// stored next to its source, which documents how it was compiled.
#include <algorithm>
#include <array>
#include <numeric>

#include "vgpu/gpu.hpp"

namespace compiled_kernels_test {

using test::Gpu;
using test::kernel_file;
using test::pack;

namespace {

using Ints = std::vector<std::int32_t>;

Ints numbers(std::size_t count) {
  Ints all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

}  // namespace

TEST_CASE("virtual functions of objects that a kernel makes") {
  Gpu gpu(kernel_file("calls.ptx"));
  const auto out = gpu.zeros<float>(64);
  gpu.run("areas", {1, 1, 1}, {64, 1, 1}, pack(out));
  const auto areas = gpu.download<float>(out, 64);
  for (int i = 0; i < 64; ++i) CHECK(areas[i] == (i % 3 == 0 ? i * i : 2 * i));
}

TEST_CASE("a table of functions in device memory, another one for each lane") {
  Gpu gpu(kernel_file("calls.ptx"));
  std::vector<float> expected(64);
  std::iota(expected.begin(), expected.end(), 1.0F);
  const auto data = gpu.upload(expected);
  for (int i = 0; i < 64; ++i) {
    for (int step = 0; step < 5; ++step) {
      const int which = (i + step) % 3;
      expected[i] = which == 0 ? expected[i] + 1 : which == 1 ? expected[i] * 2 : -expected[i];
    }
  }
  gpu.run("apply", {1, 1, 1}, {64, 1, 1}, pack(data, std::int32_t{5}));
  CHECK(gpu.download<float>(data, 64) == expected);
}

TEST_CASE("a recursion in a recursion, of another depth in every lane") {
  Gpu gpu(kernel_file("calls.ptx"));
  REQUIRE(gpu.device.set_stack_bytes(4096));
  const auto out = gpu.zeros<std::int32_t>(32);
  gpu.run("ackermanns", {1, 1, 1}, {32, 1, 1}, pack(out));
  const Ints result = gpu.download<std::int32_t>(out, 32);
  for (int i = 0; i < 32; ++i) CHECK(result[i] == ackermann(i % 3, i / 3));
}

TEST_CASE("a structure goes through a recursion by value") {
  struct State {
    std::array<std::int32_t, 6> values{};
    double total = 1;
  };
  Gpu gpu(kernel_file("calls.ptx"));
  const auto all = gpu.upload(std::vector<State>(32));
  gpu.run("states", {1, 1, 1}, {32, 1, 1}, pack(all));
  const auto result = gpu.download<State>(all, 32);
  for (int i = 0; i < 32; ++i) {
    State expected;
    for (int steps = i % 7; steps >= 0; --steps) {
      expected.values[steps % 6] += steps;
      expected.total *= 2;
    }
    CHECK(result[i].values == expected.values);
    CHECK(result[i].total == expected.total);
  }
}

TEST_CASE("every thread sorts an array on its stack by recursion") {
  Gpu gpu(kernel_file("calls.ptx"));
  Ints data(32 * 8);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i * 7919 % 101);
  const auto device = gpu.upload(data);
  gpu.run("sorted", {1, 1, 1}, {32, 1, 1}, pack(device));
  for (auto part = data.begin(); part != data.end(); part += 8) std::sort(part, part + 8);
  CHECK(gpu.download<std::int32_t>(device, data.size()) == data);
}

TEST_CASE("a grid synchronises by cooperative groups") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto data = gpu.upload(numbers(24));
  const auto parameters = pack(data, std::int32_t{3});
  vgpu::Launch launch{gpu.module, "shift", {24, 1, 1}, {64, 1, 1}, 0, parameters};
  launch.cooperative = true;
  const auto record = gpu.device.launch(launch);
  INFO(record.error_detail);
  REQUIRE(record.error == vgpu::LaunchError::none);
  REQUIRE(record.faults.empty());
  const Ints result = gpu.download<std::int32_t>(data, 24);
  for (int i = 0; i < 24; ++i) CHECK(result[i] == 8 * ((i + 21) % 24));
}

TEST_CASE("tiles, coalesced threads and labelled partitions of a warp") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto data = gpu.zeros<std::int32_t>(64);
  gpu.run("groups", {1, 1, 1}, {64, 1, 1}, pack(data));
  const Ints result = gpu.download<std::int32_t>(data, 64);
  for (int i = 0; i < 64; ++i) {
    int same = 0;
    for (int other = i / 32 * 32; other < i / 32 * 32 + 32; ++other) same += other % 3 == i % 3 ? 1 : 0;
    const int sum = i / 8 * 64 + 28;
    CHECK(result[i] == sum + 1000 * (i % 8 + 1) + (i % 3 == 0 ? 10000 * same : 0) + 1000000 * same);
  }
}

TEST_CASE("a barrier object of libcu++ has phases") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto data = gpu.upload(numbers(128));
  gpu.run("phases", {1, 1, 1}, {128, 1, 1}, pack(data));
  const Ints result = gpu.download<std::int32_t>(data, 128);
  for (int i = 0; i < 128; ++i) CHECK(result[i] == (i + 3) % 128 + 3);
}

TEST_CASE("threads of all blocks wait for each other by an atomic of libcu++") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto count = gpu.zeros<std::int32_t>(1);
  gpu.run("gather", {20, 1, 1}, {32, 1, 1}, pack(count));
  CHECK(gpu.download<std::int32_t>(count, 1)[0] == 640);
}

TEST_CASE("__syncthreads_count, _and and _or") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto some = gpu.upload(numbers(77));
  gpu.run("votes", {1, 1, 1}, {77, 1, 1}, pack(some));
  CHECK(gpu.download<std::int32_t>(some, 77) == Ints(77, 2038));
  const auto all = gpu.upload(Ints(77, 3));
  gpu.run("votes", {1, 1, 1}, {77, 1, 1}, pack(all));
  CHECK(gpu.download<std::int32_t>(all, 77) == Ints(77, 3077));
}

TEST_CASE("warps of several blocks take a lock and sleep while they wait") {
  Gpu gpu(kernel_file("cooperation.ptx"));
  const auto sum = gpu.zeros<std::int32_t>(1);
  gpu.run("locked", {4, 1, 1}, {128, 1, 1}, pack(sum));
  CHECK(gpu.download<std::int32_t>(sum, 1)[0] == 16);
}

}  // namespace compiled_kernels_test
