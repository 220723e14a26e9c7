// Conversions: PTX ISA, cvt.
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include "form.hpp"

namespace fuzz {
namespace {

template <class T>
T flushed(T x) {
  return sizeof(T) == 4 && std::fabs(x) < FLT_MIN ? std::copysign(T{0}, x) : x;
}
template <class T>
T saturated(T x) {
  return x > 1 ? T{1} : x > 0 ? x : T{0};
}

/// 8-bit values are in 32-bit registers.
template <class T>
using Held = std::conditional_t<sizeof(T) == 1, std::uint32_t, T>;

struct Rounding {
  const char* name;
  int mode;
};
constexpr Rounding kRoundings[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class To, class From>
To converted(int mode, From value) {
  std::fesetround(mode);
  const volatile From copy = value;
  const volatile To result = static_cast<To>(copy);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class F>
F to_integral(int mode, F value) {
  switch (mode) {
    case FE_TOWARDZERO:
      return std::trunc(value);
    case FE_DOWNWARD:
      return std::floor(value);
    case FE_UPWARD:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

/// NaN gives 0, except with a 64-bit type: then only the highest bit of the result is set.
template <class I, class F>
I clamped(F integral) {
  using L = std::numeric_limits<I>;
  if (std::isnan(integral))
    return sizeof(I) == 8 || sizeof(F) == 8 ? static_cast<I>(std::uint64_t{1} << (8 * sizeof(I) - 1)) : I{0};
  if (integral <= static_cast<long double>(L::min())) return L::min();
  if (integral >= static_cast<long double>(L::max())) return L::max();
  return static_cast<I>(integral);
}

template <class To, class From>
To nearest_integer(From value) {
  using L = std::numeric_limits<To>;
  return std::cmp_less(value, L::min())      ? L::min()
         : std::cmp_greater(value, L::max()) ? L::max()
                                             : static_cast<To>(value);
}

template <class To, class From>
std::string types() {
  return "." + type_name<To>() + "." + type_name<From>();
}

/// The value in the low bits of its register.
template <class From>
From low(Held<From> held) {
  return static_cast<From>(held);
}

template <class To, class From>
void add_integers(std::vector<Form>& forms) {
  add<Held<To>, Held<From>>(forms, "cvt" + types<To, From>(),
                            [](Held<From> a) { return static_cast<To>(low<From>(a)); });
  using T = std::numeric_limits<To>;
  using F = std::numeric_limits<From>;
  // The manual allows saturation only if a value can be out of range.
  if (std::cmp_less_equal(T::min(), F::min()) && std::cmp_greater_equal(T::max(), F::max())) return;
  add<Held<To>, Held<From>>(forms, "cvt.sat" + types<To, From>(),
                            [](Held<From> a) { return nearest_integer<To>(low<From>(a)); });
}

template <class I, class F>
void add_integer_and_float(std::vector<Form>& forms) {
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string name = std::string("cvt.") + rounding.name;
    add<Held<I>, F>(forms, name + "i" + types<I, F>(), [=](F a) { return clamped<I>(to_integral(mode, a)); });
    add<Held<I>, F>(forms, name + "i.sat" + types<I, F>(),
                    [=](F a) { return clamped<I>(to_integral(mode, a)); });
    add<F, Held<I>>(forms, name + types<F, I>(), [=](Held<I> a) { return converted<F>(mode, low<I>(a)); });
    if constexpr (sizeof(F) == 4) {
      add<Held<I>, F>(forms, name + "i.ftz" + types<I, F>(),
                      [=](F a) { return clamped<I>(to_integral(mode, flushed(a))); });
    }
  }
  add<F, Held<I>>(forms, "cvt.rn.sat" + types<F, I>(),
                  [](Held<I> a) { return saturated(converted<F>(FE_TONEAREST, low<I>(a))); });
}

template <class F>
void add_same_float(std::vector<Form>& forms) {
  add<F, F>(forms, "cvt" + types<F, F>(), [](F a) { return a; });
  add<F, F>(forms, "cvt.sat" + types<F, F>(), [](F a) { return saturated(a); });
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string name = std::string("cvt.") + rounding.name + "i";
    add<F, F>(forms, name + types<F, F>(), [=](F a) { return to_integral(mode, a); });
    add<F, F>(forms, name + ".sat" + types<F, F>(), [=](F a) { return saturated(to_integral(mode, a)); });
    if constexpr (sizeof(F) == 4) {
      add<F, F>(forms, name + ".ftz" + types<F, F>(), [=](F a) { return to_integral(mode, flushed(a)); });
    }
  }
}

void add_between_floats(std::vector<Form>& forms) {
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string name = std::string("cvt.") + rounding.name;
    add<float, double>(forms, name + ".f32.f64", [=](double a) { return converted<float>(mode, a); });
    add<float, double>(forms, name + ".ftz.f32.f64",
                       [=](double a) { return flushed(converted<float>(mode, a)); });
    add<float, double>(forms, name + ".sat.f32.f64",
                       [=](double a) { return saturated(converted<float>(mode, a)); });
  }
  add<double, float>(forms, "cvt.f64.f32", [](float a) { return double{a}; });
  add<double, float>(forms, "cvt.ftz.f64.f32", [](float a) { return double{flushed(a)}; });
  add<double, float>(forms, "cvt.sat.f64.f32", [](float a) { return saturated(double{a}); });
}

template <class To>
void add_to(std::vector<Form>& forms) {
  const auto from = [&]<class... From>() { (add_integers<To, From>(forms), ...); };
  from.template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                           std::int16_t, std::int32_t, std::int64_t>();
  add_integer_and_float<To, float>(forms);
  add_integer_and_float<To, double>(forms);
}

}  // namespace

void add_convert_forms(std::vector<Form>& forms) {
  add_to<std::uint8_t>(forms);
  add_to<std::uint16_t>(forms);
  add_to<std::uint32_t>(forms);
  add_to<std::uint64_t>(forms);
  add_to<std::int8_t>(forms);
  add_to<std::int16_t>(forms);
  add_to<std::int32_t>(forms);
  add_to<std::int64_t>(forms);
  add_same_float<float>(forms);
  add_same_float<double>(forms);
  add_between_floats(forms);
}

}  // namespace fuzz
