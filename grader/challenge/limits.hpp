// What the GPU can do at most, measured by kernels that do nothing else.
#pragma once

#include <cstddef>

namespace challenge {

struct Limits {
  double fma_per_s;      ///< float multiply-adds, from registers
  double add_min_per_s;  ///< pairs of a float addition and a minimum, from registers
  double read_bytes_per_s;
  double copy_bytes_per_s;  ///< bytes read plus bytes written by a copy on the device
};

/// The time to copy `to_device` floats to the device and at the same time `to_host` floats to the host, in
/// one copy of pinned memory for each direction.
double both_directions_ms(std::size_t to_device, std::size_t to_host);

/// Runs for about a second, which also brings the clocks to the rate of long work.
Limits measure_limits();

}  // namespace challenge
