// What one client program did to a device: executes its commands and keeps the record. The program is not
// trusted; sizes, names and counts are capped here, addresses by the Device. Not thread safe. Covered by
// tests/cudart/protocol_test.cpp and runtime_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/host_memory.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/cudart/device_side/stream_times.hpp"
#include "vgpu/cudart/protocol/protocol.hpp"

namespace vgpu::cudart {

struct SessionAnswer {
  Status status = Status::ok;
  std::vector<std::byte> head;
  std::vector<std::byte> bulk;
  Descriptor descriptor{};  ///< for the client, where the command says so
};

SessionAnswer refused(Status status, std::string reason);

/// Text from the client, for people's eyes: printable ASCII, cut.
std::string printable(const std::string& text);

inline HostPlace place_of(const Source& source) {
  return {printable(source.file), source.line, printable(source.function)};
}

StreamWork work_of(OperationKind kind, const Issue& issue, std::string kernel = {});

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
        times_(device.profile()),
        races_(device, options.delays_copies) {}

  /// One command. After Status::protocol_error the session is over: hand out the report.
  SessionAnswer handle(std::uint32_t command, std::span<const std::byte> head,
                       std::span<const std::byte> bulk);

  /// Ends the session for a reason found outside of a command.
  void fail(std::string protocol_error) { report_.protocol_error = std::move(protocol_error); }
  void stop() { report_.stopped = true; }

  SessionReport take_report();

 private:
  using Bytes = std::span<const std::byte>;

  template <class... Requests>
  SessionAnswer dispatch(std::uint32_t command, Bytes head, Bytes bulk);
  template <class Request>
  SessionAnswer decode_and_run(Bytes head, Bytes bulk);

  SessionAnswer run(const Open& request, Bytes bulk);
  SessionAnswer run(const LoadModule& request, Bytes bulk);
  SessionAnswer run(const AskKernel& request, Bytes bulk);
  SessionAnswer run(const AskOccupancy& request, Bytes bulk);
  SessionAnswer run(const AskSymbol& request, Bytes bulk);
  SessionAnswer run(const Allocate& request, Bytes bulk);
  SessionAnswer run(const Free& request, Bytes bulk);
  SessionAnswer run(const ShareHostMemory& request, Bytes bulk);
  SessionAnswer run(const UnshareHostMemory& request, Bytes bulk);
  SessionAnswer run(const AskMemory& request, Bytes bulk);
  SessionAnswer run(const SetLimit& request, Bytes bulk);
  SessionAnswer run(const DescribeStream& request, Bytes bulk);
  SessionAnswer run(const Write& request, Bytes bulk);
  SessionAnswer run(const Read& request, Bytes bulk);
  SessionAnswer run(const Copy& request, Bytes bulk);
  SessionAnswer run(const Fill& request, Bytes bulk);
  SessionAnswer run(const CreateTexture& request, Bytes bulk);
  SessionAnswer run(const LaunchKernel& request, Bytes bulk);
  SessionAnswer run(const Mark& request, Bytes bulk);
  SessionAnswer run(const Synchronise& request, Bytes bulk);
  SessionAnswer run(const AskEnded& request, Bytes bulk);
  SessionAnswer run(const AskElapsed& request, Bytes bulk);
  SessionAnswer run(const TakePrintfOutput& request, Bytes bulk);
  SessionAnswer run(const Reset& request, Bytes bulk);
  SessionAnswer run(const ReportFailure& request, Bytes bulk);
  SessionAnswer run(const ReportUnsupported& request, Bytes bulk);
  SessionAnswer run(const ReportIgnored& request, Bytes bulk);
  SessionAnswer run(const NameMemory& request, Bytes bulk);
  SessionAnswer run(const EndProgram& request, Bytes bulk);
  SessionAnswer run(const ReportCrash& request, Bytes bulk);
  SessionAnswer run(const AskMemoryInUse& request, Bytes bulk);
  SessionAnswer run(const TieVariable& request, Bytes bulk);
  SessionAnswer run(const AskRaceSites& request, Bytes bulk);
  SessionAnswer run(const PlaceRace& request, Bytes bulk);
  SessionAnswer run(const ReportHostTouch& request, Bytes bulk);

  SessionAnswer broken(std::string what);
  void issue_pageable(OperationKind kind, const Issue& issue, const Rows& device_side, const Box& box);
  void perform(const Copy& request, std::uint64_t bytes);
  WorkMoment note_work(const StreamWork& work, const std::vector<MemoryAccess>& accesses);
  std::vector<MemoryAccess> with_tied(std::vector<MemoryAccess> accesses) const;
  void note_end(WaitFor what, std::uint64_t number);
  std::vector<std::uint64_t> unnamed_memory(const LaunchRecord& launch) const;
  void record(LaunchRecord launch);
  void record_untold();
  void collect_printf_output();

  Device& device_;
  ServeOptions options_;
  SessionReport report_;
  HostMemory host_memory_;
  StreamTimes times_;
  StreamRaces races_;
  std::vector<TieVariable> tied_;
  std::string printf_output_;
  std::optional<LaunchRecord> untold_;  ///< waits for names of memory
  std::size_t awaited_names_ = 0;
  std::uint64_t announced_bytes_ = 0;  ///< of a pageable copy, still to come
  std::uint64_t device_bytes_ = 0;     ///< allocated now
  std::uint32_t loaded_modules_ = 0;
  std::size_t loaded_image_bytes_ = 0;
};

}  // namespace vgpu::cudart
