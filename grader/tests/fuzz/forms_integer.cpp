// Integer arithmetic: PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision …".
#include <limits>

#include "form.hpp"

namespace fuzz {
namespace {

__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

template <class T>
using Wide =
    std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;

template <class T>
T high(T a, T b) {
  return static_cast<T>(static_cast<i128>(a) * static_cast<i128>(b) >> (8 * sizeof(T)));
}
template <>
std::uint64_t high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<u128>(a) * b >> 64U);
}
/// The low bits of a product, sum or difference; 128 bits never overflow here.
template <class T>
T low_product(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class T>
T low_sum(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class T>
void add_division(std::vector<Form>& forms, const std::string& type) {
  // The smallest number divided by -1 overflows to itself.
  add<T, T, T>(forms, "div." + type, [](T a, T b) { return static_cast<T>(static_cast<i128>(a) / b); });
  forms.back().is_defined = [](const Bits* v) { return from_bits<T>(v[1]) != 0; };
  add<T, T, T>(forms, "rem." + type, [](T a, T b) { return static_cast<T>(static_cast<i128>(a) % b); });
  forms.back().is_defined = [](const Bits* v) { return from_bits<T>(v[1]) != 0; };
}

template <class T>
void add_arithmetic(std::vector<Form>& forms) {
  const std::string type = type_name<T>();
  add<T, T, T>(forms, "add." + type, low_sum<T>);
  add<T, T, T>(forms, "sub." + type, [](T a, T b) { return static_cast<T>(static_cast<i128>(a) - b); });
  add<T, T, T>(forms, "mul.lo." + type, low_product<T>);
  add<T, T, T>(forms, "mul.hi." + type, high<T>);
  add<T, T, T, T>(forms, "mad.lo." + type, [](T a, T b, T c) { return low_sum(low_product(a, b), c); });
  add<T, T, T, T>(forms, "mad.hi." + type, [](T a, T b, T c) { return low_sum(high(a, b), c); });
  add<T, T, T, T>(forms, "sad." + type, [](T a, T b, T c) {
    const i128 difference = static_cast<i128>(a) - b;
    return low_sum(c, static_cast<T>(difference < 0 ? -difference : difference));
  });
  add<T, T, T>(forms, "min." + type, [](T a, T b) { return a < b ? a : b; });
  add<T, T, T>(forms, "max." + type, [](T a, T b) { return a < b ? b : a; });
  add_division<T>(forms, type);
  if constexpr (sizeof(T) < 8) {
    using W = Wide<T>;
    add<W, T, T>(forms, "mul.wide." + type, [](T a, T b) { return low_product(W{a}, W{b}); });
    add<W, T, T, W>(forms, "mad.wide." + type,
                    [](T a, T b, W c) { return low_sum(low_product(W{a}, W{b}), c); });
  }
  if constexpr (std::is_signed_v<T>) {
    add<T, T>(forms, "abs." + type, [](T a) { return static_cast<T>(a < 0 ? -static_cast<i128>(a) : a); });
    add<T, T>(forms, "neg." + type, [](T a) { return static_cast<T>(-static_cast<i128>(a)); });
  }
}

std::int32_t clamped(std::int64_t value) {
  using L = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(value < L::min() ? L::min() : value > L::max() ? L::max() : value);
}

template <class T>
std::int64_t low_24(T value) {
  return std::is_signed_v<T> ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8U) >> 8
                             : static_cast<std::int64_t>(value & 0xFFFFFF);
}

template <class T>
void add_24_bits(std::vector<Form>& forms) {
  const std::string type = type_name<T>();
  add<T, T, T>(forms, "mul24.lo." + type, [](T a, T b) { return static_cast<T>(low_24(a) * low_24(b)); });
  add<T, T, T>(forms, "mul24.hi." + type,
               [](T a, T b) { return static_cast<T>(low_24(a) * low_24(b) >> 16); });
  add<T, T, T, T>(forms, "mad24.lo." + type,
                  [](T a, T b, T c) { return low_sum(static_cast<T>(low_24(a) * low_24(b)), c); });
  add<T, T, T, T>(forms, "mad24.hi." + type,
                  [](T a, T b, T c) { return low_sum(static_cast<T>(low_24(a) * low_24(b) >> 16), c); });
}

/// dp4a and dp2a: products of bytes, and of halves with bytes, summed.
template <class A, class B>
void add_dot_products(std::vector<Form>& forms) {
  using R = std::conditional_t<std::is_signed_v<A> || std::is_signed_v<B>, std::int32_t, std::uint32_t>;
  using A8 = std::conditional_t<std::is_signed_v<A>, std::int8_t, std::uint8_t>;
  using B8 = std::conditional_t<std::is_signed_v<B>, std::int8_t, std::uint8_t>;
  using A16 = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  const std::string types = type_name<A>() + "." + type_name<B>();
  add<R, A, B, R>(forms, "dp4a." + types, [](A a, B b, R c) {
    std::int64_t sum = c;
    for (unsigned i = 0; i < 32; i += 8)
      sum += std::int64_t{static_cast<A8>(a >> i)} * static_cast<B8>(b >> i);
    return static_cast<R>(sum);
  });
  for (const bool high_half : {false, true}) {
    add<R, A, B, R>(
        forms, std::string("dp2a.") + (high_half ? "hi." : "lo.") + types, [high_half](A a, B b, R c) {
          const unsigned start = high_half ? 16 : 0;
          return static_cast<R>(std::int64_t{c} +
                                std::int64_t{static_cast<A16>(a)} * static_cast<B8>(b >> start) +
                                std::int64_t{static_cast<A16>(a >> 16)} * static_cast<B8>(b >> (start + 8)));
        });
  }
}

}  // namespace

void add_integer_forms(std::vector<Form>& forms) {
  add_arithmetic<std::uint16_t>(forms);
  add_arithmetic<std::int16_t>(forms);
  add_arithmetic<std::uint32_t>(forms);
  add_arithmetic<std::int32_t>(forms);
  add_arithmetic<std::uint64_t>(forms);
  add_arithmetic<std::int64_t>(forms);
  add_24_bits<std::uint32_t>(forms);
  add_24_bits<std::int32_t>(forms);
  using s32 = std::int32_t;
  add<s32, s32, s32>(forms, "add.sat.s32", [](s32 a, s32 b) { return clamped(std::int64_t{a} + b); });
  add<s32, s32, s32>(forms, "sub.sat.s32", [](s32 a, s32 b) { return clamped(std::int64_t{a} - b); });
  add<s32, s32, s32, s32>(forms, "mad.hi.sat.s32",
                          [](s32 a, s32 b, s32 c) { return clamped((std::int64_t{a} * b >> 32) + c); });
  add_dot_products<std::uint32_t, std::uint32_t>(forms);
  add_dot_products<std::uint32_t, s32>(forms);
  add_dot_products<s32, std::uint32_t>(forms);
  add_dot_products<s32, s32>(forms);
}

const std::vector<Form>& forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> made;
    add_integer_forms(made);
    add_bit_forms(made);
    add_float_forms(made);
    add_compare_forms(made);
    add_convert_forms(made);
    return made;
  }();
  return all;
}

}  // namespace fuzz
