// bench-checks PTX… [KERNEL…]: prints for each kernel the CPU time of a launch on the virtual GPU without and
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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "vgpu/run/device.hpp"

namespace {

constexpr int kLaunches = 5;  // after a first one, which allocates tables
constexpr double kGoal = 2.5;

constexpr std::int32_t kSide = 256;  // of the matrices of products
constexpr std::int32_t kWords = 1 << 20, kRow = 1 << 10;
constexpr std::uint32_t kBlock = 256;

enum class Element : std::uint8_t { single, twice, byte, integer };

struct Work {
  std::string_view name;
  std::string_view symbol;  ///< a part of the kernel's mangled name
  vgpu::Dim3 grid, block;
  std::vector<std::size_t> array_bytes;
  std::vector<std::int32_t> integers;
  Element element = Element::single;  ///< of the first arrays
  bool has_factor = false;            ///< parameters: the integers, a float, the arrays
  std::size_t shared_bytes = 0;       ///< dynamic
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

/// The kernels of tests/kernels/course/ with work for many blocks whose data need no preparation.
std::vector<Work> course_works() {
  constexpr std::size_t kArray = std::size_t{kWords} * sizeof(float), kBytes = kWords;
  constexpr std::size_t kSquare = std::size_t{kSide} * kSide * sizeof(float);
  constexpr std::int32_t kHalf = kRow / 2, kQuarter = kWords / 4, kBodies = 1024, kEdge = 64;
  const vgpu::Dim3 threads{kBlock, 1, 1}, square{16, 16, 1}, tiles{kSide / 16, kSide / 16, 1},
      rows{kRow / 32, kRow / 32, 1}, pixels{kHalf / 16, kHalf / 16, 1}, each = blocks_for(kWords);
  const auto reduction = [&](std::string_view name, std::string_view symbol, vgpu::Dim3 grid) {
    return Work{name,
                symbol,
                grid,
                threads,
                {kArray, kArray},
                {kWords},
                Element::single,
                false,
                kBlock * sizeof(float)};
  };
  return {
      {"course: vecadd", "6vecaddE", each, threads, {kArray, kArray, kArray}, {kWords}},
      {"course: vecadd4", "7vecadd4E", blocks_for(kQuarter), threads, {kArray, kArray, kArray}, {kQuarter}},
      {"course: saxpy_stride",
       "12saxpy_strideE",
       {64, 1, 1},
       threads,
       {kArray, kArray},
       {kWords},
       Element::single,
       true},
      {"course: popc64", "6popc64E", blocks_for(kWords / 2), threads, {kArray, kArray}, {kWords / 2}},
      {"course: bitonic, 1", "7bitonicE", each, threads, {kArray}, {1, 2}},
      {"course: bitonic, 64", "7bitonicE", each, threads, {kArray}, {64, 128}},
      {"course: transpose_naive",
       "N6course15transpose_naiveE",
       rows,
       {32, 32, 1},
       {kArray, kArray},
       {kRow, kRow}},
      {"course: transpose_pad", "13transpose_padE", rows, {32, 8, 1}, {kArray, kArray}, {kRow, kRow}},
      {"course: blur_u8", "7blur_u8E", pixels, square, {kBytes, kBytes}, {kHalf, kHalf}, Element::byte},
      {"course: rgb2gray",
       "8rgb2grayE",
       blocks_for(kQuarter),
       threads,
       {kBytes, kBytes},
       {kQuarter},
       Element::byte},
      {"course: conv_const", "10conv_constE", pixels, square, {kArray, kArray}, {kHalf, kHalf}},
      {"course: stencil7",
       "8stencil7E",
       {kEdge / 8, kEdge / 4, kEdge / 2},
       {8, 4, 2},
       {kArray, kArray},
       {kEdge, kEdge, kEdge}},
      {"course: mandel", "6mandelE", tiles, square, {kSquare}, {kSide, kSide, 20}},
      {"course: histo_global",
       "12histo_globalE",
       {64, 1, 1},
       threads,
       {kBytes, kArray},
       {kWords},
       Element::byte},
      {"course: histo_shared",
       "12histo_sharedE",
       {64, 1, 1},
       threads,
       {kBytes, kArray},
       {kWords},
       Element::byte},
      {"course: matmul_naive",
       "N6course12matmul_naiveE",
       tiles,
       square,
       {kSquare, kSquare, kSquare},
       {kSide, kSide, kSide}},
      {"course: matmul_tiled",
       "N6course12matmul_tiledE",
       tiles,
       square,
       {kSquare, kSquare, kSquare},
       {kSide, kSide, kSide}},
      {"course: matmul_double",
       "N6course13matmul_doubleE",
       tiles,
       square,
       {2 * kSquare, 2 * kSquare, 2 * kSquare},
       {kSide},
       Element::twice},
      {"course: minplus8x8",
       "10minplus8x8E",
       {kSide / 64, kSide / 64, 1},
       {8, 8, 1},
       {kSquare, kSquare, kSquare},
       {kSide, kSide}},
      reduction("course: red_interleaved", "15red_interleavedE", each),
      reduction("course: red_interleaved2", "16red_interleaved2E", each),
      reduction("course: red_sequential", "14red_sequentialE", blocks_for(kWords / 2)),
      {"course: red_volatile",
       "12red_volatileE",
       {kWords / 64, 1, 1},
       {64, 1, 1},
       {kArray, kArray},
       {},
       Element::integer,
       false,
       64 * sizeof(float)},
      reduction("course: red_shfl", "8red_shflE", {64, 1, 1}),
      {"course: scan_hs",
       "7scan_hsE",
       each,
       threads,
       {kArray, kArray},
       {kWords},
       Element::single,
       false,
       2 * kBlock * sizeof(float)},
      {"course: cg_reduce", "9cg_reduceE", {64, 1, 1}, threads, {kArray, kArray}, {kWords}, Element::integer},
      {"course: mathf", "5mathfE", blocks_for(kWords / 64), threads, {kArray, kArray}, {kWords / 64}},
      {"course: nbody", "5nbodyEPK", {kBodies / 128, 1, 1}, {128, 1, 1}, {kBodies * 32, kBodies * 32}, {0}},
  };
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
  if (element == Element::integer) fill(small, std::int32_t{0});
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

struct Kernel {
  const std::string* ptx = nullptr;
  std::string name;  ///< mangled
};

Kernel find_kernel(const std::vector<std::string>& modules, const Work& work) {
  constexpr std::string_view kEntry = ".entry ";
  for (const std::string& ptx : modules)
    for (std::size_t at = ptx.find(kEntry); at != std::string::npos; at = ptx.find(kEntry, at + 1)) {
      const std::size_t start = at + kEntry.size();
      const std::string name = ptx.substr(start, ptx.find('(', start) - start);
      if (name.find(work.symbol) != std::string::npos) return {&ptx, name};
    }
  fail(work.name, "the PTX has no such kernel");
}

/// CPU seconds of the fastest launch.
double seconds_of(const Work& work, const Kernel& kernel, bool checks) {
  vgpu::Device device(vgpu::lecture_profile(), {.checks = {checks, checks}});
  const auto module = device.load_module(std::as_bytes(std::span(*kernel.ptx)));
  if (!module) fail("cannot load the kernels", module.error());
  const std::vector<std::byte> parameters = parameters_on(device, work);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kLaunches; ++i) {
    const std::clock_t start = std::clock();
    const vgpu::LaunchRecord record =
        device.launch({*module, kernel.name, work.grid, work.block, work.shared_bytes, parameters});
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
    fmt::print(stderr, "usage: bench-checks PTX… [KERNEL…]\n");
    return 2;
  }
  std::vector<std::string> modules;
  std::vector<std::string_view> words;
  for (const std::string_view argument : std::span(argv + 1, argv + argc)) {
    if (!argument.ends_with(".ptx")) {
      words.push_back(argument);
      continue;
    }
    std::ifstream file{std::string(argument)};
    modules.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  fmt::print("| kernel | without checks, ms | with checks, ms | ratio |\n|---|---|---|---|\n");
  int above = 0, all = 0;
  std::vector<Work> all_works = works();
  for (Work& work : course_works()) all_works.push_back(std::move(work));
  for (const Work& work : all_works) {
    if (!is_chosen(work, words)) continue;
    const Kernel kernel = find_kernel(modules, work);
    const double plain = seconds_of(work, kernel, false), checked = seconds_of(work, kernel, true);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} |\n", work.name, plain * 1e3, checked * 1e3, checked / plain);
    above += checked / plain > kGoal ? 1 : 0;
    ++all;
  }
  fmt::print("{} of {} kernels are above the goal of {}\n", above, all, kGoal);
  return 0;
}
