// Records where the bytes in device memory come from: which launch stored them, and whether the copy engine
// moved them since. The judge derives from it which launches a result depends on, and which elements of a
// result no kernel has stored. Memory without a record came from the host or from a fill, or is unwritten.
// Operations are recorded in the order of execution. Not thread safe. Covered by
// tests/cudart/lineage_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "vgpu/cudart/device_side/range_map.hpp"
#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// What the host sends and receives is followed by words.
inline constexpr std::size_t kWordBytes = sizeof(std::uint32_t);

/// The kernel accessed global memory, but in too many places to be recorded.
bool hides_accesses(const LaunchRecord& launch);

struct Maker {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t launch = kNone;  ///< its number, from 0; kNone: the bytes come from the host or from a fill
  bool is_copied = false;        ///< by a copy within the device

  friend bool operator==(const Maker&, const Maker&) = default;
};

struct MadeRange {
  std::uint64_t start = 0, end = 0;
  Maker maker;
};

struct LineageRecord {
  std::vector<MadeRange> ranges;  ///< by address, without overlaps; at the end of the program
  /// By launch: whether it read what launch i stored, for all earlier launches i.
  std::vector<std::vector<bool>> sources;
  /// By launch: it accessed memory in too many places to be recorded.
  std::vector<bool> is_hidden;
  bool is_complete = true;  ///< false: there were too many ranges; `ranges` is empty
};

class Lineage {
 public:
  static constexpr std::size_t kMaxRanges = std::size_t{1} << 20U;
  static constexpr std::size_t kMaxLaunches = 4096;

  explicit Lineage(bool is_on) : is_on_(is_on) {}

  /// A copy from the host, or a fill.
  void set(const Rows& rows, const Box& box);
  void copied(const Rows& to, const Rows& from, const Box& box);
  /// `launch.accesses` must still have the reads.
  void launched(const LaunchRecord& launch);
  LineageRecord take();

 private:
  bool is_tracked() const { return is_on_ && record_.is_complete; }
  void make(std::uint64_t start, std::uint64_t end, const Maker& maker);

  bool is_on_;
  RangeMap<Maker> made_;
  LineageRecord record_;
};

}  // namespace vgpu::cudart
