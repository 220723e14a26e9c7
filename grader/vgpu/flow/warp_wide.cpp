#include "vgpu/flow/warp_wide.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/shuffle_source.hpp"
#include "vgpu/state/unwritten.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {
namespace {

using u32 = std::uint32_t;

template <class T>
T* lanes_at(Warp& warp, u32 offset) {
  return reinterpret_cast<T*>(warp.file + offset);
}

void write_predicate(Warp& warp, u32 offset, u32 value) {
  if (offset == kNowhere) return;
  u32& predicate = warp.predicate(offset);
  predicate = (predicate & ~warp.mask) | (value & warp.mask);
}

/// If the source lane does not take part, the result is undefined (PTX ISA, shfl.sync). It is the value that
/// spoils a minimum or the one that spoils a maximum, in turn by lane and by distance: a block of one thread
/// gets both, too.
u32 undefined_value(int lane, int source) {
  const int distance_bits = std::bit_width(static_cast<u32>(std::abs(source - lane)));
  return kUnwrittenWords[(lane + distance_bits) % 2];
}

/// The active lanes whose source lane does not take part.
u32 without_source(const Warp& warp, const u32* members, const std::array<int, kWarpLanes>& sources) {
  const auto is_full = [](u32 mask) { return mask == kFullMask; };
  if (is_full(warp.mask) && std::all_of(members, members + kWarpLanes, is_full)) return 0;
  u32 absent = 0;
  for_active(warp, [&](int lane) { absent |= (~(warp.mask & members[lane]) >> sources[lane] & 1U) << lane; });
  return absent;
}

template <Shuffle kMode>
const Decoded* shuffle(Warp& warp, const Decoded& d) {
  const u32* values = lanes_at<const u32>(warp, d.a);
  const u32* b = lanes_at<const u32>(warp, d.b);
  const u32* control = lanes_at<const u32>(warp, d.c);
  // Of all lanes, because loops of 32 steps are faster than for_active().
  std::array<int, kWarpLanes> sources;
  std::array<u32, kWarpLanes> results;
  u32 in_range = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const Source source = source_of(kMode, lane, b[lane], control[lane]);
    sources[lane] = source.lane;
    results[lane] = values[source.lane];
    in_range |= (source.in_range ? 1U : 0U) << lane;
  }
  const u32 absent = without_source(warp, lanes_at<const u32>(warp, d.guard), sources);
  for (u32 rest = absent; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    results[lane] = undefined_value(lane, sources[lane]);
  }
  BlockChecker* checker = warp.core->checker;
  if (checker != nullptr && (absent != 0 || warp.core->follows_values))
    checker->shuffle(warp, d, sources, absent);
  if (d.dst != kNowhere) {
    u32* const destination = lanes_at<u32>(warp, d.dst);
    if (warp.mask == kFullMask)
      std::copy(results.begin(), results.end(), destination);
    else
      for_active(warp, [&](int lane) { destination[lane] = results[lane]; });
  }
  write_predicate(warp, d.extra, in_range);
  return absent == 0 || checker == nullptr ? &d + 1 : BlockChecker::followed(warp, &d + 1);
}

u32 votes(Warp& warp, const Decoded& d) { return warp.mask & (warp.predicate(d.a) ^ negation_of(d)); }

const Decoded* vote_all(Warp& warp, const Decoded& d) {
  write_predicate(warp, d.dst, votes(warp, d) == warp.mask ? kFullMask : 0);
  return &d + 1;
}
const Decoded* vote_any(Warp& warp, const Decoded& d) {
  write_predicate(warp, d.dst, votes(warp, d) != 0 ? kFullMask : 0);
  return &d + 1;
}
const Decoded* vote_uniform(Warp& warp, const Decoded& d) {
  const u32 yes = votes(warp, d);
  write_predicate(warp, d.dst, yes == 0 || yes == warp.mask ? kFullMask : 0);
  return &d + 1;
}
const Decoded* vote_ballot(Warp& warp, const Decoded& d) {
  const u32 yes = votes(warp, d);
  for_active(warp, [&](int lane) { lanes_at<u32>(warp, d.dst)[lane] = yes; });
  return &d + 1;
}
const Decoded* active_mask(Warp& warp, const Decoded& d) {
  for_active(warp, [&](int lane) { lanes_at<u32>(warp, d.dst)[lane] = warp.mask; });
  return &d + 1;
}

/// The lanes with this value. The compiler uses vector instructions for the comparison; a product then
/// collects the lowest bits of eight bytes in its highest byte.
template <class T>
u32 lanes_with(T value, const std::array<T, kWarpLanes>& values) {
  constexpr std::uint64_t kCollect = 0x0102040810204080;
  constexpr int kBytes = sizeof(std::uint64_t), kHighest = 56;
  std::array<std::uint8_t, kWarpLanes> equal;
  for (int lane = 0; lane < kWarpLanes; ++lane) equal[lane] = values[lane] == value ? 1 : 0;
  u32 lanes = 0;
  for (int first = 0; first < kWarpLanes; first += kBytes) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, &equal[first], kBytes);
    lanes |= static_cast<u32>(bytes * kCollect >> kHighest) << first;
  }
  return lanes;
}

