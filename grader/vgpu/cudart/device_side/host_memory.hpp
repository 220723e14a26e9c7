// The device's end of memory that it shares with the program: pinned, registered, managed. The device makes
// the memory and seals its size, so that whatever the program does to its own end, the device's mapping stays
// whole. Covered by tests/cudart/host_memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Owns one file descriptor; -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();

 private:
  int number_ = -1;
};

/// All memory that one program shares with `device`. Not thread safe.
class HostMemory {
 public:
  explicit HostMemory(Device& device) : device_(device) {}
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Memory that the program has at `address`, a multiple of the page size. The descriptor is for the program
  /// to map. None: the address is taken or no address of a program, or there is too much already.
  Descriptor share(std::uint64_t address, std::uint64_t size_bytes);
  bool unshare(std::uint64_t address);
  void unshare_all();
  /// The address lies in memory that is shared now.
  bool holds(std::uint64_t address) const;
  std::uint64_t used_bytes() const { return used_bytes_; }  ///< whole pages

 private:
  struct Mapping {
    std::byte* memory = nullptr;
    std::size_t size_bytes = 0;  ///< whole pages
  };

  Device& device_;
  std::map<std::uint64_t, Mapping> mappings_;  ///< by the program's address
  std::uint64_t used_bytes_ = 0;
};

}  // namespace vgpu::cudart
