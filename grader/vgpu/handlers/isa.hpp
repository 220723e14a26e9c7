// For forms_*.cpp only: code after this include is compiled for the instruction set that the build selects
// (VGPU_ISA = baseline or v3), in a namespace of that name. All other headers must be included before the
// pragma, in the file or here, so that their inline functions and templates are compiled for the baseline:
// the linker can keep any copy.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "vgpu/cost/cache_trace.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"

#define VGPU_ISA_IS_v3 1
#define VGPU_ISA_JOIN_(a, b) a##b
#define VGPU_ISA_JOIN(a, b) VGPU_ISA_JOIN_(a, b)
#if VGPU_ISA_JOIN(VGPU_ISA_IS_, VGPU_ISA)
#pragma GCC target("avx,avx2,fma,bmi,bmi2,lzcnt,popcnt,movbe,f16c")
#endif
