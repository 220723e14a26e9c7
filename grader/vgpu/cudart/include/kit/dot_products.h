// __dp4a and __dp2a_lo/hi: dot products of bytes, and of half words with bytes, added to a word.
#pragma once

#define KIT_DOT_PRODUCT(name, instruction, type)                            \
  static __inline__ __device__ type name(type a, type b, type c) {          \
    type d;                                                                 \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    return d;                                                               \
  }

KIT_DOT_PRODUCT(__dp4a, "dp4a.s32.s32", int)
KIT_DOT_PRODUCT(__dp4a, "dp4a.u32.u32", unsigned int)
KIT_DOT_PRODUCT(__dp2a_lo, "dp2a.lo.s32.s32", int)
KIT_DOT_PRODUCT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int)
KIT_DOT_PRODUCT(__dp2a_hi, "dp2a.hi.s32.s32", int)
KIT_DOT_PRODUCT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int)

#undef KIT_DOT_PRODUCT
