#include "vgpu/cudart/device_side/small_pieces.hpp"

#include <utility>

#include "vgpu/facts/counters.hpp"

namespace vgpu::cudart {

void SmallPieces::take(Copied& copy) {
  if (!std::exchange(copy.is_counted, true)) count_ += copy.pieces;
}

void SmallPieces::add_single(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) {
  const std::pair start(to, from);
  const bool continues = start == std::exchange(end_of_single_, {to + size_bytes, from + size_bytes});
  if (continues || singles_.contains(start)) return;
  ++count_;
  if (singles_.size() < kMaxCopies) singles_.insert(start);
}

void SmallPieces::add(const Rows& to, const Rows& from, const Box& box) {
  if (bytes_of(box).value_or(0) == 0) return;
  const Box rows = merged(box, {&to, &from});
  if (rows.width >= kSectorBytes) return;
  const std::uint64_t pieces = rows.height * rows.depth;
  if (pieces == 1) return add_single(to.address, from.address, rows.width);
  if (copies_.size() == kMaxCopies) {
    count_ += pieces;
    return;
  }
  const auto span = [&](const Rows& side) {
    return Span{side.address, side.address + span_of(side, box).value_or(0)};
  };
  Copied copy{span(to), span(from), pieces};
  for (Copied& earlier : copies_) {
    if (!copy.to.interleaves(earlier.to) && !copy.from.interleaves(earlier.from)) continue;
    take(earlier);
    take(copy);
  }
  copies_.push_back(copy);
}

}  // namespace vgpu::cudart
