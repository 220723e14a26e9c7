// Work of different streams on the same memory with nothing that orders it, and host code that touches memory
// which an asynchronous copy is still to read or write. The device does everything at once, in the order of
// the requests, so that the values are often right by luck; here it is judged by what the program enforces
// (stream_order.hpp).
//
// Host code is watched by its own end (client/host_guard.hpp), which asks what unfinished work uses and tells
// what host code touches of it. That end is not trusted, and does not see everything; so a pinned copy is as
// late as it may be besides: until the program has waited for it,
//   - the destination of a copy to the host holds 0xFF bytes, so that who reads it too early gets NaN;
//   - the source of a copy to the device must not change; it is compared when the program has waited.
// What is not found: more than the caps below, copies of rows with gaps. Work counts as ended when memory is
// allocated or freed, since the runtime waits there. Not thread safe. Covered by
// tests/cudart/stream_races_test.cpp.
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

/// A piece of work as a report names it.
struct StreamWork {
  OperationKind kind = OperationKind::kernel;
  StreamId stream = kLegacyStream;
  std::string kernel{};               ///< mangled name
  std::vector<std::uint64_t> site{};  ///< Issue's
  HostPlace place{};                  ///< where it was issued; not always known
};

struct StreamRace {
  StreamWork earlier;                      ///< in the order of issue
  StreamWork later;                        ///< meaningless where `by_host`
  bool by_host = false;                    ///< host code used the memory before `earlier` had ended
  HostPlace place{};                       ///< of the host code; not always known
  MemoryKind memory = MemoryKind::pinned;  ///< that host code used
  bool earlier_writes = false, later_writes = false;
  std::uint64_t address = 0, size_bytes = 0;  ///< of the memory that both use
  std::uint32_t allocation = 0;  ///< the device's, 1 for the first; 0: memory of the host, or a variable
  std::uint64_t count = 1;       ///< races between the same two kinds of work
};

struct HostTouch {
  std::uint64_t address = 0;
  bool is_write = false;
  MemoryKind memory = MemoryKind::unknown;
  HostPlace place{};
};

class StreamRaces {
 public:
  /// `delays_copies`: ServeOptions'.
  StreamRaces(Device& device, bool delays_copies) : device_(device), delays_copies_(delays_copies) {}

  StreamOrder& order() { return order_; }

  /// Work that was issued as `moment`, and what it reads and writes.
  void add(const StreamWork& work, WorkMoment moment, const std::vector<MemoryAccess>& accesses);

  // Copies between pinned and device memory, around the transfer itself.
  void before_copy(std::uint64_t to, std::uint64_t from, std::size_t size_bytes);
  void after_copy(const StreamWork& work, WorkMoment moment, std::uint64_t host, std::size_t size_bytes);
  // Kernels see and change the host's memory as it is.
  void before_launch();
  void after_launch();
  /// The host function that `stream` got last may use what ended before it.
  void before_host_function(StreamId stream);

  /// What unfinished work does with memory of the host. Atomic and volatile accesses are left out: host code
  /// may watch those.
  std::vector<MemoryAccess> unfinished_on_host() const;
  /// Host code touches one byte, at `touch.place`. False: no unfinished work minds.
  bool note_host(const HostTouch& touch);

  /// After the program has waited for something: what it now knows to have ended is not looked at any more.
  void settle();
  void settle_all();

  const std::vector<StreamRace>& found() const { return found_; }
  /// Where the work of race `index` was issued.
  void place(std::size_t index, HostPlace earlier, HostPlace later);
  std::vector<StreamRace> take() { return std::move(found_); }

 private:
  struct Recorded {
    StreamWork work;
    WorkMoment moment;
    MemoryAccess access;
    bool host_may_know = false;  ///< a host function ran behind it, and may have told the program
  };
  /// A pinned copy that the program has not waited for.
  struct PendingCopy {
    StreamWork work;
    WorkMoment moment;
    std::uint64_t host = 0;
    std::vector<std::byte> bytes;  ///< of the source; or what belongs into the destination
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
