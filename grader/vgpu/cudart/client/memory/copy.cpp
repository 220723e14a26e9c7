// Copies and fills: checks them and sends them to the device.

#include <algorithm>
#include <cstring>

#include "vgpu/cudart/client/memory/host_room.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

/// A piece of a copy: rows of one slice, or a part of one row. Has at most kMaxCopyPieceBytes bytes.
struct Piece {
  std::uint64_t slice = 0, row = 0, offset = 0;
  Box box;
};

/// Calls transfer(piece) for all pieces of a box, until one fails.
template <class Transfer>
Outcome in_pieces(const Box& box, Transfer transfer) {
  // Rows that are wider than a piece are split, narrower ones share a piece.
  const std::uint64_t rows = std::max<std::uint64_t>(kMaxCopyPieceBytes / box.width, 1);
  const std::uint64_t bytes = std::min<std::uint64_t>(kMaxCopyPieceBytes, box.width);
  for (std::uint64_t slice = 0; slice < box.depth; ++slice) {
    for (std::uint64_t row = 0; row < box.height; row += rows) {
      for (std::uint64_t offset = 0; offset < box.width; offset += bytes) {
        const Box part{std::min(bytes, box.width - offset), std::min(rows, box.height - row), 1};
        Outcome outcome = transfer(Piece{slice, row, offset, part});
        if (outcome.error != cudaSuccess) return outcome;
      }
    }
  }
  return {};
}

Rows part_of(const Rows& rows, const Piece& piece) {
  return {row_address(rows, piece.slice, piece.row) + piece.offset, rows.pitch, 0};
}

std::byte* host_row(const Rows& rows, std::uint64_t slice, std::uint64_t row) {
  return static_cast<std::byte*>(pointer_to(row_address(rows, slice, row)));
}

/// The piece's bytes without gaps. Copies them to `scratch` if they have gaps.
std::span<const std::byte> gathered(const Rows& from, const Box& box, std::vector<std::byte>& scratch) {
  if (box.height == 1) return {host_row(from, 0, 0), box.width};
  scratch.resize(box.width * box.height);
  for (std::uint64_t row = 0; row < box.height; ++row)
    std::memcpy(&scratch[row * box.width], host_row(from, 0, row), box.width);
  return scratch;
}

Outcome upload(Runtime& runtime, const CopyWork& work, Issue issue) {
  std::vector<std::byte> scratch;
  return in_pieces(work.box, [&](const Piece& piece) {
    const Write request{issue, part_of(work.to, piece), piece.box};
    issue.continues = true;
    return outcome_of(runtime.ask(request, gathered(part_of(work.from, piece), piece.box, scratch)));
  });
}

Outcome download(Runtime& runtime, const CopyWork& work, Issue issue) {
  // A report of unwritten memory names the call.
  if (issue.site.empty()) issue.site = CallSite::here().numbers();
  std::vector<std::byte> scratch;
  return in_pieces(work.box, [&](const Piece& piece) {
    const Read request{issue, part_of(work.from, piece), piece.box};
    issue.continues = true;
    const Rows to = part_of(work.to, piece);
    if (piece.box.height == 1)
      return outcome_of(runtime.ask(request, {}, {host_row(to, 0, 0), piece.box.width}));
    scratch.resize(piece.box.width * piece.box.height);
    Outcome outcome = outcome_of(runtime.ask(request, {}, scratch));
    for (std::uint64_t row = 0; row < piece.box.height && outcome.error == cudaSuccess; ++row)
      std::memcpy(host_row(to, 0, row), &scratch[row * piece.box.width], piece.box.width);
    return outcome;
  });
}

void copy_on_host(const CopyWork& work) {
  for_rows(work.box, [&](std::uint64_t slice, std::uint64_t row) {
    std::memmove(host_row(work.to, slice, row), host_row(work.from, slice, row), work.box.width);
  });
}

bool is_on_device(const std::optional<KnownMemory>& memory) {
  return memory && memory->kind == MemoryKind::device;
}
bool belongs_to_device(const std::optional<KnownMemory>& memory) {
  return memory && (memory->kind == MemoryKind::device || memory->kind == MemoryKind::managed);
}

