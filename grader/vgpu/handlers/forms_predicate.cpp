// Comparisons, predicates and selections (PTX ISA 9.7.6).
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/predicates.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u32 = std::uint32_t;

/// The mask of the lanes for which F is true.
template <auto F, class T>
inline u32 compared(Warp& warp, const Decoded& d) {
  const auto* a = vector_at<const Stored<T>>(warp, d.a);
  const auto* b = vector_at<const Stored<T>>(warp, d.b);
  u32 mask = 0;
  for (int i = 0; i < kWarpLanes; ++i)
    mask |= F(static_cast<T>(a[i]), static_cast<T>(b[i])) ? kLaneBit[i] : 0;
  return mask;
}

template <auto F, class T>
const Decoded* compare(Warp& warp, const Decoded& d) {
  write_predicate(warp, d.dst, compared<F, T>(warp, d));
  return &d + 1;
}

/// The same mask for the rarer handlers, compiled once for all of them.
template <auto F, class T>
[[gnu::noinline]] u32 compared_once(Warp& warp, const Decoded& d) {
  return compared<F, T>(warp, d);
}
using Compared = u32 (*)(Warp&, const Decoded&);

/// setp.lt.and p|q, a, b, c: p = (a < b) and c, q = not (a < b) and c.
template <Compared kHolds>
const Decoded* compare_and_combine(Warp& warp, const Decoded& d) {
  const u32 holds = kHolds(warp, d);
  write_comparison(warp, d, holds, ~holds);
  return &d + 1;
}

template <class R>
[[gnu::noinline]] void write_set(Warp& warp, const Decoded& d, u32 holds) {
  const R yes = std::is_same_v<R, float> ? R{1} : static_cast<R>(-1);
  write_lanes<R>(warp, d.dst, [=](int lane) { return (holds & kLaneBit[lane]) != 0 ? yes : R{0}; });
}

/// set.lt.u32.f32: all ones (or 1.0f) where the comparison is true; set.lt.and.u32.f32 also combines it with
/// a predicate.
template <Compared kHolds, class R>
const Decoded* set(Warp& warp, const Decoded& d) {
  write_set<R>(warp, d, combined(warp, d, kHolds(warp, d)));
  return &d + 1;
}

/// Adds the forms of set. `flush` is ".ftz" or empty.
void add_set_forms(FormTable& t, std::string_view name, std::string_view flush, std::string_view type,
                   Lane lane, Handler integer_set, Handler float_set) {
  const auto add = [&](std::string_view result, Handler handler) {
    Form form{
        .handler = handler, .counted_as = InstructionClass::predicate, .operands = {Lane::b32, lane, lane}};
    t[{"set.", name, flush, result, ".", type}] = form;
    form.operands[3] = Lane::predicate;
    for (const auto& [spelled, combine] :
         {std::pair{".and", Combine::with_and}, {".or", Combine::with_or}, {".xor", Combine::with_xor}}) {
      form.option = static_cast<std::uint8_t>(combine);
      t[{"set.", name, spelled, flush, result, ".", type}] = form;
    }
  };
  add(".u32", integer_set);
  add(".s32", integer_set);
  add(".f32", float_set);
}

/// `flush` is ".ftz" where the comparison flushes subnormals.
template <class T, auto F>
void add_comparison(FormTable& t, std::string_view name, std::string_view type, std::string_view flush = "") {
  constexpr Compared kHolds = compared_once<F, T>;
  add_setp_forms(t, joined({"setp.", name}), joined({flush, ".", type}), lane_of<T>(),
                 compare_and_combine<kHolds>, compare<F, T>);
  add_set_forms(t, name, flush, type, lane_of<T>(), set<kHolds, u32>, set<kHolds, float>);
}

template <class T>
void add_ordered(FormTable& t, std::string_view type) {
  add_comparison<T, [](T a, T b) { return a == b; }>(t, "eq", type);
  add_comparison<T, [](T a, T b) { return a != b; }>(t, "ne", type);
  add_comparison<T, [](T a, T b) { return a < b; }>(t, "lt", type);
  add_comparison<T, [](T a, T b) { return a <= b; }>(t, "le", type);
  add_comparison<T, [](T a, T b) { return (a > b); }>(t, "gt", type);
  add_comparison<T, [](T a, T b) { return (a >= b); }>(t, "ge", type);
}

template <class T>
void add_integer_comparisons(FormTable& t, std::string_view type) {
  add_ordered<T>(t, type);
  if constexpr (std::is_unsigned_v<T>) {
    add_comparison<T, [](T a, T b) { return a < b; }>(t, "lo", type);
    add_comparison<T, [](T a, T b) { return a <= b; }>(t, "ls", type);
    add_comparison<T, [](T a, T b) { return (a > b); }>(t, "hi", type);
    add_comparison<T, [](T a, T b) { return (a >= b); }>(t, "hs", type);
  }
}

template <class T>
void add_bit_comparisons(FormTable& t, std::string_view type) {
  add_comparison<T, [](T a, T b) { return a == b; }>(t, "eq", type);
  add_comparison<T, [](T a, T b) { return a != b; }>(t, "ne", type);
}

// The sign of a flushed number does not matter: -0 equals +0.
inline float flushed(float x) { return std::fabs(x) < FLT_MIN ? 0.0F : x; }

void add_float_comparisons(FormTable& t) {
  for_each_float_comparison<float>([&]<auto F>(const char* name) {
    add_comparison<float, F>(t, name, "f32");
    add_comparison<float, [](float a, float b) { return F(flushed(a), flushed(b)); }>(t, name, "f32", ".ftz");
  });
  for_each_float_comparison<double>([&]<auto F>(const char* name) {
    add_comparison<double, F>(t, name, "f64");
  });
}

