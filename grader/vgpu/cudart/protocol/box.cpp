#include "vgpu/cudart/protocol/box.hpp"

namespace vgpu::cudart {
namespace {

/// A bound for all sizes and distances. Sums of two such numbers cannot overflow, and no memory is that
/// large.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62U;

/// a × b; nullopt if the product is larger than kMaxBytes.
std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > kMaxBytes / a) return std::nullopt;
  return a * b;
}

}  // namespace

std::optional<std::uint64_t> bytes_of(const Box& box) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return 0;
  const auto slice = product(box.width, box.height);
  return slice ? product(*slice, box.depth) : std::nullopt;
}

std::optional<std::uint64_t> span_of(const Rows& rows, const Box& box) {
  // Slices overlap if they have more rows than their distance; rows overlap if they are longer than the
  // pitch.
  if (box.depth > 1 && rows.slice_rows < box.height) return std::nullopt;
  if ((box.depth > 1 || box.height > 1) && rows.pitch < box.width) return std::nullopt;
  // The last row starts (depth - 1) × slice_rows + (height - 1) rows after the first one.
  const auto slices = product(box.depth - 1, rows.slice_rows);
  if (!slices || box.height > kMaxBytes) return std::nullopt;
  const auto before_last = product(*slices + (box.height - 1), rows.pitch);
  if (!before_last || box.width > kMaxBytes) return std::nullopt;
  return *before_last + box.width;
}

Box merged(const Box& box, std::initializer_list<const Rows*> places) {
  Box result = box;
  const auto all = [&](auto touches) {
    for (const Rows* place : places)
      if (!touches(*place)) return false;
    return true;
  };
  // Slices without rows between them form one slice. Rows without bytes between them form one row.
  if (result.depth > 1 && all([&](const Rows& place) { return place.slice_rows == result.height; })) {
    result.height *= result.depth;
    result.depth = 1;
  }
  if (result.depth == 1 && result.height > 1 &&
      all([&](const Rows& place) { return place.pitch == result.width; })) {
    result.width *= result.height;
    result.height = 1;
  }
  return result;
}

}  // namespace vgpu::cudart