cudaMemcpyKind actual_kind(const Runtime& runtime, const CopyWork& work) {
  const bool to_device = belongs_to_device(runtime.memory().find(work.to.address));
  const bool from_device = belongs_to_device(runtime.memory().find(work.from.address));
  if (to_device) return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

/// Checks that the copy's rows, `span` bytes from the first to the last, fit into `room` bytes.
Outcome check_room(const char* side, std::uint64_t span, std::uint64_t room, const char* room_ends) {
  if (span <= room) return {};
  return mistake(std::to_string(span) + " bytes, but the " + side + " has room for " + std::to_string(room) +
                 " up to the end of its " + room_ends);
}

std::string place_next_to(const NearbyArray& array) {
  const auto size = static_cast<std::int64_t>(array.size_bytes);
  const std::int64_t distance = array.offset < 0 ? -array.offset : array.offset - size;
  return std::to_string(distance) + " bytes " + (array.offset < 0 ? "before " : "after the end of ") +
         (array.name.empty() ? array.kind : "`" + array.name + "`") + ", which has " + std::to_string(size) +
         " bytes";
}

/// Checks a side that must be host memory: it must be neither null nor device memory, and an array whose size
/// is known must contain the whole box.
Outcome check_host_side(const Runtime& runtime, const char* side, const Rows& rows, const Box& box) {
  if (rows.address == 0) return mistake(std::string("the ") + side + " is a null pointer");
  const auto memory = runtime.memory().find(rows.address);
  if (is_on_device(memory))
    return mistake(std::string("the ") + side +
                   " is device memory, but the copy direction requires host memory");
  if (const auto array = memory ? std::nullopt : array_next_to(rows.address))
    return mistake(std::string("the ") + side + " begins " + place_next_to(*array));
  const auto span = span_of(rows, box);
  // The device checks copies of memory that it allocated for the host.
  const auto room = memory && is_shared(memory->kind) ? std::nullopt : host_room(rows.address);
  return span && room ? check_room(side, *span, *room, "host array") : Outcome();
}

/// A negative number of bytes is as large as that.
constexpr const char* kTooLarge = "the size is larger than any memory";

/// Checks that one allocation contains the whole box.
Outcome check_device_side(const Runtime& runtime, const char* side, const Rows& rows, const Box& box) {
  if (rows.address == 0) return mistake(std::string("the ") + side + " is a null pointer");
  const auto memory = runtime.memory().find(rows.address);
  if (!memory && runtime.memory().freed_with(rows.address))
    return mistake(std::string("the ") + side + " is in memory that has been freed");
  if (const auto before = memory ? std::nullopt : runtime.memory().before(rows.address))
    return mistake(std::string("the ") + side + " begins " + std::to_string(rows.address - before->end()) +
                   " bytes after the end of an allocation of " + std::to_string(before->size_bytes) +
                   " bytes");
  if (!memory) return mistake(std::string("the ") + side + " is not device memory");
  const auto span = span_of(rows, box);
  if (!span) return mistake(std::string("rows of the ") + side + " overlap");
  return check_room(side, *span, memory->end() - rows.address, "allocation");
}

/// The device must not write to memory that was registered as read-only. An H100 returns
/// cudaErrorInvalidValue from the call.
Outcome check_writable(const Runtime& runtime, const Rows& to) {
  const auto memory = runtime.memory().find(to.address);
  const bool is_read_only =
      memory && memory->kind == MemoryKind::registered && (memory->flags & cudaHostRegisterReadOnly) != 0;
  return is_read_only ? mistake("the destination was registered with cudaHostRegisterReadOnly") : Outcome();
}

/// Adds a hint to the problem if both pointers are valid for the opposite direction.
Outcome with_hint(const Runtime& runtime, Outcome problem, const CopyWork& work) {
  const cudaMemcpyKind actual = actual_kind(runtime, work);
  const bool is_opposite = (work.kind == cudaMemcpyHostToDevice && actual == cudaMemcpyDeviceToHost) ||
                           (work.kind == cudaMemcpyDeviceToHost && actual == cudaMemcpyHostToDevice);
  if (is_opposite) problem.detail += "; the pointers are swapped, or the direction is wrong";
  return problem;
}

}  // namespace

Outcome check_copy(const Runtime& runtime, const CopyWork& work) {
  const auto bytes = bytes_of(work.box);
  if (!bytes) return mistake(kTooLarge);
  if (*bytes == 0) return {};
  const cudaMemcpyKind kind = work.kind == cudaMemcpyDefault ? actual_kind(runtime, work) : work.kind;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDeviceToDevice) {
    return mistake("no such direction", cudaErrorInvalidMemcpyDirection);
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  Outcome problem = to_device ? check_device_side(runtime, "destination", work.to, work.box)
                              : check_host_side(runtime, "destination", work.to, work.box);
  if (problem.error != cudaSuccess) return with_hint(runtime, std::move(problem), work);
  problem = from_device ? check_device_side(runtime, "source", work.from, work.box)
                        : check_host_side(runtime, "source", work.from, work.box);
  if (problem.error != cudaSuccess) return with_hint(runtime, std::move(problem), work);
  return check_writable(runtime, work.to);
}

Outcome perform_copy(Runtime& runtime, const CopyWork& given, std::uint32_t stream) {
  const std::uint64_t bytes = bytes_of(given.box).value_or(0);
  if (bytes == 0) return {};
  runtime.note_work_done();
  CopyWork work = given;
  work.box = merged(given.box, {&given.to, &given.from});
  const auto to = runtime.memory().find(work.to.address);
  const auto from = runtime.memory().find(work.from.address);
  Issue issue = issue_to(runtime, stream);
  issue.total_bytes = bytes;
  if (!is_on_device(to) && !is_on_device(from)) {
    // The host copies, at the copy's position in the stream. The device sees the result in shared memory.
    Outcome outcome = outcome_of(runtime.ask(Mark{MarkKind::host_function, stream}));
    if (outcome.error == cudaSuccess)
      outcome = outcome_of(runtime.ask(Mark{MarkKind::host_function_runs, stream}));
    if (outcome.error == cudaSuccess) copy_on_host(work);
    return outcome;
  }
  if (to && from) return outcome_of(runtime.ask(Copy{issue, work.to, work.from, work.box}));
  return to ? upload(runtime, work, issue) : download(runtime, work, issue);
}

Outcome check_fill(const Runtime& runtime, const FillWork& work) {
  const auto bytes = bytes_of(work.box);
  if (!bytes) return mistake(kTooLarge);
  if (*bytes == 0) return {};
  Outcome problem = check_device_side(runtime, "destination", work.to, work.box);
  return problem.error != cudaSuccess ? problem : check_writable(runtime, work.to);
}

Outcome perform_fill(Runtime& runtime, const FillWork& work, std::uint32_t stream) {
  const std::uint64_t bytes = bytes_of(work.box).value_or(0);
  if (bytes == 0) return {};
  Issue issue = issue_to(runtime, stream);
  issue.total_bytes = bytes;
  return outcome_of(runtime.ask(Fill{issue, work.to, work.box, work.value, work.value_bytes}));
}

}  // namespace vgpu::cudart::client
