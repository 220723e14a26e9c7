// Extended-precision integer arithmetic (PTX ISA 9.7.2): add.cc, addc, sub.cc, subc, mad.cc, madc. The carry
// flag is one bit per lane (Warp::carry). The manual calls it "borrow" after a subtraction, but hardware adds
// the complement, a + ~b + 1, so that a set flag means "no borrow". The difference is visible to an addc
// after a sub.cc, which nvcc's division of 128-bit integers contains. carry_mix.cu compares this with a GPU.
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

enum class Sum : std::uint8_t { add, subtract, mad_low, mad_high };

/// a + b + carry; `carry` is the carry-in and returns the carry-out.
template <class U>
inline U add_with_carry(U a, U b, bool& carry) {
  // A sum below one of its addends has overflowed. At most one of the two additions can.
  const U sum = a + b;
  const U with_carry = sum + (carry ? 1 : 0);
  carry = sum < a || with_carry < sum;
  return with_carry;
}

template <class T>
inline std::make_unsigned_t<T> high_half(T a, T b) {
  using Product = std::conditional_t<std::is_signed_v<T>, s128, u128>;
  return static_cast<std::make_unsigned_t<T>>((Product{a} * b) >> (sizeof(T) * 8));
}

template <class T, Sum kSum>
inline std::make_unsigned_t<T> one_lane(T a, T b, T c, bool& carry) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  if constexpr (kSum == Sum::add) return add_with_carry<U>(x, y, carry);
  if constexpr (kSum == Sum::subtract) return add_with_carry<U>(x, static_cast<U>(~y), carry);
  if constexpr (kSum == Sum::mad_low) return add_with_carry<U>(x * y, static_cast<U>(c), carry);
  return add_with_carry<U>(high_half(a, b), static_cast<U>(c), carry);
}

template <class T, Sum kSum, bool kReadsCarry, bool kWritesCarry>
const Decoded* carry_chain(Warp& warp, const Decoded& d) {
  constexpr bool kHasProduct = kSum == Sum::mad_low || kSum == Sum::mad_high;
  using U = std::make_unsigned_t<T>;
  const T* a = vector_at<const T>(warp, d.a);
  const T* b = vector_at<const T>(warp, d.b);
  const T* c = kHasProduct ? vector_at<const T>(warp, d.c) : a;
  // A subtraction without carry-in is a + ~b + 1.
  const u32 carry_in = kReadsCarry ? warp.carry : kSum == Sum::subtract ? ~0U : 0;
  std::array<U, kWarpLanes> results;
  u32 carry_out = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    bool carry = (carry_in >> lane & 1U) != 0;
    results[lane] = one_lane<T, kSum>(a[lane], b[lane], c[lane], carry);
    carry_out |= (carry ? 1U : 0U) << lane;
  }
  write_lanes<U>(warp, d.dst, [&](int lane) { return results[lane]; });
  if constexpr (kWritesCarry) warp.carry = (warp.carry & ~warp.mask) | (carry_out & warp.mask);
  return &d + 1;
}

template <class T, Sum kSum>
void add_operation(FormTable& t, std::string_view plain, std::string_view with_carry, std::string_view part,
                   std::string_view type) {
  constexpr bool kHasProduct = kSum == Sum::mad_low || kSum == Sum::mad_high;
  constexpr Lane kLane = lane_of<T>();
  Form form{.counted_as = InstructionClass::integer,
            .operands = {kLane, kLane, kLane, kHasProduct ? kLane : Lane::none}};
  const auto add = [&](std::string_view name, Handler handler) {
    form.handler = handler;
    t[name] = form;
  };
  add(joined({plain, part, ".cc.", type}), carry_chain<T, kSum, false, true>);
  add(joined({with_carry, part, ".cc.", type}), carry_chain<T, kSum, true, true>);
  add(joined({with_carry, part, ".", type}), carry_chain<T, kSum, true, false>);
}

template <class T>
void add_type(FormTable& t, std::string_view type) {
  add_operation<T, Sum::add>(t, "add", "addc", "", type);
  add_operation<T, Sum::subtract>(t, "sub", "subc", "", type);
  add_operation<T, Sum::mad_low>(t, "mad", "madc", ".lo", type);
  add_operation<T, Sum::mad_high>(t, "mad", "madc", ".hi", type);
}

}  // namespace

void add_carry_forms(FormTable& t) {
  add_type<u32>(t, "u32");
  add_type<std::int32_t>(t, "s32");
  add_type<u64>(t, "u64");
  add_type<std::int64_t>(t, "s64");
}

}  // namespace vgpu::exec::VGPU_ISA
