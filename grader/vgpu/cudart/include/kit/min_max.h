// CUDA C++'s min and max for integers and floating-point numbers, on host and device. clang's headers have
// only the device's version for int, which would silently truncate fractions. For a number and a NaN, both
// functions return the number.
#pragma once

#define KIT_MIN_MAX(qualifiers, type)                                             \
  static __inline__ qualifiers type min(type a, type b) { return b < a ? b : a; } \
  static __inline__ qualifiers type max(type a, type b) { return a < b ? b : a; }

KIT_MIN_MAX(__host__, int)
KIT_MIN_MAX(__host__ __device__, unsigned int)
KIT_MIN_MAX(__host__ __device__, long)
KIT_MIN_MAX(__host__ __device__, unsigned long)
KIT_MIN_MAX(__host__ __device__, long long)
KIT_MIN_MAX(__host__ __device__, unsigned long long)

#undef KIT_MIN_MAX

// A signed and an unsigned number of the same size: both as unsigned.
#define KIT_MIXED_MIN_MAX(type)                                                                          \
  static __inline__ __host__ __device__ unsigned type min(unsigned type a, type b) {                     \
    return min(a, static_cast<unsigned type>(b));                                                        \
  }                                                                                                      \
  static __inline__ __host__ __device__ unsigned type min(type a, unsigned type b) { return min(b, a); } \
  static __inline__ __host__ __device__ unsigned type max(unsigned type a, type b) {                     \
    return max(a, static_cast<unsigned type>(b));                                                        \
  }                                                                                                      \
  static __inline__ __host__ __device__ unsigned type max(type a, unsigned type b) { return max(b, a); }

KIT_MIXED_MIN_MAX(int)
KIT_MIXED_MIN_MAX(long)
KIT_MIXED_MIN_MAX(long long)

#undef KIT_MIXED_MIN_MAX

#define KIT_FLOATING_MIN_MAX(type, a_type, b_type, smaller, larger)                            \
  static __inline__ __host__ __device__ type min(a_type a, b_type b) { return smaller(a, b); } \
  static __inline__ __host__ __device__ type max(a_type a, b_type b) { return larger(a, b); }

KIT_FLOATING_MIN_MAX(float, float, float, fminf, fmaxf)
KIT_FLOATING_MIN_MAX(double, double, double, fmin, fmax)
KIT_FLOATING_MIN_MAX(double, float, double, fmin, fmax)
KIT_FLOATING_MIN_MAX(double, double, float, fmin, fmax)

#undef KIT_FLOATING_MIN_MAX