template <class T>
const Decoded* match_any(Warp& warp, const Decoded& d) {
  std::array<T, kWarpLanes> values;
  // A copy: the destination can be the source.
  std::copy_n(lanes_at<const T>(warp, d.a), kWarpLanes, values.begin());
  u32* const results = lanes_at<u32>(warp, d.dst);
  for (u32 rest = warp.mask; rest != 0;) {
    const u32 same = lanes_with(values[std::countr_zero(rest)], values) & warp.mask;
    for (u32 lanes = same; lanes != 0; lanes &= lanes - 1) results[std::countr_zero(lanes)] = same;
    rest &= ~same;
  }
  return &d + 1;
}

/// How far apart in the warp two lanes can be, first the distances at which the threads of a tile share
/// elements.
constexpr std::array<int, kWarpLanes / 2> kDistances{1, 16, 8, 4, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15};

/// Sets each lane to 1 if another lane has its value, else to 0.
template <class T>
const Decoded* shares_value(Warp& warp, const Decoded& d) {
  const T* const values = lanes_at<const T>(warp, d.a);
  u32* const results = lanes_at<u32>(warp, d.dst);
  if (warp.mask != kFullMask) {
    match_any<T>(warp, d);
    for_active(warp, [&](int lane) { results[lane] = results[lane] != 1U << lane ? 1 : 0; });
    return &d + 1;
  }
  bool are_ascending = true;  // the elements of a row
  for (int lane = 1; lane < kWarpLanes; ++lane) are_ascending &= values[lane - 1] < values[lane];
  std::array<T, 2 * kWarpLanes> twice;
  std::copy_n(values, kWarpLanes, twice.begin());
  std::copy_n(values, kWarpLanes, twice.begin() + kWarpLanes);
  std::array<u32, kWarpLanes> shares{};
  for (std::size_t next = 0; next < kDistances.size() && !are_ascending; ++next) {
    const int distance = kDistances[next];
    u32 all = 1;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const bool is_equal =
          (twice[lane] == twice[lane + distance]) | (twice[lane] == twice[lane + kWarpLanes - distance]);
      shares[lane] |= is_equal ? 1U : 0U;
      all &= shares[lane];
    }
    if (all != 0) break;
  }
  std::copy(shares.begin(), shares.end(), results);
  return &d + 1;
}

template <class T>
const Decoded* match_all(Warp& warp, const Decoded& d) {
  const T* values = lanes_at<const T>(warp, d.a);
  const T first = values[warp.first_lane()];
  bool same = true;
  for_active(warp, [&](int lane) { same &= values[lane] == first; });
  if (d.dst != kNowhere)
    for_active(warp, [&](int lane) { lanes_at<u32>(warp, d.dst)[lane] = same ? warp.mask : 0; });
  write_predicate(warp, d.extra, same ? kFullMask : 0);
  return &d + 1;
}

template <class T, auto F>
const Decoded* reduce(Warp& warp, const Decoded& d) {
  const T* values = lanes_at<const T>(warp, d.a);
  T result = values[warp.first_lane()];
  for (u32 rest = warp.mask & (warp.mask - 1); rest != 0; rest &= rest - 1) {
    result = F(result, values[std::countr_zero(rest)]);
  }
  for_active(warp, [&](int lane) { lanes_at<T>(warp, d.dst)[lane] = result; });
  return &d + 1;
}

/// elect.sync d|p: d is the lowest lane; p is true in that lane only.
const Decoded* elect(Warp& warp, const Decoded& d) {
  const auto leader = static_cast<u32>(warp.first_lane());
  if (d.dst != kNowhere) for_active(warp, [&](int lane) { lanes_at<u32>(warp, d.dst)[lane] = leader; });
  write_predicate(warp, d.extra, 1U << leader);
  return &d + 1;
}

/// redux.sync of f32. kAbs: compares magnitudes. kNan: a NaN wins, otherwise a number wins. -0 is less than
/// +0.
template <bool kIsMax, bool kAbs, bool kNan>
float chosen(float a, float b) {
  const auto value = [](float x) { return kAbs ? std::fabs(x) : x; };
  a = value(a);
  b = value(b);
  // The canonical NaN of PTX.
  const float nan = std::bit_cast<float>(u32{0x7FFFFFFF});
  if (a != a || b != b) return kNan || (a != a && b != b) ? nan : (a != a ? b : a);
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less != kIsMax ? a : b;
}

