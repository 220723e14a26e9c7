// Arithmetic, selection and comparison of f16 and bf16 numbers against rounding by search.
#include "vgpu/evaluate.hpp"
#include "vgpu/small_float_reference.hpp"

namespace half_test {

using test::check_form;
using test::kBf16;
using test::kF16;
using test::Mode;
using test::round_to;
using test::rows_of;
using test::SmallFormat;
using test::value_of;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

long double clamped(long double x) { return x > 0 ? std::fmin(x, 1.0L) : 0.0L; }
u16 rounded(SmallFormat f, long double x) { return static_cast<u16>(round_to(f, x)); }
u16 flushed(SmallFormat f, u16 x) {
  return (x & (f.sign() - 1)) < 1U << f.mantissa_bits ? static_cast<u16>(x & f.sign()) : x;
}

/// The scalar form on all pairs; the packed form on the same with another pair in the upper half.
template <class Expected>
void check_both(const std::string& form, SmallFormat f, Expected expected) {
  const auto values = test::tricky_halves(f);
  check_form<u16>(form, rows_of(values, values), expected);
  std::vector<u32> pairs;
  for (std::size_t i = 0; i < values.size(); ++i)
    pairs.push_back(values[i] | u32{values[(i * 7 + 3) % values.size()]} << 16U);
  check_form<u32>(form + "x2", rows_of(pairs, pairs), [&](u32 a, u32 b) {
    const auto part = [&](unsigned shift) {
      return u32{expected(static_cast<u16>(a >> shift), static_cast<u16>(b >> shift))};
    };
    return part(0) | part(16) << 16U;
  });
}

}  // namespace

TEST_CASE("sums and products of 16-bit floats are rounded once") {
  const auto check = [](const std::string& type, SmallFormat f) {
    const auto value = [f](u16 bits) { return value_of(f, bits); };
    check_both("add." + type, f, [=](u16 a, u16 b) { return rounded(f, value(a) + value(b)); });
    check_both("sub.rn." + type, f, [=](u16 a, u16 b) { return rounded(f, value(a) - value(b)); });
    check_both("mul." + type, f, [=](u16 a, u16 b) { return rounded(f, value(a) * value(b)); });
  };
  check("f16", kF16);
  check("bf16", kBf16);
}

TEST_CASE("neg and abs work on 16-bit floats") {
  const auto values = test::tricky_halves(kF16);
  for (const std::string type : {"f16", "bf16"}) {
    check_form<u16>("neg." + type, rows_of(values), [](u16 a) { return static_cast<u16>(a ^ 0x8000U); });
    check_form<u16>("abs." + type, rows_of(values), [](u16 a) { return static_cast<u16>(a & 0x7FFFU); });
    check_form<u32>("neg." + type + "x2", rows_of(std::vector<u32>{0x12349876, 0}),
                    [](u32 a) { return a ^ 0x80008000U; });
    check_form<u32>("abs." + type + "x2", rows_of(std::vector<u32>{0x92349876, 0x80000000}),
                    [](u32 a) { return a & 0x7FFF7FFFU; });
  }
}

TEST_CASE("fused multiply-add of 16-bit floats rounds the exact sum once") {
  const auto halves = test::tricky_halves(kF16);
  // 64 bits of mantissa hold every a * b + c of f16 numbers.
  check_form<u16>("fma.rn.f16", rows_of(halves, halves, halves), [](u16 a, u16 b, u16 c) {
    return rounded(kF16, value_of(kF16, a) * value_of(kF16, b) + value_of(kF16, c));
  });
  check_form<u16>("fma.rn.relu.f16", rows_of(halves, halves, halves), [](u16 a, u16 b, u16 c) {
    const u16 sum = rounded(kF16, value_of(kF16, a) * value_of(kF16, b) + value_of(kF16, c));
    return (sum & 0x8000U) != 0 ? u16{0} : sum;
  });
  const std::vector<u16> near_one{0x3F80, 0x3F81, 0xBF80, 0x3F00, 0x4049, 0xC120,
                                  0x3E80, 0,      0x8000, 0x7F80, 0x7FFF};
  check_form<u16>("fma.rn.bf16", rows_of(near_one, near_one, near_one), [](u16 a, u16 b, u16 c) {
    return rounded(kBf16, value_of(kBf16, a) * value_of(kBf16, b) + value_of(kBf16, c));
  });
  // 1.5 * (1 + 2^-7) = 1.51171875 is halfway between two numbers; the addend, 2^-100 or less, decides.
  const auto middle = [](u16 addend) {
    return test::evaluate<u16, u16, u16, u16>("fma.rn.bf16", {{0x3FC0, 0x3F81, addend}})[0];
  };
  CHECK(middle(0) == 0x3FC2);
  CHECK(middle(0x0D80) == 0x3FC2);
  CHECK(middle(0x8D80) == 0x3FC1);
  CHECK(middle(0x8001) == 0x3FC1);
}

