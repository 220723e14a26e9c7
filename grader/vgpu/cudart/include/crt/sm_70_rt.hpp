// __match_any_sync and __match_all_sync; clang's intrinsics header includes this file name.
#pragma once

#define KIT_MATCH(type, bits, word)                                                                      \
  static __inline__ __device__ unsigned int __match_any_sync(unsigned int mask, type value) {            \
    word key;                                                                                            \
    __builtin_memcpy(&key, &value, sizeof key);                                                          \
    return __match##bits##_any_sync(mask, key);                                                          \
  }                                                                                                      \
  static __inline__ __device__ unsigned int __match_all_sync(unsigned int mask, type value, int* pred) { \
    word key;                                                                                            \
    __builtin_memcpy(&key, &value, sizeof key);                                                          \
    return __match##bits##_all_sync(mask, key, pred);                                                    \
  }

KIT_MATCH(int, 32, unsigned int)
KIT_MATCH(unsigned int, 32, unsigned int)
KIT_MATCH(float, 32, unsigned int)
KIT_MATCH(long, 64, unsigned long long)
KIT_MATCH(unsigned long, 64, unsigned long long)
KIT_MATCH(long long, 64, unsigned long long)
KIT_MATCH(unsigned long long, 64, unsigned long long)
KIT_MATCH(double, 64, unsigned long long)

#undef KIT_MATCH