template <bool kIsMax, bool kAbs, bool kNan>
const Decoded* reduce_floats(Warp& warp, const Decoded& d) {
  const float* values = lanes_at<const float>(warp, d.a);
  float result = values[warp.first_lane()];
  for_active(warp, [&](int lane) { result = chosen<kIsMax, kAbs, kNan>(result, values[lane]); });
  for_active(warp, [&](int lane) { lanes_at<float>(warp, d.dst)[lane] = result; });
  return &d + 1;
}

constexpr auto kClass = InstructionClass::warp;

Form warp_form(Handler handler, std::array<Lane, 5> operands) {
  return {.handler = handler, .counted_as = kClass, .shape = Shape::warp_wide, .operands = operands};
}

}  // namespace

void add_warp_wide_forms(FormTable& t) {
  constexpr Lane kP = Lane::predicate;
  constexpr Lane kW = Lane::b32;
  const std::array<Lane, 5> shuffled{kW, kW, kW, kW};
  t["shfl.sync.up.b32"] = warp_form(shuffle<Shuffle::up>, shuffled);
  t["shfl.sync.down.b32"] = warp_form(shuffle<Shuffle::down>, shuffled);
  t["shfl.sync.bfly.b32"] = warp_form(shuffle<Shuffle::butterfly>, shuffled);
  t["shfl.sync.idx.b32"] = warp_form(shuffle<Shuffle::index>, shuffled);
  t["vote.sync.all.pred"] = warp_form(vote_all, {kP, kP});
  t["vote.sync.any.pred"] = warp_form(vote_any, {kP, kP});
  t["vote.sync.uni.pred"] = warp_form(vote_uniform, {kP, kP});
  t["vote.sync.ballot.b32"] = warp_form(vote_ballot, {kW, kP});
  t["vote.ballot.sync.b32"] = t["vote.sync.ballot.b32"];  // CUB's spelling, which ptxas accepts
  t["match.any.sync.b32"] = warp_form(match_any<u32>, {kW, kW});
  t["match.any.sync.b64"] = warp_form(match_any<std::uint64_t>, {kW, Lane::b64});
  // For experiments (handlers/forms_experiment.cpp).
  t["(sharing).b32"] = {.handler = shares_value<u32>, .counted_as = kClass, .operands = {kW, kW}};
  t["(sharing).b64"] = {
      .handler = shares_value<std::uint64_t>, .counted_as = kClass, .operands = {kW, Lane::b64}};
  t["match.all.sync.b32"] = warp_form(match_all<u32>, {kW, kW});
  t["match.all.sync.b64"] = warp_form(match_all<std::uint64_t>, {kW, Lane::b64});
  t["redux.sync.add.u32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return a + b; }>, {kW, kW});
  t["redux.sync.add.s32"] = t["redux.sync.add.u32"];
  t["redux.sync.min.u32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return std::min(a, b); }>, {kW, kW});
  t["redux.sync.max.u32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return std::max(a, b); }>, {kW, kW});
  using s32 = std::int32_t;
  t["redux.sync.min.s32"] = warp_form(reduce<s32, [](s32 a, s32 b) { return std::min(a, b); }>, {kW, kW});
  t["redux.sync.max.s32"] = warp_form(reduce<s32, [](s32 a, s32 b) { return std::max(a, b); }>, {kW, kW});
  t["redux.sync.and.b32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return a & b; }>, {kW, kW});
  t["redux.sync.or.b32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return a | b; }>, {kW, kW});
  t["redux.sync.xor.b32"] = warp_form(reduce<u32, [](u32 a, u32 b) { return a ^ b; }>, {kW, kW});
  t["elect.sync"] = warp_form(elect, {kW});
  constexpr Lane kF = Lane::f32;
  t["redux.sync.min.f32"] = warp_form(reduce_floats<false, false, false>, {kF, kF});
  t["redux.sync.max.f32"] = warp_form(reduce_floats<true, false, false>, {kF, kF});
  t["redux.sync.min.abs.f32"] = warp_form(reduce_floats<false, true, false>, {kF, kF});
  t["redux.sync.max.abs.f32"] = warp_form(reduce_floats<true, true, false>, {kF, kF});
  t["redux.sync.min.NaN.f32"] = warp_form(reduce_floats<false, false, true>, {kF, kF});
  t["redux.sync.max.NaN.f32"] = warp_form(reduce_floats<true, false, true>, {kF, kF});
  t["redux.sync.min.abs.NaN.f32"] = warp_form(reduce_floats<false, true, true>, {kF, kF});
  t["redux.sync.max.abs.NaN.f32"] = warp_form(reduce_floats<true, true, true>, {kF, kF});
  t["activemask.b32"] = {.handler = active_mask, .counted_as = kClass, .operands = {kW}};
}

}  // namespace vgpu::exec
