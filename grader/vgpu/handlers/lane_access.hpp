// Memory accesses of a warp's lanes: the code for each address space finds the host memory of the lanes'
// addresses, checks bounds and alignment, counts, and calls an operation (a load, a store, an atomic).
//
// An operation has kBytes and kElementBytes (per lane), kIsStore, kTraffic, kApply (for access()), and
//
//     apply(warp, d, memo, host)
//
// where a lane's memory is host + memo.delta[lane] (inactive lanes have delta 0), and
//
//     apply_view(warp, d, addresses, view)
//
// for the same access through a BlockView, which returns the warp's next instruction.
#pragma once

#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {

/// Whether an operation is compiled into the code for an address space. One copy that is called serves all
/// the spaces that are accessed less often.
enum class Apply : std::uint8_t { inlined, called };

template <class A>
inline bool pattern_is_known(const Memo& memo, const Warp& warp, const A* address) {
  const A* delta;
  if constexpr (sizeof(A) == 4) {
    delta = memo.delta32.data();
  } else {
    delta = memo.delta.data();
  }
  // No early exit: the compiler turns a loop over all lanes into vector instructions.
  A difference = 0;
  if (warp.mask == kFullMask) [[likely]] {
    const A base = address[0];
    for (int lane = 0; lane < kWarpLanes; ++lane) difference |= (address[lane] - base) ^ delta[lane];
  } else {
    const A base = address[warp.first_lane()];
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const A on = static_cast<A>(static_cast<std::int32_t>(warp.on[lane]));
      difference |= ((address[lane] - base) ^ delta[lane]) & on;
    }
  }
  return difference == 0 && memo.mask == warp.mask;
}

template <class A>
[[gnu::noinline]] Addresses full_addresses(const A* address, std::int64_t offset) {
  Addresses all;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    // Addresses of 4 bytes wrap around at 32 bits.
    all[lane] = static_cast<A>(address[lane] + static_cast<A>(offset));
  return all;
}

template <class Op>
constexpr AccessForm form_in(ptx::Space space) {
  return {space, Op::kTraffic, static_cast<std::uint8_t>(Op::kBytes),
          static_cast<std::uint8_t>(Op::kElementBytes)};
}

// The rare ends of an access have functions of their own, so that the common path needs no stack.

template <class Op, class A>
[[gnu::noinline]] void learn_addresses(Warp& warp, const Decoded& d, const A* address, std::int64_t offset,
                                       ptx::Space space) {
  learn(warp, d, full_addresses(address, offset), form_in<Op>(space));
}

template <class Op, class A>
[[gnu::noinline]] const Decoded* raise_shared_fault(Warp& warp, const Decoded& d, const A* address,
                                                    std::int64_t offset) {
  return raise_window_fault(warp, d, full_addresses(address, offset), Op::kBytes, Op::kIsStore,
                            ptx::Space::shared, warp.core->launch->shared_bytes);
}

template <class Op>
[[gnu::noinline]] void call_apply(Warp& warp, const Decoded& d, const Memo& memo, std::byte* host) {
  Op::apply(warp, d, memo, host);
}

inline void count(Memo& memo, std::uint64_t base) { memo.seen[base % memo.seen.size()] += 1; }

template <class Op, Apply kApply, class A>
inline const Decoded* access_shared(Warp& warp, const Decoded& d, const A* address, std::int64_t offset) {
  Core& core = *warp.core;
  Memo& memo = core.memos[d.memo];
  if (!pattern_is_known(memo, warp, address)) [[unlikely]]
    learn_addresses<Op>(warp, d, address, offset, ptx::Space::shared);
  const std::uint64_t base = static_cast<A>(address[warp.first_lane()] + static_cast<A>(offset));
  const std::uint64_t limit = core.launch->shared_bytes;
  const std::uint64_t room = limit - Op::kBytes;
  // `lowest` can be negative, modulo 2^64. An address below 0 wraps around and exceeds `room`.
  const bool fits = limit >= Op::kBytes && base + memo.lowest <= room && base + memo.highest <= room;
  // Every address is base plus a delta, so all are aligned if the base and all deltas are.
  if (!fits || ((base | memo.alignment) & (Op::kBytes - 1)) != 0) [[unlikely]]
    return raise_shared_fault<Op>(warp, d, address, offset);
  count(memo, base);
  if constexpr (kApply == Apply::inlined) {
    Op::apply(warp, d, memo, core.shared + base);
  } else {
    call_apply<Op>(warp, d, memo, core.shared + base);
  }
  return &d + 1;
}

/// Shared memory by addresses of 64 bits, which compilers rarely produce.
template <class Op>
[[gnu::noinline]] const Decoded* access_shared_wide(Warp& warp, const Decoded& d,
                                                    const std::uint64_t* address, std::int64_t offset) {
  return access_shared<Op, Apply::called>(warp, d, address, offset);
}

