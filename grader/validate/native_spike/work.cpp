#include "validate/native_spike/work.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace spike {
namespace {

constexpr std::uint32_t kTile = 16, kBlock = 256;

/// Values whose sums round, so that a wrong order of additions changes bits.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8U) / 16777216.F - 0.5F;
  }
  return values;
}

Work product(const std::string& kernel, std::uint32_t n) {
  const auto size = static_cast<std::int32_t>(n);
  const std::size_t count = std::size_t{n} * n;
  Work work{.source = "matmul.ptx",
            .kernel = kernel,
            .grid = {n / kTile, n / kTile, 1},
            .block = {kTile, kTile, 1},
            .arrays = {numbers(count), numbers(count), std::vector<float>(count)},
            .integers = {size, size, size},
            .result = 2,
            .expected = std::vector<float>(count)};
  std::reverse(work.arrays[1].begin(), work.arrays[1].end());
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t column = 0; column < n; ++column) {
        float& sum = work.expected[row * n + column];
        sum = std::fma(work.arrays[0][row * n + k], work.arrays[1][k * n + column], sum);
      }
    }
  }
  return work;
}

Work reduction(std::uint32_t elements) {
  const std::uint32_t blocks = elements / kBlock;
  Work work{.source = "reduction.ptx",
            .kernel = "tree",
            .grid = {blocks, 1, 1},
            .block = {kBlock, 1, 1},
            .arrays = {numbers(elements), std::vector<float>(blocks)},
            .integers = {static_cast<std::int32_t>(elements)},
            .result = 1,
            .expected = {}};
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto first = work.arrays[0].begin() + block * kBlock;
    std::vector<float> partial(first, first + kBlock);
    for (std::uint32_t width = kBlock / 2; width != 0; width /= 2)
      for (std::uint32_t i = 0; i < width; ++i) partial[i] += partial[i + width];
    work.expected.push_back(partial[0]);
  }
  return work;
}

Work streaming(std::uint32_t elements) {
  Work work{.source = "streaming.ptx",
            .kernel = "stream",
            .grid = {elements / kBlock, 1, 1},
            .block = {kBlock, 1, 1},
            .arrays = {numbers(elements)},
            .integers = {static_cast<std::int32_t>(elements)},
            .result = 0,
            .expected = {}};
  for (const float value : work.arrays[0])
    work.expected.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) + 1));
  return work;
}

}  // namespace

Work work_of(const std::string& kernel, std::uint32_t n) {
  if (kernel == "tree") return reduction(n * n * 16);
  if (kernel == "stream") return streaming(n * n * 16);
  return product(kernel, n);
}

std::string text_of(const Work& work) {
  std::ifstream file(WARPGRADE_SOURCE_DIR "/grader/tests/kernels/vgpu/" + work.source);
  return {std::istreambuf_iterator<char>(file), {}};
}

void fail(const std::string& why) {
  fmt::print(stderr, "native-spike: {}\n", why);
  std::exit(1);
}

}  // namespace spike
