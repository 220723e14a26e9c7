// The approximate functions (PTX ISA 9.7.3: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, div with .approx and
// .full). approximate_functions.hpp describes their computation; special values are those
// of the manual.
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <string>

#include "vgpu/handlers/approximate_functions.hpp"
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

constexpr auto kClass = InstructionClass::special;

inline float flushed(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x; }
/// Rounds to float; every NaN result has the same bits, as on NVIDIA hardware.
inline float rounded(double x) {
  return x == x ? static_cast<float>(x) : std::bit_cast<float>(std::uint32_t{0x7FFFFFFF});
}

template <auto F>
void add_function(FormTable& t, std::string_view opcode) {
  t[{opcode, ".f32"}] = lanewise<[](float a) { return rounded(F(double{a})); }>(kClass);
  t[{opcode, ".ftz.f32"}] = lanewise<[](float a) { return flushed(rounded(F(double{flushed(a)}))); }>(kClass);
}

/// a * (1 / b), where 1 / b is 0 for divisors above 2^126: the quotient is 0, or NaN for an infinite
/// dividend.
inline double divided_approximately(double a, double b) {
  return std::fabs(b) > 0x1p126 ? a * std::copysign(0.0, b) : a / b;
}

template <auto F>
void add_division(FormTable& t, std::string_view opcode) {
  t[{opcode, ".f32"}] = lanewise<[](float a, float b) { return rounded(F(double{a}, double{b})); }>(kClass);
  t[{opcode, ".ftz.f32"}] =
      lanewise<[](float a, float b) { return flushed(rounded(F(double{flushed(a)}, double{flushed(b)}))); }>(
          kClass);
}

/// The "gross" approximations for double use only the upper 32 bits of operand and result, without
/// subnormals.
inline double upper_word(double x) {
  if (x != x) return std::bit_cast<double>(std::uint64_t{0x7FFFFFFF00000000});
  if (std::fabs(x) < DBL_MIN) return std::copysign(0.0, x);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xFFFFFFFF00000000);
}

}  // namespace

void add_approximate_forms(FormTable& t) {
  add_function<[](double a) { return 1 / a; }>(t, "rcp.approx");
  add_function<[](double a) { return std::sqrt(a); }>(t, "sqrt.approx");
  add_function<[](double a) { return 1 / std::sqrt(a); }>(t, "rsqrt.approx");
  add_function<[](double a) { return sin_of(a); }>(t, "sin.approx");
  add_function<[](double a) { return cos_of(a); }>(t, "cos.approx");
  add_function<[](double a) { return log2_of(a); }>(t, "lg2.approx");
  add_function<[](double a) { return exp2_of(a); }>(t, "ex2.approx");
  add_function<[](double a) { return tanh_of(a); }>(t, "tanh.approx");
  add_division<[](double a, double b) { return divided_approximately(a, b); }>(t, "div.approx");
  add_division<[](double a, double b) { return a / b; }>(t, "div.full");
  t["rcp.approx.ftz.f64"] = lanewise<[](double a) { return upper_word(1 / upper_word(a)); }>(kClass);
  t["rsqrt.approx.ftz.f64"] =
      lanewise<[](double a) { return upper_word(1 / std::sqrt(upper_word(a))); }>(kClass);
  // cuRAND uses this spelling, and ptxas accepts it.
  for (const std::string_view opcode : {"rcp", "rsqrt", "lg2", "ex2"})
    t[{opcode, ".approx.f32.ftz"}] = t[{opcode, ".approx.ftz.f32"}];
  t["rsqrt.approx.f64"] = lanewise<[](double a) { return 1 / std::sqrt(a); }>(kClass);
}

}  // namespace vgpu::exec::VGPU_ISA
