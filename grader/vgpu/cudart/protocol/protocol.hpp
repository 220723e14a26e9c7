// The frame of the command interface between a program's CUDA runtime library (the client) and the device in
// another process (the device side). On a real machine, the driver has this role. The client sends one
// request at a time and waits for its answer.
//
// A request is a Header, `head_bytes` of encoded fields (message.hpp), and `bulk_bytes` of raw data: bytes to
// copy, a device image or kernel parameters. An answer has the same layout. The kind of an answer is a
// Status. If it is ok, the fields of MemoryInUse follow those of the answer; otherwise the only field is the
// reason (Refusal).
//
// commands.hpp lists the commands. The *_messages.hpp files define the fields of requests and answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vgpu::cudart {

inline constexpr std::uint32_t kProtocolVersion = 16;

/// The number of a command; commands.hpp derives it from the list of commands.
enum class Command : std::uint32_t {};

enum class Status : std::uint32_t {
  ok,
  invalid_value,
  out_of_memory,
  invalid_image,
  unknown_symbol,
  invalid_configuration,
  out_of_resources,
  cooperative_too_large,
  no_code_for_device,
  device_failed,   ///< and will not recover
  protocol_error,  ///< the session has ended
  disconnected,    ///< never sent: a transport returns it if the connection is closed
};

struct Header {
  std::uint32_t kind = 0;  ///< a Command or a Status
  std::uint32_t head_bytes = 0;
  std::uint64_t bulk_bytes = 0;
};
static_assert(sizeof(Header) == 16);

inline constexpr std::size_t kMaxHeadBytes = 64 * 1024;
/// Larger copies are sent in pieces of this size. A piece fits into a CPU's cache, where both ends use it.
inline constexpr std::size_t kMaxCopyPieceBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxImageBytes = std::size_t{64} << 20U;
/// PTX ISA, ".param state space": 32,764 bytes from sm_70 on.
inline constexpr std::size_t kMaxParameterBytes = 32764;

/// The fields of every answer whose status is not ok.
struct Refusal {
  std::string reason;
  void fields(auto& archive) { archive(reason); }
};

/// Ranges of shared memory that unfinished work reads or writes. Work is unfinished until the program knows
/// that it has ended. Each range is two numbers: start and size.
struct MemoryInUse {
  bool has_changed = false;  ///< since the previous answer; if not, there are no ranges here
  std::vector<std::uint64_t> read, written;
  void fields(auto& archive) { archive(has_changed, read, written); }
};

/// A request or an answer without fields.
struct Nothing {
  void fields(auto&) {}
};

}  // namespace vgpu::cudart
