// What the generated code of the native spike consists of: operations on 32 lanes, which are four (4-byte
// values) or eight (8-byte values) AVX2 registers, and on scalars. Not part of the virtual GPU.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "native.hpp"

namespace native {

// 32 lanes. Members instead of arrays, so that compilers keep them in registers.

struct F {
  __m256 a, b, c, d;
  F() = default;
  explicit F(float x) : a(_mm256_set1_ps(x)), b(a), c(a), d(a) {}
  F(__m256 a_, __m256 b_, __m256 c_, __m256 d_) : a(a_), b(b_), c(c_), d(d_) {}
};

struct U {
  __m256i a, b, c, d;
  U() = default;
  explicit U(std::uint32_t x) : a(_mm256_set1_epi32(static_cast<int>(x))), b(a), c(a), d(a) {}
  U(__m256i a_, __m256i b_, __m256i c_, __m256i d_) : a(a_), b(b_), c(c_), d(d_) {}
};

struct Q {
  __m256i a, b, c, d, e, f, g, h;
  Q() = default;
  explicit Q(std::uint64_t x)
      : a(_mm256_set1_epi64x(static_cast<long long>(x))), b(a), c(a), d(a), e(a), f(a), g(a), h(a) {}
};

template <class T>
inline __m256i load256(const T* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
template <class T>
inline void store256(T* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

inline U load_u(const std::uint32_t* p) {
  return {load256(p), load256(p + 8), load256(p + 16), load256(p + 24)};
}
inline void store_lanes(std::uint32_t* p, const U& v) {
  store256(p, v.a), store256(p + 8, v.b), store256(p + 16, v.c), store256(p + 24, v.d);
}
inline void store_lanes(std::uint64_t* p, const Q& v) {
  store256(p, v.a), store256(p + 4, v.b), store256(p + 8, v.c), store256(p + 12, v.d);
  store256(p + 16, v.e), store256(p + 20, v.f), store256(p + 24, v.g), store256(p + 28, v.h);
}

template <class Op>
inline U each(const U& x, const U& y, Op op) {
  return {op(x.a, y.a), op(x.b, y.b), op(x.c, y.c), op(x.d, y.d)};
}
template <class Op>
inline F each(const F& x, const F& y, Op op) {
  return {op(x.a, y.a), op(x.b, y.b), op(x.c, y.c), op(x.d, y.d)};
}
template <class Op>
inline Q each(const Q& x, const Q& y, Op op) {
  Q r;
  r.a = op(x.a, y.a), r.b = op(x.b, y.b), r.c = op(x.c, y.c), r.d = op(x.d, y.d);
  r.e = op(x.e, y.e), r.f = op(x.f, y.f), r.g = op(x.g, y.g), r.h = op(x.h, y.h);
  return r;
}

inline U add(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_add_epi32(p, q); });
}
inline U sub(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_sub_epi32(p, q); });
}
inline U mul_lo(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_mullo_epi32(p, q); });
}
inline U bit_and(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_and_si256(p, q); });
}
inline U shl(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_sllv_epi32(p, q); });
}
inline U shr_u(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_srlv_epi32(p, q); });
}
inline U shr_s(U x, U y) {
  return each(x, y, [](auto p, auto q) { return _mm256_srav_epi32(p, q); });
}
inline Q add(Q x, Q y) {
  return each(x, y, [](auto p, auto q) { return _mm256_add_epi64(p, q); });
}
inline F add(F x, F y) {
  return each(x, y, [](auto p, auto q) { return _mm256_add_ps(p, q); });
}
inline F fma(F x, F y, F z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b), _mm256_fmadd_ps(x.c, y.c, z.c),
          _mm256_fmadd_ps(x.d, y.d, z.d)};
}

template <bool kSigned>
inline __m256i widened(__m128i x) {
  return kSigned ? _mm256_cvtepi32_epi64(x) : _mm256_cvtepu32_epi64(x);
}
template <bool kSigned>
inline Q mul_wide(const U& x, const U& y) {
  const auto low = [](__m256i p, __m256i q) {
    const __m256i w = widened<kSigned>(_mm256_castsi256_si128(p)),
                  v = widened<kSigned>(_mm256_castsi256_si128(q));
    return kSigned ? _mm256_mul_epi32(w, v) : _mm256_mul_epu32(w, v);
  };
  const auto high = [](__m256i p, __m256i q) {
    const __m256i w = widened<kSigned>(_mm256_extracti128_si256(p, 1));
    const __m256i v = widened<kSigned>(_mm256_extracti128_si256(q, 1));
    return kSigned ? _mm256_mul_epi32(w, v) : _mm256_mul_epu32(w, v);
  };
  Q r;
  r.a = low(x.a, y.a), r.b = high(x.a, y.a), r.c = low(x.b, y.b), r.d = high(x.b, y.b);
  r.e = low(x.c, y.c), r.f = high(x.c, y.c), r.g = low(x.d, y.d), r.h = high(x.d, y.d);
  return r;
}

