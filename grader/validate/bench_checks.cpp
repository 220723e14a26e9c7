// bench-checks PTX [KERNEL…]: prints for each kernel the CPU time of a launch on the virtual GPU without and
// with the checks for races and reads of unwritten memory, one thread, best of several launches, and the
// ratio of the two, for which the goal is at most 2.5. bench_checks.sh makes the PTX.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "vgpu/run/device.hpp"

namespace {

constexpr int kLaunches = 5;  // after a first one, which allocates tables
constexpr double kGoal = 2.5;

constexpr std::int32_t kSide = 256;  // of the matrices of products
constexpr std::int32_t kWords = 1 << 20, kRow = 1 << 10;
constexpr std::uint32_t kBlock = 256;

enum class Element : std::uint8_t { single, twice, byte };

struct Work {
  std::string_view name;
  std::string_view symbol;  ///< a part of the kernel's mangled name
  vgpu::Dim3 grid, block;
  std::vector<std::size_t> array_bytes;
  std::vector<std::int32_t> integers;
  Element element = Element::single;  ///< of the first arrays
  bool has_factor = false;            ///< parameters: the integers, a float, the arrays
};

vgpu::Dim3 blocks_for(std::int32_t threads) { return {static_cast<std::uint32_t>(threads) / kBlock, 1, 1}; }

Work product(std::string_view name, std::string_view symbol, std::uint32_t tile) {
  const std::uint32_t blocks = kSide / tile;
  constexpr std::size_t kBytes = std::size_t{kSide} * kSide * sizeof(float);
  return {name, symbol, {blocks, blocks, 1}, {tile, tile, 1}, {kBytes, kBytes, kBytes}, {kSide}};
}

/// From one array to another of the same size.
Work mapping(std::string_view name, std::string_view symbol, std::int32_t threads,
             std::vector<std::int32_t> integers) {
  constexpr std::size_t kBytes = std::size_t{kWords} * sizeof(float);
  return {name, symbol, blocks_for(threads), {kBlock, 1, 1}, {kBytes, kBytes}, std::move(integers)};
}

Work transpose(std::string_view name, std::string_view symbol) {
  Work work = mapping(name, symbol, kWords, {kRow});
  work.grid = {kRow / 32, kRow / 32, 1};
  work.block = {32, 8, 1};
  return work;
}

Work matrix_times_vector(std::string_view name, std::string_view symbol, std::int32_t threads) {
  Work work = mapping(name, symbol, threads, {kRow});
  work.array_bytes = {std::size_t{kWords} * sizeof(float), kRow * sizeof(float), kRow * sizeof(float)};
  return work;
}

Work histogram(std::string_view name, std::string_view symbol) {
  constexpr std::size_t kBins = 256;
  return {name,     symbol,       {64, 1, 1}, {kBlock, 1, 1}, {std::size_t{kWords}, kBins * sizeof(float)},
          {kWords}, Element::byte};
}

/// On 64 blocks, whatever the number of elements.
Work in_steps(Work work) {
  work.grid = {64, 1, 1};
  return work;
}

std::vector<Work> works() {
  Work doubles = product("matmul_double", "13matmul_double", 16);
  for (std::size_t& bytes : doubles.array_bytes) bytes *= 2;
  doubles.element = Element::twice;
  Work saxpy = mapping("saxpy", "5saxpy", kWords, {kWords}), steps = saxpy;
  saxpy.has_factor = steps.has_factor = true;
  steps.name = "saxpy_grid_stride";
  steps.symbol = "17saxpy_grid_stride";
  Work register_blocked = product("matmul_register_blocked", "23matmul_register_blocked", 16);
  register_blocked.grid = {kSide / 64, kSide / 64, 1};
  Work minplus = product("minplus_naive", "13minplus_naive", 16);
  minplus.array_bytes.pop_back();
  Work minplus_blocked = product("minplus_register_blocked", "24minplus_register_blocked", 8);
  minplus_blocked.grid = {kSide / 64, kSide / 64, 1};
  Work blur = product("blur", "4blur", 16);
  blur.array_bytes.pop_back();
  blur.integers.push_back(2);
  constexpr std::int32_t kBodies = 1024;
  return {
      product("matmul_naive", "12matmul_naive", 16),
      product("matmul_uncoalesced", "18matmul_uncoalesced", 16),
      product("matmul_tiled, 8", "12matmul_tiledILi8E", 8),
      product("matmul_tiled, 16", "12matmul_tiledILi16E", 16),
      product("matmul_tiled, 32", "12matmul_tiledILi32E", 32),
      register_blocked,
      doubles,
      minplus,
      minplus_blocked,
      blur,
      mapping("reduce_divergent", "16reduce_divergent", kWords, {}),
      mapping("reduce_bank_conflicts", "21reduce_bank_conflicts", kWords, {}),
      mapping("reduce_contiguous", "17reduce_contiguous", kWords, {}),
      in_steps(mapping("reduce_shuffle", "14reduce_shuffle", kWords, {kWords})),
      mapping("reduce_atomic", "13reduce_atomic", kWords / 4, {kWords / 4}),
      mapping("scan_blocks", "11scan_blocks", kWords, {}),
      {"nbody", "5nbody", blocks_for(kBodies), {kBlock, 1, 1}, {kBodies * 16, kBodies * 16}, {kBodies}},
      mapping("copy", "4copyP", kWords, {kWords}),
      mapping("copy_float4", "11copy_float4", kWords / 4, {kWords / 4}),
      mapping("copy_strided, 2", "12copy_strided", kWords / 2, {kWords, 2}),
      mapping("copy_strided, 8", "12copy_strided", kWords / 8, {kWords, 8}),
      saxpy,
      in_steps(steps),
      transpose("transpose_naive", "15transpose_naive"),
      transpose("transpose_tiled, 0", "15transpose_tiledILi0E"),
      transpose("transpose_tiled, 1", "15transpose_tiledILi1E"),
      matrix_times_vector("matvec_thread_per_row", "21matvec_thread_per_row", kRow),
      matrix_times_vector("matvec_warp_per_row", "19matvec_warp_per_row", 32 * kRow),
      histogram("histogram_global", "16histogram_global"),
      histogram("histogram_shared", "16histogram_shared"),
  };
}

[[noreturn]] void fail(std::string_view what, std::string_view why) {
  fmt::print(stderr, "{}: {}\n", what, why);
  std::exit(1);
}

/// Small numbers, and all bytes about equally often.
std::vector<std::byte> contents(std::size_t size, Element element) {
  std::vector<std::byte> bytes(size);
  const auto fill = [&](auto value_of, auto zero) {
    for (std::size_t at = 0; at < size / sizeof zero; ++at) {
      const auto value = static_cast<decltype(zero)>(value_of(at));
      std::memcpy(&bytes[at * sizeof zero], &value, sizeof zero);
    }
  };
  const auto small = [](std::size_t at) { return at % 7; };
  if (element == Element::single) fill(small, 0.0F);
  if (element == Element::twice) fill(small, 0.0);
  if (element == Element::byte) fill([](std::size_t at) { return at * 2654435761U >> 24U; }, std::uint8_t{0});
  return bytes;
}

std::vector<std::byte> parameters_on(vgpu::Device& device, const Work& work) {
  std::vector<std::byte> packed;
  const auto append = [&](const auto& value) {
    packed.resize((packed.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  };
  const auto append_integers = [&] {
    for (const std::int32_t integer : work.integers) append(integer);
  };
  constexpr float kFactor = 2;
  if (work.has_factor) append_integers(), append(kFactor);
  for (const std::size_t bytes : work.array_bytes) {
    const auto address = device.allocate(bytes);
    if (!address) fail(work.name, "no memory");
    device.write(*address, contents(bytes, work.element));
    append(*address);
  }
  if (!work.has_factor) append_integers();
  return packed;
}

/// The mangled name of the kernel.
std::string kernel_in(const std::string& ptx, const Work& work) {
  constexpr std::string_view kEntry = ".entry ";
  for (std::size_t at = ptx.find(kEntry); at != std::string::npos; at = ptx.find(kEntry, at + 1)) {
    const std::size_t start = at + kEntry.size();
    const std::string name = ptx.substr(start, ptx.find('(', start) - start);
    if (name.find(work.symbol) != std::string::npos) return name;
  }
  fail(work.name, "the PTX has no such kernel");
}

/// CPU seconds of the fastest launch.
double seconds_of(const Work& work, const std::string& ptx, bool checks) {
  vgpu::Device device(vgpu::lecture_profile(), {.checks = {checks, checks}});
  const auto module = device.load_module(std::as_bytes(std::span(ptx)));
  if (!module) fail("cannot load the kernels", module.error());
  const std::string kernel = kernel_in(ptx, work);
  const std::vector<std::byte> parameters = parameters_on(device, work);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kLaunches; ++i) {
    const std::clock_t start = std::clock();
    const vgpu::LaunchRecord record = device.launch({*module, kernel, work.grid, work.block, 0, parameters});
    const auto ticks = static_cast<double>(std::clock() - start);
    if (i > 0) best = std::min(best, ticks / CLOCKS_PER_SEC);
    if (record.error != vgpu::LaunchError::none) fail(work.name, record.error_detail);
    if (!record.faults.empty() || !record.findings.empty()) fail(work.name, "has faults or findings");
  }
  return best;
}

bool is_chosen(const Work& work, const std::vector<std::string_view>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
           return work.name.find(word) != std::string_view::npos;
         });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench-checks PTX [KERNEL…]\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::string_view> words(argv + 2, argv + argc);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  fmt::print("| kernel | without checks, ms | with checks, ms | ratio |\n|---|---|---|---|\n");
  int above = 0, all = 0;
  for (const Work& work : works()) {
    if (!is_chosen(work, words)) continue;
    const double plain = seconds_of(work, ptx, false), checked = seconds_of(work, ptx, true);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} |\n", work.name, plain * 1e3, checked * 1e3, checked / plain);
    above += checked / plain > kGoal ? 1 : 0;
    ++all;
  }
  fmt::print("{} of {} kernels are above the goal of {}\n", above, all, kGoal);
  return 0;
}
