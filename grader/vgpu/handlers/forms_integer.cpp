// Integer arithmetic, logic and bit fields (PTX ISA 9.7.1, 9.7.8).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/predicates.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;
/// The integer type of twice the width and the same signedness.
template <class T>
using Wide = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, s32, std::conditional_t<sizeof(T) == 4, s64, s128>>,
    std::conditional_t<sizeof(T) == 2, u32, std::conditional_t<sizeof(T) == 4, u64, u128>>>;

template <class T>
constexpr unsigned kBits = sizeof(T) * 8;

/// Signed overflow wraps around, as on hardware.
template <class T>
constexpr T wrapped_add(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
}
template <class T>
constexpr T wrapped_mul(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
constexpr T high_mul(T a, T b) {
  return static_cast<T>((Wide<T>{a} * Wide<T>{b}) >> kBits<T>);
}

/// Division by zero results in all ones, as on NVIDIA hardware (undefined in PTX); the remainder is the
/// dividend.
template <class T>
constexpr T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    // The smallest number divided by -1 overflows, which is undefined in C++ and traps on x86.
    if (b == -1) return static_cast<T>(0 - static_cast<u64>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
constexpr T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// Shift counts of at least the width shift all bits out.
template <class T>
constexpr T shift_left(T a, u32 count) {
  return count >= kBits<T> ? T{0} : static_cast<T>(a << (count & (kBits<T> - 1)));
}
template <class T>
constexpr T shift_right(T a, u32 count) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(count, kBits<T> - 1));
  return count >= kBits<T> ? T{0} : static_cast<T>(a >> (count & (kBits<T> - 1)));
}

/// Position or length of a bit field. The manual limits them to 255; for larger numbers an H200 uses the low
/// 8 bits in 32-bit forms and the unchanged number in 64-bit forms.
template <class T>
constexpr u32 field_number(u32 number) {
  return sizeof(T) == 8 ? std::min(number, 0xFFU) : number & 0xFFU;
}

