// The size of memory that only the host uses, so that a copy that is larger than a host array is refused
// before it overwrites other memory, and a crash next to an array names it. Known are arrays that the program
// announced and, for copies in programs with one thread, blocks of glibc's malloc. Covered by
// tests/cudart/host_room_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace vgpu::cudart::client {

/// Bytes from the address to the end of the array or block that contains it; nullopt if that is unknown.
std::optional<std::uint64_t> host_room(std::uint64_t address);

/// An announced array, as seen from an address.
struct NearbyArray {
  std::string name;
  std::int64_t offset = 0;  ///< of the address from the start of the array, in bytes
  std::uint64_t size_bytes = 0;
};

/// The announced array next to an address outside all announced arrays; nullopt if none is near. The caller
/// holds the runtime's mutex.
std::optional<NearbyArray> array_next_to(std::uint64_t address);

}  // namespace vgpu::cudart::client

/// Records that the program allocated an array of the host at `start`. For arrays that are part of a larger
/// block of memory, such as the harness's arrays with guard zones: the arguments of the student's function.
/// Nothing else that the program copies may be within 64 KiB of it.
extern "C" __attribute__((visibility("default"))) void warpgradeHostArray(const void* start,
                                                                          std::size_t size_bytes,
                                                                          const char* name);
