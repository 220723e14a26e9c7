// Finds races: unordered work of different streams on the same memory, and host code that accesses memory
// while an asynchronous copy can still read or write it. The device executes all work immediately, in the
// order of the requests, so the values are often correct by luck. This class instead checks the order that
// the program enforces (stream_order.hpp).
//
// The client observes host code (client/host_guard.hpp): it requests the ranges that unfinished work uses and
// reports accesses to them. The client is not trusted and does not see every access. So the device also
// delays pinned copies. Until the program has waited for a copy:
//   - the destination of a copy to the host contains 0xFF bytes, so that a program that reads it too early
//   gets NaN;
//   - the source of a copy to the device must not change; the device compares it after the program has
//   waited.
// Allocating and freeing memory in stream order count as writes of all its bytes in their stream (CUDA C++
// Programming Guide, "Stream Ordered Memory Allocator"). The end of a registration is an access of host code,
// and so is cudaFree for memory from cudaMallocAsync, which "performs no further synchronization" (same
// section).
//
// cudaFree and cudaFreeHost end all work, because the runtime waits there; calls that allocate or register
// memory promise no wait. Not found: races beyond the limits in stream_races.cpp. Not thread safe. Covered
// by tests/cudart/stream_races_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/host_place.hpp"
#include "vgpu/cudart/device_side/stream_order.hpp"
#include "vgpu/cudart/protocol/memory_kind.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Memory that work uses: a range, or rows of it with gaps between them, which other work can use.
struct StreamAccess : MemoryAccess {
  std::uint64_t row_bytes = 0;  ///< 0: there are no gaps
  std::uint64_t pitch = 0;      ///< from one row to the next

  StreamAccess(std::uint64_t from, std::uint64_t bytes, bool writes) {
    start = from;
    size_bytes = bytes;
    is_write = writes;
  }
  StreamAccess(const MemoryAccess& range)  // NOLINT(google-explicit-constructor)
      : MemoryAccess(range) {}

  bool has_gaps() const { return row_bytes != 0; }
  std::uint64_t rows() const { return has_gaps() ? (size_bytes - row_bytes) / pitch + 1 : 1; }
  /// Whether one of the rows has a byte in [from, to).
  bool touches(std::uint64_t from, std::uint64_t to) const;

  friend bool operator==(const StreamAccess&, const StreamAccess&) = default;
};

/// Whether both use a byte.
bool overlap(const StreamAccess& a, const StreamAccess& b);

/// A use of memory other than by the program's work.
enum class MemoryCall : std::uint8_t {
  none,
  allocate,        ///< in stream order
  free,            ///< in stream order
  free_by_host,    ///< by cudaFree, without a wait
  unregister,      ///< by the host
  read_by_caller,  ///< by the code that called the program, after the program's function has returned
};

/// A piece of work, as reports show it.
struct StreamWork {
  OperationKind kind = OperationKind::kernel;
  StreamId stream = kLegacyStream;
  std::string kernel{};                ///< mangled name
  std::vector<std::uint64_t> site{};   ///< Issue::site
  HostPlace place{};                   ///< where the program issued the work; can be unknown
  MemoryCall call = MemoryCall::none;  ///< if not `none`, `kind` is meaningless
  bool can_signal = false;             ///< a kernel whose atomic accesses host code may poll
};

struct StreamRace {
  StreamWork earlier;                      ///< in the order of issue
  StreamWork later;                        ///< meaningless if `by_host`
  EventUse events = EventUse::none;        ///< what has been done to order the two
  bool by_host = false;                    ///< host code accessed the memory before `earlier` had ended
  bool in_host_function = false;           ///< of `by_host`
  HostWait host_wait{};                    ///< of `by_host`
  HostPlace place{};                       ///< of the host code; can be unknown
  MemoryKind memory = MemoryKind::pinned;  ///< the memory that host code accessed
  bool earlier_writes = false, later_writes = false;
  std::uint64_t address = 0, size_bytes = 0;  ///< of the memory that both use
  std::uint32_t allocation = 0;  ///< number of the device's allocation, from 1; 0: host memory or a variable
  std::uint64_t count = 1;       ///< races between the same two kinds of work
};

struct HostTouch {
  std::uint64_t address = 0;
  bool is_write = false;
  bool in_host_function = false;
  MemoryKind memory = MemoryKind::unknown;
  HostPlace place{};
};

class StreamRaces {
 public:
  /// `delays_copies`: see ServeOptions.
  StreamRaces(Device& device, bool delays_copies) : device_(device), delays_copies_(delays_copies) {}

  StreamOrder& order() { return order_; }

  /// Adds the work with the identity `moment`, and the memory that it reads and writes.
  void add(const StreamWork& work, WorkMoment moment, const std::vector<StreamAccess>& accesses);

  // Called around the transfer of a copy between pinned and device memory.
  void before_copy(std::uint64_t to, std::uint64_t from, std::size_t size_bytes);
  void after_copy(const StreamWork& work, WorkMoment moment, std::uint64_t host, std::size_t size_bytes);
  // Called around a launch. Kernels read and write the current contents of the host's memory.
  void before_launch();
  void after_launch();
  /// Called before a host function, the latest work of `stream`, which can use the results of earlier work.
  void before_host_function(StreamId stream);

  /// The accesses of unfinished work to host memory, without those that host code may poll: the atomic and
  /// volatile ones of a kernel with an access or a fence of system scope. Atomics of a smaller scope, such as
  /// atomicAdd, are atomic among the device's threads only (CUDA C++ Programming Guide, "Atomic Functions").
  std::vector<MemoryAccess> unfinished_on_host() const;
  /// Records that host code accesses one byte, at `touch.place`. Returns false if no unfinished work
  /// conflicts with it.
  bool note_host(const HostTouch& touch);

  /// Called before the program ends the registration of this memory, or frees it, by a call that does not
  /// wait. The CUDA Runtime API documents no wait in cudaHostUnregister. Delivers delayed copies, because the
  /// device loses access to the memory.
  void release(const StreamWork& call, std::uint64_t start, std::uint64_t size_bytes);

  /// Called before the device loses access to host memory, although the program has not waited: delayed
  /// copies arrive.
  void deliver_all();

  /// Called after the program has waited: forgets all work whose end the program now knows about.
  void settle();
  void settle_all();

  const std::vector<StreamRace>& found() const { return found_; }
  /// Records where the program issued the work of race `index`.
  void place(std::size_t index, bool is_later, HostPlace place);
  std::vector<StreamRace> take() { return std::move(found_); }

 private:
  struct Recorded {
    StreamWork work;
    WorkMoment moment;
    StreamAccess access;
    bool host_may_know = false;  ///< a later host function ran, which can have notified the program
  };
  /// A pinned copy that the program has not waited for.
  struct PendingCopy {
    StreamWork work;
    WorkMoment moment;
    std::uint64_t host = 0;
    std::vector<std::byte> bytes;  ///< of the source, or the bytes for the destination
    bool is_to_host() const { return work.kind == OperationKind::copy_to_host; }
  };

  static bool is_on_host(const Recorded& one);
  void report(StreamRace race);
  void conclude(const PendingCopy& copy);
  bool is_unchanged(const PendingCopy& copy) const;
  template <class Test>
  void conclude_where(Test test);

  Device& device_;
  bool delays_copies_;
  StreamOrder order_;
  std::deque<Recorded> recent_;
  std::vector<PendingCopy> pending_;
  std::size_t pending_bytes_ = 0;
  std::vector<StreamRace> found_;
};

}  // namespace vgpu::cudart
