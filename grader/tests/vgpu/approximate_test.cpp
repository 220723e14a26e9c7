// The approximate functions against the host's mathematics library, within the error that the PTX manual
// documents (and closer: half a unit in the last place and a little), and their special values.
#include <cmath>
#include <cstdint>

#include "vgpu/evaluate.hpp"

namespace approximate_test {

using test::check_form;
using test::rows_of;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 0x1p-140F;  // subnormal

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

/// Distance in units of the last place of `wanted` as a float.
double error_in_ulps(float result, double wanted) {
  if (std::isnan(wanted)) return std::isnan(result) ? 0 : HUGE_VAL;
  if (static_cast<double>(result) == wanted) return 0;
  if (std::fabs(wanted) > std::numeric_limits<float>::max()) return std::isinf(result) ? 0 : HUGE_VAL;
  const double unit = std::max(std::ldexp(1.0, std::ilogb(wanted) - 23), 0x1p-149);
  return std::fabs(result - wanted) / unit;
}

std::vector<float> arguments(float low, float high) {
  std::vector<float> values{low, high};
  for (int i = 1; i < 400; ++i) values.push_back(low + (high - low) * static_cast<float>(i) / 400.0F);
  return values;
}
std::vector<float> all_magnitudes() {
  std::vector<float> values;
  for (int exponent = -149; exponent < 128; ++exponent) {
    for (const float m : {1.0F, 1.3333333F, 1.9999999F}) values.push_back(std::ldexp(m, exponent));
  }
  return values;
}

void check_close(const std::string& form, const std::vector<float>& values, double (*exact)(double)) {
  constexpr double kOneRounding = 0.5001;
  const auto results = test::evaluate<float, float>(form, rows_of(values));
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = error_in_ulps(results[i], exact(values[i]));
    if (error > kOneRounding) UNSCOPED_INFO(form << " of " << values[i] << " is " << results[i]);
    worst = std::max(worst, error);
  }
  CHECK(worst <= kOneRounding);
}

struct Special {
  float of, is;
};
void check_special(const std::string& form, const std::vector<Special>& cases) {
  std::vector<float> values;
  for (const Special& special : cases) values.push_back(special.of);
  const auto results = test::evaluate<float, float>(form, rows_of(values));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(form << " of " << cases[i].of << " is " << results[i]);
    CHECK(test::comparable(results[i]) == test::comparable(cases[i].is));
  }
}

}  // namespace

TEST_CASE("approximate functions are rounded once") {
  check_close("ex2.approx.f32", arguments(-150, 128), std::exp2);
  check_close("ex2.approx.f32", arguments(-1, 1), std::exp2);
  check_close("lg2.approx.f32", all_magnitudes(), std::log2);
  check_close("lg2.approx.f32", arguments(0.5F, 2), std::log2);
  check_close("rcp.approx.f32", all_magnitudes(), [](double x) { return 1 / x; });
  check_close("sqrt.approx.f32", all_magnitudes(), std::sqrt);
  check_close("rsqrt.approx.f32", all_magnitudes(), [](double x) { return 1 / std::sqrt(x); });
  check_close("tanh.approx.f32", arguments(-10, 10), std::tanh);
  check_close("tanh.approx.f32", arguments(-0.6F, 0.6F), std::tanh);
  check_close("tanh.approx.f32", all_magnitudes(), std::tanh);
}

