// The allocations to which a launch does not store, by the addresses in its parameters and in its program. A
// load from them races with nothing, so that the checks only note what was read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class UnstoredMemory {
 public:
  UnstoredMemory(const LaunchContext& launch, const GlobalMemory& memory) {
    const StoreTargets& targets = launch.program->store_targets;
    if (!targets.are_known || !launch.checks.races) return;
    std::vector<std::uint32_t> stored;
    for_addresses(launch, [&](std::size_t word, std::uint32_t number) {
      const bool is_stored = word >= targets.words.size() || targets.words[word];
      (is_stored ? stored : numbers_).push_back(number);
    });
    std::erase_if(numbers_, [&](std::uint32_t number) {
      return std::count(stored.begin(), stored.end(), number) != 0 || !is_whole(launch, memory, number);
    });
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }

  /// `number`: as segment_number().
  bool has(std::uint64_t number) const {
    for (const std::uint32_t one : numbers_)
      if (one == number) return true;
    return false;
  }
  bool is_empty() const { return numbers_.empty(); }

 private:
  /// Calls visit(word, segment) for the words of the parameters that can be addresses of device memory.
  template <class Visit>
  static void for_addresses(const LaunchContext& launch, Visit visit) {
    std::uint64_t value = 0;
    for (std::size_t at = 0; at + sizeof value <= launch.parameters.size(); at += sizeof value) {
      std::memcpy(&value, launch.parameters.data() + at, sizeof value);
      const std::uint64_t number = segment_number(value);
      if (number != 0 && number <= kMaxAllocations)
        visit(at / sizeof value, static_cast<std::uint32_t>(number));
    }
  }
  /// Memory of the host's cudaMalloc, of which all bytes were written if reads of others are reported.
  static bool is_whole(const LaunchContext& launch, const GlobalMemory& memory, std::uint32_t number) {
    if (number > memory.segments().size()) return false;
    const Segment& segment = memory.segments()[number - 1];
    return segment.live() && segment.purpose == Purpose::heap &&
           (!launch.checks.uninitialised || memory.is_all_written(number));
  }

  std::vector<std::uint32_t> numbers_;  ///< few
};

}  // namespace vgpu::exec
