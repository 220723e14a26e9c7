// The command interface between a program's CUDA runtime library and the device in another process: what a
// driver is on a real machine. Strictly one request, then its answer.
//
// A message is a Header, `head_bytes` of encoded fields (message.hpp), then `bulk_bytes` of raw data: bytes
// to copy, an image, kernel parameters. An answer's kind is a Status; unless it is ok, its fields are one
// string that says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/cudart/message.hpp"
#include "vgpu/model/operation.hpp"
#include "vgpu/observe/dim3.hpp"
#include "vgpu/observe/fault.hpp"

namespace vgpu::cudart {

inline constexpr std::uint32_t kProtocolVersion = 2;

enum class Command : std::uint32_t {
  open = 1,
  load_module,
  kernel_info,
  symbol,
  allocate,
  free,
  memory_info,
  write,
  read,
  copy,
  fill,
  launch,
  take_printf_output,
  reset,
  report_failure,
  report_unsupported,
  report_ignored,
  add_operation,
  define_stream,
  wait_for,
  ask_progress,
};

enum class Status : std::uint32_t {
  ok,
  invalid_value,
  out_of_memory,
  invalid_image,
  unknown_symbol,
  invalid_configuration,
  out_of_resources,
  cooperative_too_large,
  protocol_error,  ///< the session is over
  disconnected,    ///< never sent: what a transport answers when the other end is gone
};

struct Header {
  std::uint32_t kind = 0;  ///< a Command or a Status
  std::uint32_t head_bytes = 0;
  std::uint64_t bulk_bytes = 0;
};
static_assert(sizeof(Header) == 16);

inline constexpr std::size_t kMaxHeadBytes = 64 * 1024;
/// Larger copies travel in pieces of this size, which stay in a CPU's cache on their way.
inline constexpr std::size_t kMaxCopyPieceBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxImageBytes = std::size_t{16} << 20U;
/// PTX ISA, ".param state space": 32,764 bytes from sm_70 on.
inline constexpr std::size_t kMaxParameterBytes = 32764;

/// The fields of every answer that is not ok.
struct Refusal {
  std::string reason;
  void fields(auto& archive) { archive(reason); }
};

struct Nothing {
  void fields(auto&) {}
};

struct DeviceInfo {
  std::string name;
  std::int32_t compute_major = 0, compute_minor = 0;
  std::uint32_t sm_count = 0;
  double clock_hz = 0, dram_bytes_per_s = 0;
  std::uint32_t max_threads_per_block = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0,
                registers_per_sm = 0;
  std::uint64_t shared_bytes_per_block = 0, shared_bytes_per_sm = 0, constant_bytes = 0, global_bytes = 0;
  std::int32_t async_engine_count = 0;

  void fields(auto& archive) {
    archive(name, compute_major, compute_minor, sm_count, clock_hz, dram_bytes_per_s);
    archive(max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, registers_per_sm);
    archive(shared_bytes_per_block, shared_bytes_per_sm, constant_bytes, global_bytes, async_engine_count);
  }
};

struct Open {
  static constexpr Command kCommand = Command::open;
  using Answer = DeviceInfo;
  std::uint32_t version = kProtocolVersion;
  void fields(auto& archive) { archive(version); }
};

struct ModuleHandle {
  std::uint32_t module = 0;
  void fields(auto& archive) { archive(module); }
};

/// Bulk: the fat binary or PTX text.
struct LoadModule : Nothing {
  static constexpr Command kCommand = Command::load_module;
  using Answer = ModuleHandle;
};

struct KernelFacts {
  std::vector<std::uint64_t> parameter_sizes, parameter_offsets;
  std::uint64_t parameter_bytes = 0, static_shared_bytes = 0, local_bytes_per_thread = 0;
  std::uint32_t max_threads_per_block = 0, registers_per_thread = 0;

