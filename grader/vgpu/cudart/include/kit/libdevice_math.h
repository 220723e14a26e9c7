// More functions of libdevice (see libdevice.h), which call other functions.
#pragma once

#define KIT_NV extern "C" __device__ inline __attribute__((always_inline))

KIT_NV int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
KIT_NV int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
KIT_NV int __nv_uhadd(unsigned int a, unsigned int b) { return (int)((a & b) + ((a ^ b) >> 1)); }
KIT_NV unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }

KIT_NV float __nv_frsqrt_rn(float a) { return (float)(1 / __builtin_sqrt((double)a)); }
KIT_NV long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
KIT_NV long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
KIT_NV long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__builtin_roundf(a)); }
KIT_NV long long __nv_llround(double a) { return __nvvm_d2ll_rz(__builtin_round(a)); }

#define KIT_ROUNDED(mode, builtin_mode)                                                      \
  KIT_NV float __nv_fmaf_ieee_##mode(float a, float b, float c) {                            \
    return __nvvm_fma_##builtin_mode##_f(a, b, c);                                           \
  }                                                                                          \
  KIT_NV double __nv_ll2double_##mode(long long a) { return __nvvm_ll2d_##builtin_mode(a); } \
  KIT_NV double __nv_ull2double_##mode(unsigned long long a) { return __nvvm_ull2d_##builtin_mode(a); }
KIT_ROUNDED(rn, rn)
KIT_ROUNDED(rz, rz)
KIT_ROUNDED(rd, rm)
KIT_ROUNDED(ru, rp)
#undef KIT_ROUNDED

KIT_NV void __nv_sincosf(float a, float* s, float* c) {
  *s = __nv_sinf(a);
  *c = __nv_cosf(a);
}
KIT_NV void __nv_sincos(double a, double* s, double* c) {
  *s = __nv_sin(a);
  *c = __nv_cos(a);
}
KIT_NV void __nv_sincospif(float a, float* s, float* c) {
  *s = __nv_sinpif(a);
  *c = __nv_cospif(a);
}
KIT_NV void __nv_sincospi(double a, double* s, double* c) {
  *s = __nv_sinpi(a);
  *c = __nv_cospi(a);
}

/// 2^n for n in [-1022, 1023].
KIT_NV double __kit_power_of_two(int n) {
  return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52);
}
KIT_NV float __nv_ldexpf(float a, int n) {
  return (float)(a * __kit_power_of_two(n < -400 ? -400 : n > 400 ? 400 : n));
}
/// Scales in steps. All results before the last step are normal numbers, so that only the last step rounds.
KIT_NV double __nv_ldexp(double a, int n) {
  for (int i = 0; i < 3 && n > 1023; ++i, n -= 1023) a *= 0x1p1023;
  for (int i = 0; i < 3 && n < -1022; ++i, n += 1022 - 53) a *= 0x1p-969;
  return a * __kit_power_of_two(n < -1022 ? -1022 : n > 1023 ? 1023 : n);
}
KIT_NV float __nv_scalbnf(float a, int n) { return __nv_ldexpf(a, n); }
KIT_NV double __nv_scalbn(double a, int n) { return __nv_ldexp(a, n); }

KIT_NV double __nv_frexp(double a, int* exponent) {
  *exponent = 0;
  if (a == 0 || !(__builtin_fabs(a) < __builtin_inf())) return a;
  const bool subnormal = __builtin_fabs(a) < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, subnormal ? a * 0x1p54 : a);
  *exponent = (int)(bits >> 52 & 0x7FF) - 1022 - (subnormal ? 54 : 0);
  return __builtin_bit_cast(double, (bits & 0x800FFFFFFFFFFFFFULL) | 0x3FE0000000000000ULL);
}
KIT_NV float __nv_frexpf(float a, int* exponent) { return (float)__nv_frexp(a, exponent); }
KIT_NV int __nv_ilogb(double a) {
  int exponent;
  __nv_frexp(a, &exponent);
  if (a == 0 || a != a) return -2147483647 - 1;
  return __builtin_fabs(a) < __builtin_inf() ? exponent - 1 : 2147483647;
}
KIT_NV int __nv_ilogbf(float a) { return __nv_ilogb(a); }

#define KIT_FLOATING_POINT(type, suffix)                                                                   \
  KIT_NV type __nv_modf##suffix(type a, type* whole) {                                                     \
    *whole = __builtin_trunc##suffix(a);                                                                   \
    const type rest = __builtin_fabs##suffix(a) < __builtin_inf##suffix() ? a - *whole : (a != a ? a : 0); \
    return __builtin_copysign##suffix(rest, a);                                                            \
  }                                                                                                        \
  KIT_NV type __nv_rhypot##suffix(type a, type b) { return 1 / __nv_hypot##suffix(a, b); }                 \
  KIT_NV type __nv_norm3d##suffix(type a, type b, type c) {                                                \
    return __nv_hypot##suffix(__nv_hypot##suffix(a, b), c);                                                \
  }                                                                                                        \
  KIT_NV type __nv_rnorm3d##suffix(type a, type b, type c) { return 1 / __nv_norm3d##suffix(a, b, c); }    \
  KIT_NV type __nv_norm4d##suffix(type a, type b, type c, type d) {                                        \
    return __nv_hypot##suffix(__nv_hypot##suffix(a, b), __nv_hypot##suffix(c, d));                         \
  }
KIT_FLOATING_POINT(float, f)
KIT_FLOATING_POINT(double, )
#undef KIT_FLOATING_POINT

#undef KIT_NV