/// The lanes access several allocations: executes one lane after another.
template <class Op>
[[gnu::noinline]] const Decoded* access_scattered(Warp& warp, const Decoded& d, const Addresses& addresses) {
  const std::uint32_t mask = warp.mask;
  Core& core = *warp.core;
  Memo& memo = core.memos[d.memo];
  for (std::uint32_t rest = mask; rest != 0 && core.stop == Stop::none; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.set_mask(1U << lane);
    learn(warp, d, addresses, form_in<Op>(ptx::Space::global));
    locate(core, d, addresses[lane], Op::kBytes);
    if (core.view != nullptr && (Op::kIsStore || core.view->touches(memo.allocation))) {
      Op::apply_view(warp, d, addresses, *core.view);
    } else {
      call_apply<Op>(warp, d, memo, memo.host + (addresses[lane] - memo.start));
    }
  }
  warp.set_mask(mask);
  return core.stop == Stop::none ? &d + 1 : nullptr;
}

/// The lanes' addresses are wrong, or in several allocations.
template <class Op, class A>
[[gnu::noinline]] const Decoded* access_several(Warp& warp, const Decoded& d, const A* address,
                                                std::int64_t offset) {
  const Addresses addresses = full_addresses(address, offset);
  check_global(warp, d, addresses, Op::kBytes, Op::kIsStore);
  if (warp.core->stop != Stop::none) return nullptr;
  count_scattered(*warp.core, d, addresses[warp.first_lane()]);
  return access_scattered<Op>(warp, d, addresses);
}

template <class Op, class A>
[[gnu::noinline]] const Decoded* access_view(Warp& warp, const Decoded& d, const A* address,
                                             std::int64_t offset) {
  return Op::apply_view(warp, d, full_addresses(address, offset), *warp.core->view);
}

template <class Op, class A>
[[gnu::noinline]] void trace_addresses(Warp& warp, const Decoded& d, const A* address, std::int64_t offset) {
  trace_access(warp, d, full_addresses(address, offset), form_in<Op>(ptx::Space::global));
}

template <class Op, Apply kApply, class A>
inline const Decoded* access_global(Warp& warp, const Decoded& d, const A* address, std::int64_t offset) {
  Core& core = *warp.core;
  Memo& memo = core.memos[d.memo];
  if (d.option != 0) [[unlikely]] {
    // Such an access asks for the stores of other blocks, which a view does not contain.
    if (AccessOption::of(d).is_strong && core.view != nullptr) return stop_block(warp, Stop::needs_order);
    if (AccessOption::of(d).is_traced) trace_addresses<Op>(warp, d, address, offset);
  }
  if (!pattern_is_known(memo, warp, address)) [[unlikely]]
    learn_addresses<Op>(warp, d, address, offset, ptx::Space::global);
  const std::uint64_t base = static_cast<A>(address[warp.first_lane()] + static_cast<A>(offset));
  const bool inside = base + memo.lowest >= memo.start && base + memo.lowest < memo.end &&
                      base + memo.highest + Op::kBytes <= memo.end && base + memo.highest >= memo.start;
  const bool aligned = ((base | memo.alignment) & (Op::kBytes - 1)) == 0;
  const bool one_allocation = aligned && (inside || locate(core, d, base, Op::kBytes));
  if (!one_allocation || (Op::kIsStore && memo.constant)) [[unlikely]]
    return access_several<Op>(warp, d, address, offset);
  count(memo, base);
  if (core.view != nullptr && (Op::kIsStore || core.view->touches(memo.allocation)))
    return access_view<Op>(warp, d, address, offset);
  if constexpr (kApply == Apply::inlined) {
    Op::apply(warp, d, memo, memo.host + (base - memo.start));
  } else {
    call_apply<Op>(warp, d, memo, memo.host + (base - memo.start));
  }
  return &d + 1;
}

/// Each thread has its own local memory; those of a warp's lanes are adjacent.
template <class Op, class A>
[[gnu::noinline]] const Decoded* access_local(Warp& warp, const Decoded& d, const A* address,
                                              std::int64_t offset) {
  const std::uint64_t limit = warp.core->launch->local_bytes;
  const std::uint64_t stride = warp.core->launch->local_stride;
  const Addresses addresses = full_addresses(address, offset);
  bool wrong = limit < Op::kBytes;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const bool outside = addresses[lane] > limit - Op::kBytes || (addresses[lane] & (Op::kBytes - 1)) != 0;
    wrong |= outside && warp.on[lane] != 0;
  }
  if (wrong) {
    return raise_window_fault(warp, d, addresses, Op::kBytes, Op::kIsStore, ptx::Space::local, limit);
  }
  Memo& memo = warp.core->memos[d.memo];
  if (memo.mask != 0) {  // a generic access has learned a pattern in another space
    settle(*warp.core, d.memo);
    memo.mask = 0;  // the deltas below are not an address pattern
    memo.pattern = Memo::Pattern::scattered;
  }
  const int first = warp.first_lane();
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint64_t at =
        warp.on[lane] != 0 ? addresses[lane] + lane * stride : addresses[first] + first * stride;
    memo.delta[lane] = at;
  }
  const AccessOption option = AccessOption::of(d);
  if (!option.is_argument) count_local(warp, d, addresses, form_in<Op>(ptx::Space::local));
  if (option.is_traced && !option.is_argument)
    trace_access(warp, d, addresses, form_in<Op>(ptx::Space::local));
  call_apply<Op>(warp, d, memo, warp.local);
  return &d + 1;
}

