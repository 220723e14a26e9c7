// make_float4(x, y, z, w) and the like.
#pragma once

#include "vector_types.h"

#define KIT_MAKE_VECTORS(name, scalar)                                                                   \
  static __inline__ __host__ __device__ name##1 make_##name##1(scalar x) { return {x}; }                 \
  static __inline__ __host__ __device__ name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }    \
  static __inline__ __host__ __device__ name##3 make_##name##3(scalar x, scalar y, scalar z) {           \
    return {x, y, z};                                                                                    \
  }                                                                                                      \
  static __inline__ __host__ __device__ name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { \
    return {x, y, z, w};                                                                                 \
  }

KIT_MAKE_VECTORS(char, signed char)
KIT_MAKE_VECTORS(uchar, unsigned char)
KIT_MAKE_VECTORS(short, short)
KIT_MAKE_VECTORS(ushort, unsigned short)
KIT_MAKE_VECTORS(int, int)
KIT_MAKE_VECTORS(uint, unsigned int)
KIT_MAKE_VECTORS(long, long int)
KIT_MAKE_VECTORS(ulong, unsigned long int)
KIT_MAKE_VECTORS(longlong, long long int)
KIT_MAKE_VECTORS(ulonglong, unsigned long long int)
KIT_MAKE_VECTORS(float, float)
KIT_MAKE_VECTORS(double, double)

#undef KIT_MAKE_VECTORS
