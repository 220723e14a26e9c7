// min and max of mixed integer types and floating types, for host and device, as CUDA C++ has them. clang's
// headers bring the device's int, float and double versions.
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
