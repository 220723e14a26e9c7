// Memory for a job's arrays with a guard zone on either side, so that a write outside an array is detected
// after the call. On the virtual GPU, arrays in device memory have no zones: every access is checked against
// its allocation. The submission can write to the zones: they detect mistakes, not cheating.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/job.hpp"

namespace grader::harness {

class GuardedMemory {
 public:
  /// The memory is aligned to at least 256 bytes on the device, and as by malloc on the host. It is never
  /// freed. Throws RuntimeFailure.
  void* allocate(const std::string& name, std::size_t size_bytes, Place place);

  /// Names of the arrays whose guard zones were written to since allocation, in order of allocation.
  std::vector<std::string> overrun() const;

 private:
  struct Block {
    std::string name;
    std::byte* start;        ///< of the zone before the array
    std::size_t size_bytes;  ///< of the array
    std::size_t zone_bytes;
    Place place;
  };

  std::vector<Block> blocks_;
};

}  // namespace grader::harness
