// The memory that the program has registered (cudaHostRegister) and not unregistered yet, and the pages that
// it pins in this way. A page that several registrations share is pinned once, until the last of them ends.
// Not thread safe. Covered by tests/cudart/registrations_test.cpp.
#pragma once

#include <cstdint>
#include <map>

namespace vgpu::cudart {

class Registrations {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  /// Ignores a range that overlaps another one: only a client that does not follow the protocol sends it.
  void begin(std::uint64_t address, std::uint64_t size_bytes);
  void end(std::uint64_t address);
  void end_all();
  /// Whether one registration contains the range.
  bool hold(std::uint64_t address, std::uint64_t size_bytes) const;
  std::uint64_t page_bytes() const { return page_bytes_; }

 private:
  std::uint64_t own_page_bytes(std::uint64_t start, std::uint64_t end) const;

  std::map<std::uint64_t, std::uint64_t> end_of_;  ///< by start, without overlaps
  std::uint64_t page_bytes_ = 0;
};

}  // namespace vgpu::cudart
