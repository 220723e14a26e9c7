// The device side of the command interface. It serves one client program (a process, or a thread in tests)
// until the client disconnects. The client is the CUDA runtime library in the student's process and is not
// trusted: the server checks every message and limits sizes. A malformed message ends the session with
// `protocol_error` and has no other effect.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/busy_time.hpp"
#include "vgpu/cudart/device_side/host_command_record.hpp"
#include "vgpu/cudart/device_side/host_place.hpp"
#include "vgpu/cudart/device_side/lineage.hpp"
#include "vgpu/cudart/device_side/stream_races.hpp"
#include "vgpu/cudart/device_side/transfers.hpp"
#include "vgpu/cudart/device_side/unwritten_copies.hpp"
#include "vgpu/cudart/device_side/work_flow.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"
#include "vgpu/cudart/protocol/memory_kind.hpp"
#include "vgpu/model/operation.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// A runtime call that did not return cudaSuccess to the program.
struct ApiFailure {
  std::string call;         ///< "cudaMalloc"
  int error = 0;            ///< cudaError_t value
  std::string detail;       ///< details such as sizes, limits and names
  bool is_ignored = false;  ///< the program continued and never checked the error
  bool is_quiet = false;    ///< an expected answer, or a kernel's fault
  bool is_mistake = false;  ///< a mistake even if the program checks the error
  HostPlace place{};
};

/// Host code dereferenced a device pointer, which is not a valid host address.
struct HostCrash {
  std::uint64_t address = 0;
  std::optional<Allocation> allocation;  ///< the allocation that has, or had, the address
  HostPlace place{};
};

/// Memory from CUDA, as the client described it.
struct NamedMemory {
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t size_bytes = 0;
  HostPlace allocated, freed;  ///< `freed` is empty if the memory is still allocated
  bool is_lost = false;        ///< never freed
};
using MemoryNames = std::map<DevicePtr, NamedMemory>;  ///< by start

/// How often the host waited, by the kind of wait. A wait counts if the program issued work (a kernel, copy
/// or fill) both before and after it. Waits at the end of the program therefore do not count.
struct HostWaits {
  std::uint64_t device = 0;
  std::uint64_t stream = 0;  ///< includes the wait of each blocking copy
  std::uint64_t event = 0;
};

/// Copies within the device and fills: work that a program does without a kernel.
struct DeviceCopies {
  std::uint64_t copies = 0, copied_bytes = 0;
  std::uint64_t small_pieces = 0;  ///< in which copies rearranged data (SmallPieces)
  std::uint64_t fills = 0, filled_bytes = 0;
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  ///< in whole sectors for each row
  double seconds = 0;                                       ///< modelled, without waiting for other work

  /// Requires that `other` is a part of these.
  DeviceCopies& operator-=(const DeviceCopies& other);
};

/// Objects that have been created and not destroyed.
struct LiveObjects {
  std::uint64_t streams = 0;
  // These come from the client, except for events that were recorded.
  std::uint64_t events = 0, graphs = 0, executable_graphs = 0, memory_pools = 0;
};

/// What a session had done when the caller's call of the program's function began.
struct CallStart {
  std::uint64_t launches = 0;
  std::size_t fetched_words = 0;  ///< of TransferredWords::to_host
  LiveObjects live{};
  std::size_t live_allocations = 0;
  std::uint64_t kernel_allocations = 0;  ///< of malloc and new in kernels, not freed so far
};

/// Observations of the server, except for `failures`, `unsupported`, `memory`, `host_crash`, `has_ended` and
/// `calls`. The client reports these; their size is limited and their text is printable.
struct SessionReport {
  std::vector<LaunchRecord> launches;        ///< in order; the first ServeOptions::max_launch_records
  std::uint64_t launches_dropped = 0;        ///< the number of launches beyond that limit
  Counters total_counters;                   ///< of all launches
  double kernel_s = 0;                       ///< modelled time in which at least one kernel runs
  std::vector<TimedOperation> timeline;      ///< the first Timeline::kMaxRecorded operations
  std::vector<ApiFailure> failures;          ///< the first 64
  std::vector<std::string> unsupported;      ///< unsupported runtime calls; each name occurs once
  std::vector<Allocation> live_allocations;  ///< when the client disconnected
  KernelAllocations kernel_allocations;      ///< of malloc and new in kernels, not freed by kernels
  MemoryNames memory;                        ///< used wrongly by launches, or never freed; incomplete
  bool has_ended = false;                    ///< the program ended normally, with a usable device
  std::optional<HostCrash> host_crash;
  std::vector<CallStart> calls;         ///< that the client announced; the first 1,024
  std::uint64_t peak_device_bytes = 0;  ///< allocated at the same time
  std::uint64_t allocations = 0;        ///< requested since the program first recorded an event
  std::uint64_t peak_pinned_bytes = 0;  ///< shared with the host at the same time, in whole pages
  /// Of the caller's arrays, copied from or to while the program has registered them; at most their size.
  std::uint64_t registered_argument_bytes = 0;
  // Not freed or destroyed when the client disconnected.
  std::uint64_t live_host_regions =
      0;  ///< of pinned, registered or managed memory, without __managed__ variables
  LiveObjects live;
  std::uint32_t sm_count = 0;  ///< of the device
  HostWaits host_waits;
  HostTraffic traffic;
  DeviceCopies device_copies;
  /// The part of device_copies before the program first recorded an event, without small pieces.
  DeviceCopies copies_before_events;
  HostCommandRecord commands;  ///< with ServeOptions::kept_commands
  TransferredWords words;      ///< with ServeOptions::keeps_words, like the next two
  LineageRecord lineage;
  WorkFlowRecord work_flow;
  std::vector<StoreLines::Line> store_lines;  ///< Device::store_lines()
  std::vector<StreamRace> stream_races;       ///< one entry per pair of kinds of work
  std::vector<UnwrittenCopy> unwritten_copies;
  std::string protocol_error;  ///< empty if the session was well formed
  bool stopped = false;        ///< ended because `stop` was set
};

struct ServeOptions {
  /// Delivers copies from the device to pinned memory only after the program has waited for them, which is as
  /// late as CUDA permits. Programs that poll the memory instead of waiting never finish.
  bool delays_copies = false;
  /// Records the values that host and device exchange, and where the bytes in device memory come from.
  bool keeps_words = false;
  KeptCommands kept_commands = KeptCommands::none;
  /// Pinned and managed memory that the program allocates holds values that mean nothing, not 0: CUDA leaves
  /// it undefined, but most systems give a program pages of zeros.
  bool spoils_pinned_memory = false;
  std::size_t max_message_bytes = std::size_t{1} << 28U;
  std::size_t max_launch_records = 4096;
  /// Called after every launch, before the program continues. The second argument describes the memory that
  /// the launch used wrongly, as far as the client reported it.
  std::function<void(const LaunchRecord&, const MemoryNames&)> on_launch;
  /// Ends the session within 100 ms. Kernels check DeviceOptions::stop.
  const std::atomic<bool>* stop = nullptr;
  /// Records how long the requests take; can be null.
  BusyTime* busy = nullptr;
};

/// Serves the client at `socket`, a connected stream socket, and leaves the socket open. Returns when the
/// client has closed its end, or when `stop` is set.
SessionReport serve(int socket, Device& device, const ServeOptions& options = {});

}  // namespace vgpu::cudart
