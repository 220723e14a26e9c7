#include "vgpu/flow/calls.hpp"

#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include "vgpu/facts/address_text.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/divergence.hpp"

namespace vgpu::exec {
namespace {

/// Copies registers to each lane's stack or back. A predicate register is one word for the warp; a lane's bit
/// is saved as a byte.
template <bool kSave>
void move_registers(Warp& warp, const CallSite& site, std::uint32_t frame) {
  std::uint32_t at = frame + site.saved_at;
  for (const RegisterPlace& place : site.saved) {
    const std::uint32_t lane_bytes = saved_bytes(place);
    for_active(warp, [&](int lane) {
      std::byte* stack = warp.local_of(lane) + at;
      std::uint32_t& bits = warp.predicate(place.offset);
      std::byte* value = warp.file + place.offset + static_cast<std::size_t>(lane) * lane_bytes;
      // A predicate register has one bit per lane; on the stack it takes a byte.
      if (lane_bytes == 1) {
        if constexpr (kSave) {
          *stack = static_cast<std::byte>(bits >> lane & 1U);
        } else {
          bits = (bits & ~(1U << lane)) | std::to_integer<std::uint32_t>(*stack) << lane;
        }
      } else {
        std::memcpy(kSave ? stack : value, kSave ? value : stack, lane_bytes);
      }
    });
    at += lane_bytes;
  }
}

void copy_variables(const Warp& warp, const std::vector<Callable::Slot>& from, std::uint32_t from_frame,
                    const std::vector<Callable::Slot>& to, std::uint32_t to_frame) {
  assert(from.size() == to.size());
  for_active(warp, [&](int lane) {
    std::byte* local = warp.local_of(lane);
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::memcpy(local + to_frame + to[i].offset, local + from_frame + from[i].offset, from[i].bytes);
    }
  });
}

void set_frame_base(Warp& warp, std::uint32_t place, std::uint32_t frame) {
  if (place == kNowhere) return;
  auto* bases = reinterpret_cast<std::uint64_t*>(warp.file + place);
  for_active(warp, [&](int lane) { bases[lane] = frame; });
}

const Decoded* raise_invalid_call(Warp& warp, const Decoded& d, std::string detail) {
  raise(warp, d, FaultKind::invalid_call, warp.first_lane(), warp.active);
  warp.core->fault.detail = std::move(detail);
  return nullptr;
}

/// The function at an address; nullptr after a fault.
const Callable* callable_at(Warp& warp, const Decoded& d, const CallSite& site, std::uint64_t address) {
  const Program& program = warp.core->program();
  const std::uint64_t index = (address - callable_address(program.callables_start, 0)) / 16;
  if (index >= program.callables.size() || address != callable_address(program.callables_start, index)) {
    raise_invalid_call(warp, d, address_text(address) + " is not the address of a function of this module");
    return nullptr;
  }
  const Callable& callee = program.callables[index];
  if (callee.entry == kNowhere) {
    raise_invalid_call(warp, d, fmt::format("{} has no body in this module", callee.name));
    return nullptr;
  }
  if (callee.results != site.passed_results || callee.arguments != site.passed_arguments) {
    raise_invalid_call(
        warp, d, fmt::format("the parameters or results of {} do not match those of the call", callee.name));
    return nullptr;
  }
  return &callee;
}

const Decoded* enter(Warp& warp, const Decoded& d, const CallSite& site, const Callable& callee) {
  const std::uint32_t frame = warp.frame();
  // 64 bits wide, so that the sum cannot wrap around.
  const std::uint64_t callee_frame = std::uint64_t{frame} + site.frame_bytes;
  const std::uint32_t stack_bytes = warp.core->launch->local_bytes;
  if (callee_frame + callee.frame_bytes > stack_bytes) {
    raise(warp, d, FaultKind::stack_overflow, warp.first_lane(), warp.active);
    warp.core->fault.access_bytes = warp.core->launch->stack_bytes;
    warp.core->fault.detail = callee.name;
    return nullptr;
  }
  move_registers<true>(warp, site, frame);
  const auto inner = static_cast<std::uint32_t>(callee_frame);
  copy_variables(warp, site.arguments, frame, site.passed_arguments, inner);
  set_frame_base(warp, callee.frame_base, inner);
  enter_function(warp, &d + 1, inner);
  return warp.core->program().code.data() + callee.entry;
}

}  // namespace

std::uint32_t saved_bytes(const RegisterPlace& place) {
  return place.bytes < kWarpLanes ? 1 : place.bytes / kWarpLanes;
}

namespace control {

const Decoded* call(Warp& warp, const Decoded& d) {
  const Program& program = warp.core->program();
  const CallSite& site = program.call_site_of(d);
  if (site.callee != kNowhere) return enter(warp, d, site, program.callables[site.callee]);
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(warp.file + d.a);
  const std::uint64_t first = addresses[warp.first_lane()];
  std::uint32_t others = 0;
  for_active(warp, [&](int lane) { others |= (addresses[lane] != first ? 1U : 0U) << lane; });
  if (others != 0) {
    // The other lanes return to this instruction when the lanes with the first address have returned.
    warp.core->tally_of(d).diverged += 1;
    split(warp, others, &d, &d, &d + 2);
  }
  const Callable* callee = callable_at(warp, d, site, first);
  return callee == nullptr ? nullptr : enter(warp, d, site, *callee);
}

const Decoded* return_point(Warp& warp, const Decoded& d) {
  const CallSite& site = warp.core->program().call_site_of(d);
  const std::uint32_t frame = warp.frame();
  copy_variables(warp, site.passed_results, frame + site.frame_bytes, site.results, frame);
  move_registers<false>(warp, site, frame);
  set_frame_base(warp, site.frame_base, frame);
  return &d + 1;
}

const Decoded* leave_function(Warp& warp, const Decoded& /*d*/) { return exec::leave_function(warp); }

}  // namespace control
}  // namespace vgpu::exec
