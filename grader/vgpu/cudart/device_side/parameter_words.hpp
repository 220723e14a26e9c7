// How much a program can send to the device in the parameters of many launches. A word does not count if it
// follows from the kernel's earlier launches: it is the same, or it has moved by as much as the last time,
// like a pointer to the next rows. Programs that use several sets of buffers in turn are compared with the
// launch one or more turns before. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/cudart/device_side/lineage.hpp"

namespace vgpu::cudart {

class ParameterWords {
 public:
  /// Longer cycles count as new words: with more to choose from, a program could send data by its choice.
  static constexpr std::size_t kMostTurns = 8;

  void launched(std::string_view kernel, std::span<const std::byte> parameters) {
    Words words((parameters.size() + kWordBytes - 1) / kWordBytes);
    if (!words.empty()) std::memcpy(words.data(), parameters.data(), parameters.size());
    auto found = kernels_.find(kernel);
    if (found == kernels_.end()) found = kernels_.emplace(std::string(kernel), Kernel{}).first;
    Kernel& one = found->second;
    for (std::size_t turns = 1; turns <= kMostTurns; ++turns)
      one.unforeseen[turns - 1] += unforeseen(one, turns, words);
    one.last.push_front(std::move(words));
    if (one.last.size() > 2 * kMostTurns) one.last.pop_back();
  }

  /// Of each kernel, with the number of turns that explains most.
  std::uint64_t unforeseen() const {
    std::uint64_t sum = 0;
    for (const auto& [name, kernel] : kernels_)
      sum += *std::min_element(kernel.unforeseen.begin(), kernel.unforeseen.end());
    return sum;
  }

 private:
  using Words = std::vector<std::uint32_t>;
  struct Kernel {
    std::deque<Words> last;  ///< the latest first
    std::array<std::uint64_t, kMostTurns> unforeseen{};
  };

  static std::uint64_t unforeseen(const Kernel& kernel, std::size_t turns, const Words& now) {
    if (kernel.last.size() < turns || kernel.last[turns - 1].size() != now.size()) return now.size();
    const Words& before = kernel.last[turns - 1];
    const bool has_step = kernel.last.size() >= 2 * turns && kernel.last[2 * turns - 1].size() == now.size();
    const Words& earliest = has_step ? kernel.last[2 * turns - 1] : before;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != before[i] && (!has_step || now[i] - before[i] != before[i] - earliest[i])) ++count;
    return count;
  }

  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace vgpu::cudart
