// The headers that all forms_*.cpp include before the pragma of isa.hpp, parsed once per instruction set.
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
#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"
