// Conversions between types (PTX ISA 9.7.9, cvt) and plain moves. The rules are in conversion.hpp.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "vgpu/handlers/conversion.hpp"
#include "vgpu/handlers/form_tables.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

constexpr auto kClass = InstructionClass::conversion;

inline float flushed(float x) {
  return std::fabs(x) < FLT_MIN ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x80000000U) : x;
}
template <class To, class From>
// cvt.sat between integers limits the value to the range of the destination (PTX ISA, "cvt").
inline To integer_clamped(From value) {
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <class To, class From>
void add_integer_to_integer(FormTable& t) {
  t[{"cvt", kSuffix<To>, kSuffix<From>}] = lanewise<[](From a) { return static_cast<To>(a); }>(kClass);
  t[{"cvt.sat", kSuffix<To>, kSuffix<From>}] =
      lanewise<[](From a) { return integer_clamped<To>(a); }>(kClass);
}

template <class I, class F, Round kRound>
void add_float_to_integer(FormTable& t, std::string_view round) {
  // Conversions from floating point to integers always clamp (PTX ISA, "cvt"), so .sat adds nothing.
  const Form form = lanewise<[](F a) { return clamped<I>(to_integral<kRound>(a)); }>(kClass);
  t[{"cvt.", round, kSuffix<I>, kSuffix<F>}] = form;
  t[{"cvt.", round, ".sat", kSuffix<I>, kSuffix<F>}] = form;
  if constexpr (std::is_same_v<F, float>) {
    t[{"cvt.", round, ".ftz", kSuffix<I>, kSuffix<F>}] =
        lanewise<[](F a) { return clamped<I>(to_integral<kRound>(flushed(a))); }>(kClass);
  }
}

/// Conversions that can be inexact, in all four rounding modes.
template <class To, class From>
void add_rounded(FormTable& t) {
  constexpr auto kConvert = [](From a) { return static_cast<To>(a); };
  // The host converts in its default mode, round to nearest even, which is .rn.
  Form form = lanewise<kConvert>(kClass);
  t[{"cvt.rn", kSuffix<To>, kSuffix<From>}] = form;
  t[{"cvt.rn.sat", kSuffix<To>, kSuffix<From>}] =
      lanewise<[](From a) { return unit_clamped(static_cast<To>(a)); }>(kClass);
  form.handler = directed<unary<kConvert, To, From>, FE_TOWARDZERO>;
  t[{"cvt.rz", kSuffix<To>, kSuffix<From>}] = form;
  form.handler = directed<unary<kConvert, To, From>, FE_DOWNWARD>;
  t[{"cvt.rm", kSuffix<To>, kSuffix<From>}] = form;
  form.handler = directed<unary<kConvert, To, From>, FE_UPWARD>;
  t[{"cvt.rp", kSuffix<To>, kSuffix<From>}] = form;
  if constexpr (std::is_same_v<To, float>) {
    constexpr auto kFlush = [](From a) { return flushed(static_cast<To>(a)); };
    form.handler = unary<kFlush, To, From>;
    t[{"cvt.rn.ftz", kSuffix<To>, kSuffix<From>}] = form;
    form.handler = directed<unary<kFlush, To, From>, FE_TOWARDZERO>;
    t[{"cvt.rz.ftz", kSuffix<To>, kSuffix<From>}] = form;
    form.handler = directed<unary<kFlush, To, From>, FE_DOWNWARD>;
    t[{"cvt.rm.ftz", kSuffix<To>, kSuffix<From>}] = form;
    form.handler = directed<unary<kFlush, To, From>, FE_UPWARD>;
    t[{"cvt.rp.ftz", kSuffix<To>, kSuffix<From>}] = form;
  }
}

template <class F, Round kRound>
void add_float_to_integral_float(FormTable& t, std::string_view round) {
  t[{"cvt.", round, kSuffix<F>, kSuffix<F>}] = lanewise<[](F a) { return to_integral<kRound>(a); }>(kClass);
  t[{"cvt.", round, ".sat", kSuffix<F>, kSuffix<F>}] =
      lanewise<[](F a) { return unit_clamped(to_integral<kRound>(a)); }>(kClass);
  if constexpr (std::is_same_v<F, float>) {
    t[{"cvt.", round, ".ftz", kSuffix<F>, kSuffix<F>}] =
        lanewise<[](F a) { return to_integral<kRound>(flushed(a)); }>(kClass);
  }
}

template <class I>
void add_integer_conversions(FormTable& t) {
  const auto from = [&]<class... From>() { (add_integer_to_integer<I, From>(t), ...); };
  from.template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                           std::int16_t, std::int32_t, std::int64_t>();
  const auto from_float = [&]<class F>() {
    add_float_to_integer<I, F, Round::nearest_even>(t, "rni");
    add_float_to_integer<I, F, Round::zero>(t, "rzi");
    add_float_to_integer<I, F, Round::down>(t, "rmi");
    add_float_to_integer<I, F, Round::up>(t, "rpi");
    add_rounded<F, I>(t);
  };
  from_float.template operator()<float>();
  from_float.template operator()<double>();
}

template <class F>
void add_same_float(FormTable& t) {
  add_float_to_integral_float<F, Round::nearest_even>(t, "rni");
  add_float_to_integral_float<F, Round::zero>(t, "rzi");
  add_float_to_integral_float<F, Round::down>(t, "rmi");
  add_float_to_integral_float<F, Round::up>(t, "rpi");
  t[{"cvt", kSuffix<F>, kSuffix<F>}] = lanewise<[](F a) { return a; }>(kClass);
  t[{"cvt.sat", kSuffix<F>, kSuffix<F>}] = lanewise<[](F a) { return unit_clamped(a); }>(kClass);
}

template <class T>
const Decoded* move(Warp& warp, const Decoded& d) {
  const T* a = vector_at<const T>(warp, d.a);
  write_lanes<T>(warp, d.dst, [=](int lane) { return a[lane]; });
  return &d + 1;
}

/// mov.b64 %rd, {%r1, %r2} and the like: parts are program.lists[extra], lowest first; `option` is the number
/// of bits per part.
template <class Whole, class Part>
const Decoded* pack(Warp& warp, const Decoded& d) {
  const auto& parts = warp.core->program().list_of(d);
  write_lanes<Whole>(warp, d.dst, [&](int lane) {
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto part = static_cast<Part>(vector_at<const std::uint32_t>(warp, parts[i])[lane]);
      whole |= std::uint64_t{part} << (i * sizeof(Part) * 8);
    }
    return static_cast<Whole>(whole);
  });
  return &d + 1;
}

