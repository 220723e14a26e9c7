// The functions of NVIDIA's libdevice that are one or a few PTX instructions. They use clang's builtins, so
// that kernels compiled without a toolkit run the same instructions as with nvcc. The other functions
// (__nv_expf, __nv_sinf, …) are external functions of the module; the virtual GPU provides them. The
// prototypes are in clang's __clang_cuda_libdevice_declares.h; a mismatch is a compile error.
#pragma once

#define KIT_NV extern "C" __device__ inline __attribute__((always_inline))

// Integers
KIT_NV int __nv_abs(int a) { return a < 0 ? -a : a; }
KIT_NV long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
KIT_NV int __nv_min(int a, int b) { return a < b ? a : b; }
KIT_NV int __nv_max(int a, int b) { return a > b ? a : b; }
KIT_NV unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
KIT_NV unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
KIT_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
KIT_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
KIT_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
KIT_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
KIT_NV int __nv_clz(int a) { return a ? __builtin_clz(a) : 32; }
KIT_NV int __nv_clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
KIT_NV int __nv_ffs(int a) { return a ? __builtin_ctz(a) + 1 : 0; }
KIT_NV int __nv_ffsll(long long a) { return a ? __builtin_ctzll(a) + 1 : 0; }
KIT_NV int __nv_popc(int a) { return __builtin_popcount(a); }
KIT_NV int __nv_popcll(long long a) { return __builtin_popcountll(a); }
KIT_NV int __nv_brev(int a) { return __builtin_bitreverse32(a); }
KIT_NV long long __nv_brevll(long long a) { return __builtin_bitreverse64(a); }
KIT_NV int __nv_byte_perm(int a, int b, int c) { return __nvvm_prmt(a, b, c); }
KIT_NV int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
KIT_NV unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
KIT_NV long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
KIT_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
KIT_NV int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
KIT_NV unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
KIT_NV int __nv_sad(int a, int b, int c) { return (a > b ? a - b : b - a) + c; }
KIT_NV unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a > b ? a - b : b - a) + c;
}

// Bits
KIT_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
KIT_NV unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
KIT_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
KIT_NV float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
KIT_NV unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
KIT_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
KIT_NV double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, ((unsigned long long)(unsigned int)high << 32) | (unsigned int)low);
}
KIT_NV int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 32); }
KIT_NV int __nv_double2loint(double a) { return (int)__builtin_bit_cast(unsigned long long, a); }

// Floating point, float and double alike
#define KIT_FLOATING_POINT(type, suffix, short)                                                         \
  KIT_NV type __nv_fabs##suffix(type a) { return __builtin_fabs##suffix(a); }                           \
  KIT_NV type __nv_floor##suffix(type a) { return __builtin_floor##suffix(a); }                         \
  KIT_NV type __nv_ceil##suffix(type a) { return __builtin_ceil##suffix(a); }                           \
  KIT_NV type __nv_trunc##suffix(type a) { return __builtin_trunc##suffix(a); }                         \
  KIT_NV type __nv_rint##suffix(type a) { return __builtin_rint##suffix(a); }                           \
  KIT_NV type __nv_round##suffix(type a) { return __builtin_round##suffix(a); }                         \
  KIT_NV type __nv_sqrt##suffix(type a) { return __builtin_sqrt##suffix(a); }                           \
  KIT_NV type __nv_rsqrt##suffix(type a) { return __nvvm_rsqrt_approx_##short(a); }                     \
  KIT_NV type __nv_copysign##suffix(type a, type b) { return __builtin_copysign##suffix(a, b); }        \
  KIT_NV type __nv_fmin##suffix(type a, type b) { return __builtin_fmin##suffix(a, b); }                \
  KIT_NV type __nv_fmax##suffix(type a, type b) { return __builtin_fmax##suffix(a, b); }                \
  KIT_NV type __nv_fma##suffix(type a, type b, type c) { return __builtin_fma##suffix(a, b, c); }       \
  KIT_NV int __nv_isnan##short(type a) { return a != a; }                                               \
  KIT_NV int __nv_isinf##short(type a) { return __builtin_fabs##suffix(a) == __builtin_inf##suffix(); } \
  KIT_NV int __nv_signbit##short(type a) { return __builtin_copysign##suffix((type)1, a) < 0; }
KIT_FLOATING_POINT(float, f, f)
KIT_FLOATING_POINT(double, , d)
#undef KIT_FLOATING_POINT

KIT_NV int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
KIT_NV int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
KIT_NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }

