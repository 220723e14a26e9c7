// More functions of libdevice (see libdevice.h): operations on vectors of bytes and half words in a word,
// such as __vadd4. Each is a SIMD video instruction of PTX.
#pragma once

#define KIT_NV extern "C" __device__ inline __attribute__((always_inline))

#define KIT_VIDEO(name, instruction)                                        \
  KIT_NV int __nv_##name(int a, int b) {                                    \
    int d;                                                                  \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0)); \
    return d;                                                               \
  }
#define KIT_COMPARISON(name, n, types, comparison)         \
  KIT_VIDEO(vset##name##n, "vset" #n types "." comparison) \
  KIT_NV int __nv_vcmp##name##n(int a, int b) { return __nv_vset##name##n(a, b) * (n == 4 ? 0xFF : 0xFFFF); }
// Operations on the n parts of a word
#define KIT_PARTS(n)                                                 \
  KIT_VIDEO(vadd##n, "vadd" #n ".u32.u32.u32")                       \
  KIT_VIDEO(vaddss##n, "vadd" #n ".s32.s32.s32.sat")                 \
  KIT_VIDEO(vaddus##n, "vadd" #n ".u32.u32.u32.sat")                 \
  KIT_VIDEO(vsub##n, "vsub" #n ".u32.u32.u32")                       \
  KIT_VIDEO(vsubss##n, "vsub" #n ".s32.s32.s32.sat")                 \
  KIT_VIDEO(vsubus##n, "vsub" #n ".u32.u32.u32.sat")                 \
  KIT_VIDEO(vavgs##n, "vavrg" #n ".s32.s32.s32")                     \
  KIT_VIDEO(vavgu##n, "vavrg" #n ".u32.u32.u32")                     \
  KIT_VIDEO(vmaxs##n, "vmax" #n ".s32.s32.s32")                      \
  KIT_VIDEO(vmaxu##n, "vmax" #n ".u32.u32.u32")                      \
  KIT_VIDEO(vmins##n, "vmin" #n ".s32.s32.s32")                      \
  KIT_VIDEO(vminu##n, "vmin" #n ".u32.u32.u32")                      \
  KIT_VIDEO(vabsdiffs##n, "vabsdiff" #n ".s32.s32.s32")              \
  KIT_VIDEO(vabsdiffu##n, "vabsdiff" #n ".u32.u32.u32")              \
  KIT_VIDEO(vsads##n, "vabsdiff" #n ".s32.s32.s32.add")              \
  KIT_VIDEO(vsadu##n, "vabsdiff" #n ".u32.u32.u32.add")              \
  KIT_COMPARISON(eq, n, ".u32.u32", "eq")                            \
  KIT_COMPARISON(ne, n, ".u32.u32", "ne")                            \
  KIT_COMPARISON(lts, n, ".s32.s32", "lt")                           \
  KIT_COMPARISON(les, n, ".s32.s32", "le")                           \
  KIT_COMPARISON(gts, n, ".s32.s32", "gt")                           \
  KIT_COMPARISON(ges, n, ".s32.s32", "ge")                           \
  KIT_COMPARISON(ltu, n, ".u32.u32", "lt")                           \
  KIT_COMPARISON(leu, n, ".u32.u32", "le")                           \
  KIT_COMPARISON(gtu, n, ".u32.u32", "gt")                           \
  KIT_COMPARISON(geu, n, ".u32.u32", "ge")                           \
  KIT_NV int __nv_vneg##n(int a) { return __nv_vsub##n(0, a); }      \
  KIT_NV int __nv_vnegss##n(int a) { return __nv_vsubss##n(0, a); }  \
  KIT_NV int __nv_vabs##n(int a) { return __nv_vabsdiffs##n(a, 0); } \
  KIT_NV int __nv_vabsss##n(int a) { return __nv_vmaxs##n(__nv_vnegss##n(a), a); }
KIT_PARTS(2)
KIT_PARTS(4)

// (a + b) / 2 for each part, rounded down: the common bits plus half of the different bits.
KIT_NV int __nv_vhaddu2(int a, int b) { return (a & b) + (((a ^ b) >> 1) & 0x7FFF7FFF); }
KIT_NV int __nv_vhaddu4(int a, int b) { return (a & b) + (((a ^ b) >> 1) & 0x7F7F7F7F); }

#undef KIT_PARTS
#undef KIT_COMPARISON
#undef KIT_VIDEO
#undef KIT_NV
