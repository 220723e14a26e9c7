// A hash table from numbers to values that lasts as long as a block: clear() empties the table without
// touching it. Covered by tests/vgpu/block_table_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

/// Open addressing, so that mostly the first slot is the number's.
template <class Value>
class BlockTable {
 public:
  void clear() {
    ++block_;
    used_ = 0;
  }
  /// nullptr: the number has no value. Valid until the next call of add() or clear().
  const Value* find(std::uint64_t number) const {
    if (used_ == 0) return nullptr;
    for (std::size_t at = first_slot(number); slots_[at].block == block_; at = next(at))
      if (slots_[at].number == number) return &slots_[at].value;
    return nullptr;
  }
  /// For the processor's caches, some time before values are looked up.
  void prefetch() const { __builtin_prefetch(slots_.data()); }
  /// The number has no value yet.
  void add(std::uint64_t number, Value value) {
    if (2 * ++used_ > slots_.size()) grow();
    insert(number, value);
  }

 private:
  struct Slot {
    std::uint64_t block = 0;  ///< the slot is empty if this is not the present block
    std::uint64_t number = 0;
    Value value{};
  };

  std::size_t first_slot(std::uint64_t number) const {
    // Fibonacci hashing (Knuth, TAOCP 3, 6.4): neighbouring numbers and rows of a matrix spread evenly.
    return number * 0x9E3779B97F4A7C15U >> shift_;
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void insert(std::uint64_t number, Value value) {
    std::size_t at = first_slot(number);
    while (slots_[at].block == block_) at = next(at);
    slots_[at] = {block_, number, value};
  }
  void grow() {
    constexpr std::size_t kFirstSlots = 16;
    std::vector<Slot> smaller(slots_.empty() ? kFirstSlots : 2 * slots_.size());
    smaller.swap(slots_);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
    for (const Slot& slot : smaller)
      if (slot.block == block_) insert(slot.number, slot.value);
  }

  std::vector<Slot> slots_;  ///< 2^(64 - shift_) or none, at least twice as many as values
  unsigned shift_ = 0;
  std::size_t used_ = 0;
  std::uint64_t block_ = 1;  ///< counts calls of clear()
};

}  // namespace vgpu
