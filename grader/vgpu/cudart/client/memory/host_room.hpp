// The size of memory that only the host uses, so that a copy that is larger than a host array is refused
// before it overwrites other memory, and a crash next to an array names it. Known are arrays that the program
// announced, blocks of the guarded heap and, for copies in programs with one thread, blocks of glibc's
// malloc. Thread safe. Covered by tests/cudart/host_room_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace vgpu::cudart::client {

/// Bytes from the address to the end of the array or block that contains it; nullopt if that is unknown.
std::optional<std::uint64_t> host_room(std::uint64_t address);

/// An array or a block, as seen from an address.
struct NearbyArray {
  std::string name;         ///< of an announced array; otherwise empty
  const char* kind = "";    ///< "array", "memory from malloc or new", "pinned memory", "managed memory"
  std::int64_t offset = 0;  ///< of the address from the start of the array, in bytes
  std::uint64_t size_bytes = 0;
};

/// The array or block next to an address outside all of them; nullopt if none is near. The caller holds the
/// runtime's mutex.
std::optional<NearbyArray> array_next_to(std::uint64_t address);

/// A block of the guarded heap (guarded_heap.cpp), with 64 KiB on both sides that nothing else uses.
void add_host_block(std::uint64_t start, std::uint64_t size_bytes);
void remove_host_block(std::uint64_t start);
/// Whether bytes just after a block of the guarded heap have changed since its allocation.
bool has_overrun_block();

/// The value of bytes between the end of the program's memory and closed memory. Four of them are 3.4e38 or
/// 2139062143: a result that depends on them shows it.
inline constexpr int kRoomValue = 0x7F;
bool has_room_value(const std::byte* start, std::size_t size_bytes);

}  // namespace vgpu::cudart::client

/// Records that the program allocated an array of the host at `start`. For arrays that are part of a larger
/// block of memory, such as the harness's arrays with guard zones: the arguments of the student's function.
/// Nothing else that the program copies may be within 64 KiB of it.
extern "C" __attribute__((visibility("default"))) void warpgradeHostArray(const void* start,
                                                                          std::size_t size_bytes,
                                                                          const char* name);

/// Frees a block of the guarded heap; false: it is none. For a `delete` of code that the linker has not given
/// the guarded heap, such as the C++ library's, which frees what a string of the program has allocated.
extern "C" __attribute__((visibility("default"))) bool warpgradeFreeBlock(void* pointer);

/// "memory from malloc or new" or "pinned memory" if the program wrote just past the end of such memory;
/// otherwise null.
extern "C" __attribute__((visibility("default"))) const char* warpgradeOverrunMemory();
