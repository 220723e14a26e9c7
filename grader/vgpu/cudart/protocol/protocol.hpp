// The command interface between a program's CUDA runtime library and the device in another process: what a
// driver is on a real machine. Strictly one request, then its answer.
//
// A message is a Header, `head_bytes` of encoded fields (message.hpp), then `bulk_bytes` of raw data: bytes
// to copy, an image, kernel parameters. An answer's kind is a Status; unless it is ok, its fields are one
// string that says why.
//
// Work goes into streams: copies, fills, launches and marks (below) name the stream that they are issued to.
// The device does them in the order of the requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/cudart/protocol/memory_kind.hpp"
#include "vgpu/cudart/protocol/message.hpp"
#include "vgpu/facts/dim3.hpp"
#include "vgpu/facts/fault.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::cudart {

inline constexpr std::uint32_t kProtocolVersion = 8;

enum class Command : std::uint32_t {
  open = 1,
  load_module,
  kernel_info,
  occupancy,
  symbol,
  allocate,
  free,
  share_host_memory,
  unshare_host_memory,
  memory_info,
  limit,
  stream,
  write,
  read,
  copy,
  fill,
  launch,
  mark,
  synchronise,
  ended,
  elapsed,
  take_printf_output,
  reset,
  report_failure,
  report_unsupported,
  report_ignored,
  name_memory,
  create_texture,
  end_program,
  report_crash,
  host_memory_in_use,
  report_host_touch,
  tie_variable,
  race_sites,
  place_race,
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
inline constexpr std::size_t kMaxImageBytes = std::size_t{64} << 20U;
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
  std::uint64_t largest_shared_bytes_per_block = 0;  ///< where cudaFuncSetAttribute asks for it
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

enum class Limit : std::uint32_t { stack_bytes, heap_bytes, printf_bytes };

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
  std::uint32_t max_threads_per_block = 0, registers_per_thread = 0, cluster_blocks = 1, architecture = 0;

  void fields(auto& archive) {
    archive(parameter_sizes, parameter_offsets, parameter_bytes, static_shared_bytes, local_bytes_per_thread);
    archive(max_threads_per_block, registers_per_thread, cluster_blocks, architecture);
  }
};

struct AskKernel {
  static constexpr Command kCommand = Command::kernel_info;
  using Answer = KernelFacts;
  std::uint32_t module = 0;
  std::string kernel;
  void fields(auto& archive) { archive(module, kernel); }
};

struct ResidentBlocks {
  std::uint32_t blocks_per_sm = 0;
  std::uint64_t dynamic_shared_bytes = 0;  ///< the most with which AskOccupancy::blocks_wanted are resident
  void fields(auto& archive) { archive(blocks_per_sm, dynamic_shared_bytes); }
};

/// How many blocks of `threads` threads an SM holds at once.
struct AskOccupancy {
  static constexpr Command kCommand = Command::occupancy;
  using Answer = ResidentBlocks;
  std::uint32_t module = 0;
  std::string kernel;
  std::uint64_t threads = 0, dynamic_shared_bytes = 0;
  std::uint32_t blocks_wanted = 1;
  void fields(auto& archive) { archive(module, kernel, threads, dynamic_shared_bytes, blocks_wanted); }
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
  bool is_pooled = false;  ///< memory that a pool keeps mapped
  void fields(auto& archive) { archive(size_bytes, is_pooled); }
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

/// Memory that host and device use both, at the host's own addresses: pinned, managed. The answer comes with
/// a descriptor of `size_bytes` that never shrink, rounded up to whole pages: to be mapped at `address`, a
/// multiple of the page size.
struct ShareHostMemory : MemoryRange {
  static constexpr Command kCommand = Command::share_host_memory;
  using Answer = Nothing;
};

struct UnshareHostMemory : DeviceAddress {
  static constexpr Command kCommand = Command::unshare_host_memory;
  using Answer = Nothing;
};

struct LimitValue {
  std::uint64_t value = 0;
  void fields(auto& archive) { archive(value); }
};

/// Sets a limit, or asks for it. The answer is what holds from now on.
struct SetLimit {
  static constexpr Command kCommand = Command::limit;
  using Answer = LimitValue;
  Limit limit{};
  bool is_change = false;
  std::uint64_t value = 0;
  void fields(auto& archive) { archive(limit, is_change, value); }
};

/// A stream's kind, before its first work. Streams that nobody describes are blocking.
struct DescribeStream {
  static constexpr Command kCommand = Command::stream;
  using Answer = Nothing;
  std::uint32_t stream = 0;
  bool is_blocking = true;  ///< waits for the legacy default stream, and that for it
  std::int32_t priority = 0;
  void fields(auto& archive) { archive(stream, is_blocking, priority); }
};

/// `depth` slices of `height` rows of `width` bytes.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
  void fields(auto& archive) { archive(width, height, depth); }
};

