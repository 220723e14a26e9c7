// Logic, shifts and bit manipulation: PTX ISA, "Logic and Shift Instructions" and the bit-field instructions.
#include <bit>

#include "form.hpp"

namespace fuzz {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;

template <class T>
void add_logic(std::vector<Form>& forms) {
  const std::string type = "b" + std::to_string(8 * sizeof(T));
  constexpr u32 kBits = 8 * sizeof(T);
  add<T, T, T>(forms, "and." + type, [](T a, T b) { return a & b; });
  add<T, T, T>(forms, "or." + type, [](T a, T b) { return a | b; });
  add<T, T, T>(forms, "xor." + type, [](T a, T b) { return a ^ b; });
  add<T, T>(forms, "not." + type, [](T a) { return ~a; });
  add<T, T>(forms, "cnot." + type, [](T a) { return a == 0 ? 1 : 0; });
  add<T, T, u32>(forms, "shl." + type, [](T a, u32 b) { return b >= kBits ? T{0} : static_cast<T>(a << b); });
  add<T, T, u32>(forms, "shr.u" + type.substr(1), [](T a, u32 b) { return b >= kBits ? 0 : a >> b; });
  using S = std::make_signed_t<T>;
  add<S, S, u32>(forms, "shr.s" + type.substr(1),
                 [](S a, u32 b) { return a >> (b >= kBits ? kBits - 1 : b); });
}

/// The most significant bit that differs from the sign bit (for unsigned numbers, that is 1); -1 if there is
/// none.
template <class T>
u32 find_bit(T a, bool as_shift) {
  constexpr int kBits = 8 * sizeof(T);
  const auto pattern = static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a);
  for (int i = kBits - 1; i >= 0; --i) {
    if (pattern >> i & 1U) return static_cast<u32>(as_shift ? kBits - 1 - i : i);
  }
  return ~0U;
}

/// How an H200 treats positions and lengths above 255, which the manual leaves undefined.
template <class T>
u32 as_hardware(u32 number) {
  if (sizeof(T) == 4) return number & 0xFF;
  return number < 0xFF ? number : 0xFF;
}

template <class T>
T extract(T a, u32 b, u32 c) {
  constexpr u32 kTop = 8 * sizeof(T) - 1;
  const u32 position = as_hardware<T>(b), length = as_hardware<T>(c);
  const auto bit = [&](u32 i) { return static_cast<T>(a >> i & 1); };
  T sign = 0;
  if (std::is_signed_v<T> && length != 0)
    sign = bit(position + length - 1 < kTop ? position + length - 1 : kTop);
  std::make_unsigned_t<T> result = 0;
  for (u32 i = 0; i <= kTop; ++i) {
    const bool inside = i < length && position + i <= kTop;
    result |= static_cast<std::make_unsigned_t<T>>(inside ? bit(position + i) : sign) << i;
  }
  return static_cast<T>(result);
}

template <class T>
T insert(T a, T b, u32 c, u32 d) {
  constexpr u32 kTop = 8 * sizeof(T) - 1;
  const u32 position = as_hardware<T>(c), length = as_hardware<T>(d);
  T result = b;
  for (u32 i = 0; i < length && position + i <= kTop; ++i) {
    const T one = T{1} << (position + i);
    result = (a >> i & 1) != 0 ? result | one : result & ~one;
  }
  return result;
}

template <class T>
T reversed(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) result = result << 1U | (a >> i & 1U);
  return result;
}

