// Conversions: between integers, from and to floating point in every rounding, saturation, moves and packing.
#include <cfenv>
#include <cmath>

#include "vgpu/evaluate.hpp"

namespace convert_test {

using test::check_form;
using test::rows_of;
using test::tricky_floats;
using test::tricky_integers;

namespace {

__extension__ using s128 = __int128;

template <class T>
std::string name() {
  if (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "f64" : "f32";
  return std::string(std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
}
template <class To, class From>
std::string form(const std::string& round) {
  return "cvt" + round + "." + name<To>() + "." + name<From>();
}

template <class To, class From>
void check_integers() {
  const auto rows = rows_of(tricky_integers<From>());
  check_form<To>(form<To, From>(""), rows, [](From a) { return static_cast<To>(a); });
  check_form<To>(form<To, From>(".sat"), rows, [](From a) {
    using L = std::numeric_limits<To>;
    return static_cast<To>(std::clamp<s128>(a, L::min(), L::max()));
  });
}

template <class I, class F>
I to_integer(F integral) {
  using L = std::numeric_limits<I>;
  if (std::isnan(integral))
    return sizeof(I) == 8 || sizeof(F) == 8 ? static_cast<I>(1ULL << (8 * sizeof(I) - 1)) : I{0};
  const long double wide = integral;  // 64 bits of mantissa: every limit is exact
  if (wide <= static_cast<long double>(L::min())) return L::min();
  if (wide >= static_cast<long double>(L::max())) return L::max();
  return static_cast<I>(wide);
}

template <class I, class F>
void check_float_to_integer() {
  const auto rows = rows_of(tricky_floats<F>());
  check_form<I>(form<I, F>(".rzi"), rows, [](F a) { return to_integer<I>(std::trunc(a)); });
  check_form<I>(form<I, F>(".rmi"), rows, [](F a) { return to_integer<I>(std::floor(a)); });
  check_form<I>(form<I, F>(".rpi"), rows, [](F a) { return to_integer<I>(std::ceil(a)); });
  check_form<I>(form<I, F>(".rni"), rows, [](F a) { return to_integer<I>(std::nearbyint(a)); });
}

template <class To, class From>
void check_rounding(const std::vector<From>& values) {
  const auto with = [](int mode) {
    return [mode](From a) {
      volatile From source = a;
      std::fesetround(mode);
      const volatile To result = static_cast<To>(source);
      std::fesetround(FE_TONEAREST);
      return To{result};
    };
  };
  check_form<To>(form<To, From>(".rn"), rows_of(values), with(FE_TONEAREST));
  check_form<To>(form<To, From>(".rz"), rows_of(values), with(FE_TOWARDZERO));
  check_form<To>(form<To, From>(".rm"), rows_of(values), with(FE_DOWNWARD));
  check_form<To>(form<To, From>(".rp"), rows_of(values), with(FE_UPWARD));
}

template <class F, class I>
void check_both_ways() {
  check_float_to_integer<I, F>();
  check_rounding<F, I>(tricky_integers<I>());
}

}  // namespace

TEST_CASE("integers are extended, truncated and saturated") {
  check_integers<std::uint32_t, std::uint8_t>();
  check_integers<std::int32_t, std::int8_t>();
  check_integers<std::uint16_t, std::uint32_t>();
  check_integers<std::int16_t, std::int32_t>();
  check_integers<std::uint32_t, std::int32_t>();
  check_integers<std::int32_t, std::uint64_t>();
  check_integers<std::int64_t, std::int32_t>();
  check_integers<std::uint64_t, std::uint32_t>();
  check_integers<std::uint32_t, std::uint64_t>();
  check_integers<std::int64_t, std::uint32_t>();
  check_integers<std::int8_t, std::int32_t>();
}

TEST_CASE("floats become integers with every rounding, clamped, NaN as in the manual") {
  check_both_ways<float, std::int32_t>();
  check_both_ways<float, std::uint32_t>();
  check_both_ways<float, std::int64_t>();
  check_both_ways<float, std::uint64_t>();
  check_both_ways<double, std::int32_t>();
  check_both_ways<double, std::uint32_t>();
  check_both_ways<double, std::int64_t>();
  check_both_ways<double, std::uint64_t>();
  check_both_ways<float, std::int16_t>();
  check_both_ways<float, std::uint8_t>();
}

TEST_CASE("doubles become floats with every rounding and floats doubles exactly") {
  auto values = tricky_floats<double>();
  values.insert(values.end(), {0.1, 1 + 1e-10, 1e39, 1e-40, -1e-46});
  check_rounding<float, double>(values);
  check_form<double>("cvt.f64.f32", rows_of(tricky_floats<float>()), [](float a) { return double{a}; });
}

TEST_CASE("floats are rounded to whole numbers and saturated") {
  const auto rows = rows_of(tricky_floats<float>());
  check_form<float>("cvt.rni.f32.f32", rows, [](float a) { return std::nearbyint(a); });
  check_form<float>("cvt.rzi.f32.f32", rows, [](float a) { return std::trunc(a); });
  check_form<float>("cvt.rmi.f32.f32", rows, [](float a) { return std::floor(a); });
  check_form<float>("cvt.rpi.f32.f32", rows, [](float a) { return std::ceil(a); });
  check_form<float>("cvt.sat.f32.f32", rows, [](float a) { return a > 0 ? std::fmin(a, 1.0F) : 0.0F; });
}

TEST_CASE(
    "cvt takes registers wider than its types: the source is chopped, the result extended by its type") {
  const auto rows = rows_of<std::int64_t>(
      {0, 1, -1, 0x7F, 0x80, 0xFFFF'8000, 0x7FFF'FFFF, 0x8000'0000, 0x1'8000'0080, -0x1'0000'0001});
  const auto check = [&]<class To, class From>(const std::string& form) {
    CAPTURE(form);
    check_form<std::int64_t>(form, rows, [](std::int64_t a) {
      return static_cast<std::int64_t>(static_cast<To>(static_cast<From>(a)));
    });
  };
  check.operator()<std::int64_t, std::int32_t>("cvt.s64.s32");
  check.operator()<std::int64_t, std::int8_t>("cvt.s64.s8");
  check.operator()<std::uint64_t, std::uint16_t>("cvt.u64.u16");
  check.operator()<std::int32_t, std::int64_t>("cvt.s32.s64");
  check.operator()<std::uint32_t, std::int64_t>("cvt.u32.s64");
  check.operator()<std::uint16_t, std::int8_t>("cvt.u16.s8");
  check.operator()<std::int16_t, std::int16_t>("cvt.s16.s16");
  check_form<double>("cvt.rn.f64.s32", rows,
                     [](std::int64_t a) { return double(static_cast<std::int32_t>(a)); });
  check_form<std::int64_t>("@!%p1 cvt.s64.s32", rows,
                           [](std::int64_t a) { return std::int64_t{static_cast<std::int32_t>(a)}; });
}

TEST_CASE("wider registers of floats are refused") {
  test::Gpu gpu(test::kernel_text("", ".reg .f64 %d<2>; .reg .b32 %r1; cvt.u32.u16 %r1, %d1; ret;"));
  CHECK(gpu.fault(vgpu::FaultKind::unsupported, "k", {1, 1, 1}, {32, 1, 1}, {}).detail ==
        "cvt.u32.u16 register %d1 is 64 bits wide, but 32 bits are needed");
}

TEST_CASE("moves pack, unpack and keep bits") {
  test::Gpu gpu(test::kernel_text(".param .u64 out", R"(
    .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .f32 %f<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0x11223344;
    mov.u32 %r2, 0x55667788;
    mov.b64 %rd2, {%r1, %r2};
    st.global.u64 [%rd1], %rd2;
    mov.b64 {%r3, %r4}, %rd2;
    st.global.v2.u32 [%rd1+8], {%r4, %r3};
    mov.b32 {%h1, %h2}, %r1;
    mov.b32 %r5, {%h2, %h1};
    st.global.u32 [%rd1+16], %r5;
    mov.f32 %f1, 0f3FC00000;
    mov.b32 %r6, %f1;
    st.global.u32 [%rd1+20], %r6;
    mov.b64 {%r7, _}, %rd2;
    st.global.u32 [%rd1+24], %r7;
    ret;)"));
  const auto out = gpu.zeros<std::uint32_t>(8);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out));
  CHECK(gpu.download<std::uint32_t>(out, 7) == std::vector<std::uint32_t>{0x11223344, 0x55667788, 0x55667788,
                                                                          0x11223344, 0x33441122, 0x3FC00000,
                                                                          0x11223344});
}

}  // namespace convert_test
