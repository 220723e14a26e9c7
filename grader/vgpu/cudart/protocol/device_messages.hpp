// Requests for facts about the device, its modules and kernels, and for its limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/cudart/protocol/memory_messages.hpp"
#include "vgpu/cudart/protocol/protocol.hpp"

namespace vgpu::cudart {

struct DeviceInfo {
  std::string name;
  std::int32_t compute_major = 0, compute_minor = 0;
  std::uint32_t sm_count = 0;
  double clock_hz = 0, dram_bytes_per_s = 0;
  std::uint32_t max_threads_per_block = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0,
                registers_per_sm = 0;
  std::uint64_t shared_bytes_per_block = 0, shared_bytes_per_sm = 0, constant_bytes = 0, global_bytes = 0;
  std::uint64_t largest_shared_bytes_per_block = 0;  ///< after cudaFuncSetAttribute has requested it
  std::uint64_t shared_reserved_bytes = 0, l1_bytes_per_sm = 0, l2_bytes = 0;
  std::int32_t async_engine_count = 0;
  std::uint32_t max_concurrent_kernels = 0;

  void fields(auto& archive) {
    archive(name, compute_major, compute_minor, sm_count, clock_hz, dram_bytes_per_s);
    archive(max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, registers_per_sm);
    archive(shared_bytes_per_block, shared_bytes_per_sm, constant_bytes, global_bytes);
    archive(largest_shared_bytes_per_block, shared_reserved_bytes, l1_bytes_per_sm, l2_bytes);
    archive(async_engine_count, max_concurrent_kernels);
  }
};

/// The first request of a session. The device refuses another version of the protocol.
struct Open {
  using Answer = DeviceInfo;
  std::uint32_t version = kProtocolVersion;
  void fields(auto& archive) { archive(version); }
};

/// Frees every allocation.
struct Reset : Nothing {
  using Answer = Nothing;
};

struct ModuleHandle {
  std::uint32_t module = 0;
  void fields(auto& archive) { archive(module); }
};

/// Bulk: the fat binary or PTX text.
struct LoadModule : Nothing {
  using Answer = ModuleHandle;
};

struct QuerySymbol {
  using Answer = MemoryRange;
  std::uint32_t module = 0;
  std::string name;
  void fields(auto& archive) { archive(module, name); }
};

struct KernelFacts {
  std::vector<std::uint64_t> parameter_sizes, parameter_offsets;
  std::uint64_t parameter_bytes = 0, static_shared_bytes = 0, local_bytes_per_thread = 0;
  std::uint32_t max_threads_per_block = 0, registers_per_thread = 0, cluster_blocks = 1, architecture = 0;

  void fields(auto& archive) {
    archive(parameter_sizes, parameter_offsets, parameter_bytes, static_shared_bytes, local_bytes_per_thread);
    archive(max_threads_per_block, registers_per_thread, cluster_blocks, architecture);
  }
};

struct QueryKernel {
  using Answer = KernelFacts;
  std::uint32_t module = 0;
  std::string kernel;
  void fields(auto& archive) { archive(module, kernel); }
};

struct ResidentBlocks {
  std::uint32_t blocks_per_sm = 0;
  /// The largest amount with which QueryOccupancy::blocks_wanted blocks are resident.
  std::uint64_t dynamic_shared_bytes = 0;
  void fields(auto& archive) { archive(blocks_per_sm, dynamic_shared_bytes); }
};

/// How many blocks of `threads` threads can be resident on an SM at the same time.
struct QueryOccupancy {
  using Answer = ResidentBlocks;
  std::uint32_t module = 0;
  std::string kernel;
  std::uint64_t threads = 0, dynamic_shared_bytes = 0;
  std::uint32_t blocks_wanted = 1;
  void fields(auto& archive) { archive(module, kernel, threads, dynamic_shared_bytes, blocks_wanted); }
};

enum class Limit : std::uint32_t { stack_bytes, heap_bytes, printf_bytes };

struct LimitValue {
  std::uint64_t value = 0;
  void fields(auto& archive) { archive(value); }
};

/// Reads a limit, after changing it if `is_change` is set. The answer is the limit's new value.
struct AccessLimit {
  using Answer = LimitValue;
  Limit limit{};
  bool is_change = false;
  std::uint64_t value = 0;
  void fields(auto& archive) { archive(limit, is_change, value); }
};

}  // namespace vgpu::cudart
