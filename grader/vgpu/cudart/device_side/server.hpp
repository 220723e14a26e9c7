// The device's end of the command interface: serves one client program (its process, or a thread in tests)
// until the client is gone. The client is the CUDA runtime library in the student's process and is not
// trusted: every message is checked, sizes are capped, and a broken message ends the session with
// `protocol_error`, nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/host_place.hpp"
#include "vgpu/cudart/device_side/stream_races.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"
#include "vgpu/cudart/protocol/memory_kind.hpp"
#include "vgpu/model/operation.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// A runtime call that did not return cudaSuccess, as the program got it.
struct ApiFailure {
  std::string call;         ///< "cudaMalloc"
  int error = 0;            ///< cudaError_t value
  std::string detail;       ///< facts beyond the code: sizes, limits, names
  bool is_ignored = false;  ///< the program went on and never asked for the error
  bool is_quiet = false;    ///< an answer that programs ask for, or a kernel's fault
  bool is_mistake = false;  ///< no program means it, whether it looks at the error or not
  HostPlace place{};
};

/// Host code followed a pointer into device memory, which is no address of the host.
struct HostCrash {
  std::uint64_t address = 0;
  std::optional<Allocation> allocation;  ///< that holds the address; was freed perhaps
  HostPlace place{};
};

/// Memory that the program got from CUDA, as it says itself.
struct NamedMemory {
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t size_bytes = 0;
  HostPlace allocated, freed;  ///< the latter empty: it is not
  bool is_lost = false;        ///< never freed
};
using MemoryNames = std::map<DevicePtr, NamedMemory>;  ///< by start

/// How often the host waited, by what for. What the whole program does in the end is not counted: a wait
/// counts once work (a kernel, copy or fill) follows that was issued after it, and some was issued before.
struct HostWaits {
  std::uint64_t device = 0;
  std::uint64_t stream = 0;  ///< that of every blocking copy is one
  std::uint64_t event = 0;
};

/// Bytes that crossed between host and device, however small the pieces: copies, parameters of launches,
/// values of fills, text that kernels printed. Memory that both share is not in it.
struct HostTraffic {
  std::uint64_t to_device = 0, to_host = 0;
  std::uint64_t printed = 0;  ///< of to_host: text that kernels printed
};

/// What the server saw itself, except for `failures`, `unsupported`, `memory`, `host_crash` and `has_ended`:
/// those the client tells (capped, printable).
struct SessionReport {
  std::vector<LaunchRecord> launches;        ///< in order; the first ServeOptions::max_launch_records
  std::uint64_t launches_dropped = 0;        ///< launches beyond that; counted, not recorded
  Counters total_counters;                   ///< of all launches
  double kernel_s = 0;                       ///< modelled time of all launches
  std::vector<TimedOperation> timeline;      ///< the first Timeline::kMaxRecorded operations
  std::vector<ApiFailure> failures;          ///< the first 64
  std::vector<std::string> unsupported;      ///< names of runtime calls this version does not have, each once
  std::vector<Allocation> live_allocations;  ///< when the client left
  MemoryNames memory;      ///< that launches used wrongly or that was not freed; not all of it
  bool has_ended = false;  ///< by itself, with a device that it could still use
  std::optional<HostCrash> host_crash;
  std::uint64_t peak_device_bytes = 0;  ///< allocated at once
  std::uint64_t peak_pinned_bytes = 0;  ///< of the host, shared with the device at once: whole pages
  std::uint64_t live_pinned_bytes = 0;  ///< when the client left
  HostWaits host_waits;
  HostTraffic traffic;
  std::vector<StreamRace> stream_races;  ///< folded by kind of work
  std::string protocol_error;            ///< empty: the session was well formed
  bool stopped = false;                  ///< ended because `stop` was set
};

struct ServeOptions {
  /// Copies from the device to pinned memory arrive when the program has waited for them, as late as they
  /// may. Programs that watch the memory instead of waiting wait for ever.
  bool delays_copies = false;
  std::size_t max_message_bytes = std::size_t{1} << 28U;
  std::size_t max_launch_records = 4096;
  /// Called with every launch when it has ended, before the program goes on, with what the program says of
  /// the memory that the launch used wrongly.
  std::function<void(const LaunchRecord&, const MemoryNames&)> on_launch;
  const std::atomic<bool>* stop =
      nullptr;  ///< ends the session within 100 ms; kernels look at DeviceOptions::stop
};

/// `socket` is a connected stream socket; it stays open. Returns when the client has closed its end or on
/// `stop`.
SessionReport serve(int socket, Device& device, const ServeOptions& options = {});

}  // namespace vgpu::cudart
