// The list of all commands. A command is the type of its request; the position in the list is its number on
// the wire. To add a command:
//   1. Define the request in one of the *_messages.hpp files, with its Answer.
//   2. Add the request to AllCommands. Without this, ask() (transport.hpp) does not compile.
//   3. Add Session::run(const Request&, Bytes). Without this, the session does not compile.
//   4. Increase kProtocolVersion.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "vgpu/cudart/protocol/device_messages.hpp"
#include "vgpu/cudart/protocol/memory_messages.hpp"
#include "vgpu/cudart/protocol/message.hpp"
#include "vgpu/cudart/protocol/report_messages.hpp"
#include "vgpu/cudart/protocol/stream_messages.hpp"

namespace vgpu::cudart {

template <class... Requests>
struct CommandList {
  static constexpr std::size_t kSize = sizeof...(Requests);

  /// The position of Request; kSize if the list does not have it.
  template <class Request>
  static constexpr std::size_t index() {
    constexpr std::array<bool, kSize> matches = {std::is_same_v<Request, Requests>...};
    std::size_t position = 0;
    while (position < kSize && !matches[position]) ++position;
    return position;
  }

  /// Calls visit(std::type_identity<Request>{}) for the request whose position is `number`. Returns false if
  /// the list has no such position.
  template <class Visit>
  static constexpr bool visit_at(std::size_t number, Visit visit) {
    std::size_t position = 0;
    return ((position++ == number && (visit(std::type_identity<Requests>{}), true)) || ...);
  }
};

// clang-format off
using AllCommands = CommandList<
    // The device
    Open, Reset, LoadModule, QuerySymbol, QueryKernel, QueryOccupancy, AccessLimit,
    // Memory
    Allocate, Free, CreateTexture, QueryMemory, ShareHostMemory, UnshareHostMemory, EndRegistration,
    ReadByCaller, ForgetContents, NameCallersMemory, LinkManagedVariable,
    // Streams
    DescribeStream, Write, Read, Copy, Fill, LaunchKernel, TakePrintfOutput, Mark, Synchronise, QueryEnded,
    QueryElapsedTime,
    // The report
    ReportFailure, ReportIgnored, ReportUnsupported, DescribeMemory, ReportCrash, ReportHostAccess,
    QueryCallSites, LocateCall, ReportLiveObjects, BeginCall, EndProgram>;
// clang-format on

template <class Request>
constexpr Command command_of() {
  constexpr std::size_t position = AllCommands::index<Request>();
  static_assert(position < AllCommands::kSize, "the request is missing from AllCommands");
  return static_cast<Command>(position);
}

}  // namespace vgpu::cudart