// Scalars: values that are the same in all lanes.
inline std::uint32_t add(std::uint32_t x, std::uint32_t y) { return x + y; }
inline std::uint64_t add(std::uint64_t x, std::uint64_t y) { return x + y; }
inline float add(float x, float y) { return x + y; }
inline std::uint32_t sub(std::uint32_t x, std::uint32_t y) { return x - y; }
inline std::uint32_t mul_lo(std::uint32_t x, std::uint32_t y) { return x * y; }
inline std::uint32_t bit_and(std::uint32_t x, std::uint32_t y) { return x & y; }
inline std::uint32_t shl(std::uint32_t x, std::uint32_t y) { return y > 31 ? 0 : x << y; }
inline std::uint32_t shr_u(std::uint32_t x, std::uint32_t y) { return y > 31 ? 0 : x >> y; }
inline std::uint32_t shr_s(std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> (y > 31 ? 31 : y));
}
template <bool kSigned>
inline std::uint64_t mul_wide(std::uint32_t x, std::uint32_t y) {
  if (!kSigned) return std::uint64_t{x} * y;
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)} *
                                    static_cast<std::int32_t>(y));
}

/// One bit per lane for which op holds.
template <class Op>
inline Mask bits_of(const U& x, const U& y, Op op) {
  const auto eight = [&](__m256i p, __m256i q) {
    return static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(op(p, q))));
  };
  return eight(x.a, y.a) | eight(x.b, y.b) << 8 | eight(x.c, y.c) << 16 | eight(x.d, y.d) << 24;
}
inline Mask eq(U x, U y) {
  return bits_of(x, y, [](auto p, auto q) { return _mm256_cmpeq_epi32(p, q); });
}
inline Mask gt_s(U x, U y) {
  return bits_of(x, y, [](auto p, auto q) { return _mm256_cmpgt_epi32(p, q); });
}
inline Mask gt_u(const U& x, const U& y) {
  const U flip(0x80000000U);
  const auto flipped = [&](const U& v) {
    return each(v, flip, [](auto p, auto q) { return _mm256_xor_si256(p, q); });
  };
  return gt_s(flipped(x), flipped(y));
}
inline Mask all_or_none(bool holds) { return holds ? kAllLanes : 0; }
inline Mask eq(std::uint32_t x, std::uint32_t y) { return all_or_none(x == y); }
inline Mask gt_u(std::uint32_t x, std::uint32_t y) { return all_or_none(x > y); }
inline Mask gt_s(std::uint32_t x, std::uint32_t y) {
  return all_or_none(static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y));
}

/// All ones in the lanes of the mask.
inline U lanes_of(Mask mask) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const auto eight = [&](Mask m) {
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(m & 0xFF)), bit), bit);
  };
  return {eight(mask), eight(mask >> 8), eight(mask >> 16), eight(mask >> 24)};
}
inline U blend(const U& on, const U& x, const U& old) {
  return {_mm256_blendv_epi8(old.a, x.a, on.a), _mm256_blendv_epi8(old.b, x.b, on.b),
          _mm256_blendv_epi8(old.c, x.c, on.c), _mm256_blendv_epi8(old.d, x.d, on.d)};
}
inline F blend(const U& on, const F& x, const F& old) {
  const auto eight = [](__m256 o, __m256 v, __m256i m) {
    return _mm256_blendv_ps(o, v, _mm256_castsi256_ps(m));
  };
  return {eight(old.a, x.a, on.a), eight(old.b, x.b, on.b), eight(old.c, x.c, on.c), eight(old.d, x.d, on.d)};
}
inline Q blend(const U& on, const Q& x, const Q& old) {
  const auto low = [](__m256i o, __m256i v, __m256i m) {
    return _mm256_blendv_epi8(o, v, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(m)));
  };
  const auto high = [](__m256i o, __m256i v, __m256i m) {
    return _mm256_blendv_epi8(o, v, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(m, 1)));
  };
  Q r;
  r.a = low(old.a, x.a, on.a), r.b = high(old.b, x.b, on.a), r.c = low(old.c, x.c, on.b),
  r.d = high(old.d, x.d, on.b);
  r.e = low(old.e, x.e, on.c), r.f = high(old.f, x.f, on.c), r.g = low(old.g, x.g, on.d),
  r.h = high(old.h, x.h, on.d);
  return r;
}
inline Mask blend(Mask on, Mask x, Mask old) { return (x & on) | (old & ~on); }

