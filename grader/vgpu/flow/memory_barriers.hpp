// mbarrier objects (PTX ISA 9.7.13.15): counters in shared memory at which threads and copies arrive, phase
// after phase. The 64 bits in memory are the whole state, so that a copied, overwritten or uninitialised
// barrier behaves as it would on a GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

void add_memory_barrier_forms(FormTable& table);

/// Offset in shared memory of the 8 bytes that the lane names; nullopt if they are outside or misaligned.
std::optional<std::uint64_t> barrier_word(const Warp& warp, const Decoded& d, int lane);
/// Whether all active lanes name the same address.
bool name_one_barrier(const Warp& warp, const Decoded& d);

/// The barriers that the lanes of a warp name one after the other: mostly the same one, which is looked up
/// once, and for which one lane does what the whole warp needs.
class NamedBarriers {
 public:
  NamedBarriers(Warp& warp, const Decoded& d) : warp_(warp), d_(d) {}

  /// Offset in shared memory of the initialised barrier that the lane names; a fault and nullopt if there is
  /// none.
  std::optional<std::uint64_t> of(int lane);
  /// Whether of() has returned another barrier than for the lane before.
  bool is_new() const { return is_new_; }

 private:
  Warp& warp_;
  const Decoded& d_;
  std::uint64_t address_ = 0;  ///< that the lane before named
  std::optional<std::uint64_t> found_;
  bool is_new_ = true;
};

/// The current phase expects one more arrival.
void expect_one_more(Core& core, std::uint64_t barrier);
/// Makes an arrival that waited for copies.
void arrive_for_copies(Core& core, const PendingCopy& arrival);

}  // namespace vgpu::exec
