// Floating-point arithmetic with one rounding: PTX ISA, "Floating Point Instructions". Approximate functions
// have no reference: the manual specifies an error bound, not a result.
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <limits>

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

struct Rounding {
  const char* name;
  int mode;
};
constexpr Rounding kRoundings[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// Operands are read and the result is written between the changes of the rounding mode: compilers do not
/// move volatile accesses.
template <class T, class Operation, class... A>
T with_mode(int mode, Operation operation, A... operands) {
  std::fesetround(mode);
  const T result = [&](volatile A... copies) {
    const volatile T computed = operation(static_cast<T>(copies)...);
    return computed;
  }(operands...);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// "head.f32" and its variants with .ftz and .sat.
template <class... A, class Operation>
void add_variants(std::vector<Form>& forms, const std::string& head, bool may_saturate, Operation operation) {
  using T = std::common_type_t<A...>;
  add<T, A...>(forms, head + "." + type_name<T>(), operation);
  if constexpr (sizeof(T) == 4) {
    const auto flush = [operation](A... a) { return flushed(operation(flushed(a)...)); };
    add<T, A...>(forms, head + ".ftz.f32", flush);
    if (!may_saturate) return;
    add<T, A...>(forms, head + ".sat.f32", [operation](A... a) { return saturated(operation(a...)); });
    add<T, A...>(forms, head + ".ftz.sat.f32", [flush](A... a) { return saturated(flush(a...)); });
  }
}

template <class... A, class Operation>
void add_rounded(std::vector<Form>& forms, const std::string& opcode, bool may_saturate,
                 Operation operation) {
  using T = std::common_type_t<A...>;
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    add_variants<A...>(forms, opcode + "." + rounding.name, may_saturate,
                       [=](A... a) { return with_mode<T>(mode, operation, a...); });
  }
}

template <class T>
T smaller(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T>
void add_arithmetic(std::vector<Form>& forms) {
  const std::string type = "." + type_name<T>();
  add_rounded<T, T>(forms, "add", true, [](T a, T b) { return a + b; });
  add_rounded<T, T>(forms, "sub", true, [](T a, T b) { return a - b; });
  add_rounded<T, T>(forms, "mul", true, [](T a, T b) { return a * b; });
  add_rounded<T, T, T>(forms, "fma", true, [](T a, T b, T c) { return std::fma(a, b, c); });
  add_rounded<T, T>(forms, "div", false, [](T a, T b) { return a / b; });
  add_rounded<T>(forms, "rcp", false, [](T a) { return T{1} / a; });
  add_rounded<T>(forms, "sqrt", false, [](T a) { return std::sqrt(a); });
  add_variants<T, T>(forms, "min", false, smaller<T>);
  add_variants<T, T>(forms, "max", false, [](T a, T b) { return -smaller(-a, -b); });
  add_variants<T>(forms, "neg", false, [](T a) { return -a; });
  add_variants<T>(forms, "abs", false, [](T a) { return std::fabs(a); });
  add<T, T, T>(forms, "copysign" + type, [](T a, T b) { return std::copysign(b, a); }).shows_nan_bits = true;
}

template <class T>
void add_classes(std::vector<Form>& forms) {
  const std::string type = "." + type_name<T>();
  add<bool, T>(forms, "testp.finite" + type, [](T a) { return std::isfinite(a); });
  add<bool, T>(forms, "testp.infinite" + type, [](T a) { return std::isinf(a); });
  add<bool, T>(forms, "testp.number" + type, [](T a) { return !std::isnan(a); });
  add<bool, T>(forms, "testp.notanumber" + type, [](T a) { return std::isnan(a); });
  // The manual does not define the class of zero; on hardware, zero is not normal in either test.
  const auto not_zero = [](const Bits* v) { return from_bits<T>(v[0]) != 0; };
  add<bool, T>(forms, "testp.normal" + type, [](T a) { return std::isnormal(a); }).is_defined = not_zero;
  add<bool, T>(forms, "testp.subnormal" + type, [](T a) {
    return std::fpclassify(a) == FP_SUBNORMAL;
  }).is_defined = not_zero;
}

}  // namespace

void add_float_forms(std::vector<Form>& forms) {
  add_arithmetic<float>(forms);
  add_arithmetic<double>(forms);
  add_classes<float>(forms);
  add_classes<double>(forms);
}

}  // namespace fuzz
