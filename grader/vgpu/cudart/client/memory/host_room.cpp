#include "vgpu/cudart/client/memory/host_room.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>

#include <sys/single_threaded.h>
#include <unistd.h>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/memory/shared_memory.hpp"

namespace vgpu::cudart::client {
namespace {

struct Known {
  std::uint64_t end = 0;
  std::string name;  ///< empty: a block of the guarded heap
};

/// Announced arrays and blocks of the guarded heap.
struct KnownArrays {
  std::mutex mutex;
  std::map<std::uint64_t, Known> by_start;

  static KnownArrays& instance() {
    static auto& all = *new KnownArrays;  // never destroyed, see Runtime::instance()
    return all;
  }
};

std::optional<std::uint64_t> room_in_known(std::uint64_t address) {
  KnownArrays& known = KnownArrays::instance();
  const std::lock_guard lock(known.mutex);
  const auto next = known.by_start.upper_bound(address);
  if (next == known.by_start.begin()) return std::nullopt;
  const std::uint64_t end = std::prev(next)->second.end;
  return address < end ? std::optional(end - address) : std::nullopt;
}

/// Start of the heap; 0 if unknown. It does not change.
std::uint64_t heap_start() {
  static const std::uint64_t start = [] {
    std::uint64_t found = 0;
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return found;
    char line[512];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
      unsigned long long from = 0;
      int name = 0;
      if (std::sscanf(line, "%llx-%*x %*s %*s %*s %*s %n", &from, &name) == 1 && name > 0 &&
          std::string_view(line + name).starts_with("[heap]"))
        found = from;
    }
    std::fclose(maps);
    return found;
  }();
  return start;
}

/// glibc's blocks follow each other from the start of the heap to its end. Each begins with the size of the
/// block before it, if that is free, and its own size, whose low bits are flags (malloc/malloc.c, "struct
/// malloc_chunk"). The first field of the next block belongs to this block's user.
std::optional<std::uint64_t> room_in_heap(std::uint64_t address) {
  constexpr std::uint64_t kHeader = 16, kSmallest = 32, kFlags = 15, kNextField = 8;
  constexpr int kMostBlocks = 4096;  // the walk takes no longer than the copy's round trip to the device
  const std::uint64_t start = heap_start(), end = address_of(::sbrk(0));
  if (start == 0 || __libc_single_threaded == 0 || address < start || address >= end) return std::nullopt;
  std::uint64_t block = start;
  for (int count = 0; count < kMostBlocks && block + kSmallest <= end; ++count) {
    const std::uint64_t size = *static_cast<const std::uint64_t*>(pointer_to(block + 8)) & ~kFlags;
    if (size < kSmallest || size > end - block) return std::nullopt;
    const std::uint64_t user_end = block + size + kNextField;
    if (address < block + size) {
      const bool is_last = block + size == end;  // memory that malloc has not given to the program
      return address >= block + kHeader && !is_last ? std::optional(user_end - address) : std::nullopt;
    }
    block += size;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> host_room(std::uint64_t address) {
  if (const auto room = room_in_known(address)) return room;
  return room_in_heap(address);
}

std::optional<NearbyArray> array_next_to(std::uint64_t address) {
  std::uint64_t least = std::uint64_t{64} << 10U;  // farther away, the array is a guess
  std::optional<NearbyArray> nearest;
  bool is_inside = false;
  const auto consider = [&](std::uint64_t start, std::uint64_t end, const std::string& name,
                            const char* kind) {
    is_inside |= address >= start && address < end;
    const std::uint64_t distance = address < start ? start - address : address - end;
    if (is_inside || distance >= least) return;
    least = distance;
    nearest = {name, kind, static_cast<std::int64_t>(address - start), end - start};
  };
  KnownArrays& known = KnownArrays::instance();
  const std::unique_lock lock(known.mutex,
                              std::try_to_lock);  // the crash can be within a change of the arrays
  if (!lock) return std::nullopt;
  for (const auto& [start, array] : known.by_start)
    consider(start, array.end, array.name, array.name.empty() ? "memory from malloc or new" : "array");
  Runtime::instance().memory().for_each([&](const KnownMemory& memory) {
    if (is_shared(memory.kind))
      consider(memory.address, memory.end(), {},
               memory.kind == MemoryKind::managed ? "managed memory" : "pinned memory");
  });
  return is_inside ? std::nullopt : nearest;
}

void add_host_block(std::uint64_t start, std::uint64_t size_bytes) {
  KnownArrays& known = KnownArrays::instance();
  const std::lock_guard lock(known.mutex);
  known.by_start[start] = {start + size_bytes, {}};
}

void remove_host_block(std::uint64_t start) {
  KnownArrays& known = KnownArrays::instance();
  decltype(known.by_start)::node_type node;  // deleted without the lock, see GuardedHeap::free()
  const std::lock_guard lock(known.mutex);
  node = known.by_start.extract(start);
}

bool has_room_value(const std::byte* start, std::size_t size_bytes) {
  return std::all_of(start, start + size_bytes, [](std::byte one) { return one == std::byte{kRoomValue}; });
}

}  // namespace vgpu::cudart::client

const char* warpgradeOverrunMemory() {
  using namespace vgpu::cudart::client;
  if (has_overrun_block()) return "memory from malloc or new";
  const std::lock_guard lock(Runtime::instance().mutex());
  return has_overrun_pinned(Runtime::instance()) ? "pinned memory" : nullptr;
}

void warpgradeHostArray(const void* start, std::size_t size_bytes, const char* name) {
  using namespace vgpu::cudart;
  using namespace vgpu::cudart::client;
  {
    KnownArrays& known = KnownArrays::instance();
    const std::lock_guard lock(known.mutex);
    known.by_start[address_of(start)] = {address_of(start) + size_bytes, name};
  }
  api_call("the caller's array", CallKind::host, [&](Runtime& runtime) {
    NameCallersMemory request;
    request.address = address_of(start);
    request.size_bytes = size_bytes;
    return outcome_of(runtime.ask(request));
  });
}
