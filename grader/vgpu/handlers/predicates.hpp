// For forms_*.cpp only: code that comparisons share. A predicate register is one mask of 32 bits.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "vgpu/handlers/lanes.hpp"

namespace vgpu::exec::VGPU_ISA {

inline constexpr auto kLaneBit = [] {
  std::array<std::uint32_t, kWarpLanes> bits{};
  for (int lane = 0; lane < kWarpLanes; ++lane) bits[lane] = 1U << lane;
  return bits;
}();

inline void write_predicate(Warp& warp, std::uint32_t offset, std::uint32_t value) {
  std::uint32_t& predicate = warp.predicate(offset);
  predicate = (predicate & ~warp.mask) | (value & warp.mask);
}

/// The combination of a comparison with the predicate c in setp.lt.and p|q, a, b, c; Decoded::option.
enum class Combine : std::uint8_t { none, with_and, with_or, with_xor };

inline std::uint32_t combined(Warp& warp, const Decoded& d, std::uint32_t value) {
  if (d.c == kNowhere) return value;
  const std::uint32_t other = warp.predicate(d.c) ^ negation_of(d);
  switch (static_cast<Combine>(option_without_negation(d))) {
    case Combine::with_and:
      return value & other;
    case Combine::with_or:
      return value | other;
    case Combine::with_xor:
      return value ^ other;
    case Combine::none:
      break;
  }
  return value;
}

/// Writes the destinations p and q of setp that are present.
inline void write_comparison(Warp& warp, const Decoded& d, std::uint32_t p, std::uint32_t q) {
  if (d.dst != kNowhere) write_predicate(warp, d.dst, combined(warp, d, p));
  if (d.extra != kNowhere) write_predicate(warp, d.extra, combined(warp, d, q));
}

/// Adds head + tail, head + ".and" + tail and so on. `general` handles every combination of operands,
/// `simple` only the one with p alone.
[[gnu::noinline]] inline void add_setp_forms(FormTable& t, std::string_view head, std::string_view tail,
                                             Lane lane, Handler general, Handler simple = nullptr) {
  Form form{.handler = simple == nullptr ? general : simple,
            .counted_as = InstructionClass::predicate,
            .shape = Shape::compare,
            .operands = {Lane::predicate, lane, lane, Lane::predicate}};
  form.memory[0] = general;
  t[{head, tail}] = form;
  form.handler = general;
  const auto add = [&](const char* spelled, Combine combine) {
    form.option = static_cast<std::uint8_t>(combine);
    t[{head, spelled, tail}] = form;
  };
  add(".and", Combine::with_and);
  add(".or", Combine::with_or);
  add(".xor", Combine::with_xor);
}

/// Calls add<F>(name) for every floating-point comparison of PTX. The unordered ones are also true if either
/// side is NaN.
template <class T, class Add>
void for_each_float_comparison(Add add) {
  add.template operator()<[](T a, T b) { return a == b; }>("eq");
  add.template operator()<[](T a, T b) { return (a < b || a > b); }>("ne");
  add.template operator()<[](T a, T b) { return a < b; }>("lt");
  add.template operator()<[](T a, T b) { return a <= b; }>("le");
  add.template operator()<[](T a, T b) { return (a > b); }>("gt");
  add.template operator()<[](T a, T b) { return (a >= b); }>("ge");
  add.template operator()<[](T a, T b) { return (!(a < b || a > b)); }>("equ");
  add.template operator()<[](T a, T b) { return (!(a == b)); }>("neu");
  add.template operator()<[](T a, T b) { return (!(a >= b)); }>("ltu");
  add.template operator()<[](T a, T b) { return (!(a > b)); }>("leu");
  add.template operator()<[](T a, T b) { return (!(a <= b)); }>("gtu");
  add.template operator()<[](T a, T b) { return (!(a < b)); }>("geu");
  add.template operator()<[](T a, T b) { return a == a && b == b; }>("num");
  add.template operator()<[](T a, T b) { return (!(a == a && b == b)); }>("nan");
}

}  // namespace vgpu::exec::VGPU_ISA
