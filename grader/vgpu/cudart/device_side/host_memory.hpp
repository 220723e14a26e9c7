// The device side of memory that device and program share: pinned, registered and managed memory. The device
// creates the memory and seals its size. So the device's mapping stays valid, whatever the program does with
// its own descriptor. Covered by tests/cudart/host_memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Owns one file descriptor, or none (-1).
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

  enum class Origin { allocated, program };  ///< program: its own pages, which it registers

  /// Creates shared memory for `address` in the program, a multiple of the page size. Returns the descriptor
  /// that the program maps there. Returns no descriptor if the address is taken or invalid, or if the limit
  /// for shared memory is reached.
  Descriptor share(std::uint64_t address, std::uint64_t size_bytes, Origin origin = Origin::allocated);
  /// Fills memory that is shared now with values that mean nothing, as cudaMallocHost leaves it undefined.
  void spoil(std::uint64_t address);
  bool unshare(std::uint64_t address);
  void unshare_all();
  /// Whether the address is in memory that is shared now.
  bool holds(std::uint64_t address) const { return start_of(address).has_value(); }
  /// The first address of the shared memory that the address is in.
  std::optional<std::uint64_t> start_of(std::uint64_t address) const;
  std::uint64_t used_bytes() const { return used_bytes_; }  ///< whole pages
  /// Pages that CUDA allocated. Pages of the program that are shared can outlast their registrations.
  std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  std::size_t regions() const { return mappings_.size(); }
  /// Calls visit(address in the program, bytes) for all memory that is shared now, by address.
  template <class Visit>
  void visit(Visit visit) const {
    for (const auto& [address, mapping] : mappings_)
      visit(address, std::span<const std::byte>(mapping.memory, mapping.requested_bytes));
  }

 private:
  struct Mapping {
    std::byte* memory = nullptr;
    std::size_t size_bytes = 0;  ///< whole pages
    std::size_t requested_bytes = 0;
    Origin origin = Origin::allocated;
  };

  Device& device_;
  std::map<std::uint64_t, Mapping> mappings_;  ///< by the program's address
  std::uint64_t used_bytes_ = 0;               ///< whole pages
  std::uint64_t allocated_bytes_ = 0;          ///< the part of them that is not the program's own
};

}  // namespace vgpu::cudart
