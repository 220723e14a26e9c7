// Every integer form against host arithmetic on values where it could go wrong.
#include <limits>

#include "vgpu/evaluate.hpp"

namespace integer_test {

using test::check_form;
using test::rows_of;
using test::tricky_integers;

namespace {

__extension__ using s128 = __int128;

template <class T>
std::string name() {
  return std::string(std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
}
template <class T>
std::string bits_name() {
  return std::string("b") + std::to_string(sizeof(T) * 8);
}
template <class T>
T narrow(s128 value) {
  return static_cast<T>(value);
}

template <class T>
void check_arithmetic() {
  const std::string type = name<T>();
  const auto values = tricky_integers<T>();
  const auto pairs = rows_of(values, values);
  static constexpr int kBits = sizeof(T) * 8;
  check_form<T>("add." + type, pairs, [](T a, T b) { return narrow<T>(s128{a} + b); });
  check_form<T>("sub." + type, pairs, [](T a, T b) { return narrow<T>(s128{a} - b); });
  check_form<T>("min." + type, pairs, [](T a, T b) { return std::min(a, b); });
  check_form<T>("max." + type, pairs, [](T a, T b) { return std::max(a, b); });
  check_form<T>("mul.lo." + type, pairs, [](T a, T b) {
    return narrow<T>(s128{static_cast<std::int64_t>(a)} * static_cast<std::int64_t>(b));
  });
  check_form<T>("mul.hi." + type, pairs, [](T a, T b) {
    // 128 bits hold a product of signed 64-bit numbers; of unsigned ones, all but the sign.
    __extension__ using u128 = unsigned __int128;
    if constexpr (std::is_signed_v<T>)
      return narrow<T>((s128{a} * b) >> kBits);
    else
      return static_cast<T>((u128{a} * b) >> kBits);
  });
  check_form<T>("div." + type, pairs,
                [](T a, T b) { return b == 0 ? static_cast<T>(-1) : narrow<T>(s128{a} / b); });
  check_form<T>("rem." + type, pairs, [](T a, T b) { return b == 0 ? a : narrow<T>(s128{a} % b); });
  check_form<T>("sad." + type, rows_of(values, values, values),
                [](T a, T b, T c) { return narrow<T>(s128{c} + (a > b ? s128{a} - b : s128{b} - a)); });
  check_form<T>("mad.lo." + type, rows_of(values, values, values), [](T a, T b, T c) {
    return narrow<T>(s128{static_cast<std::int64_t>(a)} * static_cast<std::int64_t>(b) +
                     static_cast<std::int64_t>(c));
  });
}

template <class T, class Wide>
void check_wide() {
  const auto values = tricky_integers<T>();
  check_form<Wide>("mul.wide." + name<T>(), rows_of(values, values),
                   [](T a, T b) { return narrow<Wide>(s128{a} * b); });
  check_form<Wide>("mad.wide." + name<T>(), rows_of(values, values, tricky_integers<Wide>()),
                   [](T a, T b, Wide c) { return narrow<Wide>(s128{a} * b + c); });
}

template <class T>
void check_bits() {
  const std::string type = bits_name<T>();
  const auto values = tricky_integers<T>();
  const auto pairs = rows_of(values, values);
  check_form<T>("and." + type, pairs, [](T a, T b) { return static_cast<T>(a & b); });
  check_form<T>("or." + type, pairs, [](T a, T b) { return static_cast<T>(a | b); });
  check_form<T>("xor." + type, pairs, [](T a, T b) { return static_cast<T>(a ^ b); });
  check_form<T>("not." + type, rows_of(values), [](T a) { return static_cast<T>(~a); });
  check_form<T>("cnot." + type, rows_of(values), [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
}

const std::vector<std::uint32_t> kCounts{0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0xFFFFFFFF};

template <class T>
void check_shifts() {
  static constexpr std::uint32_t kBits = sizeof(T) * 8;
  const auto rows = rows_of(tricky_integers<T>(), kCounts);
  check_form<T>("shl." + bits_name<T>(), rows, [](T a, std::uint32_t n) {
    T result = a;
    for (std::uint32_t i = 0; i < std::min(n, kBits); ++i) result = narrow<T>(s128{result} * 2);
    return result;
  });
  check_form<T>("shr." + name<T>(), rows,
                [](T a, std::uint32_t n) { return narrow<T>(s128{a} >> std::min(n, 100U)); });
}

template <class T>
void check_bit_fields() {
  constexpr int kBits = sizeof(T) * 8;
  const auto at = [](T value, int bit) { return bit < kBits && (value >> bit & 1) != 0; };
  check_form<T>("bfe." + name<T>(), rows_of(tricky_integers<T>(), kCounts, kCounts),
                [&](T a, std::uint32_t position, std::uint32_t length) {
                  // The pseudocode of the manual, bit by bit; above 255, what an H200 does.
                  const auto number = [](std::uint32_t n) {
                    return static_cast<int>(sizeof(T) == 8 ? std::min(n, 0xFFU) : n & 0xFFU);
                  };
                  const int pos = number(position);
                  const int len = number(length);
                  const bool sign =
                      std::is_signed_v<T> && len != 0 && at(a, std::min(pos + len - 1, kBits - 1));
                  std::make_unsigned_t<T> d = 0;
                  for (int i = 0; i < kBits; ++i) {
                    const bool bit = i < len && pos + i < kBits ? at(a, pos + i) : sign;
                    d |= static_cast<std::make_unsigned_t<T>>(bit ? 1 : 0) << i;
                  }
                  return static_cast<T>(d);
                });
  check_form<std::uint32_t>("bfind." + name<T>(), rows_of(tricky_integers<T>()), [&](T a) {
    for (int i = kBits - 1; i >= 0; --i) {
      if (at(a, i) != (std::is_signed_v<T> && a < 0)) return static_cast<std::uint32_t>(i);
    }
    return 0xFFFFFFFFU;
  });
}

}  // namespace

TEST_CASE("integer arithmetic of all widths and signs matches the host's") {
  check_arithmetic<std::uint16_t>();
  check_arithmetic<std::uint32_t>();
  check_arithmetic<std::uint64_t>();
  check_arithmetic<std::int16_t>();
  check_arithmetic<std::int32_t>();
  check_arithmetic<std::int64_t>();
}

TEST_CASE("the upper half of a product is added with saturation") {
  const auto values = tricky_integers<std::int32_t>();
  check_form<std::int32_t>(
      "mad.hi.sat.s32", rows_of(values, values, values), [](std::int32_t a, std::int32_t b, std::int32_t c) {
        const std::int64_t sum = ((std::int64_t{a} * b) >> 32) + c;
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
      });
}

TEST_CASE("wide products keep all bits") {
  check_wide<std::uint16_t, std::uint32_t>();
  check_wide<std::uint32_t, std::uint64_t>();
  check_wide<std::int16_t, std::int32_t>();
  check_wide<std::int32_t, std::int64_t>();
}

TEST_CASE("negation and absolute value wrap at the smallest number") {
  check_form<std::int32_t>("neg.s32", rows_of(tricky_integers<std::int32_t>()),
                           [](std::int32_t a) { return narrow<std::int32_t>(-s128{a}); });
  check_form<std::int64_t>("neg.s64", rows_of(tricky_integers<std::int64_t>()),
                           [](std::int64_t a) { return narrow<std::int64_t>(-s128{a}); });
  check_form<std::int32_t>("abs.s32", rows_of(tricky_integers<std::int32_t>()),
                           [](std::int32_t a) { return narrow<std::int32_t>(a < 0 ? -s128{a} : s128{a}); });
}

TEST_CASE("saturating sums stop at the limits") {
  const auto clamp = [](s128 value) {
    using L = std::numeric_limits<std::int32_t>;
    return narrow<std::int32_t>(std::clamp<s128>(value, L::min(), L::max()));
  };
  const auto pairs = rows_of(tricky_integers<std::int32_t>(), tricky_integers<std::int32_t>());
  check_form<std::int32_t>("add.sat.s32", pairs,
                           [&](std::int32_t a, std::int32_t b) { return clamp(s128{a} + b); });
  check_form<std::int32_t>("sub.sat.s32", pairs,
                           [&](std::int32_t a, std::int32_t b) { return clamp(s128{a} - b); });
}

TEST_CASE("logic works on all bits") {
  check_bits<std::uint16_t>();
  check_bits<std::uint32_t>();
  check_bits<std::uint64_t>();
}

TEST_CASE("shift counts from the width on shift everything out") {
  check_shifts<std::uint16_t>();
  check_shifts<std::uint32_t>();
  check_shifts<std::uint64_t>();
  check_shifts<std::int16_t>();
  check_shifts<std::int32_t>();
  check_shifts<std::int64_t>();
}

TEST_CASE("bit fields are those of the manual's pseudocode") {
  check_bit_fields<std::uint32_t>();
  check_bit_fields<std::uint64_t>();
  check_bit_fields<std::int32_t>();
  check_bit_fields<std::int64_t>();
}

TEST_CASE("bits are counted, found and reversed") {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  check_form<u32>("popc.b32", rows_of(tricky_integers<u32>()),
                  [](u32 a) { return static_cast<u32>(__builtin_popcount(a)); });
  check_form<u32>("popc.b64", rows_of(tricky_integers<u64>()),
                  [](u64 a) { return static_cast<u32>(__builtin_popcountll(a)); });
  check_form<u32>("clz.b32", rows_of(tricky_integers<u32>()),
                  [](u32 a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); });
  check_form<u32>("clz.b64", rows_of(tricky_integers<u64>()),
                  [](u64 a) { return a == 0 ? 64 : static_cast<u32>(__builtin_clzll(a)); });
  check_form<u32>("brev.b32", rows_of(tricky_integers<u32>()), [](u32 a) {
    u32 r = 0;
    for (int i = 0; i < 32; ++i, a /= 2) r = 2 * r + a % 2;
    return r;
  });
  check_form<u64>("brev.b64", rows_of(tricky_integers<u64>()), [](u64 a) {
    u64 r = 0;
    for (int i = 0; i < 64; ++i, a /= 2) r = 2 * r + a % 2;
    return r;
  });
}

TEST_CASE("bytes are permuted and words funnelled") {
  using u32 = std::uint32_t;
  const std::vector<u32> words{0x03020100, 0x87868584, 0xFFFFFFFF, 0x80007F01};
  check_form<u32>("prmt.b32", rows_of(words, words, std::vector<u32>{0x3210, 0x7654, 0x0123, 0x89AB, 0xF5D3}),
                  [](u32 a, u32 b, u32 selector) {
                    const auto byte = [&](u32 pick) {
                      return pick < 4 ? a >> (8 * pick) & 0xFF : b >> (8 * (pick - 4)) & 0xFF;
                    };
                    u32 d = 0;
                    for (u32 i = 0; i < 4; ++i) {
                      const u32 nibble = selector >> (4 * i) & 15;
                      const u32 value = nibble >= 8 ? (byte(nibble - 8) >= 128 ? 0xFF : 0) : byte(nibble);
                      d += value << (8 * i);
                    }
                    return d;
                  });
  // The manual's table: the bytes of the result for n = 0 to 3, highest first.
  const auto check_mode = [&](const std::string& mode, const std::array<const char*, 4>& bytes) {
    check_form<u32>("prmt.b32." + mode, rows_of(words, words, std::vector<u32>{0, 1, 2, 3, 0xFFFFFFF4}),
                    [&](u32 a, u32 b, u32 c) {
                      u32 d = 0;
                      for (int i = 0; i < 4; ++i) {
                        const int pick = bytes[c % 4][i] - '0';
                        d = d << 8 | (pick < 4 ? a >> (8 * pick) & 0xFF : b >> (8 * (pick - 4)) & 0xFF);
                      }
                      return d;
                    });
  };
  check_mode("f4e", {"3210", "4321", "5432", "6543"});
  check_mode("b4e", {"5670", "6701", "7012", "0123"});
  check_mode("rc8", {"0000", "1111", "2222", "3333"});
  check_mode("ecl", {"3210", "3211", "3222", "3333"});
  check_mode("ecr", {"0000", "1110", "2210", "3210"});
  check_mode("rc16", {"1010", "3232", "1010", "3232"});
  const auto rows = rows_of(words, words, kCounts);
  const auto both = [](u32 a, u32 b) { return static_cast<std::uint64_t>(b) * 0x100000000ULL + a; };
  check_form<u32>("shf.l.wrap.b32", rows,
                  [&](u32 a, u32 b, u32 n) { return static_cast<u32>((both(a, b) << n % 32) >> 32); });
  check_form<u32>("shf.r.wrap.b32", rows,
                  [&](u32 a, u32 b, u32 n) { return static_cast<u32>(both(a, b) >> n % 32); });
  check_form<u32>("shf.l.clamp.b32", rows, [&](u32 a, u32 b, u32 n) {
    return n >= 32 ? a : static_cast<u32>((both(a, b) << n) >> 32);
  });
  check_form<u32>("shf.r.clamp.b32", rows,
                  [&](u32 a, u32 b, u32 n) { return n >= 32 ? b : static_cast<u32>(both(a, b) >> n); });
}

TEST_CASE("bit field insertion and three-input logic take a fourth operand") {
  using u32 = std::uint32_t;
  const std::vector<u32> values{0, 0xFFFFFFFF, 0x12345678};
  for (const u32 position : {0U, 4U, 31U, 32U, 256U}) {
    for (const u32 length : {0U, 1U, 8U, 32U, 255U}) {
      const std::string form = "bfi.b32";
      test::Gpu gpu(
          test::kernel_text(".param .u64 out, .param .u32 a, .param .u32 b, .param .u32 p, .param .u32 n", R"(
        .reg .b32 %r<6>; .reg .b64 %rd1;
        ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [p]; ld.param.u32 %r4, [n];
        bfi.b32 %r5, %r1, %r2, %r3, %r4;
        ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r5; ret;)"));
      const auto out = gpu.zeros<u32>(1);
      for (const u32 a : values) {
        const u32 b = 0xA5A5A5A5;
        gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out, a, b, position, length));
        u32 expected = b;
        const u32 pos = position & 0xFF;
        const u32 len = length & 0xFF;
        for (u32 i = 0; i < len && pos + i < 32; ++i) {
          expected = (expected & ~(1U << (pos + i))) | ((a >> i & 1) << (pos + i));
        }
        CHECK(gpu.download<u32>(out, 1)[0] == expected);
      }
    }
  }
  for (const u32 table : {0x80U, 0xFEU, 0x96U, 0xCAU, 0U, 0xFFU}) {
    test::Gpu gpu(test::kernel_text(".param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c",
                                    ".reg .b32 %r<6>; .reg .b64 %rd1;\n"
                                    "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [c];\n"
                                    "lop3.b32 %r5, %r1, %r2, %r3, " +
                                        std::to_string(table) +
                                        ";\n"
                                        "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r5; ret;"));
    const auto out = gpu.zeros<u32>(1);
    const u32 a = 0xF0F0F0F0, b = 0xCCCCCCCC, c = 0xAAAAAAAA;  // every combination of three bits
    gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out, a, b, c));
    CHECK(gpu.download<u32>(out, 1)[0] == table * 0x01010101U);
  }
}

}  // namespace integer_test