  void fields(auto& archive) {
    archive(parameter_sizes, parameter_offsets, parameter_bytes, static_shared_bytes, local_bytes_per_thread);
    archive(max_threads_per_block, registers_per_thread);
  }
};

struct AskKernel {
  static constexpr Command kCommand = Command::kernel_info;
  using Answer = KernelFacts;
  std::uint32_t module = 0;
  std::string kernel;
  void fields(auto& archive) { archive(module, kernel); }
};

struct MemoryRange {
  std::uint64_t address = 0, size_bytes = 0;
  void fields(auto& archive) { archive(address, size_bytes); }
};

struct AskSymbol {
  static constexpr Command kCommand = Command::symbol;
  using Answer = MemoryRange;
  std::uint32_t module = 0;
  std::string name;
  void fields(auto& archive) { archive(module, name); }
};

struct DeviceAddress {
  std::uint64_t address = 0;
  void fields(auto& archive) { archive(address); }
};

struct Allocate {
  static constexpr Command kCommand = Command::allocate;
  using Answer = DeviceAddress;
  std::uint64_t size_bytes = 0;
  void fields(auto& archive) { archive(size_bytes); }
};

struct Free : DeviceAddress {
  static constexpr Command kCommand = Command::free;
  using Answer = Nothing;
};

struct MemoryFacts {
  std::uint64_t free_bytes = 0, total_bytes = 0;
  void fields(auto& archive) { archive(free_bytes, total_bytes); }
};

struct AskMemory : Nothing {
  static constexpr Command kCommand = Command::memory_info;
  using Answer = MemoryFacts;
};

/// Bulk: the bytes.
struct Write : DeviceAddress {
  static constexpr Command kCommand = Command::write;
  using Answer = Nothing;
};

/// The answer's bulk: the bytes.
struct Read : MemoryRange {
  static constexpr Command kCommand = Command::read;
  using Answer = Nothing;
};

struct Copy {
  static constexpr Command kCommand = Command::copy;
  using Answer = Nothing;
  std::uint64_t to = 0, from = 0, size_bytes = 0;
  void fields(auto& archive) { archive(to, from, size_bytes); }
};

struct Fill {
  static constexpr Command kCommand = Command::fill;
  using Answer = Nothing;
  std::uint64_t to = 0, size_bytes = 0;
  std::uint8_t value = 0;
  void fields(auto& archive) { archive(to, size_bytes, value); }
};

struct LaunchOutcome {
  double seconds = 0;              ///< modelled
  std::uint64_t printf_bytes = 0;  ///< device printf output that waits to be taken
  bool faulted = false;            ///< the device takes no more launches
  FaultKind fault{};               ///< meaningful when faulted
  std::string fault_detail;        ///< text of a failed assert, name of an unsupported instruction
  void fields(auto& archive) { archive(seconds, printf_bytes, faulted, fault, fault_detail); }
};

/// Bulk: the parameters, packed at KernelFacts::parameter_offsets.
struct LaunchKernel {
  static constexpr Command kCommand = Command::launch;
  using Answer = LaunchOutcome;
  std::uint32_t module = 0;
  std::string kernel;
  Dim3 grid, block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint32_t stream = 0;  ///< 0: the legacy default stream
  void fields(auto& archive) { archive(module, kernel, grid, block, dynamic_shared_bytes, stream); }
};

/// The answer's bulk: the oldest `size_bytes` of the output.
struct TakePrintfOutput {
  static constexpr Command kCommand = Command::take_printf_output;
  using Answer = Nothing;
  std::uint64_t size_bytes = 0;
  void fields(auto& archive) { archive(size_bytes); }
};

/// Frees every allocation.
struct Reset : Nothing {
  static constexpr Command kCommand = Command::reset;
  using Answer = Nothing;
};

/// A runtime call that did not return cudaSuccess.
struct ReportFailure {
  static constexpr Command kCommand = Command::report_failure;
  using Answer = Nothing;
  std::string call;
  std::int32_t error = 0;
  std::string detail;
  void fields(auto& archive) { archive(call, error, detail); }
};

/// The program went on working although it never looked at the failure that was reported last.
struct ReportIgnored : Nothing {
  static constexpr Command kCommand = Command::report_ignored;
  using Answer = Nothing;
};

struct ReportUnsupported {
  static constexpr Command kCommand = Command::report_unsupported;
  using Answer = Nothing;
  std::string call;
  void fields(auto& archive) { archive(call); }
};

// The timeline (stream_times.hpp). What takes time there has been done before it is told.

struct OperationNumber {
  std::uint64_t number = 0;
  void fields(auto& archive) { archive(number); }
};

/// Anything but a kernel, which the device adds by itself.
struct StreamOperation {
  static constexpr Command kCommand = Command::add_operation;
  using Answer = OperationNumber;
  OperationKind kind = OperationKind::event_record;
  std::uint32_t stream = 0;
  std::uint64_t size_bytes = 0;
  bool is_pageable = false;  ///< host memory that the device cannot reach itself
  bool host_waits = false;   ///< until it has ended
  std::uint64_t event = 0;   ///< event_wait: number of the event_record
  void fields(auto& archive) { archive(kind, stream, size_bytes, is_pageable, host_waits, event); }
};

/// Streams that are not defined are blocking.
struct DefineStream {
  static constexpr Command kCommand = Command::define_stream;
  using Answer = Nothing;
  std::uint32_t stream = 0;
  bool is_non_blocking = false;
  void fields(auto& archive) { archive(stream, is_non_blocking); }
};

enum class Awaited : std::uint8_t { device, stream, operation };

struct WaitFor {
  static constexpr Command kCommand = Command::wait_for;
  using Answer = Nothing;
  Awaited what = Awaited::device;
  std::uint64_t which = 0;  ///< stream or operation
  void fields(auto& archive) { archive(what, which); }
};

struct OperationState {
  bool has_ended = false;
  double end_s = 0;  ///< of operations; on the timeline, which begins with the program
  void fields(auto& archive) { archive(has_ended, end_s); }
};

struct AskProgress {
  static constexpr Command kCommand = Command::ask_progress;
  using Answer = OperationState;
  Awaited what = Awaited::operation;
  std::uint64_t which = 0;
  void fields(auto& archive) { archive(what, which); }
};

}  // namespace vgpu::cudart
