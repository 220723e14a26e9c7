// The loops over 32 lanes of which arithmetic handlers consist.
#pragma once

#include "vgpu/handlers/isa.hpp"

namespace vgpu::exec::VGPU_ISA {

/// The type in which the register file keeps a T.
template <class T>
struct StoredAs {
  using type = T;
};
template <class T>
requires(sizeof(T) < 4) struct StoredAs<T> {
  // Sign- or zero-extended, as PTX defines for wider registers.
  using type = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
};
template <class T>
using Stored = typename StoredAs<T>::type;

template <class T>
constexpr Lane lane_of() {
  if constexpr (std::is_same_v<T, float>) return Lane::f32;
  if constexpr (std::is_same_v<T, double>) return Lane::f64;
  return sizeof(T) == 8 ? Lane::b64 : Lane::b32;
}

template <class T>
inline T* vector_at(Warp& warp, std::uint32_t offset) {
  return static_cast<T*>(__builtin_assume_aligned(warp.file + offset, 64));
}

/// dst[lane] = value(lane) in active lanes. A full warp needs no blend; others compute all lanes and blend,
/// which is faster than one branch per lane.
template <class T, class Value>
inline void write_lanes(Warp& warp, std::uint32_t offset, Value value) {
  T* dst = vector_at<T>(warp, offset);
  if (warp.may_write_all) [[likely]] {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpLanes; ++lane) dst[lane] = value(lane);
  } else {
    const std::uint32_t* on = warp.on.data();
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const T result = value(lane);
      dst[lane] = on[lane] != 0 ? result : dst[lane];
    }
  }
}

template <auto F, class R, class A>
const Decoded* unary(Warp& warp, const Decoded& d) {
  const auto* a = vector_at<const Stored<A>>(warp, d.a);
  write_lanes<Stored<R>>(warp, d.dst, [=](int lane) { return F(static_cast<A>(a[lane])); });
  return &d + 1;
}

template <auto F, class R, class A, class B>
const Decoded* binary(Warp& warp, const Decoded& d) {
  const auto* a = vector_at<const Stored<A>>(warp, d.a);
  const auto* b = vector_at<const Stored<B>>(warp, d.b);
  write_lanes<Stored<R>>(warp, d.dst,
                         [=](int lane) { return F(static_cast<A>(a[lane]), static_cast<B>(b[lane])); });
  return &d + 1;
}

template <auto F, class R, class A, class B, class C>
const Decoded* ternary(Warp& warp, const Decoded& d) {
  const auto* a = vector_at<const Stored<A>>(warp, d.a);
  const auto* b = vector_at<const Stored<B>>(warp, d.b);
  const auto* c = vector_at<const Stored<C>>(warp, d.c);
  write_lanes<Stored<R>>(warp, d.dst, [=](int lane) {
    return F(static_cast<A>(a[lane]), static_cast<B>(b[lane]), static_cast<C>(c[lane]));
  });
  return &d + 1;
}

/// Instructions with four inputs; Decoded::extra is the fourth.
template <auto F, class R, class A, class B, class C, class D>
const Decoded* quaternary(Warp& warp, const Decoded& d) {
  const auto* a = vector_at<const Stored<A>>(warp, d.a);
  const auto* b = vector_at<const Stored<B>>(warp, d.b);
  const auto* c = vector_at<const Stored<C>>(warp, d.c);
  const auto* e = vector_at<const Stored<D>>(warp, d.extra);
  write_lanes<Stored<R>>(warp, d.dst, [=](int lane) {
    return F(static_cast<A>(a[lane]), static_cast<B>(b[lane]), static_cast<C>(c[lane]),
             static_cast<D>(e[lane]));
  });
  return &d + 1;
}

template <auto F, class R, class A>
Form form_of(R (*)(A)) {
  return {.handler = unary<F, R, A>, .operands = {lane_of<R>(), lane_of<A>()}};
}
template <auto F, class R, class A, class B>
Form form_of(R (*)(A, B)) {
  return {.handler = binary<F, R, A, B>, .operands = {lane_of<R>(), lane_of<A>(), lane_of<B>()}};
}
template <auto F, class R, class A, class B, class C>
Form form_of(R (*)(A, B, C)) {
  return {.handler = ternary<F, R, A, B, C>,
          .operands = {lane_of<R>(), lane_of<A>(), lane_of<B>(), lane_of<C>()}};
}
template <auto F, class R, class A, class B, class C, class D>
Form form_of(R (*)(A, B, C, D)) {
  return {.handler = quaternary<F, R, A, B, C, D>,
          .operands = {lane_of<R>(), lane_of<A>(), lane_of<B>(), lane_of<C>(), lane_of<D>()}};
}

/// The form that computes F, a function of one lane's values, in every active lane.
template <auto F>
Form lanewise(InstructionClass counted_as) {
  Form form = form_of<F>(+F);
  form.counted_as = counted_as;
  return form;
}

}  // namespace vgpu::exec::VGPU_ISA
