// The built-in vector types (float4, uint3, dim3, …) with CUDA's alignments: a vector of 2 or 4 elements
// takes one aligned memory access of at most 16 bytes, a vector of 3 elements takes three accesses.
#pragma once

#include "host_defines.h"

#define KIT_VECTOR_TYPES(name, scalar, align2, align4) \
  struct name##1 {                                     \
    scalar x;                                          \
  };                                                   \
  struct __align__(align2) name##2 {                   \
    scalar x, y;                                       \
  };                                                   \
  struct name##3 {                                     \
    scalar x, y, z;                                    \
  };                                                   \
  struct __align__(align4) name##4 {                   \
    scalar x, y, z, w;                                 \
  };

KIT_VECTOR_TYPES(char, signed char, 2, 4)
KIT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
KIT_VECTOR_TYPES(short, short, 4, 8)
KIT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
KIT_VECTOR_TYPES(int, int, 8, 16)
KIT_VECTOR_TYPES(uint, unsigned int, 8, 16)
KIT_VECTOR_TYPES(long, long int, 16, 16)
KIT_VECTOR_TYPES(ulong, unsigned long int, 16, 16)
KIT_VECTOR_TYPES(longlong, long long int, 16, 16)
KIT_VECTOR_TYPES(ulonglong, unsigned long long int, 16, 16)
KIT_VECTOR_TYPES(float, float, 8, 16)
KIT_VECTOR_TYPES(double, double, 16, 16)

#undef KIT_VECTOR_TYPES

/// Extents of a grid or a block; missing extents are 1.
struct dim3 {
  unsigned int x, y, z;

  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
