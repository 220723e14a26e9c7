// Gives every timed call the same cache state: L2 holds no data of its inputs, of the previous call or of the
// other program.
#pragma once

#include <cstddef>

namespace grader::harness {

class ColdCache {
 public:
  /// Allocates twice the size of the device's L2. Throws RuntimeFailure.
  ColdCache();
  ColdCache(const ColdCache&) = delete;
  ColdCache& operator=(const ColdCache&) = delete;

  /// Overwrites L2, including persisting lines, and waits for the device. Throws RuntimeFailure.
  void flush();

 private:
  void* memory_ = nullptr;  ///< freed by the end of the process
  std::size_t bytes_ = 0;
};

}  // namespace grader::harness
