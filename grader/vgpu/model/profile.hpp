// A device profile: the limits of the virtual GPU, and the speed of its parts (for modelled time). Profiles
// are JSON files (schema/profile.schema.json); the default is the lectures' GPU. profile_fields.cpp defines
// the meaning and the values of each key. The default of an optional key switches its effect off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"

namespace vgpu {

inline constexpr std::uint64_t kWarpLanes = 32;

/// What a device refuses every time, to show whether programs check errors. Such errors are not sticky: no
/// later call returns them.
enum class Refused : std::uint8_t {
  nothing,
  launches,     ///< as of too large blocks
  allocations,  ///< of device memory and of the host's pinned memory; programs can still register their own
  host_allocations,  ///< of pinned memory only
  copies_to_host     ///< from device memory
};

struct Profile;

/// "this device refuses every launch", or from which one on.
std::string refusal_text(const Profile& profile, const char* request);

struct Profile {
  std::string name = "lecture";
  int compute_major = 8;  ///< reported to programs
  int compute_minor = 0;

  // Rates. Peak is 2 flops × lanes × SMs × clock = 1,500 GFLOP/s for the lecture GPU.
  std::uint32_t sm_count = 16;
  std::uint32_t lanes_per_sm = 32;  ///< of single-precision arithmetic
  double clock_hz = 1.465e9;
  double dram_bytes_per_s = 200e9;
  double shared_wavefronts_per_clock_per_sm = 1;

  // Limits.
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t max_threads_per_sm = 1536;
  std::uint32_t max_blocks_per_sm = 8;
  std::uint32_t registers_per_sm = 32768;
  std::size_t shared_bytes_per_block = 48 * 1024;
  std::size_t shared_bytes_per_sm = 48 * 1024;
  std::size_t constant_bytes = 64 * 1024;
  std::size_t global_bytes = std::size_t{1} << 30U;
  int async_engine_count = 1;  ///< copy engines; a single one serves both directions in turn

  // Instruction throughput.
  double issues_per_clock_per_sm = 1;  ///< warp instructions
  double tensor_fma_per_clock_per_sm =
      1024;  ///< of f16 and bf16; half as many for tf32, twice as many for bytes
  double tensor_fp64_fma_per_clock_per_sm = 64;
  std::uint32_t fp64_lanes_per_sm = 32;            ///< 32 lanes execute one warp instruction per clock
  std::uint32_t int_lanes_per_sm = 32;             ///< integer, logic, comparison
  std::uint32_t special_lanes_per_sm = 32;         ///< reciprocal, square root, sine, …
  std::uint32_t conversion_lanes_per_sm = 32;      ///< between types of numbers
  std::uint32_t memory_lanes_per_sm = 32;          ///< loads, stores, atomics, shuffles
  double texture_wavefronts_per_clock_per_sm = 1;  ///< fetches and surface accesses of 4 or 8 lanes each
  bool ptx_is_machine_code = true;                 ///< every PTX instruction takes an issue slot

  // Latency, in clocks; 0: always hidden.
  double arithmetic_latency_clocks = 0;
  double fp64_latency_clocks = 0;
  double special_latency_clocks = 0;
  double tensor_latency_clocks = 0;
  double shared_latency_clocks = 0;
  double l1_latency_clocks = 0;
  double texture_latency_clocks = 0;  ///< in addition to that of a load
  double l2_latency_clocks = 0;
  double dram_latency_clocks = 0;  ///< on average
  double dram_latency_spread_clocks =
      0;  ///< of n loads, the slowest takes 1/1 + … + 1/(n-1) times this longer
  double barrier_latency_clocks = 0;

  // Caches; 0 bytes: no cache, every sector is DRAM traffic.
  std::size_t l1_bytes_per_sm = 0;
  std::size_t l2_bytes = 0;
  std::uint32_t cache_line_bytes = 128;
  double l1_lines_per_clock_per_sm = 0;  ///< lines looked up; 0: no limit
  double l2_bytes_per_s = 0;             ///< 0: no limit
  double l2_bytes_per_clock_per_sm = 0;  ///< between L2 and one SM; 0: no limit
  double dram_achievable_fraction = 1;   ///< of dram_bytes_per_s

  // Atomics.
  double l2_atomics_per_clock = 0;              ///< lanes on different addresses, whole device; 0: no limit
  double same_address_atomic_clocks = 0;        ///< between two lanes on one word of global memory
  double same_address_float_atomic_clocks = 0;  ///< the same for floating-point numbers
  double same_line_atomic_clocks = 0;           ///< between two requests for several words of one line

  // Occupancy.
  std::uint32_t register_allocation_unit = 64;  ///< registers of a warp are allocated in multiples of it
  std::size_t shared_allocation_bytes = 128;    ///< shared memory of a block is allocated in multiples of it
  std::size_t shared_reserved_bytes = 0;        ///< bytes that the system reserves in every block
  std::uint32_t max_registers_per_thread = 63;

  // Launches and the link to the host.
  double kernel_launch_s =
      0;  ///< from a kernel's turn to its first block, and from its last block to its end
  double block_launch_clocks = 0;      ///< between the starts of two blocks of up to 8 warps on one SM
  double host_call_s = 0;              ///< host time to issue one operation
  double to_device_bytes_per_s = 8e9;  ///< pinned host memory
  double to_host_bytes_per_s = 8e9;
  double pageable_to_device_bytes_per_s = 4e9;  ///< through the driver's staging buffer
  double pageable_to_host_bytes_per_s = 4e9;
  double link_latency_s = 10e-6;  ///< per copy between host and device
  bool link_is_full_duplex = true;

  // Allocation of device memory (mapped_memory.hpp).
  std::uint64_t memory_block_bytes =
      0;               ///< unit in which the driver maps memory; 0: allocations take no time
  double map_s = 0;    ///< host time to map a block or a larger allocation
  double unmap_s = 0;  ///< host time to unmap it

  // Streams.
  std::uint32_t hardware_queues = 1;  ///< per engine; operations of one queue start in the order of issue
  std::uint32_t max_concurrent_kernels = 16;

  std::vector<std::string> sources;  ///< sources of the figures

  // Failures, not part of a profile's file: they show whether programs check errors.
  bool runs_later_code = true;  ///< false: no PTX for architectures after this compute capability
  /// After as many copies, fills and launches the device fails for good; 0: never. Copies of more than 1 MiB
  /// count once for each MiB.
  std::uint64_t operations_before_failure = 0;
  Refused refused = Refused::nothing;
  std::uint64_t granted = 0;  ///< requests of that kind that succeed first

  friend bool operator==(const Profile&, const Profile&) = default;
};

inline bool has_caches(const Profile& profile) { return profile.l1_bytes_per_sm + profile.l2_bytes != 0; }

/// The lectures' GPU: 1,500 GFLOP/s, 200 GB/s.
const Profile& lecture_profile();

/// Reads a profile's JSON; the error names the wrong key and the expected value.
grader::Expected<Profile, std::string> parse_profile(const std::string& json_text);

/// Names of the built-in profiles.
std::vector<std::string> profile_names();

/// A built-in profile by name, or a profile file. The error lists the names.
grader::Expected<Profile, std::string> find_profile(const std::string& name_or_file);

}  // namespace vgpu