template <class T>
const Decoded* select(Warp& warp, const Decoded& d) {
  const T* a = vector_at<const T>(warp, d.a);
  const T* b = vector_at<const T>(warp, d.b);
  const u32 chosen = warp.predicate(d.c);
  write_lanes<T>(warp, d.dst, [=](int lane) { return (chosen & kLaneBit[lane]) != 0 ? a[lane] : b[lane]; });
  return &d + 1;
}

/// slct: a where c >= 0, otherwise b.
template <class T, class C, bool kFlush = false>
const Decoded* select_by_sign(Warp& warp, const Decoded& d) {
  const T* a = vector_at<const T>(warp, d.a);
  const T* b = vector_at<const T>(warp, d.b);
  const C* c = vector_at<const C>(warp, d.c);
  write_lanes<T>(warp, d.dst, [=](int lane) {
    // With .ftz, a negative subnormal is a zero, which selects a.
    return c[lane] >= 0 || (kFlush && std::fabs(c[lane]) < C(FLT_MIN)) ? a[lane] : b[lane];
  });
  return &d + 1;
}

template <auto F>
const Decoded* predicate_logic(Warp& warp, const Decoded& d) {
  const u32 b = d.b == kNowhere ? 0 : warp.predicate(d.b);
  write_predicate(warp, d.dst, F(warp.predicate(d.a), b));
  return &d + 1;
}

template <auto F, class T>
const Decoded* classify(Warp& warp, const Decoded& d) {
  const T* a = vector_at<const T>(warp, d.a);
  u32 mask = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) mask |= F(a[lane]) ? kLaneBit[lane] : 0;
  write_predicate(warp, d.dst, mask);
  return &d + 1;
}

template <class T>
void add_classifications(FormTable& t, std::string_view type) {
  const auto add = [&](std::string_view name, Handler handler) {
    t[{"testp.", name, ".", type}] = {.handler = handler,
                                      .counted_as = InstructionClass::predicate,
                                      .operands = {Lane::predicate, lane_of<T>()}};
  };
  constexpr T kSmallest = std::numeric_limits<T>::min();
  constexpr T kLargest = std::numeric_limits<T>::max();
  add("finite", classify<[](T a) { return std::fabs(a) <= kLargest; }, T>);
  add("infinite", classify<[](T a) { return (std::fabs(a) > kLargest); }, T>);
  add("number", classify<[](T a) { return a == a; }, T>);
  add("notanumber", classify<[](T a) { return a != a; }, T>);
  add("normal", classify<[](T a) { return (std::fabs(a) <= kLargest && std::fabs(a) >= kSmallest); }, T>);
  add("subnormal", classify<[](T a) { return a != 0 && std::fabs(a) < kSmallest; }, T>);
}

template <class T>
void add_selections(FormTable& t, std::string_view type, Lane lane) {
  const auto add = [&](std::string_view name, Handler handler, Lane chooser) {
    t[name] = {
        .handler = handler, .counted_as = InstructionClass::move, .operands = {lane, lane, lane, chooser}};
  };
  add(joined({"selp.", type}), select<T>, Lane::predicate);
  add(joined({"slct.", type, ".s32"}), select_by_sign<T, std::int32_t>, Lane::b32);
  add(joined({"slct.", type, ".f32"}), select_by_sign<T, float>, Lane::f32);
  add(joined({"slct.ftz.", type, ".f32"}), select_by_sign<T, float, true>, Lane::f32);
}

void add_selections(FormTable& t) {
  for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32"}) add_selections<u32>(t, type, Lane::b32);
  for (const char* type : {"b64", "u64", "s64"}) add_selections<std::uint64_t>(t, type, Lane::b64);
  add_selections<u32>(t, "f32", Lane::f32);
  add_selections<std::uint64_t>(t, "f64", Lane::f64);
}

}  // namespace

void add_predicate_forms(FormTable& t) {
  add_integer_comparisons<std::uint16_t>(t, "u16");
  add_integer_comparisons<std::uint32_t>(t, "u32");
  add_integer_comparisons<std::uint64_t>(t, "u64");
  add_integer_comparisons<std::int16_t>(t, "s16");
  add_integer_comparisons<std::int32_t>(t, "s32");
  add_integer_comparisons<std::int64_t>(t, "s64");
  add_bit_comparisons<std::uint16_t>(t, "b16");
  add_bit_comparisons<std::uint32_t>(t, "b32");
  add_bit_comparisons<std::uint64_t>(t, "b64");
  add_float_comparisons(t);
  add_classifications<float>(t, "f32");
  add_classifications<double>(t, "f64");
  add_selections(t);
  constexpr auto kClass = InstructionClass::predicate;
  constexpr std::array<Lane, 5> kBinary{Lane::predicate, Lane::predicate, Lane::predicate};
  constexpr std::array<Lane, 5> kUnary{Lane::predicate, Lane::predicate};
  t["and.pred"] = {.handler = predicate_logic<[](u32 a, u32 b) { return a & b; }>,
                   .counted_as = kClass,
                   .operands = kBinary};
  t["or.pred"] = {.handler = predicate_logic<[](u32 a, u32 b) { return a | b; }>,
                  .counted_as = kClass,
                  .operands = kBinary};
  t["xor.pred"] = {.handler = predicate_logic<[](u32 a, u32 b) { return a ^ b; }>,
                   .counted_as = kClass,
                   .operands = kBinary};
  t["not.pred"] = {
      .handler = predicate_logic<[](u32 a, u32) { return ~a; }>, .counted_as = kClass, .operands = kUnary};
  t["mov.pred"] = {
      .handler = predicate_logic<[](u32 a, u32) { return a; }>, .counted_as = kClass, .operands = kUnary};
}

}  // namespace vgpu::exec::VGPU_ISA
