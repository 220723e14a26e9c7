// Memory for a job's arrays, so that accesses outside an array are detected. A guard zone on either side
// shows after the call whether it was written to. An array in pageable memory ends at a page that cannot be
// accessed, so a read past its end crashes the program at the line of the read. On the virtual GPU, arrays in
// device memory have no zones: every access is checked against its allocation. The submission can write to
// the zones: they detect mistakes, not cheating.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/job.hpp"

namespace grader::harness {

/// From now on, arrays in device memory have no zones: a tool checks every access.
void leave_out_device_zones();

class GuardedMemory {
 public:
  /// The memory is aligned to at least 256 bytes on the device, and to 16 bytes on the host, as by malloc.
  /// Throws RuntimeFailure.
  void* allocate(const std::string& name, std::size_t size_bytes, Place place);
  /// Memory on the device without zones, for the harness itself. Throws RuntimeFailure.
  void* allocate_own(std::size_t size_bytes);

  /// Frees all memory. Only needed if the process gets another job: otherwise the end of the process frees
  /// it. Errors are ignored, because the next call of the runtime reports a device that the program has
  /// crashed.
  void free();

  /// Names of the arrays whose guard zones were written to since allocation, in order of allocation, and what
  /// the submission itself allocated and overran.
  std::vector<std::string> overrun() const;

 private:
  /// Sizes of the zones before and after an array.
  struct Zones {
    std::size_t before_bytes = 0, after_bytes = 0;
  };
  struct Block {
    std::string name;
    std::byte* array;
    std::size_t size_bytes;
    Zones zones;
    Place place;
  };

  static Block allocate_on_device(std::size_t size_bytes);
  static Block allocate_pinned(std::size_t size_bytes);
  static Block allocate_pageable(std::size_t size_bytes);

  std::vector<Block> blocks_;
  std::vector<void*> own_;  ///< on the device
};

}  // namespace grader::harness
