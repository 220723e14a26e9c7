// cp.async (PTX ISA 9.7.9.25): starts copies from global to shared memory. async_copies.hpp describes
// their end.
#include "vgpu/flow/async_forms.hpp"
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lane_access.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The latest entry of a lane, after each lane in `mask` has started a copy.
PendingCopy& last_entry(Warp& warp, u32 mask, int lane) {
  auto& pending = warp.copies.pending;
  return pending[pending.size() -
                 static_cast<std::size_t>(std::popcount(mask >> static_cast<unsigned>(lane)))];
}

/// Reads kSize bytes into the entries. Decoded::join is the mask of all lanes that copy, Decoded::target the
/// offset in their data.
template <std::size_t kSize>
struct Fetch {
  static constexpr std::size_t kElementBytes = kSize;
  static constexpr std::size_t kBytes = kSize;
  static constexpr bool kIsStore = false;
  static constexpr Traffic kTraffic = Traffic::load;

  static std::byte* data(Warp& warp, const Decoded& d, int lane) {
    return last_entry(warp, static_cast<u32>(d.join), lane).data.data() + d.target;
  }
  static void apply(Warp& warp, const Decoded& d, const Memo& memo, const std::byte* host) {
    for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::memcpy(data(warp, d, lane), host + static_cast<std::int64_t>(memo.delta[lane]), kSize);
    }
  }
  static const Decoded* apply_view(Warp& warp, const Decoded& d, const Addresses& addresses,
                                   BlockView& view) {
    for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (view.reduces(addresses[lane], kSize)) return stop_block(warp, Stop::needs_order);
      view.load(addresses[lane], warp.core->memory->host(addresses[lane], kSize), data(warp, d, lane), kSize);
    }
    return &d + 1;
  }
};

Addresses shared_addresses(Warp& warp, const std::vector<u32>& list) {
  Addresses addresses;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const u64 base = list[kSharedIsWide] != 0 ? vector_at<const u64>(warp, list[kSharedAddress])[lane]
                                              : vector_at<const u32>(warp, list[kSharedAddress])[lane];
    addresses[lane] = base + static_cast<u64>(std::int64_t{static_cast<std::int32_t>(list[kSharedOffset])});
  }
  return addresses;
}

bool fits(const Warp& warp, const Addresses& addresses, std::size_t size) {
  const u64 limit = warp.core->launch->shared_bytes;
  for (u32 rest = warp.mask; rest != 0; rest &= rest - 1) {
    const u64 at = addresses[std::countr_zero(rest)];
    if (limit < size || at > limit - size || at % size != 0) return false;
  }
  return true;
}

/// Counts the stores to shared memory. They have the memo after that of the loads.
template <std::size_t kBytes>
void count_stores(Warp& warp, const Decoded& d, const Addresses& to) {
  Decoded store = d;
  store.memo = d.memo + 1;
  Memo& memo = warp.core->memos[store.memo];
  if (!pattern_is_known(memo, warp, to.data()))
    learn(warp, store, to, {ptx::Space::shared, Traffic::store, kBytes, kBytes});
  count(memo, to[warp.first_lane()]);
}

template <std::size_t kBytes>
const Decoded* copy(Warp& warp, const Decoded& d) {
  const auto& list = warp.core->program().list_of(d);
  const Addresses to = shared_addresses(warp, list);
  if (!fits(warp, to, kBytes)) {
    return raise_window_fault(warp, d, to, kBytes, true, ptx::Space::shared, warp.core->launch->shared_bytes);
  }
  count_stores<kBytes>(warp, d, to);
  const u32 mask = warp.mask;
  std::array<u32, kBytes> reading{};  // lanes that read at least i + 1 bytes
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const u32 size = source_bytes(warp, d, lane, kBytes);
    for (u32 i = 0; i < size; ++i) reading[i] |= 1U << static_cast<unsigned>(lane);
    warp.copies.pending.push_back({.to = to[lane],
                                   .group = warp.copies.group[lane],
                                   .origin = d.origin,
                                   .lane = static_cast<std::uint8_t>(lane),
                                   .bytes = kBytes});
  }
  Decoded fetch = d;
  fetch.join = static_cast<std::int32_t>(mask);
  fetch.target = 0;
  const u64* from = vector_at<const u64>(warp, d.a);
  bool runs_on = true;
  const auto read = [&]<std::size_t kSize>(u32 lanes) {
    if (lanes == 0 || !runs_on) return;
    if (lanes != mask) warp.set_mask(lanes);
    runs_on = access_global<Fetch<kSize>, Apply::inlined>(warp, fetch, from, fetch.offset) != nullptr;
    if (lanes != mask) warp.set_mask(mask);
  };
  const u32 whole = reading[kBytes - 1];
  read.template operator()<kBytes>(whole);
  // Lanes that read less read byte by byte: the next bytes can belong to another allocation.
  for (u32 i = 0; i < kBytes; ++i, ++fetch.offset, ++fetch.target)
    read.template operator()<1>(reading[i] & ~whole);
  return runs_on ? &d + 1 : nullptr;
}

}  // namespace

void add_async_copy_forms(FormTable& t) {
  Form form{.counted_as = InstructionClass::memory, .shape = Shape::async_copy};
  form.memory = {copy<4>, copy<8>, copy<16>, nullptr};
  t["cp.async.shared.global"] = form;
}

}  // namespace vgpu::exec::VGPU_ISA
