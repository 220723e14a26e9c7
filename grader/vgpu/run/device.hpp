// The interface of the virtual GPU: memory, modules, launches. Independent of the CUDA runtime, processes and
// labs.
//
// Determinism: results, counters, modelled time and faults depend on the commands alone, never on
// `cpu_threads`, even for kernels whose blocks race (see run/grid.hpp). Thread safety: one caller at a time.
// No input of a caller or a kernel may crash or hang the device: images, names, addresses and sizes are all
// treated as hostile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "vgpu/facts/approximations.hpp"
#include "vgpu/facts/checks.hpp"
#include "vgpu/facts/counters.hpp"
#include "vgpu/facts/dim3.hpp"
#include "vgpu/facts/experiment.hpp"
#include "vgpu/facts/fault.hpp"
#include "vgpu/facts/recording.hpp"
#include "vgpu/facts/shared_use.hpp"
#include "vgpu/facts/store_lines.hpp"
#include "vgpu/facts/terms.hpp"
#include "vgpu/model/kernel_time.hpp"
#include "vgpu/model/occupancy.hpp"
#include "vgpu/model/profile.hpp"
#include "vgpu/races/access_summary.hpp"

namespace vgpu {

using DevicePtr = std::uint64_t;
using ModuleId = std::uint32_t;

struct DeviceOptions {
  unsigned cpu_threads = 1;
  std::uint64_t step_limit = std::uint64_t{1} << 32U;  ///< most warp instructions per launch
  std::size_t printf_bytes = std::size_t{1} << 20U;    ///< device printf output kept until it is taken
  /// Programs get no more device memory than this: it is memory of this process. The profile can have more.
  std::uint64_t most_memory_bytes = ~std::uint64_t{0};
  Checks checks;
  /// Kernels of modules that are loaded get values scaled, whose counters then mean nothing.
  Experiment experiment = {};
  /// Takes the registers per thread from the machine code that ptxas stored next to the PTX, if any. Off
  /// where a score depends on them: the numbers are then the same with and without a toolkit, whatever the
  /// image claims.
  bool trusts_machine_code = false;
  /// Fills LaunchRecord::recording. Makes launches several times slower; requires `checks`.
  bool records = false;
  /// Follows what words of memory are computed from: terms(), terms_of(). On one CPU thread; many times
  /// slower; requires `checks`, excludes `records`.
  bool follows_terms = false;
  /// Fills LaunchRecord::approximations.
  bool finds_approximations = false;
  /// Polled while kernels run; once true, the launch ends with LaunchError::stopped. Not owned; can be null.
  const std::atomic<bool>* stop = nullptr;
};

struct KernelInfo {
  std::string name;
  std::vector<std::size_t> parameter_sizes;  ///< bytes, in order
  std::vector<std::size_t> parameter_offsets;
  std::size_t parameter_bytes = 0;
  std::vector<bool> read_parameter_bytes;  ///< by byte: whether the kernel can read it
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes_per_thread = 0;
  std::uint32_t max_threads_per_block = 0;  ///< from __launch_bounds__; otherwise the profile's
  std::uint32_t cluster_blocks = 1;         ///< from __cluster_dims__; only 1 can be launched
  std::uint32_t architecture = 0;           ///< target of the PTX: 80 for compute_80
  /// For occupancy: an estimate from live PTX registers, or DeviceOptions::trusts_machine_code.
  std::uint32_t registers_per_thread = 0;
  bool registers_are_estimated = true;
  /// What machine code needs at least, however it arranges the kernel (decode/registers.hpp).
  std::uint32_t least_registers_per_thread = 0;
  bool has_launch_bounds = false;  ///< the compiler then spills registers until such a block fits
};

struct Launch {
  ModuleId module = 0;
  std::string_view kernel;
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  ///< packed at KernelInfo::parameter_offsets
  bool cooperative = false;  ///< blocks may wait for each other: refused unless all are resident together
  /// The limit that cudaFuncSetAttribute set for the kernel; used where it exceeds shared_bytes_per_block.
  std::size_t allowed_dynamic_shared_bytes = 0;
};

enum class LaunchError : std::uint8_t {
  none,
  invalid_configuration,
  above_launch_bounds,  ///< more threads per block than the kernel's __launch_bounds__ allow
  out_of_resources,
  cooperative_too_large,  ///< more blocks than can be resident together
  no_code_for_device,     ///< the PTX is for a later architecture
  unknown_kernel,
  invalid_value,
  faulted,
  stopped  ///< DeviceOptions::stop was set while the kernel ran
};

/// The record of one launch.
struct LaunchRecord {
  std::string kernel;  ///< mangled name
  Dim3 grid, block;
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  std::size_t read_parameter_bytes = 0;  ///< those of the parameters that the kernel can read
  LaunchError error = LaunchError::none;
  std::uint32_t registers_per_thread = 0;  ///< as in KernelInfo, like the next member
  bool registers_are_estimated = true;
  Occupancy occupancy;       ///< theoretical
  std::string error_detail;  ///< "2048 threads per block; this device allows 1024"
  Counters counters;
  std::vector<LineCounters>
      lines;  ///< only after launches without a fault; they add up to `counters`, except `cache`
  KernelTime time;
  std::vector<Fault> faults;  ///< folded by kind and instruction; ordered by first occurrence in block order
  /// Findings of Checks; the kernel continued. Folded by kind and source lines, ordered like the faults.
  std::vector<Fault> findings;
  /// With Checks::races: the global memory that the launch accessed. Empty if that is too scattered to be
  /// stored.
  std::vector<MemoryAccess> accesses;
  bool records_accesses = true;   ///< with Checks::races
  bool has_system_scope = false;  ///< an access or a fence of the kernel is volatile or of system scope
  bool reads_grid_size = false;   ///< the kernel reads the number of blocks
  bool blocks_wait = false;       ///< in an ordinary launch, a block waited for others
  /// With any of the Checks: the most that a block used.
  SharedUse shared_use;
  /// The blocks that do at least half of the busiest one's work, and store at least half as often as the one
  /// that stores most (working_blocks.hpp): the others can be for show.
  std::uint64_t working_blocks = 0;
  /// Those that load at least half as many bytes of global memory as the one that loads most; 0: none loads.
  std::uint64_t loading_blocks = 0;
  std::shared_ptr<const Recording> recording;            ///< null unless DeviceOptions::records; like `lines`
  std::shared_ptr<const Approximations> approximations;  ///< null unless finds_approximations
};

struct Allocation {
  DevicePtr start = 0;
  std::size_t size_bytes = 0;
  std::uint32_t ordinal = 0;  ///< 1 for the first allocation
};

/// Memory from malloc or new in kernels.
struct KernelAllocations {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

class Device {
 public:
  explicit Device(Profile profile, DeviceOptions options = {});
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const Profile& profile() const;
  /// The memory that programs get: the profile's, or less.
  std::uint64_t memory_bytes() const;

