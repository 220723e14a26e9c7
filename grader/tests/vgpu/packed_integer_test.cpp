// Dot products, SIMD within a word and the rarer bit instructions, from the manual's pseudocode.
#include <cstdlib>

#include "vgpu/evaluate.hpp"

namespace packed_integer_test {

using test::check_form;
using test::rows_of;

namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

const std::vector<u32> kWords{0,          1,          0xFFFFFFFF, 0x80808080, 0x7F7F7F7F,
                              0x80017FFF, 0x12345678, 0xFEDCBA98, 0x00FF00FF};

s64 part(u32 word, int index, int bits, bool is_signed) {
  const s64 value = word >> (index * bits) & ((s64{1} << bits) - 1);
  return is_signed && value >= s64{1} << (bits - 1) ? value - (s64{1} << bits) : value;
}
std::string type(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

/// A SIMD video instruction: F on every part.
template <class F>
void check_video(const std::string& name, int bits, const std::vector<bool>& signs, F f) {
  const auto parts = 32 / bits;
  for (const bool a_signed : signs) {
    for (const bool d_signed : signs) {
      const std::string form = name + type(d_signed) + type(a_signed) + type(a_signed);
      const auto each = [=](u32 a, u32 b, auto visit) {
        for (int i = 0; i < parts; ++i) visit(i, f(part(a, i, bits, a_signed), part(b, i, bits, a_signed)));
      };
      check_form<u32>(form, rows_of(kWords, kWords, std::vector<u32>{0}), [=](u32 a, u32 b, u32) {
        u32 packed = 0;
        each(a, b,
             [&](int i, s64 v) { packed |= (static_cast<u32>(v) & ((u32{1} << bits) - 1)) << (i * bits); });
        return packed;
      });
      check_form<u32>(form + ".sat", rows_of(kWords, kWords, std::vector<u32>{0}), [=](u32 a, u32 b, u32) {
        u32 packed = 0;
        const s64 low = d_signed ? -(s64{1} << (bits - 1)) : 0;
        const s64 high = (s64{1} << (d_signed ? bits - 1 : bits)) - 1;
        each(a, b, [&](int i, s64 v) {
          packed |= (static_cast<u32>(std::clamp(v, low, high)) & ((u32{1} << bits) - 1)) << (i * bits);
        });
        return packed;
      });
      check_form<u32>(form + ".add", rows_of(kWords, kWords, std::vector<u32>{0, 100, 0xFFFFFFFF}),
                      [=](u32 a, u32 b, u32 c) {
                        each(a, b, [&](int, s64 v) { c += static_cast<u32>(v); });
                        return c;
                      });
    }
  }
}

}  // namespace

TEST_CASE("dot products multiply parts of both signs and wrap around") {
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const std::string types = type(a_signed) + type(b_signed);
      const auto rows = rows_of(kWords, kWords, std::vector<u32>{0, 7, 0x80000000, 0xFFFFFFFF});
      check_form<u32>("dp4a" + types, rows, [=](u32 a, u32 b, u32 c) {
        s64 sum = c;
        for (int i = 0; i < 4; ++i) sum += part(a, i, 8, a_signed) * part(b, i, 8, b_signed);
        return static_cast<u32>(sum);
      });
      for (const int high : {0, 1}) {
        check_form<u32>(std::string("dp2a.") + (high != 0 ? "hi" : "lo") + types, rows,
                        [=](u32 a, u32 b, u32 c) {
                          s64 sum = c;
                          for (int i = 0; i < 2; ++i)
                            sum += part(a, i, 16, a_signed) * part(b, 2 * high + i, 8, b_signed);
                          return static_cast<u32>(sum);
                        });
      }
    }
  }
}

TEST_CASE("SIMD video instructions work on bytes and half words, saturate and accumulate") {
  for (const int bits : {8, 16}) {
    const std::string parts = std::to_string(32 / bits);
    check_video("vadd" + parts, bits, {false, true}, [](s64 a, s64 b) { return a + b; });
    check_video("vsub" + parts, bits, {false, true}, [](s64 a, s64 b) { return a - b; });
    check_video("vabsdiff" + parts, bits, {false, true}, [](s64 a, s64 b) { return a < b ? b - a : a - b; });
    check_video("vmin" + parts, bits, {false, true}, [](s64 a, s64 b) { return std::min(a, b); });
    check_video("vmax" + parts, bits, {false, true}, [](s64 a, s64 b) { return std::max(a, b); });
    // The average, halves away from zero.
    check_video("vavrg" + parts, bits, {false, true},
                [](s64 a, s64 b) { return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2); });
  }
  check_form<u32>("vset4.s32.s32.lt", rows_of(kWords, kWords, std::vector<u32>{0}), [](u32 a, u32 b, u32) {
    u32 packed = 0;
    for (int i = 0; i < 4; ++i) packed |= (part(a, i, 8, true) < part(b, i, 8, true) ? 1U : 0U) << (8 * i);
    return packed;
  });
  check_form<u32>("vset2.u32.u32.ge.add", rows_of(kWords, kWords, std::vector<u32>{5}),
                  [](u32 a, u32 b, u32 c) {
                    for (int i = 0; i < 2; ++i) c += part(a, i, 16, false) >= part(b, i, 16, false) ? 1 : 0;
                    return c;
                  });
}