template <class T>
constexpr T extract_bits(T a, u32 position, u32 length) {
  position = field_number<T>(position);
  length = field_number<T>(length);
  constexpr u32 kTop = kBits<T> - 1;
  const auto bits = static_cast<Unsigned<T>>(a);
  // For length 0, length - 1 wraps around; `negative` is false then.
  const auto sign_at = std::min(position + length - 1, kTop);
  const bool negative = std::is_signed_v<T> && length != 0 && (bits >> sign_at & 1U) != 0;
  const Unsigned<T> field = position > kTop ? 0 : bits >> position;
  const Unsigned<T> mask = length > kTop ? ~Unsigned<T>{0} : (Unsigned<T>{1} << length) - 1;
  // Bits above the top are copies of the sign.
  const Unsigned<T> known = position > kTop ? 0 : ~Unsigned<T>{0} >> position;
  const Unsigned<T> fill = negative ? ~(mask & known) : 0;
  return static_cast<T>((field & mask & known) | fill);
}
template <class T>
constexpr T insert_bits(T a, T b, u32 position, u32 length) {
  position = field_number<T>(position);
  length = field_number<T>(length);
  if (position >= kBits<T> || length == 0) return b;
  const T mask = static_cast<T>((length >= kBits<T> ? ~T{0} : (T{1} << length) - 1) << position);
  return static_cast<T>((b & ~mask) | (a << position & mask));
}
/// Index of the most significant bit that differs from the sign; all ones if there is none.
template <class T>
constexpr u32 find_top_bit(T a) {
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  return bits == 0 ? ~0U : kBits<T> - 1 - static_cast<u32>(std::countl_zero(bits));
}
template <class T>
constexpr u32 find_top_bit_as_shift(T a) {
  const u32 found = find_top_bit(a);
  return found == ~0U ? found : kBits<T> - 1 - found;
}
template <class T>
constexpr T reverse_bits(T a) {
  T reversed = 0;
  for (unsigned i = 0; i < kBits<T>; ++i) reversed |= static_cast<T>((a >> i & 1U) << (kBits<T> - 1 - i));
  return reversed;
}
// PTX ISA, "prmt": each 4 bits of the selector choose one of the 8 bytes of b:a, or (bit 3) its sign.
constexpr u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 source = u64{b} << 32U | a;
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 pick = selector >> (4 * i) & 0xF;
    u32 byte = static_cast<u32>(source >> (8 * (pick & 7U))) & 0xFF;
    if ((pick & 8U) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;  // its sign, eight times
    result |= byte << (8 * i);
  }
  return result;
}
// `count` is at most 32, so that the shifts of 64 bits are defined.
constexpr u32 funnel_left(u32 a, u32 b, u32 count) {
  return static_cast<u32>((u64{b} << 32U | a) << count >> 32U);
}
constexpr u32 funnel_right(u32 a, u32 b, u32 count) { return static_cast<u32>((u64{b} << 32U | a) >> count); }
template <class T>
constexpr T saturated(s64 value) {
  return static_cast<T>(std::clamp<s64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

template <class T>
void add_arithmetic(FormTable& t, std::string_view type) {
  constexpr auto kClass = InstructionClass::integer;
  t[{"add.", type}] = lanewise<[](T a, T b) { return wrapped_add(a, b); }>(kClass);
  t[{"sub.", type}] =
      lanewise<[](T a, T b) { return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b)); }>(kClass);
  t[{"mul.lo.", type}] = lanewise<[](T a, T b) { return wrapped_mul(a, b); }>(kClass);
  t[{"mul.hi.", type}] = lanewise<[](T a, T b) { return high_mul(a, b); }>(kClass);
  t[{"mad.lo.", type}] = lanewise<[](T a, T b, T c) { return wrapped_add(wrapped_mul(a, b), c); }>(kClass);
  t[{"mad.hi.", type}] = lanewise<[](T a, T b, T c) { return wrapped_add(high_mul(a, b), c); }>(kClass);
  t[{"div.", type}] = lanewise<[](T a, T b) { return divide(a, b); }>(kClass);
  t[{"rem.", type}] = lanewise<[](T a, T b) { return remainder(a, b); }>(kClass);
  t[{"min.", type}] = lanewise<[](T a, T b) { return b < a ? b : a; }>(kClass);
  t[{"max.", type}] = lanewise<[](T a, T b) { return a < b ? b : a; }>(kClass);
  t[{"sad.", type}] = lanewise<[](T a, T b, T c) {
    return wrapped_add(c, static_cast<T>(a < b ? static_cast<u64>(b) - static_cast<u64>(a)
                                               : static_cast<u64>(a) - static_cast<u64>(b)));
  }>(kClass);
  t[{"shr.", type}] = lanewise<[](T a, u32 count) { return shift_right(a, count); }>(kClass);
  if constexpr (sizeof(T) < 8) {
    using W = Wide<T>;
    t[{"mul.wide.", type}] = lanewise<[](T a, T b) { return static_cast<W>(W{a} * W{b}); }>(kClass);
    t[{"mad.wide.", type}] =
        lanewise<[](T a, T b, W c) { return wrapped_add(static_cast<W>(W{a} * W{b}), c); }>(kClass);
  }
  if constexpr (sizeof(T) >= 4) {
    t[{"bfe.", type}] = lanewise<[](T a, u32 p, u32 n) { return extract_bits(a, p, n); }>(kClass);
    t[{"bfind.", type}] = lanewise<[](T a) { return find_top_bit(a); }>(kClass);
    t[{"bfind.shiftamt.", type}] = lanewise<[](T a) { return find_top_bit_as_shift(a); }>(kClass);
  }
  if constexpr (std::is_signed_v<T>) {
    t[{"neg.", type}] = lanewise<[](T a) { return static_cast<T>(0 - static_cast<u64>(a)); }>(kClass);
    t[{"abs.", type}] =
        lanewise<[](T a) { return a < 0 ? static_cast<T>(0 - static_cast<u64>(a)) : a; }>(kClass);
  }
}

template <class T>
void add_logic(FormTable& t, std::string_view type) {
  constexpr auto kClass = InstructionClass::integer;
  t[{"and.", type}] = lanewise<[](T a, T b) { return static_cast<T>(a & b); }>(kClass);
  t[{"or.", type}] = lanewise<[](T a, T b) { return static_cast<T>(a | b); }>(kClass);
  t[{"xor.", type}] = lanewise<[](T a, T b) { return static_cast<T>(a ^ b); }>(kClass);
  t[{"not.", type}] = lanewise<[](T a) { return static_cast<T>(~a); }>(kClass);
  t[{"cnot.", type}] = lanewise<[](T a) { return static_cast<T>(a == 0); }>(kClass);
  t[{"shl.", type}] = lanewise<[](T a, u32 count) { return shift_left(a, count); }>(kClass);
  t[{"shr.", type}] = lanewise<[](T a, u32 count) { return shift_right(a, count); }>(kClass);
  if constexpr (sizeof(T) >= 4) {
    t[{"popc.", type}] = lanewise<[](T a) { return static_cast<u32>(std::popcount(a)); }>(kClass);
    t[{"clz.", type}] = lanewise<[](T a) { return static_cast<u32>(std::countl_zero(a)); }>(kClass);
    t[{"brev.", type}] = lanewise<[](T a) { return reverse_bits(a); }>(kClass);
  }
}

/// `table` has one bit for each of the eight combinations of an input bit of a, b and c.
inline u32 looked_up(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    // The bits of the row number are a, b, c: the tables of a, b and c alone are 0xF0, 0xCC and 0xAA (PTX
    // ISA, "lop3").
    const u32 chosen = (row & 4U ? a : ~a) & (row & 2U ? b : ~b) & (row & 1U ? c : ~c);
    result |= chosen & (0U - (table >> row & 1U));
  }
  return result;
}

/// lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q.
template <bool kAnd>
const Decoded* lookup_and_combine(Warp& warp, const Decoded& d) {
  const auto& list = warp.core->program().list_of(d);
  const u32* a = vector_at<const u32>(warp, d.a);
  const u32* b = vector_at<const u32>(warp, d.b);
  const u32* c = vector_at<const u32>(warp, d.c);
  // The list: the table, then p and q.
  const u32* table = vector_at<const u32>(warp, list[0]);
  std::array<u32, kWarpLanes> results;
  u32 not_zero = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    results[i] = looked_up(a[i], b[i], c[i], table[i]);
    not_zero |= (results[i] != 0 ? 1U : 0U) << i;
  }
  const u32 q = warp.predicate(list[2]) ^ negation_of(d);
  write_predicate(warp, list[1], kAnd ? not_zero & q : not_zero | q);
  if (d.dst != kNowhere) write_lanes<u32>(warp, d.dst, [&](int i) { return results[i]; });
  return &d + 1;
}

void add_lookups(FormTable& t) {
  constexpr auto kClass = InstructionClass::integer;
  t["lop3.b32"] = lanewise<[](u32 a, u32 b, u32 c, u32 table) { return looked_up(a, b, c, table); }>(kClass);
  t["lop3.and.b32"] = {
      .handler = lookup_and_combine<true>, .counted_as = kClass, .shape = Shape::lookup_and_combine};
  t["lop3.or.b32"] = {
      .handler = lookup_and_combine<false>, .counted_as = kClass, .shape = Shape::lookup_and_combine};
}

/// prmt with a mode: byte i of the result is byte F(n, i) of b:a, where n is the lower two bits of c.
template <auto F>
void add_permutation(FormTable& t, std::string_view mode) {
  t[{"prmt.b32.", mode}] = lanewise<[](u32 a, u32 b, u32 c) {
    u32 selector = 0;
    for (u32 i = 0; i < 4; ++i) selector |= F(c & 3U, i) << (4 * i);
    return permute_bytes(a, b, selector);
  }>(InstructionClass::integer);
}

}  // namespace

void add_integer_forms(FormTable& t) {
  constexpr auto kClass = InstructionClass::integer;
  add_arithmetic<u16>(t, "u16");
  add_arithmetic<u32>(t, "u32");
  add_arithmetic<u64>(t, "u64");
  add_arithmetic<s16>(t, "s16");
  add_arithmetic<s32>(t, "s32");
  add_arithmetic<s64>(t, "s64");
  add_logic<u16>(t, "b16");
  add_logic<u32>(t, "b32");
  add_logic<u64>(t, "b64");
  t["add.sat.s32"] = lanewise<[](s32 a, s32 b) { return saturated<s32>(s64{a} + b); }>(kClass);
  t["sub.sat.s32"] = lanewise<[](s32 a, s32 b) { return saturated<s32>(s64{a} - b); }>(kClass);
  t["mad.hi.sat.s32"] =
      lanewise<[](s32 a, s32 b, s32 c) { return saturated<s32>(s64{high_mul(a, b)} + c); }>(kClass);
  t["prmt.b32"] = lanewise<[](u32 a, u32 b, u32 s) { return permute_bytes(a, b, s); }>(kClass);
  // The modes of PTX ISA, "prmt".
  add_permutation<[](u32 n, u32 i) { return n + i; }>(t, "f4e");
  add_permutation<[](u32 n, u32 i) { return (n - i) & 7U; }>(t, "b4e");
  add_permutation<[](u32 n, u32) { return n; }>(t, "rc8");
  add_permutation<[](u32 n, u32 i) { return std::max(n, i); }>(t, "ecl");
  add_permutation<[](u32 n, u32 i) { return std::min(n, i); }>(t, "ecr");
  add_permutation<[](u32 n, u32 i) { return (n & 1U) * 2 + (i & 1U); }>(t, "rc16");
  t["shf.l.wrap.b32"] = lanewise<[](u32 a, u32 b, u32 n) { return funnel_left(a, b, n & 31U); }>(kClass);
  t["shf.r.wrap.b32"] = lanewise<[](u32 a, u32 b, u32 n) { return funnel_right(a, b, n & 31U); }>(kClass);
  t["shf.l.clamp.b32"] =
      lanewise<[](u32 a, u32 b, u32 n) { return funnel_left(a, b, n < 32 ? n : 32); }>(kClass);
  t["shf.r.clamp.b32"] =
      lanewise<[](u32 a, u32 b, u32 n) { return funnel_right(a, b, n < 32 ? n : 32); }>(kClass);
  t["bfi.b32"] = lanewise<[](u32 a, u32 b, u32 p, u32 n) { return insert_bits(a, b, p, n); }>(kClass);
  t["bfi.b64"] = lanewise<[](u64 a, u64 b, u32 p, u32 n) { return insert_bits(a, b, p, n); }>(kClass);
  add_lookups(t);
}

}  // namespace vgpu::exec::VGPU_ISA
