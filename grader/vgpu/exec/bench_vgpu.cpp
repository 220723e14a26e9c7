// How fast the virtual GPU runs the lectures' matrix products and tree reduction: simulated thread
// instructions a second of wall time, bounds checks and all counters on, then with races and reads of
// unwritten memory checked, too; behind it the CPU time of all threads, for machines that others use as well.
// Usage: bench-vgpu [n] [threads…]; the products are of n × n matrices, n a multiple of 16, 512 by default;
// the reduction adds n × n × 16 elements.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vgpu/device.hpp"

namespace {

constexpr std::uint32_t kTile = 16;
constexpr std::uint32_t kReductionBlock = 256;
constexpr int kRepetitions = 5;

struct Work {
  const char* source;  ///< in tests/kernels/exec/
  const char* kernel;
  vgpu::Dim3 grid, block;
  std::vector<std::size_t> array_bytes;  ///< the first parameters: arrays of ones
  std::vector<std::int32_t> integers;    ///< those that follow
};

Work product(const char* kernel, std::uint32_t n) {
  const auto size = static_cast<std::int32_t>(n);
  const std::size_t bytes = std::size_t{n} * n * sizeof(float);
  return {"matmul.ptx",      kernel, {n / kTile, n / kTile, 1}, {kTile, kTile, 1}, {bytes, bytes, bytes},
          {size, size, size}};
}

Work reduction(std::uint32_t elements) {
  const std::uint32_t blocks = elements / kReductionBlock;
  return {"reduction.ptx",
          "tree",
          {blocks, 1, 1},
          {kReductionBlock, 1, 1},
          {elements * sizeof(float), blocks * sizeof(float)},
          {static_cast<std::int32_t>(elements)}};
}

std::string text_of(const std::string& source) {
  std::ifstream file(WARPGRADE_SOURCE_DIR "/grader/tests/kernels/exec/" + source);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::byte> parameters_on(vgpu::Device& device, const Work& work) {
  std::vector<std::byte> packed;
  const auto append = [&](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  };
  for (const std::size_t bytes : work.array_bytes) {
    const std::vector<float> ones(bytes / sizeof(float), 1);
    const auto address = device.allocate(bytes);
    device.write(*address, std::as_bytes(std::span(ones)));
    append(*address);
  }
  for (const std::int32_t integer : work.integers) append(integer);
  return packed;
}

struct Seconds {
  double wall = std::numeric_limits<double>::infinity(), cpu = wall;
};

Seconds seconds_of(vgpu::Device& device, const vgpu::Launch& launch, vgpu::LaunchRecord& record) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  record = device.launch(launch);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC};
}

bool measure(const Work& work, std::int32_t n, unsigned threads, bool checks) {
  vgpu::Device device(vgpu::lecture_profile(), {.cpu_threads = threads, .checks = {checks, checks}});
  const std::string text = text_of(work.source);
  const auto module = device.load_module(std::as_bytes(std::span(text)));
  if (!module) {
    fmt::print("cannot load the kernel: {}\n", module.error());
    return false;
  }
  const std::vector<std::byte> packed = parameters_on(device, work);
  const vgpu::Launch launch{*module, work.kernel, work.grid, work.block, 0, packed};
  vgpu::LaunchRecord record;
  Seconds best;
  for (int i = 0; i < kRepetitions; ++i) {
    const Seconds one = seconds_of(device, launch, record);
    best = {std::min(best.wall, one.wall), std::min(best.cpu, one.cpu)};
  }
  if (record.error != vgpu::LaunchError::none || !record.faults.empty()) {
    fmt::print("the launch failed: {}{}\n", record.error_detail,
               record.faults.empty() ? "" : record.faults[0].detail);
    return false;
  }
  const double instructions = static_cast<double>(record.counters.thread_instructions);
  fmt::print(
      "{:<6} n = {}, {} thread(s){}: {:.4f} s, {:.2f} G thread instructions/s, {:.1f} ns a warp "
      "instruction; CPU {:.4f} s\n",
      work.kernel, n, threads, checks ? ", races and unwritten memory" : "", best.wall,
      instructions / best.wall / 1e9,
      best.wall / static_cast<double>(record.counters.warp_instructions) * 1e9, best.cpu);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512;
  if (n <= 0 || n > 4096 || n % kTile != 0) {
    fmt::print("n is {} when it should be a multiple of {} up to 4096\n", n, kTile);
    return 2;
  }
  std::vector<unsigned> threads;
  for (int i = 2; i < argc; ++i) threads.push_back(static_cast<unsigned>(std::atoi(argv[i])));
  if (threads.empty()) threads = {1, 2};
  const auto width = static_cast<std::uint32_t>(n);
  const std::uint32_t elements = width * width * 16;
  bool ok = true;
  for (const bool checks : {false, true}) {
    for (const unsigned count : threads) {
      ok &= measure(product("tiled", width), n, count, checks);
      ok &= measure(product("naive", width), n, count, checks);
      ok &= measure(reduction(elements), static_cast<std::int32_t>(elements), count, checks);
    }
  }
  return ok ? 0 : 1;
}
