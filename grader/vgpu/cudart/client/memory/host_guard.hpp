// Watches host code: memory that it shares with the device is closed to it while work uses it that the
// program has not waited for. The processor then stops host code at the instruction that comes too early, the
// device is told of it, and the program goes on as if nothing had been.
//
// By whole pages, so that what lies beside such memory stays open, to system calls, too: those fail on closed
// memory. Memory of one page at most (a result, a flag) is closed as one; what host code does beside the
// bytes in use is then no mistake, and opens the page until the next call. While the program is in a call
// everything is open. Registered memory is left alone: it may be the stack. Only on x86-64, and only while
// SIGSEGV is this library's (host_faults.hpp). Covered by tests/standalone/host_guard_test.cpp.
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
  /// `read`, `written`: start and size of each range that unfinished work uses.
  void close(const MemoryMap& memory, std::span<const std::uint64_t> read,
             std::span<const std::uint64_t> written);
  void open();

  /// False in a child of the process: it is on its own.
  bool is_of_this_process() const;
  /// What is closed at the address; nullopt: nothing.
  std::optional<KnownMemory> at(std::uint64_t address) const;
  /// All that is closed of this memory.
  void open(const KnownMemory& memory);

 private:
  struct Pages {
    std::uint64_t start = 0, end = 0;
    KnownMemory memory;
  };
  void close(const MemoryMap& memory, std::span<const std::uint64_t> ranges, int protection);

  std::vector<Pages> closed_;
  pid_t process_ = 0;  ///< whose memory is closed
};

}  // namespace vgpu::cudart::client
