// Every floating-point form against host arithmetic on values where it could go wrong.
#include <cfenv>
#include <cfloat>
#include <cmath>

#include "vgpu/evaluate.hpp"

namespace float_test {

using test::check_form;
using test::rows_of;
using test::tricky_floats;

namespace {

template <class T>
std::string name() {
  return sizeof(T) == 8 ? "f64" : "f32";
}

/// Runs f with another rounding mode; `volatile` keeps the compiler from computing ahead.
template <class T, class F>
T rounded(int mode, F f) {
  std::fesetround(mode);
  const volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
void check_rounding(const std::string& suffix, int mode) {
  const auto values = tricky_floats<T>();
  const std::string type = suffix + "." + name<T>();
  check_form<T>("add" + type, rows_of(values, values), [&](T a, T b) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return x + b; });
  });
  check_form<T>("sub" + type, rows_of(values, values), [&](T a, T b) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return x - b; });
  });
  check_form<T>("mul" + type, rows_of(values, values), [&](T a, T b) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return x * b; });
  });
  check_form<T>("div" + type, rows_of(values, values), [&](T a, T b) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return x / b; });
  });
  check_form<T>("sqrt" + type, rows_of(values), [&](T a) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return std::sqrt(T{x}); });
  });
  check_form<T>("rcp" + type, rows_of(values), [&](T a) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return 1 / x; });
  });
  check_form<T>("fma" + type, rows_of(values, values, values), [&](T a, T b, T c) {
    volatile T x = a;
    return rounded<T>(mode, [&] { return std::fma(T{x}, b, c); });
  });
}

template <class T>
void check_selection() {
  const auto values = tricky_floats<T>();
  const auto pairs = rows_of(values, values);
  check_form<T>("min." + name<T>(), pairs, [](T a, T b) {
    if (a == 0 && b == 0) return std::signbit(a) ? a : b;
    return std::fmin(a, b);
  });
  check_form<T>("max." + name<T>(), pairs, [](T a, T b) {
    if (a == 0 && b == 0) return std::signbit(a) ? b : a;
    return std::fmax(a, b);
  });
  check_form<T>("neg." + name<T>(), rows_of(values), [](T a) { return -a; });
  check_form<T>("abs." + name<T>(), rows_of(values), [](T a) { return std::fabs(a); });
  check_form<T>("copysign." + name<T>(), pairs, [](T a, T b) { return std::copysign(b, a); });
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

/// The result is within `ulps` units in the last place of the exact value.
void check_close(const std::string& form, double (*exact)(double), double tolerance) {
  const std::vector<float> values{0.1F, 0.5F, 1, 1.5F, 2, 3.25F, 10, 0.001F};
  const auto results = test::evaluate<float, float>(form, rows_of(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(form << " of " << values[i] << " is " << results[i]);
    const double wanted = exact(values[i]);
    CHECK(std::fabs(results[i] - wanted) <= tolerance * std::max(1.0, std::fabs(wanted)));
  }
}

}  // namespace

TEST_CASE("arithmetic rounds to nearest by default") {
  check_rounding<float>(".rn", FE_TONEAREST);
  check_rounding<double>(".rn", FE_TONEAREST);
  const auto values = tricky_floats<float>();
  check_form<float>("add.f32", rows_of(values, values), [](float a, float b) { return a + b; });
  check_form<double>("mul.f64", rows_of(tricky_floats<double>(), tricky_floats<double>()),
                     [](double a, double b) { return a * b; });
}

TEST_CASE("arithmetic rounds towards zero, down and up with .rz, .rm and .rp") {
  check_rounding<float>(".rz", FE_TOWARDZERO);
  check_rounding<float>(".rm", FE_DOWNWARD);
  check_rounding<float>(".rp", FE_UPWARD);
  check_rounding<double>(".rz", FE_TOWARDZERO);
  check_rounding<double>(".rm", FE_DOWNWARD);
  check_rounding<double>(".rp", FE_UPWARD);
}

TEST_CASE("a rounding mode ends with its instruction") {
  // Otherwise the host's own arithmetic after the launch would change.
  check_rounding<float>(".rp", FE_UPWARD);
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("minimum and maximum prefer numbers to NaN and order the zeros") {
  check_selection<float>();
  check_selection<double>();
}

TEST_CASE("flush-to-zero treats subnormal operands and results as zeros") {
  const auto values = tricky_floats<float>();
  const auto pairs = rows_of(values, values);
  check_form<float>("add.ftz.f32", pairs, [](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  check_form<float>("mul.rn.ftz.f32", pairs,
                    [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  check_form<float>("fma.rn.ftz.f32", rows_of(values, values, values), [](float a, float b, float c) {
    return flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  });
}

TEST_CASE("saturation clamps to the unit interval and turns NaN into 0") {
  const auto values = tricky_floats<float>();
  const auto saturated = [](float x) { return x != x ? 0.0F : std::fmin(std::fmax(x, 0.0F), 1.0F); };
  check_form<float>("add.sat.f32", rows_of(values, values),
                    [&](float a, float b) { return a + b == 0 ? 0.0F : saturated(a + b); });
  check_form<float>("fma.rn.sat.f32", rows_of(values, values, values), [&](float a, float b, float c) {
    const float x = std::fma(a, b, c);
    return x == 0 ? 0.0F : saturated(x);
  });
}

TEST_CASE("approximate functions are close to the exact ones") {
  constexpr double kSingle = 1.2e-7;
  check_close(
      "rcp.approx.ftz.f32", [](double x) { return 1 / x; }, kSingle);
  check_close(
      "sqrt.approx.f32", [](double x) { return std::sqrt(x); }, kSingle);
  check_close(
      "rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, kSingle);
  check_close(
      "sin.approx.f32", [](double x) { return std::sin(x); }, kSingle);
  check_close(
      "cos.approx.f32", [](double x) { return std::cos(x); }, kSingle);
  check_close(
      "lg2.approx.f32", [](double x) { return std::log2(x); }, kSingle);
  check_close(
      "ex2.approx.ftz.f32", [](double x) { return std::exp2(x); }, kSingle);
  check_close(
      "tanh.approx.f32", [](double x) { return std::tanh(x); }, kSingle);
  check_form<float>("div.full.f32", rows_of(tricky_floats<float>(), tricky_floats<float>()),
                    [](float a, float b) { return a / b; });
}

}  // namespace float_test