/// Where a box lies in memory: row r of slice s begins at address + (s × slice_rows + r) × pitch.
struct Rows {
  std::uint64_t address = 0, pitch = 0, slice_rows = 0;
  void fields(auto& archive) { archive(address, pitch, slice_rows); }
};

/// What a request has to do with a stream. A large copy of pageable memory takes several requests: the first
/// one issues it.
struct Issue {
  std::uint32_t stream = 0;       ///< 0: the legacy default stream
  bool continues = false;         ///< a further piece of what a request before issued
  std::uint64_t total_bytes = 0;  ///< of all pieces
  /// The call, in numbers that mean something to the runtime library only; empty: not known.
  std::vector<std::uint64_t> site{};
  void fields(auto& archive) { archive(stream, continues, total_bytes, site); }
};

/// Bulk: the bytes, without gaps.
struct Write {
  static constexpr Command kCommand = Command::write;
  using Answer = Nothing;
  Issue issue;
  Rows to;
  Box box;
  void fields(auto& archive) { archive(issue, to, box); }
};

/// The answer's bulk: the bytes, without gaps.
struct Read {
  static constexpr Command kCommand = Command::read;
  using Answer = Nothing;
  Issue issue;
  Rows from;
  Box box;
  void fields(auto& archive) { archive(issue, from, box); }
};

/// Both sides are the device's, or shared with it: the device knows which.
struct Copy {
  static constexpr Command kCommand = Command::copy;
  using Answer = Nothing;
  Issue issue;
  Rows to, from;
  Box box;
  void fields(auto& archive) { archive(issue, to, from, box); }
};

struct Fill {
  static constexpr Command kCommand = Command::fill;
  using Answer = Nothing;
  Issue issue;
  Rows to;
  Box box;
  std::uint32_t value = 0, value_bytes = 1;  ///< 1, 2 or 4; a row is a multiple
  void fields(auto& archive) { archive(issue, to, box, value, value_bytes); }
};

/// Makes a texture or a surface object. The answer is the handle: device memory, which Free gives back.
struct CreateTexture {
  static constexpr Command kCommand = Command::create_texture;
  using Answer = DeviceAddress;
  texture::Texture texture;
  texture::ObjectKind kind = texture::ObjectKind::texture;
  void fields(auto& archive) { archive(texture, kind); }
};

struct LaunchOutcome {
  double seconds = 0;              ///< modelled
  std::uint64_t printf_bytes = 0;  ///< device printf output that waits to be taken
  bool faulted = false;            ///< the device takes no more launches
  FaultKind fault{};               ///< meaningful when faulted
  std::string fault_detail;        ///< text of a failed assert, name of an unsupported instruction
  /// Starts of memory that the launch used wrongly: each wants a NameMemory, so that it can be told.
  std::vector<std::uint64_t> wants_names;
  void fields(auto& archive) { archive(seconds, printf_bytes, faulted, fault, fault_detail, wants_names); }
};

