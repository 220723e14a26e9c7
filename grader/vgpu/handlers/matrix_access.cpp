#include "vgpu/handlers/matrix_access.hpp"

#include <cstring>

#include <fmt/format.h>

#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/state/form.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kVectorBytes = 4 * kWarpLanes;
constexpr std::size_t kMaxVectors = 16;

std::uint64_t address_at(const Warp& warp, const Decoded& d, bool is_wide, int lane) {
  const std::byte* vector = warp.file + d.a;
  if (is_wide)
    return reinterpret_cast<const std::uint64_t*>(vector)[lane] +
           static_cast<std::uint64_t>(std::int64_t{d.offset});
  return reinterpret_cast<const std::uint32_t*>(vector)[lane] + static_cast<std::uint32_t>(d.offset);
}

/// Whether all lanes pass the same value; raises a fault if not. `what` names the value.
template <class ValueAt>
bool is_uniform(Warp& warp, const Decoded& d, const char* what, ValueAt value_at) {
  for (int lane = 1; lane < kWarpLanes; ++lane) {
    if (value_at(lane) == value_at(0)) continue;
    raise(warp, d, FaultKind::not_uniform, lane, 1);
    warp.core->fault.detail = fmt::format("lane {} gives {} {:#x}, and lane 0 gives {:#x}", lane, what,
                                          value_at(lane), value_at(0));
    return false;
  }
  return true;
}

const Decoded* raise_misaligned(Warp& warp, const Decoded& d, const FragmentPlaces& places,
                                std::uint64_t address) {
  raise(warp, d, FaultKind::misaligned, 0, kWarpLanes);
  Fault& fault = warp.core->fault;
  const bool in_window = address - kSharedWindow < kWindowBytes;
  fault.space = static_cast<ptx::Space>(places.space);
  if (fault.space == ptx::Space::generic) fault.space = in_window ? ptx::Space::shared : ptx::Space::global;
  fault.is_store = places.is_store != 0;
  fault.address = in_window ? address - kSharedWindow : address;
  fault.access_bytes = places.alignment;
  return nullptr;
}

}  // namespace

const Decoded* locate_fragment(Warp& warp, const Decoded& d) {
  if (warp.mask != kFullMask) return raise_part_of_warp(warp, d);
  const Program& program = warp.core->program();
  const std::uint32_t* list = program.lists[d.c].data();
  const FragmentPlaces places{list[0], list[1], list[2], list[3], list[4]};
  const auto* strides = reinterpret_cast<const std::uint32_t*>(warp.file + d.b);
  const auto base_of = [&](int lane) { return address_at(warp, d, places.has_wide_address != 0, lane); };
  if (!is_uniform(warp, d, "the address", base_of)) return nullptr;
  if (!is_uniform(warp, d, "the stride", [&](int lane) { return strides[lane]; })) return nullptr;
  const std::uint64_t base = base_of(0), line_bytes = std::uint64_t{strides[0]} * places.element_bytes;
  if (base % places.alignment != 0) return raise_misaligned(warp, d, places, base);
  if (line_bytes % places.alignment != 0) return raise_misaligned(warp, d, places, base + line_bytes);
  const std::uint32_t* place = list + FragmentPlaces::kCount;
  for (const std::uint32_t vector : program.list_of(d)) {
    auto* addresses = reinterpret_cast<std::uint64_t*>(warp.file + vector);
    for (int lane = 0; lane < kWarpLanes; ++lane, ++place)
      // A place is 256 * line + element.
      addresses[lane] = base + *place / 256 * line_bytes + *place % 256 * places.element_bytes;
  }
  return &d + 1;
}

/// PTX ISA: a generic address must be in shared memory. Others become offsets outside shared memory.
const Decoded* locate_rows(Warp& warp, const Decoded& d) {
  if (warp.mask != kFullMask) return raise_part_of_warp(warp, d);
  auto* offsets = reinterpret_cast<std::uint64_t*>(warp.file + d.dst);
  const AddressOption option = AddressOption::of(d);
  const std::uint64_t window = option.is_generic ? kSharedWindow : 0;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    offsets[lane] = address_at(warp, d, option.is_wide, lane) - window;
  return &d + 1;
}

const Decoded* arrange(Warp& warp, const Decoded& d) {
  if (warp.mask != kFullMask) return raise_part_of_warp(warp, d);
  const Program& program = warp.core->program();
  const std::vector<std::uint32_t>& vectors = program.list_of(d);
  const std::uint32_t source_count = vectors[0], target_count = vectors[1];
  // Targets can use the registers of sources.
  std::array<std::byte, kMaxVectors * kVectorBytes> from;
  for (std::size_t i = 0; i < source_count; ++i)
    std::memcpy(from.data() + i * kVectorBytes, warp.file + vectors[2 + i], kVectorBytes);
  const std::uint32_t* source = program.lists[d.b].data();
  for (std::size_t i = 0; i < target_count; ++i) {
    std::byte* to = warp.file + vectors[2 + source_count + i];
    // The list has the source byte of every byte of the targets.
    for (std::size_t byte = 0; byte < kVectorBytes; ++byte) to[byte] = from[*source++];
  }
  return &d + 1;
}

}  // namespace vgpu::exec
