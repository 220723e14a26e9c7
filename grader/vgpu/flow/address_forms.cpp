#include "vgpu/flow/address_forms.hpp"

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {
namespace {

// Unsigned: an address below the window wraps around to a large difference.
bool is_in(std::uint64_t address, std::uint64_t window) { return address - window < kWindowBytes; }

// Constant variables are segments of global memory here, without a window of their own.
bool is_constant(const Warp& warp, std::uint64_t address) {
  const Segment* segment = warp.core->memory->holding(address, 1);
  return segment != nullptr && segment->purpose == Purpose::constant;
}

bool is_in_space(const Warp& warp, std::uint64_t address, ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return is_in(address, kSharedWindow);
    case ptx::Space::local:
      return is_in(address, kLocalWindow);
    case ptx::Space::param:
      return is_in(address, kParameterWindow);
    case ptx::Space::constant:
      return is_constant(warp, address);
    default:
      return !is_in(address, kSharedWindow) && !is_in(address, kLocalWindow) &&
             !is_in(address, kParameterWindow) && !is_constant(warp, address);
  }
}

template <ptx::Space kSpace>
const Decoded* test_space(Warp& warp, const Decoded& d) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(warp.file + d.a);
  std::uint32_t inside = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    inside |= (is_in_space(warp, addresses[lane], kSpace) ? 1U : 0U) << lane;
  }
  std::uint32_t& predicate = warp.predicate(d.dst);
  predicate = (predicate & ~warp.mask) | inside;
  return &d + 1;
}

}  // namespace

void add_address_forms(FormTable& table) {
  const auto add = [&](const char* name, Handler handler) {
    table[name] = {.handler = handler,
                   .counted_as = InstructionClass::predicate,
                   .operands = {Lane::predicate, Lane::b64}};
  };
  add("isspacep.global", test_space<ptx::Space::global>);
  add("isspacep.shared", test_space<ptx::Space::shared>);
  add("isspacep.local", test_space<ptx::Space::local>);
  add("isspacep.const", test_space<ptx::Space::constant>);
  add("isspacep.param", test_space<ptx::Space::param>);
}

}  // namespace vgpu::exec
