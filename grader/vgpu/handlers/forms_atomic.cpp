// Atomic operations (PTX ISA 9.7.13.5, atom and red). The lanes of a warp execute one after another, lowest
// first.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lane_access.hpp"
#include "vgpu/handlers/small_float.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
/// 16-bit values are stored in registers of 32 bits.
template <class T>
using InRegister = Stored<Bits<T>>;

/// F(old, b, c) is the new value. kReducible: blocks can combine their values separately and add the result
/// to memory later.
template <class T, auto F, bool kReducible>
struct Atomic {
  static constexpr std::size_t kElementBytes = sizeof(T);
  static constexpr std::size_t kBytes = sizeof(T);
  static constexpr bool kIsStore = true;
  static constexpr Traffic kTraffic = Traffic::atomic;
  static constexpr Apply kApply = Apply::called;

  static T combined(T old, std::uint64_t b, std::uint64_t c) {
    return F(old, std::bit_cast<T>(static_cast<Bits<T>>(b)), std::bit_cast<T>(static_cast<Bits<T>>(c)));
  }
  static void combine(std::byte* memory, std::uint64_t value) {
    T old;
    std::memcpy(&old, memory, sizeof old);
    old = combined(old, value, 0);
    std::memcpy(memory, &old, sizeof old);
  }
  static std::uint64_t value(Warp& warp, std::uint32_t offset, int lane) {
    return offset == kNowhere ? 0 : vector_at<const InRegister<T>>(warp, offset)[lane];
  }

  static void apply(Warp& warp, const Decoded& d, const Memo& memo, std::byte* host) {
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::byte* memory = host + static_cast<std::int64_t>(memo.delta[lane]);
      T old;
      std::memcpy(&old, memory, sizeof old);
      const T updated = combined(old, value(warp, d.b, lane), value(warp, d.c, lane));
      std::memcpy(memory, &updated, sizeof updated);
      warp.core->turn.changed_memory |= std::memcmp(&old, &updated, sizeof old) != 0;
      if (d.dst != kNowhere) vector_at<InRegister<T>>(warp, d.dst)[lane] = std::bit_cast<Bits<T>>(old);
    }
  }

  [[gnu::noinline]] static const Decoded* apply_view(Warp& warp, const Decoded& d, const Addresses& addresses,
                                                     BlockView& view) {
    // Needs the order of the blocks: a result in d.dst, and an operation whose result depends on the order.
    if (!kReducible || d.dst != kNowhere || view.full()) return stop_block(warp, Stop::needs_order);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (!view.reduce(addresses[lane], combine, value(warp, d.b, lane), sizeof(T))) {
        return stop_block(warp, Stop::needs_order);
      }
    }
    return &d + 1;
  }
};

enum class Arity : std::uint8_t { one, two };

template <class T, auto F, bool kReducible>
void add(FormTable& t, std::string_view operation, Arity arity = Arity::one) {
  using Op = Atomic<T, F, kReducible>;
  const auto add_space = [&]<ptx::Space kSpace>(std::string_view space) {
    Form form{.counted_as = InstructionClass::memory, .shape = Shape::atomic};
    const Lane lane = lane_of<T>();
    form.operands = {lane, Lane::none, lane, arity == Arity::two ? lane : Lane::none};
    if constexpr (kSpace == ptx::Space::shared) form.memory[0] = access<kSpace, Op, std::uint32_t>;
    form.memory[2] = access<kSpace, Op, std::uint64_t>;
    t[{"atom", space, ".", operation}] = form;
    form.shape = Shape::reduce;
    t[{"red", space, ".", operation}] = form;
  };
  add_space.template operator()<ptx::Space::global>(".global");
  add_space.template operator()<ptx::Space::shared>(".shared");
  add_space.template operator()<ptx::Space::generic>("");
}

template <class T>
void add_integer(FormTable& t, std::string_view type) {
  add<T,
      [](T old, T b, T) {
        // The sum wraps around in PTX; signed overflow is undefined in C++.
        return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
      },
      true>(t, joined({"add.", type}));
  add<T, [](T old, T b, T) { return std::min(old, b); }, true>(t, joined({"min.", type}));
  add<T, [](T old, T b, T) { return std::max(old, b); }, true>(t, joined({"max.", type}));
}

template <class T>
void add_bits(FormTable& t, std::string_view type) {
  add<T, [](T old, T b, T) { return old & b; }, true>(t, joined({"and.", type}));
  add<T, [](T old, T b, T) { return old | b; }, true>(t, joined({"or.", type}));
  add<T, [](T old, T b, T) { return old ^ b; }, true>(t, joined({"xor.", type}));
  // Not reducible: the result depends on the order of the operations.
  add<T, [](T, T b, T) { return b; }, false>(t, joined({"exch.", type}));
  add<T, [](T old, T b, T c) { return old == b ? c : old; }, false>(t, joined({"cas.", type}), Arity::two);
}

}  // namespace

void add_atomic_forms(FormTable& t) {
  using u32 = std::uint32_t;
  add_integer<u32>(t, "u32");
  add_integer<std::int32_t>(t, "s32");
  add_integer<std::uint64_t>(t, "u64");
  add_integer<std::int64_t>(t, "s64");
  add_bits<u32>(t, "b32");
  add_bits<std::uint64_t>(t, "b64");
  // PTX ISA, "atom": .inc wraps to 0 above the operand, .dec to the operand below 0.
  add<u32, [](u32 old, u32 b, u32) { return (old >= b ? 0 : old + 1); }, false>(t, "inc.u32");
  add<u32, [](u32 old, u32 b, u32) { return (old == 0 || old > b ? b : old - 1); }, false>(t, "dec.u32");
  add<float, [](float old, float b, float) { return old + b; }, true>(t, "add.f32");
  add<double, [](double old, double b, double) { return old + b; }, true>(t, "add.f64");
  using u16 = std::uint16_t;
  add<u16, [](u16 old, u16 b, u16) { return half_sum<Half>(old, b); }, false>(t, "add.f16");
  add<u16, [](u16 old, u16 b, u16) { return half_sum<Bfloat>(old, b); }, false>(t, "add.bf16");
  add<u32, [](u32 old, u32 b, u32) { return pair_sum<Half>(old, b); }, false>(t, "add.f16x2");
  add<u32, [](u32 old, u32 b, u32) { return pair_sum<Bfloat>(old, b); }, false>(t, "add.bf16x2");
  add<u16, [](u16 old, u16 b, u16 c) { return old == b ? c : old; }, false>(t, "cas.b16", Arity::two);
  add<u16, [](u16, u16 b, u16) { return b; }, false>(t, "exch.b16");
}

}  // namespace vgpu::exec::VGPU_ISA
