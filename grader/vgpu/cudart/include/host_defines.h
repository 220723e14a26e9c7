// CUDA's attribute macros. For clang, they are attributes. For a plain C++ compiler, they are empty, so that
// host code can include declarations of functions that launch kernels.
#pragma once

#if defined(__CUDA__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
// The attribute `used` prevents clang from replacing a variable of internal linkage by zeros if only the host
// writes it.
#define __constant__ __attribute__((constant, used))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
// The runtime recognises managed variables by the section of their host copies, and shares their pages with
// the device.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, used, section("kit_managed"), aligned(4096)))
#endif
// clang 15 made __noinline__ a keyword, because a macro of this name breaks __attribute__((__noinline__)) in
// system headers (see bits/shared_ptr_base.h).
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))

#endif

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define CUDARTAPI
#define CUDART_CB