template <class Whole, class Part>
const Decoded* unpack(Warp& warp, const Decoded& d) {
  const auto& parts = warp.core->program().list_of(d);
  // The source can be one of the destinations as well.
  std::array<Whole, kWarpLanes> whole;
  std::copy_n(vector_at<const Whole>(warp, d.a), kWarpLanes, whole.begin());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == kNowhere) continue;
    const auto shift = i * sizeof(Part) * 8;
    write_lanes<std::uint32_t>(
        warp, parts[i], [&](int lane) { return std::uint32_t{static_cast<Part>(whole[lane] >> shift)}; });
  }
  return &d + 1;
}

void add_moves(FormTable& t) {
  constexpr auto kMove = InstructionClass::move;
  const auto add = [&](const char* type, Lane lane, Handler handler) {
    t[{"mov.", type}] = {
        .handler = handler, .counted_as = kMove, .shape = Shape::move, .operands = {lane, lane}};
  };
  for (const char* type : {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32"})
    add(type, Lane::b32, move<std::uint32_t>);
  for (const char* type : {"b64", "u64", "s64"}) add(type, Lane::b64, move<std::uint64_t>);
  add("f32", Lane::f32, move<std::uint32_t>);
  add("f64", Lane::f64, move<std::uint64_t>);
  // The decoder uses these names for moves from or to a vector of registers: pack32.16 packs two halves.
  const auto add_vector = [&](std::string_view name, Handler to_whole, Handler to_parts) {
    t[{"pack", name}] = {.handler = to_whole, .counted_as = kMove};
    t[{"unpack", name}] = {.handler = to_parts, .counted_as = kMove};
  };
  add_vector("64.2", pack<std::uint64_t, std::uint32_t>, unpack<std::uint64_t, std::uint32_t>);
  add_vector("64.4", pack<std::uint64_t, std::uint16_t>, unpack<std::uint64_t, std::uint16_t>);
  add_vector("32.2", pack<std::uint32_t, std::uint16_t>, unpack<std::uint32_t, std::uint16_t>);
  add_vector("32.4", pack<std::uint32_t, std::uint8_t>, unpack<std::uint32_t, std::uint8_t>);
}

}  // namespace

void add_convert_forms(FormTable& t) {
  const auto to = [&]<class... I>() { (add_integer_conversions<I>(t), ...); };
  to.template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                         std::int32_t, std::int64_t>();
  add_same_float<float>(t);
  add_same_float<double>(t);
  add_rounded<float, double>(t);
  t["cvt.f64.f32"] = lanewise<[](float a) { return double{a}; }>(kClass);
  t["cvt.ftz.f64.f32"] = lanewise<[](float a) { return double{flushed(a)}; }>(kClass);
  t["cvt.ftz.f32.f32"] = lanewise<[](float a) { return flushed(a); }>(kClass);
  t["cvt.ftz.sat.f32.f32"] = lanewise<[](float a) { return unit_clamped(flushed(a)); }>(kClass);
  add_moves(t);
}

}  // namespace vgpu::exec::VGPU_ISA
