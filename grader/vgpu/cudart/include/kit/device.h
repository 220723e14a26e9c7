// The device part of CUDA C++, for clang's CUDA mode. clang's __clang_cuda_*.h headers define most of it:
// built-in variables, warp intrinsics, <cmath> overloads. They need libdevice and a few toolkit headers; the
// other files in this folder replace these. The order matters: device overloads of <cmath> names must be
// declared before <cmath>, or clang also uses the host's constexpr versions on the device.
#pragma once

#pragma GCC system_header

#define __CUDACC__ 1
#define CUDA_VERSION 11050  // which intrinsics clang's headers offer: everything that PTX 7.5 and sm_80 have
typedef unsigned int cuuint32_t;

// The host pass declares the same device functions as the device pass, so that both passes compile the same
// program.
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif

// clang-format off
#include <__clang_cuda_math_forward_declares.h>

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include "libdevice.h"
#include "libdevice_math.h"
#include "libdevice_simd.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "system_calls.h"
#include <__clang_cuda_cmath.h>
#include "intrinsics.h"
// clang-format on

#pragma pop_macro("__CUDA_ARCH__")

#include "atomics.h"
#include "barriers.h"
#include "builtin_variables.h"
#include "dot_products.h"
#include "min_max.h"
#include "warp_reduce.h"