/// Bulk: the parameters, packed at KernelFacts::parameter_offsets.
struct LaunchKernel {
  static constexpr Command kCommand = Command::launch;
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

enum class MarkKind : std::uint32_t {
  host_function,  ///< the host runs it; here it only takes its place in the stream
  event_record,
  event_wait,
  event_destroy,  ///< of no stream
};

/// Work that moves no data.
struct Mark {
  static constexpr Command kCommand = Command::mark;
  using Answer = Nothing;
  MarkKind kind{};
  std::uint32_t stream = 0;
  std::uint64_t event = 0;  ///< the program's number for it
  void fields(auto& archive) { archive(kind, stream, event); }
};

enum class WaitFor : std::uint32_t { device, stream, event };

/// The host waits, in modelled time. Everything has been done already, so that the answer comes at once.
struct Synchronise {
  static constexpr Command kCommand = Command::synchronise;
  using Answer = Nothing;
  WaitFor what{};
  std::uint64_t number = 0;  ///< of the stream or event
  void fields(auto& archive) { archive(what, number); }
};

struct Ended {
  bool has_ended = false;
  void fields(auto& archive) { archive(has_ended); }
};

/// Whether a stream is idle, an event has happened, when the host asks.
struct AskEnded {
  static constexpr Command kCommand = Command::ended;
  using Answer = Ended;
  WaitFor what{};
  std::uint64_t number = 0;
  void fields(auto& archive) { archive(what, number); }
};

struct Elapsed {
  bool has_ended = false;  ///< both events have happened
  double seconds = 0;
  void fields(auto& archive) { archive(has_ended, seconds); }
};

/// Modelled time between two recorded events.
struct AskElapsed {
  static constexpr Command kCommand = Command::elapsed;
  using Answer = Elapsed;
  std::uint64_t start = 0, end = 0;
  void fields(auto& archive) { archive(start, end); }
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

/// A place in the program's source, as far as its debug information tells.
struct Source {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  void fields(auto& archive) { archive(file, line, function); }
};

enum class FailureKind : std::uint32_t {
  quiet,    ///< an answer that programs ask for, or a kernel's fault, which is told as such
  problem,  ///< to be told if the program goes on without having looked
  mistake,  ///< to be told: no program means it
};

/// A runtime call that did not return cudaSuccess.
struct ReportFailure {
  static constexpr Command kCommand = Command::report_failure;
  using Answer = Nothing;
  std::string call;
  std::int32_t error = 0;
  std::string detail;
  FailureKind kind = FailureKind::problem;
  Source source{};
  void fields(auto& archive) { archive(call, error, detail, kind, source); }
};

/// Where memory comes from: of LaunchOutcome::wants_names, or because the program is about to end without
/// having freed it.
struct NameMemory {
  static constexpr Command kCommand = Command::name_memory;
  using Answer = Nothing;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  MemoryKind kind = MemoryKind::unknown;
  bool is_lost = false;
  Source allocated{}, freed{};
  void fields(auto& archive) { archive(address, size_bytes, kind, is_lost, allocated, freed); }
};

/// The program went on working although it never looked at its failures since `first` (from 0).
struct ReportIgnored {
  static constexpr Command kCommand = Command::report_ignored;
  using Answer = Nothing;
  std::uint64_t first = 0;
  void fields(auto& archive) { archive(first); }
};

/// The program is about to die: its host code followed a device pointer.
struct ReportCrash {
  static constexpr Command kCommand = Command::report_crash;
  using Answer = Nothing;
  std::uint64_t address = 0;
  Source source{};
  void fields(auto& archive) { archive(address, source); }
};

/// Ranges of memory that host and device share.
struct MemoryInUse {
  /// Start and size of each range, in turn; work that the program does not know to have ended reads or writes
  /// them.
  std::vector<std::uint64_t> read, written;
  void fields(auto& archive) { archive(read, written); }
};

/// A __managed__ variable: host code has a copy of its own, in memory that it shares with the device. What
/// uses the one uses the other.
struct TieVariable {
  static constexpr Command kCommand = Command::tie_variable;
  using Answer = Nothing;
  MemoryRange variable{};
  std::uint64_t host = 0;
  void fields(auto& archive) { archive(variable, host); }
};

struct AskMemoryInUse : Nothing {
  static constexpr Command kCommand = Command::host_memory_in_use;
  using Answer = MemoryInUse;
};

/// Host code touches memory that is in use, or lies beside such memory.
struct ReportHostTouch {
  static constexpr Command kCommand = Command::report_host_touch;
  using Answer = Nothing;
  std::uint64_t address = 0;
  bool is_write = false;
  MemoryKind kind = MemoryKind::unknown;
  Source source{};
  void fields(auto& archive) { archive(address, is_write, kind, source); }
};

inline constexpr std::size_t kSiteNumbers = 7;  ///< at most, of Issue::site

/// For each race between streams so far the sites of the work that was issued earlier and later: kSiteNumbers
/// each, 0 where there are fewer.
struct RaceSites {
  std::vector<std::uint64_t> numbers;
  void fields(auto& archive) { archive(numbers); }
};

struct AskRaceSites : Nothing {
  static constexpr Command kCommand = Command::race_sites;
  using Answer = RaceSites;
};

/// Where the work of a race was issued.
struct PlaceRace {
  static constexpr Command kCommand = Command::place_race;
  using Answer = Nothing;
  std::uint64_t race = 0;  ///< from 0
  Source earlier{}, later{};
  void fields(auto& archive) { archive(race, earlier, later); }
};

/// The program comes to its end, and could have freed what it has.
struct EndProgram : Nothing {
  static constexpr Command kCommand = Command::end_program;
  using Answer = Nothing;
};

struct ReportUnsupported {
  static constexpr Command kCommand = Command::report_unsupported;
  using Answer = Nothing;
  std::string call;
  void fields(auto& archive) { archive(call); }
};

}  // namespace vgpu::cudart
