// The lanes of a warp that load from global memory, in parts whose loads are noted together. The parts follow
// from the differences of the lanes' addresses alone, so that they are found once per pattern of an
// instruction (Memo::learned).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "vgpu/check/row_loads.hpp"
#include "vgpu/races/race_shadow.hpp"
#include "vgpu/races/spaced_runs.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {

enum class LaneShape : std::uint8_t { scattered, side_by_side, uniform };

/// The shape of the accesses of `lanes` lanes from `first` on: to adjacent elements or to one.
inline LaneShape shape_of(const Addresses& addresses, unsigned first, std::uint32_t bytes,
                          unsigned lanes = kGroup) {
  const std::uint64_t address = addresses[first];
  // Zero if the lanes access one address (`apart`) or adjacent elements (`uneven`).
  std::uint64_t apart = 0, uneven = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    apart |= addresses[first + i] ^ address;
    uneven |= addresses[first + i] ^ (address + i * bytes);
  }
  if (uneven == 0) return LaneShape::side_by_side;
  return apart == 0 ? LaneShape::uniform : LaneShape::scattered;
}

/// Adjacent lanes: of one group of kGroup lanes, or of several that load one element or are side by side.
struct LoadPart {
  unsigned first = 0, last = 0;
  bool is_uniform = false;  ///< one element; otherwise side by side

  unsigned lanes() const { return last - first + 1; }
  unsigned elements() const { return is_uniform ? 1 : lanes(); }
  bool has_whole_groups() const { return first % kGroup == 0 && lanes() % kGroup == 0; }

  /// The part that begins with the lowest active lane among the kGroup lanes from `first` on; `active` has a
  /// bit per lane.
  static LoadPart next(const Addresses& addresses, std::uint32_t bytes, unsigned first, unsigned active) {
    const unsigned lowest = first + static_cast<unsigned>(std::countr_zero(active));
    const auto run = static_cast<unsigned>(std::countr_one(active >> (lowest - first)));
    const LaneShape shape = shape_of(addresses, lowest, bytes, run);
    if (run > 1 && shape != LaneShape::scattered)
      return {lowest, lowest + run - 1, shape == LaneShape::uniform};
    const auto lanes_at = [&](std::uint64_t step) {
      unsigned lanes = 1;
      while (lanes < run && addresses[lowest + lanes] == addresses[lowest] + lanes * step) ++lanes;
      return lanes;
    };
    const unsigned same = lanes_at(0), adjacent = lanes_at(bytes);
    return {lowest, lowest + std::max(same, adjacent) - 1, same >= adjacent};
  }
};

class LoadPlan {
 public:
  struct Part : LoadPart {
    std::uint64_t delta = 0;  ///< from the first active lane's address to the part's, bytes
    bool is_between = false;  ///< whole groups before and after it load the same elements
  };
  /// Adjacent elements that the warp loads.
  struct Stretch {
    std::uint64_t delta = 0;
    unsigned elements = 0;
  };

  bool is_of(const Memo& memo) const { return learned_ == memo.learned && part_count_ != 0; }
  /// Finds the parts at the second call for a pattern: addresses that follow none would need a plan for each
  /// execution.
  void make(const Memo& memo) {
    const bool is_repeated = std::exchange(learned_, memo.learned) == memo.learned;
    part_count_ = stretch_count_ = 0;
    is_row_ = false;
    rows_ = {};
    spaced_ = {};
    if (!is_repeated) return;
    rows_ = RowShape::of(memo);
    spaced_ = SpacedLanes::of(memo);
    for (unsigned first = 0; first < kWarpLanes; first += kGroup) {
      constexpr std::uint32_t kAll = (1U << kGroup) - 1;
      for (std::uint32_t rest = memo.mask >> first & kAll; rest != 0;) {
        const LoadPart part = LoadPart::next(memo.delta, memo.form.bytes, first, rest);
        add({part, memo.delta[part.first]}, memo.form.bytes);
        rest &= ~std::uint32_t{0} << (part.last - first + 1);
      }
    }
    is_row_ = part_count_ == 1 && !parts_[0].is_uniform;
    for (unsigned i = 0; i < part_count_; ++i) parts_[i].is_between = is_between_equal(i);
  }

  /// Whether all bytes of the allocation are known to be written, or reads of unwritten ones are not
  /// reported; `commits` counts the times at which that can change.
  bool has_written(std::uint32_t allocation, std::uint32_t commits) const {
    return written_ == (std::uint64_t{commits} << 32U | allocation);
  }
  void set_written(std::uint32_t allocation, std::uint32_t commits) {
    written_ = std::uint64_t{commits} << 32U | allocation;
  }

  /// In the order of their lanes. Empty: not known yet.
  std::span<const Part> parts() const { return std::span(parts_).first(part_count_); }
  const RowShape& rows() const { return rows_; }
  const SpacedLanes& spaced() const { return spaced_; }
  /// Whether adjacent lanes load adjacent elements, and no other lane is active.
  bool is_row() const { return is_row_; }
  /// All elements of the parts, mostly once.
  std::span<const Stretch> stretches() const { return std::span(stretches_).first(stretch_count_); }

 private:
  void add(const Part& part, std::uint32_t bytes) {
    const auto covers = [&](const Part& other) {
      const std::uint64_t ahead = part.delta - other.delta;  // modulo 2^64
      const std::uint64_t size = std::uint64_t{other.elements()} * bytes;
      return ahead < size && ahead + std::uint64_t{part.elements()} * bytes <= size;
    };
    if (std::none_of(parts().begin(), parts().end(), covers)) {
      Stretch* before = stretch_count_ == 0 ? nullptr : &stretches_[stretch_count_ - 1];
      if (before != nullptr && before->delta + std::uint64_t{before->elements} * bytes == part.delta)
        before->elements += part.elements();
      else
        stretches_[stretch_count_++] = {part.delta, part.elements()};
    }
    Part* before = part_count_ == 0 ? nullptr : &parts_[part_count_ - 1];
    const bool continues =
        before != nullptr && before->is_uniform == part.is_uniform && before->last + 1 == part.first &&
        before->first % kGroup == 0 &&
        (part.is_uniform ? before->delta == part.delta
                         : part.lanes() == kGroup && before->delta + before->lanes() * bytes == part.delta);
    if (continues)
      before->last = part.last;
    else
      parts_[part_count_++] = part;
  }

  static bool is_like(const Part& one, const Part& other) {
    return one.delta == other.delta && one.is_uniform == other.is_uniform;
  }

  /// Of the lanes of a warp, the first and the last ones to read represent all.
  bool is_between_equal(unsigned index) const {
    const Part& part = parts_[index];
    const auto is_equal = [&](const Part& other) { return is_like(other, part) && other.lanes() == kGroup; };
    const auto all = parts();
    return part.lanes() == kGroup && !part.is_uniform &&
           std::any_of(all.begin(), all.begin() + index, is_equal) &&
           std::any_of(all.begin() + index + 1, all.end(), is_equal);
  }

  std::uint32_t learned_ = 0;
  bool is_row_ = false;
  std::uint64_t written_ = 0;
  RowShape rows_;
  SpacedLanes spaced_;
  unsigned part_count_ = 0, stretch_count_ = 0;
  std::array<Part, kWarpLanes> parts_{};
  std::array<Stretch, kWarpLanes> stretches_{};
};

}  // namespace vgpu::exec