// One rounding mode per name: rn to nearest even, rz towards zero, rd down, ru up (m and p in PTX's builtins)
#define KIT_ROUNDED(mode, builtin_mode)                                                                 \
  KIT_NV float __nv_fadd_##mode(float a, float b) { return __nvvm_add_##builtin_mode##_f(a, b); }       \
  KIT_NV float __nv_fsub_##mode(float a, float b) { return __nvvm_add_##builtin_mode##_f(a, -b); }      \
  KIT_NV float __nv_fmul_##mode(float a, float b) { return __nvvm_mul_##builtin_mode##_f(a, b); }       \
  KIT_NV float __nv_fdiv_##mode(float a, float b) { return __nvvm_div_##builtin_mode##_f(a, b); }       \
  KIT_NV float __nv_frcp_##mode(float a) { return __nvvm_rcp_##builtin_mode##_f(a); }                   \
  KIT_NV float __nv_fsqrt_##mode(float a) { return __nvvm_sqrt_##builtin_mode##_f(a); }                 \
  KIT_NV float __nv_fmaf_##mode(float a, float b, float c) {                                            \
    return __nvvm_fma_##builtin_mode##_f(a, b, c);                                                      \
  }                                                                                                     \
  KIT_NV double __nv_dadd_##mode(double a, double b) { return __nvvm_add_##builtin_mode##_d(a, b); }    \
  KIT_NV double __nv_dsub_##mode(double a, double b) { return __nvvm_add_##builtin_mode##_d(a, -b); }   \
  KIT_NV double __nv_dmul_##mode(double a, double b) { return __nvvm_mul_##builtin_mode##_d(a, b); }    \
  KIT_NV double __nv_ddiv_##mode(double a, double b) { return __nvvm_div_##builtin_mode##_d(a, b); }    \
  KIT_NV double __nv_drcp_##mode(double a) { return __nvvm_rcp_##builtin_mode##_d(a); }                 \
  KIT_NV double __nv_dsqrt_##mode(double a) { return __nvvm_sqrt_##builtin_mode##_d(a); }               \
  KIT_NV double __nv_fma_##mode(double a, double b, double c) {                                         \
    return __nvvm_fma_##builtin_mode##_d(a, b, c);                                                      \
  }                                                                                                     \
  KIT_NV int __nv_float2int_##mode(float a) { return __nvvm_f2i_##builtin_mode(a); }                    \
  KIT_NV unsigned int __nv_float2uint_##mode(float a) { return __nvvm_f2ui_##builtin_mode(a); }         \
  KIT_NV long long __nv_float2ll_##mode(float a) { return __nvvm_f2ll_##builtin_mode(a); }              \
  KIT_NV unsigned long long __nv_float2ull_##mode(float a) { return __nvvm_f2ull_##builtin_mode(a); }   \
  KIT_NV float __nv_int2float_##mode(int a) { return __nvvm_i2f_##builtin_mode(a); }                    \
  KIT_NV float __nv_uint2float_##mode(unsigned int a) { return __nvvm_ui2f_##builtin_mode(a); }         \
  KIT_NV float __nv_ll2float_##mode(long long a) { return __nvvm_ll2f_##builtin_mode(a); }              \
  KIT_NV float __nv_ull2float_##mode(unsigned long long a) { return __nvvm_ull2f_##builtin_mode(a); }   \
  KIT_NV int __nv_double2int_##mode(double a) { return __nvvm_d2i_##builtin_mode(a); }                  \
  KIT_NV unsigned int __nv_double2uint_##mode(double a) { return __nvvm_d2ui_##builtin_mode(a); }       \
  KIT_NV long long __nv_double2ll_##mode(double a) { return __nvvm_d2ll_##builtin_mode(a); }            \
  KIT_NV unsigned long long __nv_double2ull_##mode(double a) { return __nvvm_d2ull_##builtin_mode(a); } \
  KIT_NV float __nv_double2float_##mode(double a) { return __nvvm_d2f_##builtin_mode(a); }
KIT_ROUNDED(rn, rn)
KIT_ROUNDED(rz, rz)
KIT_ROUNDED(rd, rm)
KIT_ROUNDED(ru, rp)
#undef KIT_ROUNDED

KIT_NV double __nv_int2double_rn(int a) { return a; }
KIT_NV double __nv_uint2double_rn(unsigned int a) { return a; }

// The fast, less accurate functions, such as __expf (CUDA C++ Programming Guide, "Intrinsic Functions")
KIT_NV float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
KIT_NV float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0x1.62e43p-1f; }     // ln 2
KIT_NV float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f; }  // log10 2
KIT_NV float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 0x1.715476p+0f); }    // log2 e
KIT_NV float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 0x1.a934fp+1f); }   // log2 10
KIT_NV float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
KIT_NV float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
KIT_NV float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
KIT_NV float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
KIT_NV void __nv_fast_sincosf(float a, float* s, float* c) {
  *s = __nvvm_sin_approx_f(a);
  *c = __nvvm_cos_approx_f(a);
}
KIT_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

#undef KIT_NV
