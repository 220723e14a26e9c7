// A value for each byte of memory, stored by ranges of equal values. Not thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace vgpu::cudart {

template <class Value>
class RangeMap {
 public:
  /// Calls visit(start, end, value) for each part of the range that has a value.
  template <class Visit>
  void visit(std::uint64_t start, std::uint64_t end, Visit visit) const {
    auto one = parts_.upper_bound(start);
    if (one != parts_.begin()) --one;
    for (; one != parts_.end() && one->first < end; ++one) {
      const std::uint64_t from = std::max(start, one->first), to = std::min(end, one->second.end);
      if (from < to) visit(from, to, one->second.value);
    }
  }

  template <class Visit>
  void visit_all(Visit visit) const {
    for (const auto& [start, part] : parts_) visit(start, part.end, part.value);
  }

  void erase(std::uint64_t start, std::uint64_t end) {
    const auto first = split_at(start);
    if (first == parts_.end() || first->first >= end) return;
    split_at(end);
    parts_.erase(first, parts_.lower_bound(end));
  }

  /// Joins neighbours with the same value.
  void set(std::uint64_t start, std::uint64_t end, const Value& value) {
    if (start >= end) return;
    erase(start, end);
    auto after = parts_.lower_bound(end);
    if (after != parts_.end() && after->first == end && after->second.value == value) {
      end = after->second.end;
      after = parts_.erase(after);
    }
    if (after != parts_.begin()) {
      Part& before = std::prev(after)->second;
      if (before.end == start && before.value == value) {
        before.end = end;
        return;
      }
    }
    parts_.emplace_hint(after, start, Part{end, value});
  }

  std::size_t size() const { return parts_.size(); }
  bool empty() const { return parts_.empty(); }

 private:
  struct Part {
    std::uint64_t end = 0;
    Value value;
  };
  using Parts = std::map<std::uint64_t, Part>;  ///< by start

  /// Afterwards no part contains bytes on both sides of the address. Returns the first part from it on.
  typename Parts::iterator split_at(std::uint64_t address) {
    const auto after = parts_.lower_bound(address);
    if (after == parts_.begin()) return after;
    const auto before = std::prev(after);
    if (before->second.end <= address) return after;
    const Part rest = before->second;
    before->second.end = address;
    return parts_.emplace_hint(after, address, rest);
  }

  Parts parts_;
};

}  // namespace vgpu::cudart