// Addresses.
inline std::uint64_t first_of(const Q& v, Mask mask) {
  if (mask == kAllLanes) return static_cast<std::uint64_t>(_mm256_extract_epi64(v.a, 0));
  alignas(64) std::uint64_t lanes[32];
  store_lanes(lanes, v);
  return lanes[std::countr_zero(mask)];
}
inline std::uint64_t first_of(const U& v, Mask mask) {
  if (mask == kAllLanes) return static_cast<std::uint32_t>(_mm256_extract_epi32(v.a, 0));
  alignas(64) std::uint32_t lanes[32];
  store_lanes(lanes, v);
  return lanes[std::countr_zero(mask)];
}

inline bool is_known(const AddressClass& k, const U& v, std::uint64_t base, Mask mask) {
  const __m256i first = _mm256_set1_epi32(static_cast<int>(base));
  const auto differs = [&](__m256i x, const std::uint32_t* delta) {
    return _mm256_xor_si256(_mm256_sub_epi32(x, first), load256(delta));
  };
  __m256i any[4] = {differs(v.a, k.delta32), differs(v.b, k.delta32 + 8), differs(v.c, k.delta32 + 16),
                    differs(v.d, k.delta32 + 24)};
  if (mask != kAllLanes) {
    const U on = lanes_of(mask);
    any[0] = _mm256_and_si256(any[0], on.a), any[1] = _mm256_and_si256(any[1], on.b);
    any[2] = _mm256_and_si256(any[2], on.c), any[3] = _mm256_and_si256(any[3], on.d);
  }
  const __m256i all = _mm256_or_si256(_mm256_or_si256(any[0], any[1]), _mm256_or_si256(any[2], any[3]));
  return _mm256_testz_si256(all, all) != 0 && k.mask == mask;
}
inline bool is_known(const AddressClass& k, const Q& v, std::uint64_t base, Mask mask) {
  const __m256i first = _mm256_set1_epi64x(static_cast<long long>(base));
  const U on = mask == kAllLanes ? U(kAllLanes) : lanes_of(mask);
  const auto differs = [&](__m256i x, const std::uint64_t* delta, __m128i active) {
    const __m256i d = _mm256_xor_si256(_mm256_sub_epi64(x, first), load256(delta));
    return mask == kAllLanes ? d : _mm256_and_si256(d, _mm256_cvtepi32_epi64(active));
  };
  const auto low = [](__m256i m) { return _mm256_castsi256_si128(m); };
  const auto high = [](__m256i m) { return _mm256_extracti128_si256(m, 1); };
  __m256i all = differs(v.a, k.delta, low(on.a));
  all = _mm256_or_si256(all, differs(v.b, k.delta + 4, high(on.a)));
  all = _mm256_or_si256(all, differs(v.c, k.delta + 8, low(on.b)));
  all = _mm256_or_si256(all, differs(v.d, k.delta + 12, high(on.b)));
  all = _mm256_or_si256(all, differs(v.e, k.delta + 16, low(on.c)));
  all = _mm256_or_si256(all, differs(v.f, k.delta + 20, high(on.c)));
  all = _mm256_or_si256(all, differs(v.g, k.delta + 24, low(on.d)));
  all = _mm256_or_si256(all, differs(v.h, k.delta + 28, high(on.d)));
  return _mm256_testz_si256(all, all) != 0 && k.mask == mask;
}

inline void learn(Context& c, std::uint32_t index, const Q& v, Mask mask) {
  alignas(64) std::uint64_t lanes[32];
  store_lanes(lanes, v);
  c.services.learn(c, index, lanes, mask);
}
inline void learn(Context& c, std::uint32_t index, const U& v, Mask mask) {
  alignas(64) std::uint32_t words[32];
  std::uint64_t lanes[32];
  store_lanes(words, v);
  for (int lane = 0; lane < 32; ++lane) lanes[lane] = words[lane];
  c.services.learn(c, index, lanes, mask);
}

