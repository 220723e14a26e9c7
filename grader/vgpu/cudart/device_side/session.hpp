// Executes the commands of one client program on a device and records them for the report. The program is not
// trusted: the session limits sizes, names and counts, and the Device checks addresses. Not thread safe.
// Covered by tests/cudart/protocol_test.cpp and runtime_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/host_commands.hpp"
#include "vgpu/cudart/device_side/host_memory.hpp"
#include "vgpu/cudart/device_side/registrations.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/cudart/device_side/small_pieces.hpp"
#include "vgpu/cudart/device_side/stream_times.hpp"
#include "vgpu/cudart/protocol/commands.hpp"

namespace vgpu::cudart {

struct SessionAnswer {
  Status status = Status::ok;
  std::vector<std::byte> head;
  std::vector<std::byte> bulk;
  Descriptor descriptor{};  ///< for the client, if the command returns one
};

SessionAnswer refused(Status status, std::string reason);

/// Makes text from the client safe to print: printable ASCII of limited length.
std::string printable(const std::string& text);

inline HostPlace place_of(const Source& source) {
  return {printable(source.file), source.line, printable(source.function)};
}

StreamWork work_of(OperationKind kind, const Issue& issue, std::string kernel = {});
StreamWork work_of(MemoryCall call, const Issue& issue);

template <class Answer>
SessionAnswer accepted(const Answer& answer, std::vector<std::byte> bulk = {}) {
  return {Status::ok, encode(answer), std::move(bulk)};
}
inline SessionAnswer done() { return accepted(Nothing{}); }

class Session {
 public:
  Session(Device& device, const ServeOptions& options)
      : device_(device),
        options_(options),
        host_memory_(device),
        transfers_(device, host_memory_, options.keeps_words),
        commands_(device, host_memory_, options.kept_commands),
        lineage_(options.keeps_words),
        work_flow_(options.keeps_words),
        times_(device.profile()),
        races_(device, options.delays_copies) {}

  /// Executes one command. Status::protocol_error ends the session; the caller then takes the report.
  SessionAnswer handle(std::uint32_t command, std::span<const std::byte> head,
                       std::span<const std::byte> bulk);

  /// Ends the session for a reason outside of any command.
  void fail(std::string protocol_error) { report_.protocol_error = std::move(protocol_error); }
  void stop() { report_.stopped = true; }

  SessionReport take_report();

 private:
  using Bytes = std::span<const std::byte>;

  template <class Request>
  SessionAnswer decode_and_run(Bytes head, Bytes bulk);

  // One overload for each request in AllCommands; handle() does not compile if one is missing.
  SessionAnswer run(const Open& request, Bytes bulk);
  SessionAnswer run(const LoadModule& request, Bytes bulk);
  SessionAnswer run(const QueryKernel& request, Bytes bulk);
  SessionAnswer run(const QueryOccupancy& request, Bytes bulk);
  SessionAnswer run(const QuerySymbol& request, Bytes bulk);
  SessionAnswer run(const Allocate& request, Bytes bulk);
  SessionAnswer run(const Free& request, Bytes bulk);
  SessionAnswer run(const ShareHostMemory& request, Bytes bulk);
  SessionAnswer run(const UnshareHostMemory& request, Bytes bulk);
  SessionAnswer run(const EndRegistration& request, Bytes bulk);
  SessionAnswer run(const ReadByCaller& request, Bytes bulk);
  SessionAnswer run(const ForgetContents& request, Bytes bulk);
  SessionAnswer run(const NameCallersMemory& request, Bytes bulk);
  SessionAnswer run(const QueryMemory& request, Bytes bulk);
  SessionAnswer run(const AccessLimit& request, Bytes bulk);
  SessionAnswer run(const DescribeStream& request, Bytes bulk);
  SessionAnswer run(const Write& request, Bytes bulk);
  SessionAnswer run(const Read& request, Bytes bulk);
  SessionAnswer run(const Copy& request, Bytes bulk);
  SessionAnswer run(const Fill& request, Bytes bulk);
  SessionAnswer run(const CreateTexture& request, Bytes bulk);
  SessionAnswer run(const LaunchKernel& request, Bytes bulk);
  SessionAnswer run(const Mark& request, Bytes bulk);
  SessionAnswer run(const Synchronise& request, Bytes bulk);
  SessionAnswer run(const QueryEnded& request, Bytes bulk);
  SessionAnswer run(const QueryElapsedTime& request, Bytes bulk);
  SessionAnswer run(const TakePrintfOutput& request, Bytes bulk);
  SessionAnswer run(const Reset& request, Bytes bulk);
  SessionAnswer run(const ReportFailure& request, Bytes bulk);
  SessionAnswer run(const ReportUnsupported& request, Bytes bulk);
  SessionAnswer run(const ReportIgnored& request, Bytes bulk);
  SessionAnswer run(const DescribeMemory& request, Bytes bulk);
  SessionAnswer run(const EndProgram& request, Bytes bulk);
  SessionAnswer run(const ReportCrash& request, Bytes bulk);
  SessionAnswer run(const ReportLiveObjects& request, Bytes bulk);
  SessionAnswer run(const BeginCall& request, Bytes bulk);
  SessionAnswer run(const LinkManagedVariable& request, Bytes bulk);
  SessionAnswer run(const QueryCallSites& request, Bytes bulk);
  SessionAnswer run(const LocateCall& request, Bytes bulk);
  SessionAnswer run(const ReportHostAccess& request, Bytes bulk);