TEST_CASE("sine and cosine stay within the documented absolute error, and close to it far from zero") {
  const auto check = [](const std::string& form, double (*exact)(double), const std::vector<float>& values,
                        double bound) {
    const auto results = test::evaluate<float, float>(form, rows_of(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO(form << " of " << values[i]);
      REQUIRE(std::fabs(results[i] - exact(values[i])) <= bound);
    }
  };
  constexpr double kRounding = 0x1p-25 + 0x1p-40;
  for (const auto& range :
       {arguments(-3.1415927F, 3.1415927F), arguments(-1000, 1000), arguments(1e6F, 1.001e6F)}) {
    check("sin.approx.f32", std::sin, range, kRounding);
    check("cos.approx.f32", std::cos, range, kRounding);
  }
  check_close("sin.approx.f32", arguments(-0.7F, 0.7F), std::sin);
  for (const float x : test::evaluate<float, float>("sin.approx.f32", rows_of(all_magnitudes())))
    REQUIRE(std::fabs(x) <= 1);
}

TEST_CASE("special values of approximate functions agree with the manual") {
  check_special("ex2.approx.f32", {{-kInfinity, 0},
                                   {kInfinity, kInfinity},
                                   {kNan, kNan},
                                   {-0.0F, 1},
                                   {0, 1},
                                   {kTiny, 1},
                                   {-200, 0},
                                   {-149, 0x1p-149F},
                                   {200, kInfinity}});
  check_special("ex2.approx.ftz.f32", {{-149, 0}, {-126, 0x1p-126F}, {kTiny, 1}});
  check_special("lg2.approx.f32", {{-kInfinity, kNan},
                                   {-1, kNan},
                                   {-0.0F, -kInfinity},
                                   {0, -kInfinity},
                                   {kInfinity, kInfinity},
                                   {kNan, kNan},
                                   {kTiny, -140},
                                   {1, 0}});
  check_special("ex2.approx.f32.ftz", {{-149, 0}, {kTiny, 1}});
  check_special("lg2.approx.ftz.f32", {{kTiny, -kInfinity}, {-kTiny, -kInfinity}});
  check_special("rcp.approx.ftz.f32", {{-kInfinity, -0.0F},
                                       {-0.0F, -kInfinity},
                                       {0, kInfinity},
                                       {kTiny, kInfinity},
                                       {-kTiny, -kInfinity},
                                       {kInfinity, 0},
                                       {kNan, kNan},
                                       {0x1p127F, 0}});
  check_special("sqrt.approx.f32",
                {{-kInfinity, kNan}, {-1, kNan}, {-0.0F, -0.0F}, {0, 0}, {kInfinity, kInfinity}});
  check_special("rsqrt.approx.f32",
                {{-kInfinity, kNan}, {-1, kNan}, {-0.0F, -kInfinity}, {0, kInfinity}, {kInfinity, 0}});
  check_special("sin.approx.f32",
                {{-kInfinity, kNan}, {kInfinity, kNan}, {-0.0F, -0.0F}, {0, 0}, {kTiny, kTiny}});
  check_special("sin.approx.ftz.f32", {{kTiny, 0}, {-kTiny, -0.0F}});
  check_special("cos.approx.f32", {{kInfinity, kNan}, {-0.0F, 1}, {0, 1}, {kNan, kNan}});
  check_special("tanh.approx.f32",
                {{-kInfinity, -1}, {kInfinity, 1}, {-0.0F, -0.0F}, {kTiny, kTiny}, {kNan, kNan}});
}

TEST_CASE("approximate division gives zero for divisors beyond 2^126, full division the quotient") {
  const auto floats = test::tricky_floats<float>();
  std::vector<float> divisors = floats;
  divisors.insert(divisors.end(), {0x1p126F, 0x1.8p126F, -0x1p127F, 3});
  check_form<float>("div.approx.f32", rows_of(floats, divisors), [](float a, float b) {
    if (std::fabs(b) <= 0x1p126F || std::isnan(b)) return a / b;
    if (std::isinf(a) || std::isnan(a)) return kNan;
    return std::signbit(a) == std::signbit(b) ? 0.0F : -0.0F;
  });
  check_form<float>("div.full.f32", rows_of(floats, divisors), [](float a, float b) { return a / b; });
  check_form<float>("div.full.ftz.f32", rows_of(floats, divisors),
                    [](float a, float b) { return flushed(flushed(a) / flushed(b)); });
}

TEST_CASE("gross approximations of doubles set only the upper word") {
  std::vector<double> values = test::tricky_floats<double>();
  values.push_back(1.2345678901234567);
  const auto upper = [](double x) {
    if (std::isnan(x)) return x;
    if (std::fpclassify(x) == FP_SUBNORMAL) return std::copysign(0.0, x);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) >> 32U << 32U);
  };
  check_form<double>("rcp.approx.ftz.f64", rows_of(values), [&](double a) { return upper(1 / upper(a)); });
  check_form<double>("rsqrt.approx.ftz.f64", rows_of(values),
                     [&](double a) { return upper(1 / std::sqrt(upper(a))); });
  check_form<double>("rsqrt.approx.f64", rows_of(values), [](double a) { return 1 / std::sqrt(a); });
}

}  // namespace approximate_test