TEST_CASE("pairs of 16-bit integers are added and compared") {
  const auto check = [](const std::string& form, bool is_signed, auto f) {
    check_form<u32>(form, rows_of(kWords, kWords), [=](u32 a, u32 b) {
      const auto half = [&](int i) {
        return static_cast<u32>(f(part(a, i, 16, is_signed), part(b, i, 16, is_signed))) & 0xFFFFU;
      };
      return half(0) | half(1) << 16U;
    });
  };
  check("add.s16x2", true, [](s64 a, s64 b) { return a + b; });
  check("add.u16x2", false, [](s64 a, s64 b) { return a + b; });
  check("min.s16x2", true, [](s64 a, s64 b) { return std::min(a, b); });
  check("max.u16x2", false, [](s64 a, s64 b) { return std::max(a, b); });
  check("max.s16x2.relu", true, [](s64 a, s64 b) { return std::max({a, b, s64{0}}); });
  check("min.s16x2.relu", true, [](s64 a, s64 b) { return std::max(std::min(a, b), s64{0}); });
  const auto words = test::tricky_integers<s32>();
  check_form<s32>("min.s32.relu", rows_of(words, words),
                  [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
}

TEST_CASE("24-bit products, their halves and sums") {
  const auto check = [](bool is_signed) {
    const std::string suffix = is_signed ? "s32" : "u32";
    const auto product = [=](u32 a, u32 b) { return part(a, 0, 24, is_signed) * part(b, 0, 24, is_signed); };
    check_form<u32>("mul24.lo." + suffix, rows_of(kWords, kWords),
                    [=](u32 a, u32 b) { return static_cast<u32>(product(a, b)); });
    check_form<u32>("mul24.hi." + suffix, rows_of(kWords, kWords),
                    [=](u32 a, u32 b) { return static_cast<u32>(product(a, b) >> 16); });
    check_form<u32>("mad24.lo." + suffix, rows_of(kWords, kWords, kWords),
                    [=](u32 a, u32 b, u32 c) { return static_cast<u32>(product(a, b)) + c; });
    check_form<u32>("mad24.hi." + suffix, rows_of(kWords, kWords, kWords),
                    [=](u32 a, u32 b, u32 c) { return static_cast<u32>(product(a, b) >> 16) + c; });
  };
  check(false);
  check(true);
  check_form<std::int32_t>("mad24.hi.sat.s32", rows_of(kWords, kWords, kWords), [](u32 a, u32 b, u32 c) {
    const std::int64_t product =
        (std::int64_t{static_cast<std::int32_t>(a << 8U) >> 8} * (static_cast<std::int32_t>(b << 8U) >> 8)) >>
        16;
    const std::int64_t sum = static_cast<std::int32_t>(product) + std::int64_t{static_cast<std::int32_t>(c)};
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  });
}

TEST_CASE("bits are searched, masks made and fields extended as in the manual") {
  const std::vector<u32> counts{0, 1, 5, 16, 31, 32, 33, 63, 64, 255, 0xFFFFFFFF};
  for (const bool clamps : {false, true}) {
    const std::string mode = clamps ? ".clamp" : ".wrap";
    check_form<u32>("bmsk" + mode + ".b32", rows_of(counts, counts), [=](u32 from, u32 width) {
      if (clamps && from >= 32) return 0U;
      u32 mask = 0;
      for (u32 i = 0; i < (clamps ? std::min(width, 64U) : width % 32); ++i) {
        if (from % 32 + i < 32) mask |= 1U << (from % 32 + i);
      }
      return mask;
    });
    for (const bool is_signed : {false, true}) {
      check_form<u32>(
          "szext" + mode + (is_signed ? ".s32" : ".u32"), rows_of(kWords, counts), [=](u32 a, u32 n) {
            if (clamps && n >= 32) return a;
            return n % 32 == 0 ? 0 : static_cast<u32>(part(a, 0, static_cast<int>(n % 32), is_signed));
          });
    }
  }
  const std::vector<s32> offsets{0, 1, 2, 5, 32, 33, -1, -2, -32, std::numeric_limits<s32>::min()};
  check_form<u32>("fns.b32", rows_of(kWords, std::vector<u32>{0, 3, 17, 31}, offsets),
                  [](u32 mask, u32 base, s32 offset) {
                    if (offset == 0) return (mask >> base & 1U) != 0 ? base : ~0U;
                    s64 wanted = offset;
                    const int step = offset > 0 ? 1 : -1;
                    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
                      if ((mask >> at & 1U) != 0 && (wanted -= step) == 0) return static_cast<u32>(at);
                    }
                    return ~0U;
                  });
}

TEST_CASE("three-input logic can write a predicate") {
  test::Gpu gpu(test::kernel_text(".param .u64 out, .param .u32 a", R"(
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd1;
    ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [out];
    setp.eq.u32 %p1, %r1, 6;
    lop3.or.b32 %r2|%p2, %r1, 0xFC, -1, 0x80, %p1;
    lop3.and.b32 _|%p3, %r1, 1, 0, 0xFE, !%p1;
    selp.u32 %r3, 1, 0, %p2;
    selp.u32 %r4, 2, 0, %p3;
    st.global.v2.u32 [%rd1], {%r2, %r3}; st.global.u32 [%rd1+8], %r4; ret;)"));
  const auto out = gpu.zeros<u32>(3);
  const auto computed = [&](u32 a) {
    gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out, a));
    return gpu.download<u32>(out, 3);
  };
  CHECK(computed(6) == std::vector<u32>{4, 1, 0});
  CHECK(computed(3) == std::vector<u32>{0, 0, 2});
}

}  // namespace packed_integer_test
