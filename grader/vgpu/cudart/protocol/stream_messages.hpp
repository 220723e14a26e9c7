// Requests for work in streams, and for waiting until the work has ended. Copies, fills, launches and marks
// name the stream that the program issues them to. The device executes them in the order of the requests and
// models their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/cudart/protocol/protocol.hpp"
#include "vgpu/facts/dim3.hpp"
#include "vgpu/facts/fault.hpp"

namespace vgpu::cudart {

/// Sets the kind of a stream before its first work. Streams without a description are blocking.
struct DescribeStream {
  using Answer = Nothing;
  std::uint32_t stream = 0;
  bool is_blocking = true;  ///< the stream and the legacy default stream wait for each other
  std::int32_t priority = 0;
  void fields(auto& archive) { archive(stream, is_blocking, priority); }
};

inline constexpr std::size_t kSiteNumbers = 7;  ///< the largest size of Issue::site

/// How a request's work belongs to a stream. A large copy of pageable memory takes several requests; the
/// first of them issues the whole copy.
struct Issue {
  std::uint32_t stream = 0;       ///< 0: the legacy default stream
  bool continues = false;         ///< a further piece of the copy that an earlier request issued
  std::uint64_t total_bytes = 0;  ///< of all pieces
  /// The place of the call, as numbers that only the client can interpret. Empty if unknown.
  std::vector<std::uint64_t> site{};
  void fields(auto& archive) { archive(stream, continues, total_bytes, site); }
};

/// Copies from pageable memory. Bulk: the bytes, without gaps.
struct Write {
  using Answer = Nothing;
  Issue issue;
  Rows to;
  Box box;
  void fields(auto& archive) { archive(issue, to, box); }
};

/// Copies to pageable memory. The answer's bulk: the bytes, without gaps.
struct Read {
  using Answer = Nothing;
  Issue issue;
  Rows from;
  Box box;
  void fields(auto& archive) { archive(issue, from, box); }
};

/// Copies between memory of the device and memory that it shares with the host. The device finds out which of
/// them each address belongs to.
struct Copy {
  using Answer = Nothing;
  Issue issue;
  Rows to, from;
  Box box;
  void fields(auto& archive) { archive(issue, to, from, box); }
};

struct Fill {
  using Answer = Nothing;
  Issue issue;
  Rows to;
  Box box;
  std::uint32_t value = 0, value_bytes = 1;  ///< 1, 2 or 4 bytes; the row's width is a multiple
  void fields(auto& archive) { archive(issue, to, box, value, value_bytes); }
};

struct LaunchOutcome {
  double seconds = 0;              ///< modelled
  std::uint64_t printf_bytes = 0;  ///< device printf output that TakePrintfOutput can fetch
  bool faulted = false;            ///< the device accepts no more launches
  FaultKind fault{};               ///< meaningful if `faulted`
  std::string fault_detail;        ///< text of a failed assert, name of an unsupported instruction
  /// Starts of memory that the launch used wrongly. The client describes each with a DescribeMemory, for the
  /// report of the launch.
  std::vector<std::uint64_t> undescribed_memory;
  void fields(auto& archive) {
    archive(seconds, printf_bytes, faulted, fault, fault_detail, undescribed_memory);
  }
};

/// Bulk: the parameters, packed at KernelFacts::parameter_offsets.
struct LaunchKernel {
  using Answer = LaunchOutcome;
  Issue issue;
  std::uint32_t module = 0;
  std::string kernel;
  Dim3 grid, block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t allowed_dynamic_shared_bytes = 0;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize
  bool cooperative = false;
  void fields(auto& archive) {
    archive(issue, module, kernel, grid, block, dynamic_shared_bytes, allowed_dynamic_shared_bytes);
    archive(cooperative);
  }
};

/// Fetches the oldest `size_bytes` of the printf output. The answer's bulk: these bytes.
struct TakePrintfOutput {
  using Answer = Nothing;
  std::uint64_t size_bytes = 0;
  void fields(auto& archive) { archive(size_bytes); }
};

enum class MarkKind : std::uint32_t {
  host_function,       ///< its position in the stream
  host_function_runs,  ///< the latest one of the stream that has not run begins
  event_record,
  event_wait,
  event_destroy,  ///< belongs to no stream
  stream_destroy,
  graph_begin,  ///< the work until graph_end is issued by one call
  graph_end,
};

/// Work that moves no data.
struct Mark {
  using Answer = Nothing;
  MarkKind kind{};
  std::uint32_t stream = 0;
  std::uint64_t event = 0;  ///< the client's number of the event
  void fields(auto& archive) { archive(kind, stream, event); }
};

enum class WaitFor : std::uint32_t { device, stream, event };

/// The host waits in modelled time. The device has already executed all work, so it answers immediately.
struct Synchronise {
  using Answer = Nothing;
  WaitFor what{};
  std::uint64_t number = 0;  ///< of the stream or event
  void fields(auto& archive) { archive(what, number); }
};

struct Ended {
  bool has_ended = false;
  void fields(auto& archive) { archive(has_ended); }
};

/// Whether a stream is idle, or an event has occurred, at the modelled time of the request.
struct QueryEnded {
  using Answer = Ended;
  WaitFor what{};
  std::uint64_t number = 0;
  void fields(auto& archive) { archive(what, number); }
};

struct ElapsedTime {
  bool has_ended = false;  ///< both events have occurred
  double seconds = 0;
  void fields(auto& archive) { archive(has_ended, seconds); }
};

/// The modelled time between two recorded events.
struct QueryElapsedTime {
  using Answer = ElapsedTime;
  std::uint64_t start = 0, end = 0;
  void fields(auto& archive) { archive(start, end); }
};

}  // namespace vgpu::cudart
