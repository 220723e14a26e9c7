// min and max of floats with all their modifiers, packed f32x2 arithmetic, slct and combined set.
#include <cfloat>
#include <cmath>

#include "vgpu/evaluate.hpp"

namespace float_selection_test {

using test::check_form;
using test::rows_of;
using test::tricky_floats;

namespace {

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

float smaller(float a, float b) {
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
float larger(float a, float b) {
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}
float with_nan(float a, float b, float result) { return std::isnan(a) ? a : (std::isnan(b) ? b : result); }

std::uint64_t pair_of(float low, float high) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32U | std::bit_cast<std::uint32_t>(low);
}

}  // namespace

TEST_CASE("minimum and maximum pass NaN on, flush, and take the sign of the product with their modifiers") {
  const auto values = tricky_floats<float>();
  const auto pairs = rows_of(values, values);
  check_form<float>("min.NaN.f32", pairs, [](float a, float b) { return with_nan(a, b, smaller(a, b)); });
  check_form<float>("max.NaN.f32", pairs, [](float a, float b) { return with_nan(a, b, larger(a, b)); });
  check_form<float>("min.ftz.f32", pairs, [](float a, float b) { return smaller(flushed(a), flushed(b)); });
  check_form<float>("max.ftz.NaN.f32", pairs,
                    [](float a, float b) { return with_nan(a, b, larger(flushed(a), flushed(b))); });
  check_form<float>("max.xorsign.abs.f32", pairs, [](float a, float b) {
    if (std::isnan(a) && std::isnan(b)) return a;
    const float magnitude = larger(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -magnitude : magnitude;
  });
}

TEST_CASE("minimum and maximum take three inputs") {
  const auto values = tricky_floats<float>();
  const auto rows = rows_of(values, values, values);
  check_form<float>("min.f32", rows, [](float a, float b, float c) { return smaller(smaller(a, b), c); });
  check_form<float>("max.NaN.f32", rows, [](float a, float b, float c) {
    return with_nan(a, b, with_nan(c, c, larger(larger(a, b), c)));
  });
}

TEST_CASE("an instruction with more operands than its form has is refused") {
  test::Gpu gpu(test::kernel_text(".param .u64 out", ".reg .b32 %r<4>; add.u32 %r1, %r2, %r3, %r3; ret;"));
  const auto fault =
      gpu.fault(vgpu::FaultKind::unsupported, "k", {1, 1, 1}, {1, 1, 1}, test::pack(gpu.zeros<int>(1)));
  CHECK(fault.instruction == "add.u32");
  CHECK_THAT(fault.detail, testing::contains("additional operand"));
}

TEST_CASE("pairs of floats are added, multiplied and fused") {
  const std::vector<std::uint64_t> pairs{pair_of(1.5F, -2), pair_of(0x1p-140F, 3e38F),
                                         pair_of(-0.0F, 1e-20F)};
  const auto check = [&](const std::string& form, auto f) {
    check_form<std::uint64_t>(form, rows_of(pairs, pairs), [=](std::uint64_t a, std::uint64_t b) {
      const auto half = [](std::uint64_t x, unsigned shift) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(x >> shift));
      };
      return pair_of(f(half(a, 0), half(b, 0)), f(half(a, 32), half(b, 32)));
    });
  };
  check("add.rn.f32x2", [](float a, float b) { return a + b; });
  check("sub.f32x2", [](float a, float b) { return a - b; });
  check("mul.ftz.f32x2", [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
}

TEST_CASE("slct chooses by sign, and -0 and flushed numbers are not negative, NaN is") {
  const auto values = tricky_floats<float>();
  check_form<std::uint64_t>("slct.u64.f32",
                            rows_of(std::vector<std::uint64_t>{7}, std::vector<std::uint64_t>{9}, values),
                            [](std::uint64_t a, std::uint64_t b, float c) { return c >= 0 ? a : b; });
  check_form<std::uint32_t>(
      "slct.ftz.b32.f32", rows_of(std::vector<std::uint32_t>{7}, std::vector<std::uint32_t>{9}, values),
      [](std::uint32_t a, std::uint32_t b, float c) { return flushed(c) >= 0 ? a : b; });
}

TEST_CASE("set flushes subnormals with .ftz") {
  const auto values = tricky_floats<float>();
  check_form<std::uint32_t>("set.eq.ftz.u32.f32", rows_of(values, values),
                            [](float a, float b) { return flushed(a) == flushed(b) ? ~0U : 0U; });
}

}  // namespace float_selection_test