/// Kernel parameters at computed addresses.
template <class Op, class A>
[[gnu::noinline]] const Decoded* access_parameter(Warp& warp, const Decoded& d, const A* address,
                                                  std::int64_t offset) {
  const auto& parameters = warp.core->launch->parameters;
  const Addresses addresses = full_addresses(address, offset);
  const std::uint64_t limit = parameters.size();
  Memo& memo = warp.core->memos[d.memo];
  learn(warp, d, addresses, form_in<Op>(ptx::Space::param));
  const std::uint64_t base = addresses[warp.first_lane()];
  const bool fits = limit >= Op::kBytes && base + memo.lowest <= limit - Op::kBytes &&
                    base + memo.highest <= limit - Op::kBytes;
  if (Op::kIsStore || !fits || ((base | memo.alignment) & (Op::kBytes - 1)) != 0) {
    if (!fits || !Op::kIsStore) {
      return raise_window_fault(warp, d, addresses, Op::kBytes, Op::kIsStore, ptx::Space::param, limit);
    }
    return raise(warp, d, FaultKind::write_to_constant, warp.first_lane(), warp.active);
  }
  count(memo, base);
  call_apply<Op>(warp, d, memo, const_cast<std::byte*>(parameters.data()) + base);  // loads only
  return &d + 1;
}

using Access = const Decoded* (*)(Warp&, const Decoded&, const std::uint64_t* address, std::int64_t offset);

struct AccessBySpace {
  Access global, shared, local, parameter;
};

/// Generic addresses: lanes can access different spaces; the lanes of each space execute together.
[[gnu::noinline]] inline const Decoded* access_by_space(Warp& warp, const Decoded& d,
                                                        const std::uint64_t* address, std::int64_t offset,
                                                        const AccessBySpace& access) {
  alignas(64) const Addresses addresses = full_addresses(address, offset);
  const std::uint32_t mask = warp.mask;
  const auto lanes_in = [&](std::uint64_t window) {
    std::uint32_t lanes = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane)
      lanes |= (addresses[lane] - window < kWindowBytes ? 1U : 0U) << lane;
    return lanes & mask;
  };
  const std::uint32_t shared = lanes_in(kSharedWindow);
  const std::uint32_t local = lanes_in(kLocalWindow);
  const std::uint32_t parameter = lanes_in(kParameterWindow);
  const std::uint32_t global = mask & ~(shared | local | parameter);
  const Decoded* next = &d + 1;
  const auto take = [&](std::uint32_t lanes, ptx::Space space, std::uint64_t window, Access access_space) {
    if (lanes == 0 || next == nullptr) return;
    if (lanes != mask) warp.set_mask(lanes);
    Memo& memo = warp.core->memos[d.memo];
    if (memo.form.space != space) {  // a pattern of another space is counted separately
      settle(*warp.core, d.memo);
      memo.mask = 0;
    }
    next = access_space(warp, d, addresses.data(), -static_cast<std::int64_t>(window));
    if (lanes != mask) warp.set_mask(mask);
  };
  take(global, ptx::Space::global, 0, access.global);
  take(shared, ptx::Space::shared, kSharedWindow, access.shared);
  take(local, ptx::Space::local, kLocalWindow, access.local);
  take(parameter, ptx::Space::param, kParameterWindow, access.parameter);
  return next;
}

template <ptx::Space kSpace, class Op, class A>
const Decoded* access(Warp& warp, const Decoded& d) {
  const A* address = vector_at<const A>(warp, d.a);
  if constexpr (kSpace == ptx::Space::shared && sizeof(A) == 8)
    return access_shared_wide<Op>(warp, d, address, d.offset);
  if constexpr (kSpace == ptx::Space::shared && sizeof(A) == 4)
    return access_shared<Op, Op::kApply>(warp, d, address, d.offset);
  if constexpr (kSpace == ptx::Space::global)
    return access_global<Op, Op::kApply>(warp, d, address, d.offset);
  if constexpr (kSpace == ptx::Space::local) return access_local<Op>(warp, d, address, d.offset);
  if constexpr (kSpace == ptx::Space::param) return access_parameter<Op>(warp, d, address, d.offset);
  if constexpr (kSpace == ptx::Space::generic)
    return access_by_space(warp, d, address, d.offset,
                           {.global = access_global<Op, Apply::called, A>,
                            .shared = access_shared_wide<Op>,
                            .local = access_local<Op, A>,
                            .parameter = access_parameter<Op, A>});
}

}  // namespace vgpu::exec::VGPU_ISA
