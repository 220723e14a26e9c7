// Atomic functions on global and shared memory.
#pragma once

#define KIT_DEVICE static __inline__ __device__

KIT_DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
KIT_DEVICE unsigned int atomicAdd(unsigned int* p, unsigned int v) {
  return (unsigned int)__nvvm_atom_add_gen_i((int*)p, (int)v);
}
KIT_DEVICE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return (unsigned long long)__nvvm_atom_add_gen_ll((long long*)p, (long long)v);
}
KIT_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
KIT_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }

KIT_DEVICE int atomicSub(int* p, int v) { return __nvvm_atom_sub_gen_i(p, v); }
KIT_DEVICE unsigned int atomicSub(unsigned int* p, unsigned int v) {
  return (unsigned int)__nvvm_atom_sub_gen_i((int*)p, (int)v);
}

KIT_DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
KIT_DEVICE unsigned int atomicMin(unsigned int* p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }
KIT_DEVICE long long atomicMin(long long* p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
KIT_DEVICE unsigned long long atomicMin(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_min_gen_ull(p, v);
}

KIT_DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
KIT_DEVICE unsigned int atomicMax(unsigned int* p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }
KIT_DEVICE long long atomicMax(long long* p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
KIT_DEVICE unsigned long long atomicMax(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(p, v);
}

KIT_DEVICE unsigned int atomicInc(unsigned int* p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
KIT_DEVICE unsigned int atomicDec(unsigned int* p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }

KIT_DEVICE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
KIT_DEVICE unsigned int atomicExch(unsigned int* p, unsigned int v) {
  return (unsigned int)__nvvm_atom_xchg_gen_i((int*)p, (int)v);
}
KIT_DEVICE unsigned long long atomicExch(unsigned long long* p, unsigned long long v) {
  return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long*)p, (long long)v);
}
KIT_DEVICE float atomicExch(float* p, float v) {
  return __int_as_float(__nvvm_atom_xchg_gen_i((int*)p, __float_as_int(v)));
}

KIT_DEVICE int atomicCAS(int* p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
KIT_DEVICE unsigned int atomicCAS(unsigned int* p, unsigned int compare, unsigned int v) {
  return (unsigned int)__nvvm_atom_cas_gen_i((int*)p, (int)compare, (int)v);
}
KIT_DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long compare,
                                        unsigned long long v) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)compare, (long long)v);
}

#define KIT_BITWISE_ATOMIC(name, operation)                                                   \
  KIT_DEVICE int name(int* p, int v) { return __nvvm_atom_##operation##_gen_i(p, v); }        \
  KIT_DEVICE unsigned int name(unsigned int* p, unsigned int v) {                             \
    return (unsigned int)__nvvm_atom_##operation##_gen_i((int*)p, (int)v);                    \
  }                                                                                           \
  KIT_DEVICE unsigned long long name(unsigned long long* p, unsigned long long v) {           \
    return (unsigned long long)__nvvm_atom_##operation##_gen_ll((long long*)p, (long long)v); \
  }

KIT_BITWISE_ATOMIC(atomicAnd, and)
KIT_BITWISE_ATOMIC(atomicOr, or)
KIT_BITWISE_ATOMIC(atomicXor, xor)

#undef KIT_BITWISE_ATOMIC

// Atomics with block scope and with system scope. On a single device, they are the same as the others.
#define KIT_SCOPED_ATOMIC(name)                      \
  template <class T, class... Values>                \
  KIT_DEVICE auto name##_block(T* p, Values... v) {  \
    return name(p, static_cast<T>(v)...);            \
  }                                                  \
  template <class T, class... Values>                \
  KIT_DEVICE auto name##_system(T* p, Values... v) { \
    return name(p, static_cast<T>(v)...);            \
  }

KIT_SCOPED_ATOMIC(atomicAdd)
KIT_SCOPED_ATOMIC(atomicSub)
KIT_SCOPED_ATOMIC(atomicMin)
KIT_SCOPED_ATOMIC(atomicMax)
KIT_SCOPED_ATOMIC(atomicInc)
KIT_SCOPED_ATOMIC(atomicDec)
KIT_SCOPED_ATOMIC(atomicExch)
KIT_SCOPED_ATOMIC(atomicCAS)
KIT_SCOPED_ATOMIC(atomicAnd)
KIT_SCOPED_ATOMIC(atomicOr)
KIT_SCOPED_ATOMIC(atomicXor)

#undef KIT_SCOPED_ATOMIC
#undef KIT_DEVICE
