// The kernels of the native spike with their inputs, and what both engines have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vgpu/facts/counters.hpp"
#include "vgpu/facts/dim3.hpp"

namespace spike {

struct Work {
  std::string source;  ///< in tests/kernels/vgpu/
  std::string kernel;
  vgpu::Dim3 grid, block;
  std::vector<std::vector<float>> arrays;  ///< the first parameters
  std::vector<std::int32_t> integers;      ///< the parameters after the arrays
  std::size_t result = 0;                  ///< index into `arrays`
  std::vector<float> expected;             ///< after the first launch, computed on the CPU
};

/// `kernel` is tiled, naive, tree or stream; products are of n × n matrices, the others have n × n × 16
/// elements.
Work work_of(const std::string& kernel, std::uint32_t n);

std::string text_of(const Work& work);

[[noreturn]] void fail(const std::string& why);

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void launch() = 0;
  virtual std::vector<float> result() const = 0;
  virtual vgpu::Counters counters() const = 0;
};

/// Packs the parameters, with arrays from allocate(bytes) that write(address, bytes) fills.
template <class Allocate, class Write>
std::vector<std::byte> parameters_of(const Work& work, std::vector<std::uint64_t>& addresses,
                                     Allocate allocate, Write write) {
  std::vector<std::byte> packed;
  const auto append = [&](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  };
  for (const auto& array : work.arrays) {
    addresses.push_back(allocate(array.size() * sizeof(float)));
    write(addresses.back(), std::as_bytes(std::span(array)));
    append(addresses.back());
  }
  for (const std::int32_t integer : work.integers) append(integer);
  return packed;
}

}  // namespace spike
