// An experiment: kernels in which values are doubled on their way, to find out whether results depend on
// them.
#pragma once

#include <cstdint>

namespace vgpu {

/// Which 32-bit floats a kernel gets doubled. The same bits can be integers: only bit patterns that are
/// floats from 2^-63 to 2^63 are doubled, which small integers, such as indices, are not.
enum class Doubled : std::uint8_t {
  nothing,
  shared_loads,    ///< what threads load from shared memory
  constant_loads,  ///< what threads load from constant memory
  exchanges,       ///< what lanes get by shfl
};

}  // namespace vgpu
