// Observes accesses of host code to memory that it shares with the device. The memory is closed to host code
// (mprotect) while unfinished work uses it: work that the program has not waited for. The first access that
// comes too early raises a signal. The handler reports the access to the device, opens the memory, and the
// program continues.
//
// Only pages that the work uses completely are closed, so that adjacent memory stays open. (System calls fail
// on closed memory.) An allocation of at most one page, such as a result or a flag, is closed as a whole. An
// access to its other bytes is not a mistake, and opens the page until the next call. All memory is open
// during a runtime call. Registered memory is never closed, because it can be the stack. Works only on
// x86-64, and only while this library handles SIGSEGV (host_faults.hpp). Covered by
// tests/standalone/host_guard_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/types.h>

#include "vgpu/cudart/client/memory/memory_map.hpp"

namespace vgpu::cudart::client {

class HostGuard {
 public:
  bool is_closed() const { return !closed_.empty(); }
  /// Closes the ranges that unfinished work reads or writes. Each range is two numbers: start and size.
  void close(const MemoryMap& memory, std::span<const std::uint64_t> read,
             std::span<const std::uint64_t> written);
  void open();

  /// False in a forked child process, whose accesses are not reported.
  bool is_of_this_process() const;
  /// The closed memory at the address, if any.
  std::optional<KnownMemory> at(std::uint64_t address) const;
  /// Opens all closed pages of this memory.
  void open(const KnownMemory& memory);

 private:
  struct Pages {
    std::uint64_t start = 0, end = 0;
    KnownMemory memory;
  };
  /// The pages to close, in the order of their addresses.
  static std::vector<Pages> pages_of(const MemoryMap& memory, std::span<const std::uint64_t> ranges);
  void close(const MemoryMap& memory, std::span<const std::uint64_t> ranges, int protection);

  std::vector<Pages> closed_;
  pid_t process_ = 0;  ///< the process that closed the memory
};

}  // namespace vgpu::cudart::client