/// Returns the first active lane's address, and makes sure that the class describes the others.
template <class Lanes>
inline std::uint64_t classify(Context& c, std::uint32_t index, const Lanes& v, Mask mask) {
  const std::uint64_t base = first_of(v, mask);
  if (!is_known(c.classes[index], v, base, mask)) [[unlikely]]
    learn(c, index, v, mask);
  return base;
}

/// Bounds and alignment of accesses of 4 bytes at base + [low, high]. False: the block gives up.
inline bool fits_shared(const Context& c, const AddressClass& k, std::uint64_t base, int low, int high) {
  const auto at = static_cast<std::int64_t>(base);
  return at + k.lowest + low >= 0 && at + k.highest + high + 4 <= c.shared_bytes &&
         ((base | k.alignment) & 3) == 0;
}
inline bool fits_global(Context& c, std::uint32_t group, const AddressClass& k, std::uint64_t base, int low,
                        int high) {
  const AccessGroup& g = c.groups[group];
  const std::uint64_t from = base + static_cast<std::uint64_t>(k.lowest + low);
  const std::uint64_t to = base + static_cast<std::uint64_t>(k.highest + high + 4);
  if (((base | k.alignment) & 3) != 0) return false;
  if (from >= g.start && from < g.end && to <= g.end && to > g.start) [[likely]]
    return true;
  return c.services.locate(c, group, from, to);
}

[[gnu::always_inline]] inline U load_words(const AddressClass& k, const std::byte* host, Mask mask) {
  const auto at = [&](int lane) {
    return reinterpret_cast<const std::uint32_t*>(host + static_cast<std::int64_t>(k.delta[lane]));
  };
  if (mask == kAllLanes && k.pattern == Pattern::contiguous)
    return {load256(at(0)), load256(at(8)), load256(at(16)), load256(at(24))};
  if (mask == kAllLanes && k.pattern == Pattern::uniform) {
    const auto fill = [&](int lane) { return _mm256_set1_epi32(static_cast<int>(*at(lane))); };
    return {fill(0), fill(8), fill(16), fill(24)};
  }
  alignas(64) std::uint32_t words[32];
  for (int lane = 0; lane < 32; ++lane) words[lane] = *at(lane);  // inactive lanes have delta 0
  return load_u(words);
}
[[gnu::always_inline]] inline void store_words(const AddressClass& k, std::byte* host, Mask mask,
                                               const U& v) {
  const auto at = [&](int lane) {
    return reinterpret_cast<std::uint32_t*>(host + static_cast<std::int64_t>(k.delta[lane]));
  };
  if (mask == kAllLanes && k.pattern == Pattern::contiguous) {
    store256(at(0), v.a), store256(at(8), v.b), store256(at(16), v.c), store256(at(24), v.d);
    return;
  }
  alignas(64) std::uint32_t words[32];
  store_lanes(words, v);
  for (Mask rest = mask; rest != 0; rest &= rest - 1)
    *at(std::countr_zero(rest)) = words[std::countr_zero(rest)];
}
/// Through the block's view of global memory, as in the interpreter.
inline void store_to_view(Context& c, std::uint64_t segment, const AddressClass& k, std::uint64_t base,
                          const U& v) {
  alignas(64) std::uint32_t words[32];
  store_lanes(words, v);
  c.services.store_words(c, k, base, words);
  c.touched |= segment;
}
inline U load_from_view(Context& c, const AddressClass& k, std::uint64_t base, const std::byte* host) {
  alignas(64) std::uint32_t words[32];
  c.services.load_words(c, k, base, host, words);
  return load_u(words);
}

inline bool check_load(Context& c, const Warp& w, std::uint32_t site, std::uint64_t base) {
  return c.services.check(c, w.index, site, base, nullptr);
}
inline bool check_store(Context& c, const Warp& w, std::uint32_t site, std::uint64_t base, const U& v) {
  alignas(64) std::uint32_t words[32];
  store_lanes(words, v);
  return c.services.check(c, w.index, site, base, words);
}

inline F as_f(const U& v) {
  return {_mm256_castsi256_ps(v.a), _mm256_castsi256_ps(v.b), _mm256_castsi256_ps(v.c),
          _mm256_castsi256_ps(v.d)};
}
inline U as_u(const F& v) {
  return {_mm256_castps_si256(v.a), _mm256_castps_si256(v.b), _mm256_castps_si256(v.c),
          _mm256_castps_si256(v.d)};
}
inline U as_u(const U& v) { return v; }

}  // namespace native