template <class T>
void add_bit_fields(std::vector<Form>& forms) {
  const std::string bits = std::to_string(8 * sizeof(T));
  using S = std::make_signed_t<T>;
  add<T, T, u32, u32>(forms, "bfe.u" + bits, extract<T>);
  add<S, S, u32, u32>(forms, "bfe.s" + bits, extract<S>);
  add<T, T, T, u32, u32>(forms, "bfi.b" + bits, insert<T>);
  add<u32, T>(forms, "bfind.u" + bits, [](T a) { return find_bit(a, false); });
  add<u32, S>(forms, "bfind.s" + bits, [](S a) { return find_bit(a, false); });
  add<u32, T>(forms, "bfind.shiftamt.u" + bits, [](T a) { return find_bit(a, true); });
  add<u32, S>(forms, "bfind.shiftamt.s" + bits, [](S a) { return find_bit(a, true); });
  add<T, T>(forms, "brev.b" + bits, reversed<T>);
  add<u32, T>(forms, "clz.b" + bits, [](T a) {
    u32 zeros = 0;
    while (zeros < 8 * sizeof(T) && (a >> (8 * sizeof(T) - 1 - zeros) & 1U) == 0) ++zeros;
    return zeros;
  });
  add<u32, T>(forms, "popc.b" + bits, [](T a) {
    u32 ones = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) ones += a >> i & 1U;
    return ones;
  });
}

u32 byte_of(u32 a, u32 b, u32 selector) {
  const std::uint64_t both = std::uint64_t{b} << 32U | a;
  const u32 byte = both >> (selector & 7U) * 8 & 0xFF;
  if ((selector & 8U) == 0) return byte;
  return (byte & 0x80) != 0 ? 0xFF : 0;
}

/// The selectors of prmt's special modes by the low two bits of c, byte 3 first, as in the manual's table.
void add_permutations(std::vector<Form>& forms) {
  add<u32, u32, u32, u32>(forms, "prmt.b32", [](u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 i = 0; i < 4; ++i) result |= byte_of(a, b, c >> 4 * i & 0xF) << 8 * i;
    return result;
  });
  const struct {
    const char* mode;
    u32 selectors[4];
  } kModes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
                {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
                {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& mode : kModes) {
    add<u32, u32, u32, u32>(forms, std::string("prmt.b32.") + mode.mode, [mode](u32 a, u32 b, u32 c) {
      u32 result = 0;
      for (u32 i = 0; i < 4; ++i) result |= byte_of(a, b, mode.selectors[c & 3U] >> 4 * i & 0xF) << 8 * i;
      return result;
    });
  }
}

void add_funnel_shifts(std::vector<Form>& forms) {
  for (const bool wrap : {false, true}) {
    const std::string mode = wrap ? ".wrap.b32" : ".clamp.b32";
    const auto amount = [wrap](u32 c) { return wrap ? c & 31U : (c < 32 ? c : 32); };
    add<u32, u32, u32, u32>(forms, "shf.l" + mode, [amount](u32 a, u32 b, u32 c) {
      return static_cast<u32>((std::uint64_t{b} << 32U | a) >> (32 - amount(c)));
    });
    add<u32, u32, u32, u32>(forms, "shf.r" + mode, [amount](u32 a, u32 b, u32 c) {
      return static_cast<u32>((std::uint64_t{b} << 32U | a) >> amount(c));
    });
  }
}

u32 mask_of(u32 a, u32 b, bool wrap) {
  const u32 first = wrap ? a & 31U : a, width = wrap ? b & 31U : b;
  u32 mask = 0;
  for (u32 i = 0; i < 32; ++i) mask |= i >= first && i - first < width ? 1U << i : 0;
  return mask;
}

}  // namespace

void add_bit_forms(std::vector<Form>& forms) {
  add_logic<std::uint16_t>(forms);
  add_logic<u32>(forms);
  add_logic<std::uint64_t>(forms);
  add_bit_fields<u32>(forms);
  add_bit_fields<std::uint64_t>(forms);
  add_permutations(forms);
  add_funnel_shifts(forms);
  add<u32, u32, u32>(forms, "bmsk.clamp.b32", [](u32 a, u32 b) { return mask_of(a, b, false); });
  add<u32, u32, u32>(forms, "bmsk.wrap.b32", [](u32 a, u32 b) { return mask_of(a, b, true); });
  add<bool, bool, bool>(forms, "and.pred", [](bool a, bool b) { return a && b; });
  add<bool, bool, bool>(forms, "or.pred", [](bool a, bool b) { return a || b; });
  add<bool, bool, bool>(forms, "xor.pred", [](bool a, bool b) { return a != b; });
  add<bool, bool>(forms, "not.pred", [](bool a) { return !a; });
}

}  // namespace fuzz
