// __reduce_*_sync (sm_80): one instruction reduces a word over the lanes of the mask.
#pragma once

#define KIT_DEVICE static __inline__ __device__

KIT_DEVICE int __reduce_add_sync(unsigned mask, int v) { return __nvvm_redux_sync_add(v, mask); }
KIT_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_add((int)v, mask);
}
KIT_DEVICE int __reduce_min_sync(unsigned mask, int v) { return __nvvm_redux_sync_min(v, mask); }
KIT_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umin(v, mask); }
KIT_DEVICE int __reduce_max_sync(unsigned mask, int v) { return __nvvm_redux_sync_max(v, mask); }
KIT_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umax(v, mask); }
KIT_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_and((int)v, mask);
}
KIT_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_or((int)v, mask);
}
KIT_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return (unsigned)__nvvm_redux_sync_xor((int)v, mask);
}

#undef KIT_DEVICE
