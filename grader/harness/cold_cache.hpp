// Makes every timed call meet the same caches: nothing of its inputs, of the call before or of the other
// program is left in L2.
#pragma once

#include <cstddef>

namespace grader::harness {

class ColdCache {
 public:
  /// Takes twice the size of the device's L2. Throws RuntimeFailure.
  ColdCache();
  ColdCache(const ColdCache&) = delete;
  ColdCache& operator=(const ColdCache&) = delete;

  /// Overwrites L2, lines that were made to persist too, and waits. Throws RuntimeFailure.
  void flush();

 private:
  void* memory_ = nullptr;  ///< freed by the end of the process
  std::size_t bytes_ = 0;
};

}  // namespace grader::harness
