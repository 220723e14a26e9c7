// Conversions from and to f16, bf16, tf32, e4m3 and e5m2 against rounding by search; cvt.pack.
#include "vgpu/evaluate.hpp"
#include "vgpu/small_float_reference.hpp"

namespace small_float_convert_test {

using namespace test;

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

std::vector<float> floats_near(SmallFormat f) {
  std::vector<float> values = tricky_floats<float>();
  for (const u16 bits : tricky_halves(f)) {
    const auto value = static_cast<float>(value_of(f, bits));
    const auto next = static_cast<float>(value_of(f, bits + 1U));
    for (const float x :
         {value, (value + next) / 2, std::nextafter(value, next), std::nextafter((value + next) / 2, 0.0F)})
      values.push_back(x);
  }
  return values;
}

const std::pair<const char*, Mode> kModes[] = {
    {".rn", Mode::nearest}, {".rz", Mode::zero}, {".rm", Mode::down}, {".rp", Mode::up}};

void check_to(const std::string& type, SmallFormat f) {
  const auto floats = floats_near(f);
  const std::vector<double> doubles(floats.begin(), floats.end());
  for (const auto& [name, mode] : kModes) {
    const auto expected = [f, m = mode](auto a) { return static_cast<u16>(round_to(f, a, m)); };
    check_form<u16>(std::string("cvt") + name + "." + type + ".f32", rows_of(floats), expected);
    check_form<u16>(std::string("cvt") + name + "." + type + ".f64", rows_of(doubles), expected);
    const auto integer = [&]<class I>(const std::string& from) {
      check_form<u16>(std::string("cvt") + name + "." + type + "." + from, rows_of(tricky_integers<I>()),
                      expected);
    };
    integer.template operator()<std::int32_t>("s32");
    integer.template operator()<std::uint64_t>("u64");
    integer.template operator()<std::int64_t>("s64");
    integer.template operator()<u16>("u16");
    integer.template operator()<std::int8_t>("s8");
  }
  check_form<u16>("cvt.rn.relu." + type + ".f32", rows_of(floats), [f](float a) {
    const u32 bits = round_to(f, a);
    return static_cast<u16>((bits & f.sign()) != 0 ? 0 : bits);
  });
  check_form<u32>("cvt.rn." + type + "x2.f32", rows_of(floats_near(f), std::vector<float>{1.5F, -0.0F}),
                  [f](float a, float b) { return round_to(f, a) << 16U | round_to(f, b); });
}

void check_from(const std::string& type, SmallFormat f) {
  std::vector<u16> all;
  for (u32 bits = 0; bits < 0x10000; bits += f.mantissa_bits == 10 ? 1 : 7)
    all.push_back(static_cast<u16>(bits));
  const auto value = [f](u16 a) { return value_of(f, a); };
  check_form<float>("cvt.f32." + type, rows_of(all), [=](u16 a) { return static_cast<float>(value(a)); });
  check_form<double>("cvt.f64." + type, rows_of(all), [=](u16 a) { return static_cast<double>(value(a)); });
  const auto values = tricky_halves(f);
  const auto whole = [=]<class I>(const std::string& name, I nan, auto round) {
    check_form<I>("cvt" + name + "." + type, rows_of(values), [=](u16 a) {
      const long double x = round(value(a));
      if (std::isnan(x)) return nan;
      if (x <= static_cast<long double>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
      if (x >= static_cast<long double>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
      return static_cast<I>(x);
    });
  };
  whole(".rni.s32", 0, [](long double x) { return std::nearbyint(x); });
  whole(".rzi.u16", u16{0}, [](long double x) { return std::trunc(x); });
  whole(".rmi.s16", std::int16_t{0}, [](long double x) { return std::floor(x); });
  whole(".rpi.s8", std::int8_t{0}, [](long double x) { return std::ceil(x); });
  whole(".rzi.s64", std::numeric_limits<std::int64_t>::min(), [](long double x) { return std::trunc(x); });
  check_form<u16>("cvt.rpi." + type + "." + type, rows_of(values),
                  [=](u16 a) { return static_cast<u16>(round_to(f, std::ceil(value(a)))); });
}

void check_quarters(const std::string& type, SmallFormat f) {
  const auto floats = floats_near(f);
  check_form<u16>("cvt.rn.satfinite." + type + "x2.f32", rows_of(floats, std::vector<float>{1.5F, -1e9F}),
                  [f](float a, float b) {
                    return static_cast<u16>(round_to(f, a, Mode::nearest, true) << 8U |
                                            round_to(f, b, Mode::nearest, true));
                  });
  std::vector<u16> pairs;
  for (u32 bits = 0; bits < 256; ++bits) pairs.push_back(static_cast<u16>(bits << 8U | (bits * 37 & 0xFFU)));
  check_form<u32>("cvt.rn.f16x2." + type + "x2", rows_of(pairs), [f](u16 a) {
    return round_to(kF16, value_of(f, a >> 8U)) << 16U | round_to(kF16, value_of(f, a & 0xFFU));
  });
}

}  // namespace

TEST_CASE("numbers become f16 and bf16 with every rounding") {
  check_to("f16", kF16);
  check_to("bf16", kBf16);
}

TEST_CASE("every f16 and many bf16 become the numbers that they mean") {
  check_from("f16", kF16);
  check_from("bf16", kBf16);
}

TEST_CASE("8-bit floats come in pairs and saturate") {
  check_quarters("e4m3", kE4m3);
  check_quarters("e5m2", kE5m2);
}

TEST_CASE("floats lose digits to become tf32") {
  auto values = tricky_floats<float>();
  for (const u32 bits :
       {0x3F801000U, 0x3F800FFFU, 0x3F801001U, 0x3F803000U, 0xBF801000U, 0x7F7FFFFFU, 0x7F7FEFFFU, 1U})
    values.push_back(std::bit_cast<float>(bits));
  check_form<u32>("cvt.rna.tf32.f32", rows_of(values),
                  [](float a) { return round_to(kTf32, a, Mode::away) << 13U; });
  check_form<u32>("cvt.rn.tf32.f32", rows_of(values), [](float a) { return round_to(kTf32, a) << 13U; });
}

TEST_CASE("integers are packed with saturation") {
  const auto values = tricky_integers<std::int32_t>();
  const auto clamp = [](std::int64_t x, std::int64_t low, std::int64_t high) {
    return static_cast<u32>(std::clamp(x, low, high));
  };
  check_form<u32>("cvt.pack.sat.u16.s32", rows_of(values, values), [&](std::int32_t a, std::int32_t b) {
    return clamp(a, 0, 0xFFFF) << 16U | clamp(b, 0, 0xFFFF);
  });
  check_form<u32>("cvt.pack.sat.s8.s32.b32", rows_of(values, values, std::vector<u32>{0, 0x12345678}),
                  [&](std::int32_t a, std::int32_t b, u32 c) {
                    return c << 16U | (clamp(a, -128, 127) & 0xFFU) << 8U | (clamp(b, -128, 127) & 0xFFU);
                  });
}

}  // namespace small_float_convert_test
