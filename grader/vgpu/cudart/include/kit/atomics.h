// Atomic functions on global and shared memory.
#pragma once

// Without lines of their own, so that messages show the line of the call.
#define KIT_DEVICE static __inline__ __attribute__((nodebug)) __device__

// For each scope, a suffix of the functions and the prefix of clang's builtins.
#define KIT_ATOMICS(suffix, builtin)                                                                         \
  KIT_DEVICE int atomicAdd##suffix(int* p, int v) { return builtin##add_gen_i(p, v); }                       \
  KIT_DEVICE unsigned int atomicAdd##suffix(unsigned int* p, unsigned int v) {                               \
    return (unsigned int)builtin##add_gen_i((int*)p, (int)v);                                                \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicAdd##suffix(unsigned long long* p, unsigned long long v) {             \
    return (unsigned long long)builtin##add_gen_ll((long long*)p, (long long)v);                             \
  }                                                                                                          \
  KIT_DEVICE float atomicAdd##suffix(float* p, float v) { return builtin##add_gen_f(p, v); }                 \
  KIT_DEVICE double atomicAdd##suffix(double* p, double v) { return builtin##add_gen_d(p, v); }              \
  KIT_DEVICE int atomicSub##suffix(int* p, int v) { return builtin##add_gen_i(p, -v); }                      \
  KIT_DEVICE unsigned int atomicSub##suffix(unsigned int* p, unsigned int v) {                               \
    return (unsigned int)builtin##add_gen_i((int*)p, -(int)v);                                               \
  }                                                                                                          \
  KIT_DEVICE int atomicMin##suffix(int* p, int v) { return builtin##min_gen_i(p, v); }                       \
  KIT_DEVICE unsigned int atomicMin##suffix(unsigned int* p, unsigned int v) {                               \
    return builtin##min_gen_ui(p, v);                                                                        \
  }                                                                                                          \
  KIT_DEVICE long long atomicMin##suffix(long long* p, long long v) { return builtin##min_gen_ll(p, v); }    \
  KIT_DEVICE unsigned long long atomicMin##suffix(unsigned long long* p, unsigned long long v) {             \
    return builtin##min_gen_ull(p, v);                                                                       \
  }                                                                                                          \
  KIT_DEVICE int atomicMax##suffix(int* p, int v) { return builtin##max_gen_i(p, v); }                       \
  KIT_DEVICE unsigned int atomicMax##suffix(unsigned int* p, unsigned int v) {                               \
    return builtin##max_gen_ui(p, v);                                                                        \
  }                                                                                                          \
  KIT_DEVICE long long atomicMax##suffix(long long* p, long long v) { return builtin##max_gen_ll(p, v); }    \
  KIT_DEVICE unsigned long long atomicMax##suffix(unsigned long long* p, unsigned long long v) {             \
    return builtin##max_gen_ull(p, v);                                                                       \
  }                                                                                                          \
  KIT_DEVICE unsigned int atomicInc##suffix(unsigned int* p, unsigned int v) {                               \
    return builtin##inc_gen_ui(p, v);                                                                        \
  }                                                                                                          \
  KIT_DEVICE unsigned int atomicDec##suffix(unsigned int* p, unsigned int v) {                               \
    return builtin##dec_gen_ui(p, v);                                                                        \
  }                                                                                                          \
  KIT_DEVICE int atomicExch##suffix(int* p, int v) { return builtin##xchg_gen_i(p, v); }                     \
  KIT_DEVICE unsigned int atomicExch##suffix(unsigned int* p, unsigned int v) {                              \
    return (unsigned int)builtin##xchg_gen_i((int*)p, (int)v);                                               \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicExch##suffix(unsigned long long* p, unsigned long long v) {            \
    return (unsigned long long)builtin##xchg_gen_ll((long long*)p, (long long)v);                            \
  }                                                                                                          \
  KIT_DEVICE float atomicExch##suffix(float* p, float v) {                                                   \
    return __int_as_float(builtin##xchg_gen_i((int*)p, __float_as_int(v)));                                  \
  }                                                                                                          \
  KIT_DEVICE int atomicCAS##suffix(int* p, int compare, int v) { return builtin##cas_gen_i(p, compare, v); } \
  KIT_DEVICE unsigned int atomicCAS##suffix(unsigned int* p, unsigned int compare, unsigned int v) {         \
    return (unsigned int)builtin##cas_gen_i((int*)p, (int)compare, (int)v);                                  \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicCAS##suffix(unsigned long long* p, unsigned long long compare,         \
                                                  unsigned long long v) {                                    \
    return (unsigned long long)builtin##cas_gen_ll((long long*)p, (long long)compare, (long long)v);         \
  }                                                                                                          \
  KIT_DEVICE int atomicAnd##suffix(int* p, int v) { return builtin##and_gen_i(p, v); }                       \
  KIT_DEVICE unsigned int atomicAnd##suffix(unsigned int* p, unsigned int v) {                               \
    return (unsigned int)builtin##and_gen_i((int*)p, (int)v);                                                \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicAnd##suffix(unsigned long long* p, unsigned long long v) {             \
    return (unsigned long long)builtin##and_gen_ll((long long*)p, (long long)v);                             \
  }                                                                                                          \
  KIT_DEVICE int atomicOr##suffix(int* p, int v) { return builtin##or_gen_i(p, v); }                         \
  KIT_DEVICE unsigned int atomicOr##suffix(unsigned int* p, unsigned int v) {                                \
    return (unsigned int)builtin##or_gen_i((int*)p, (int)v);                                                 \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicOr##suffix(unsigned long long* p, unsigned long long v) {              \
    return (unsigned long long)builtin##or_gen_ll((long long*)p, (long long)v);                              \
  }                                                                                                          \
  KIT_DEVICE int atomicXor##suffix(int* p, int v) { return builtin##xor_gen_i(p, v); }                       \
  KIT_DEVICE unsigned int atomicXor##suffix(unsigned int* p, unsigned int v) {                               \
    return (unsigned int)builtin##xor_gen_i((int*)p, (int)v);                                                \
  }                                                                                                          \
  KIT_DEVICE unsigned long long atomicXor##suffix(unsigned long long* p, unsigned long long v) {             \
    return (unsigned long long)builtin##xor_gen_ll((long long*)p, (long long)v);                             \
  }

KIT_ATOMICS(, __nvvm_atom_)
KIT_ATOMICS(_block, __nvvm_atom_cta_)

#undef KIT_ATOMICS

// Atomics with system scope: on a single device, they are the same as those of the device.
#define KIT_SYSTEM_ATOMIC(name)                      \
  template <class T, class... Values>                \
  KIT_DEVICE auto name##_system(T* p, Values... v) { \
    return name(p, static_cast<T>(v)...);            \
  }

KIT_SYSTEM_ATOMIC(atomicAdd)
KIT_SYSTEM_ATOMIC(atomicSub)
KIT_SYSTEM_ATOMIC(atomicMin)
KIT_SYSTEM_ATOMIC(atomicMax)
KIT_SYSTEM_ATOMIC(atomicInc)
KIT_SYSTEM_ATOMIC(atomicDec)
KIT_SYSTEM_ATOMIC(atomicExch)
KIT_SYSTEM_ATOMIC(atomicCAS)
KIT_SYSTEM_ATOMIC(atomicAnd)
KIT_SYSTEM_ATOMIC(atomicOr)
KIT_SYSTEM_ATOMIC(atomicXor)

#undef KIT_SYSTEM_ATOMIC
#undef KIT_DEVICE