  /// `image` is a fat binary or PTX text. The error is a sentence, with the PTX line if known. A
  /// kernel with an unsupported instruction loads; launching it raises FaultKind::unsupported.
  grader::Expected<ModuleId, std::string> load_module(std::span<const std::byte> image);
  void unload_module(ModuleId module);
  std::optional<KernelInfo> kernel_info(ModuleId module, std::string_view kernel) const;
  /// The memory of a __device__ or __constant__ variable.
  std::optional<Allocation> symbol(ModuleId module, std::string_view name) const;

  /// 256-byte aligned; contents are kUnwrittenWords (state/unwritten.hpp). nullopt: out of device memory.
  /// Size 0 is refused.
  std::optional<DevicePtr> allocate(std::size_t size_bytes);
  bool free(DevicePtr start);
  std::vector<Allocation> live_allocations() const;
  /// The memory that kernels allocated with malloc or new and did not free.
  KernelAllocations kernel_allocations() const;
  /// Frees it, and returns what it was.
  KernelAllocations free_kernel_allocations();
  /// The allocation, live or freed, whose bytes hold the address.
  struct AllocationState {
    Allocation allocation;
    bool is_live = false;
  };
  std::optional<AllocationState> allocation_at(DevicePtr address) const;

  /// Whether all bytes of the range are in one live allocation, variable or mapped range of host memory
  /// (below).
  bool holds(DevicePtr start, std::size_t size_bytes) const;
  // Each returns false if a range is not held.
  bool write(DevicePtr to, std::span<const std::byte> bytes);
  bool read(DevicePtr from, std::span<std::byte> bytes) const;
  bool copy(DevicePtr to, DevicePtr from, std::size_t size_bytes);
  bool fill(DevicePtr to, std::byte value, std::size_t size_bytes);
  /// The range, which starts at a multiple of 16, is like new memory: with its contents, and never written.
  bool forget(DevicePtr start, std::size_t size_bytes);

  /// The bytes of a range that were allocated but never written, without short gaps, which can be padding of
  /// structures. Known only with Checks::uninitialised.
  struct UnwrittenBytes {
    DevicePtr first = 0;
    std::size_t bytes = 0;
  };
  UnwrittenBytes unwritten(DevicePtr start, std::size_t size_bytes) const;

  /// For each word of 4 bytes of the range, the line of the kernel's store that wrote it last: an index into
  /// store_lines(), from 1. 0: no kernel wrote the word, or its line is not known. Known only with
  /// Checks::uninitialised. Copies between device memory copy the lines, too.
  std::vector<StoreLine> stored_by(DevicePtr start, std::size_t size_bytes) const;
  const std::vector<StoreLines::Line>& store_lines() const;
  /// With DeviceOptions::follows_terms: for each word of the range, what it was computed from; 0 for words
  /// that no kernel stored.
  std::vector<TermId> terms_of(DevicePtr start, std::size_t size_bytes) const;
  const Terms& terms() const;
  bool follows_terms() const;

  /// Makes host memory available to kernels, and to the calls above, at the host's own addresses
  /// [start, start + size). `memory` is its place in this process; the caller keeps ownership and must unmap
  /// it before freeing it. False: not a host address, not 256-byte aligned, or partly mapped already. Not
  /// listed in live_allocations().
  bool map_host(DevicePtr start, std::span<std::byte> memory);
  bool unmap_host(DevicePtr start);

  /// Runs the kernel to its end. After a fault the device accepts no more launches (like a CUDA context after
  /// a sticky error).
  LaunchRecord launch(const Launch& launch);
  bool is_faulted() const;

  /// Sets the stack per thread of later launches, for calls that cannot be inlined (cudaLimitStackSize);
  /// initially 1,024. Returns false without any effect above 512 KiB.
  bool set_stack_bytes(std::size_t bytes_per_thread);
  std::size_t stack_bytes() const;
  /// Limits the total memory that kernels allocate (cudaLimitMallocHeapSize), initially 8 MiB; above it
  /// malloc returns null.
  void set_heap_bytes(std::size_t bytes);
  std::size_t heap_bytes() const;
  /// Limits the device printf output that is kept until it is taken (cudaLimitPrintfFifoSize); further output
  /// is dropped.
  void set_printf_bytes(std::size_t bytes);
  std::size_t printf_bytes() const;

  std::string take_printf_output();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vgpu
