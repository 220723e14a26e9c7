// Memory for a job's arrays with a guard zone on either side, so that a write beside an array is seen after
// the call. On the virtual GPU arrays in device memory have none: there every access is checked against its
// allocation. The zones lie in the submission's process or on its device: they find mistakes, not cheats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/job.hpp"

namespace grader::harness {

class GuardedMemory {
 public:
  /// At least 256-byte aligned on the device, as malloc aligns on the host. Throws RuntimeFailure. Never
  /// freed.
  void* allocate(const std::string& name, std::size_t size_bytes, Place place);

  /// Names of arrays beside which somebody wrote since they were allocated, in their order.
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