  SessionAnswer broken(std::string what);
  /// Counts copies, fills and launches for Profile::operations_before_failure. Further pieces of a copy, and
  /// copies that the program does not know about, are none of its operations.
  bool fails_now(const Issue& issue);
  /// The program's requests, not those of its caller, which come before the first event.
  bool refuses(Refused what) const { return has_recorded_event_ && device_.profile().refused == what; }
  /// Counts the program's allocations.
  bool refuses_allocation();
  /// The host's memory that unfinished work uses, if that has changed since the previous answer.
  MemoryInUse memory_in_use();
  std::optional<DevicePtr> allocate(std::uint64_t size_bytes);
  /// False for a piece of a copy that is no operation of its own and belongs to none.
  bool issue_pageable(OperationKind kind, const Issue& issue, const Rows& device_side, const Box& box);
  void perform(const Copy& request, std::uint64_t bytes);
  void count_registered(const Rows& host_side, const Box& box);
  void note_upload(const Copy& request);
  void count_copy(const Copy& request, std::uint64_t bytes);
  void count_fill(const Fill& request);
  WorkMoment note_work(const StreamWork& work, const std::vector<StreamAccess>& accesses);
  /// Without memory of __managed__ variables, which the program cannot free.
  std::size_t host_regions_to_free() const;
  std::vector<StreamAccess> with_linked_variables(std::vector<StreamAccess> accesses) const;
  void note_end(WaitFor what, std::uint64_t number);
  std::vector<std::uint64_t> undescribed_memory(const LaunchRecord& launch) const;
  void record(LaunchRecord launch);
  void record_undescribed();
  /// Frees the memory that kernels did not free, and records it.
  void end_device_heap();
  void collect_printf_output();

  Device& device_;
  ServeOptions options_;
  SessionReport report_;
  HostMemory host_memory_;
  Registrations registrations_;
  struct CallersArray {
    MemoryRange range;
    std::uint64_t copied_bytes = 0;  ///< by copies from and to registered parts of it; at most its size
  };
  std::vector<CallersArray> callers_arrays_;
  Transfers transfers_;
  HostCommands commands_;
  Lineage lineage_;
  WorkFlow work_flow_;
  SmallPieces small_pieces_;
  StreamTimes times_;
  StreamRaces races_;
  MemoryInUse in_use_;  ///< as the client knows it
  UnwrittenCopies unwritten_copies_;
  std::vector<LinkManagedVariable> linked_variables_;
  std::string printf_output_;
  std::optional<LaunchRecord> undescribed_launch_;  ///< waits for DescribeMemory requests
  std::size_t awaited_descriptions_ = 0;
  bool has_recorded_event_ = false;
  std::uint64_t operations_ = 0;       ///< as fails_now() counts them
  std::uint64_t announced_bytes_ = 0;  ///< of a pageable copy, not yet received
  std::uint64_t device_bytes_ = 0;     ///< allocated now
  std::uint64_t live_streams_ = 0;     ///< created and not destroyed
  std::uint32_t loaded_modules_ = 0;
  std::size_t loaded_image_bytes_ = 0;
};

}  // namespace vgpu::cudart
