// Precompiled header of the rooms that are compiled with -O3, and of the CUDA runtime library, which has no
// fmt. GCC keeps the limits of inlining of the level at which a header was compiled.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