TEST_CASE("16-bit floats saturate and flush with .sat and .ftz") {
  check_both("add.sat.f16", kF16,
             [](u16 a, u16 b) { return rounded(kF16, clamped(value_of(kF16, a) + value_of(kF16, b))); });
  check_both("mul.ftz.f16", kF16, [](u16 a, u16 b) {
    const long double product = value_of(kF16, flushed(kF16, a)) * value_of(kF16, flushed(kF16, b));
    return flushed(kF16, rounded(kF16, product));
  });
}

TEST_CASE("minimum and maximum of 16-bit floats order the zeros and handle NaN") {
  const auto check = [](const std::string& type, SmallFormat f) {
    const auto less = [f](u16 a, u16 b) {
      const long double x = value_of(f, a), y = value_of(f, b);
      return x < y || (x == y && std::signbit(x) && !std::signbit(y));
    };
    const auto is_nan = [f](u16 a) { return std::isnan(value_of(f, a)); };
    const auto nan = static_cast<u16>(f.nan());
    check_both("min." + type, f, [=](u16 a, u16 b) {
      if (is_nan(a)) return is_nan(b) ? nan : b;
      return is_nan(b) || less(a, b) ? a : b;
    });
    check_both("max.NaN." + type, f, [=](u16 a, u16 b) {
      if (is_nan(a) || is_nan(b)) return nan;
      return less(a, b) ? b : a;
    });
    check_both("max.xorsign.abs." + type, f, [=](u16 a, u16 b) {
      const auto x = static_cast<u16>(a & 0x7FFFU), y = static_cast<u16>(b & 0x7FFFU);
      const auto sign = static_cast<u16>((a ^ b) & 0x8000U);
      if (is_nan(x) && is_nan(y)) return nan;
      const u16 larger = is_nan(x) || (!is_nan(y) && less(x, y)) ? y : x;
      return static_cast<u16>(larger | sign);
    });
  };
  check("f16", kF16);
  check("bf16", kBf16);
}

TEST_CASE("set of 16-bit floats gives 1 or all ones if the comparison holds") {
  const auto check = [](const std::string& type, SmallFormat f, u16 one) {
    const auto value = [f](u16 bits) { return value_of(f, bits); };
    const auto values = test::tricky_halves(f);
    check_form<u16>("set.lt." + type + "." + type, rows_of(values, values),
                    [=](u16 a, u16 b) { return value(a) < value(b) ? one : u16{0}; });
    check_form<u32>("set.geu.u32." + type, rows_of(values, values),
                    [=](u16 a, u16 b) { return value(a) < value(b) ? 0U : ~0U; });
    check_form<u32>(
        "set.lt." + type + "x2." + type + "x2",
        rows_of(std::vector<u32>{0x00008000, 0xBC003C00}, std::vector<u32>{0x3C000000, 0x7FFF3C00}),
        [=](u32 a, u32 b) {
          const auto half = [&](unsigned shift) {
            const bool less = value(static_cast<u16>(a >> shift)) < value(static_cast<u16>(b >> shift));
            return less ? u32{one} : 0U;
          };
          return half(0) | half(16) << 16U;
        });
    check_form<u32>("set.ne.u32." + type + "x2",
                    rows_of(std::vector<u32>{0x3C003C00, 0x7FFF3C00, 0x80000000},
                            std::vector<u32>{0x3C000000, 0x7FFF3C00, 0}),
                    [=](u32 a, u32 b) {
                      const auto half = [&](unsigned shift) {
                        const long double x = value(static_cast<u16>(a >> shift));
                        const long double y = value(static_cast<u16>(b >> shift));
                        return x < y || x > y ? 0xFFFFU : 0U;
                      };
                      return half(0) | half(16) << 16U;
                    });
  };
  check("f16", kF16, 0x3C00);
  check("bf16", kBf16, 0x3F80);
}

TEST_CASE("setp of pairs of 16-bit floats writes one predicate for each half") {
  test::Gpu gpu(test::kernel_text(".param .u64 out, .param .u32 a, .param .u32 b", R"(
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u64 %rd1, [out];
    setp.lt.f16x2 %p1|%p2, %r1, %r2;
    selp.u32 %r3, 1, 0, %p1;
    selp.u32 %r4, 2, 0, %p2;
    or.b32 %r5, %r3, %r4;
    setp.lt.and.bf16 %p3, %r1, %r2, %p1;
    st.global.u32 [%rd1], %r5; ret;)"));
  const auto out = gpu.zeros<u32>(1);
  const auto compared = [&](u32 a, u32 b) {
    gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out, a, b));
    return gpu.download<u32>(out, 1)[0];
  };
  CHECK(compared(0x3C003C00, 0x3C004000) == 1);
  CHECK(compared(0x3C003C00, 0x40003C00) == 2);
  CHECK(compared(0xBC00BC00, 0x00010001) == 3);
  CHECK(compared(0x7FFF3C00, 0x3C007FFF) == 0);
}

}  // namespace half_test
