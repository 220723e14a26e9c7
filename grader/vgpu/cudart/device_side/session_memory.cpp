// The part of a session that handles memory: allocations, shared host memory, copies and fills.

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "vgpu/cudart/device_side/rows.hpp"
#include "vgpu/cudart/device_side/session.hpp"
#include "vgpu/facts/address_text.hpp"

namespace vgpu::cudart {
namespace {

bool is_contiguous(const Box& box) { return box.height <= 1 && box.depth <= 1; }

SessionAnswer bad_range(const HostMemory& shared, const Rows& rows, const Box& box) {
  if (shared.holds(rows.address)) {
    const std::string rows_text =
        is_contiguous(box) ? "" : fmt::format("{} × {} rows of ", box.depth, box.height);
    return refused(
        Status::invalid_value,
        fmt::format("{}{} bytes reach past the end of the host's pinned memory", rows_text, box.width));
  }
  if (is_contiguous(box)) {
    return refused(Status::invalid_value,
                   fmt::format("the {} bytes at {} are not all inside one allocation of the device",
                               box.width, address_text(rows.address)));
  }
  return refused(
      Status::invalid_value,
      fmt::format("{} × {} rows of {} bytes, {} bytes apart, at {} overlap or are not all inside one "
                  "allocation of the device",
                  box.depth, box.height, box.width, rows.pitch, address_text(rows.address)));
}

std::uint64_t common_bytes(const MemoryRange& a, const MemoryRange& b) {
  const std::uint64_t start = std::max(a.address, b.address);
  const std::uint64_t end = std::min(a.address + a.size_bytes, b.address + b.size_bytes);
  return end > start ? end - start : 0;
}

/// Each row is one access.
std::vector<MemoryAccess> rows_of(const Rows& rows, const Box& box, bool is_write) {
  std::vector<MemoryAccess> all;
  if (bytes_of(box).value_or(0) == 0) return all;
  const Box one_piece = merged(box, {&rows});
  for_rows(one_piece, [&](std::uint64_t slice, std::uint64_t row) {
    all.push_back({row_address(rows, slice, row), one_piece.width, is_write});
  });
  return all;
}

/// One access per slice, for at most kMostSlices. `box` is not empty and its rows do not overlap.
std::vector<StreamAccess> accesses_of(const Rows& rows, const Box& box, bool is_write) {
  constexpr std::uint64_t kMostSlices = 64;
  if (bytes_of(box).value_or(0) == 0) return {};
  const Box one_piece = merged(box, {&rows});
  std::vector<StreamAccess> all;
  for (std::uint64_t slice = 0; slice < std::min(one_piece.depth, kMostSlices); ++slice) {
    const std::uint64_t before_last = (one_piece.height - 1) * rows.pitch;
    StreamAccess& access =
        all.emplace_back(row_address(rows, slice, 0), before_last + one_piece.width, is_write);
    if (one_piece.height == 1) continue;
    access.row_bytes = one_piece.width;
    access.pitch = rows.pitch;
  }
  return all;
}

SessionAnswer refused_allocation(const Device& device) {
  return refused(Status::out_of_memory, refusal_text(device.profile(), "allocation"));
}

SessionAnswer no_room(const Device& device, std::uint64_t size_bytes) {
  if (device.profile().refused == Refused::allocations) return refused_allocation(device);
  return refused(Status::out_of_memory,
                 fmt::format("{} bytes do not fit in the free memory of a device with {} bytes", size_bytes,
                             device.profile().global_bytes));
}

/// Copies to the host fail as those whose arguments are wrong.
SessionAnswer refused_copy() {
  return refused(Status::invalid_value, "this device refuses every copy to the host");
}

std::string why_not_freed(const Device& device, std::uint64_t address) {
  const auto found = device.allocation_at(address);
  if (!found) {
    return fmt::format(
        "{} is not the address of device memory that this program allocated: free only pointers from "
        "cudaMalloc",
        address_text(address));
  }
  const Allocation& allocation = found->allocation;
  if (!found->is_live)
    return fmt::format(
        "allocation {} ({} bytes) has already been freed: free it only once (cudaDeviceReset frees all "
        "memory, too)",
        allocation.ordinal, allocation.size_bytes);
  return fmt::format(
      "the address is {} bytes after the start of allocation {} ({} bytes): free the start of the allocation",
      address - allocation.start, allocation.ordinal, allocation.size_bytes);
}

}  // namespace

DeviceCopies& DeviceCopies::operator-=(const DeviceCopies& other) {
  copies -= other.copies;
  copied_bytes -= other.copied_bytes;
  small_pieces -= other.small_pieces;
  fills -= other.fills;
  filled_bytes -= other.filled_bytes;
  dram_read_bytes -= other.dram_read_bytes;
  dram_write_bytes -= other.dram_write_bytes;
  seconds -= other.seconds;
  return *this;
}

bool Session::refuses_allocation() {
  if (!has_recorded_event_) return false;
  const std::uint64_t earlier = report_.allocations++;
  return refuses(Refused::allocations) && earlier >= device_.profile().granted;
}

std::optional<DevicePtr> Session::allocate(std::uint64_t size_bytes) {
  if (refuses_allocation()) return std::nullopt;
  const auto address = device_.allocate(size_bytes);
  if (!address) return std::nullopt;
  device_bytes_ += size_bytes;
  report_.peak_device_bytes = std::max(report_.peak_device_bytes, device_bytes_);
  return address;
}

SessionAnswer Session::run(const Allocate& request, Bytes) {
  commands_.noted(HostCommand::Kind::memory, {request.size_bytes});
  const auto address = allocate(request.size_bytes);
  if (!address) return no_room(device_, request.size_bytes);
  if (request.in_stream_order) {
    note_work(work_of(MemoryCall::allocate, request.issue), {{*address, request.size_bytes, true}});
  } else {
    times_.allocate(*address, request.size_bytes);
  }
  return accepted(DeviceAddress{*address});
}

SessionAnswer Session::run(const Free& request, Bytes) {
  commands_.noted(HostCommand::Kind::memory, {request.address});
  if (request.is_wait) races_.settle_all();
  const auto found = device_.allocation_at(request.address);
  if (!device_.free(request.address))
    return refused(Status::invalid_value, why_not_freed(device_, request.address));
  assert(found && device_bytes_ >= found->allocation.size_bytes);
  if (request.in_stream_order) {
    note_work(work_of(MemoryCall::free, request.issue),
              {{request.address, found->allocation.size_bytes, true}});
  } else if (!request.is_wait) {
    races_.release(work_of(MemoryCall::free_by_host, request.issue), request.address,
                   found->allocation.size_bytes);
  }
  times_.free(request.address);
  device_bytes_ -= found->allocation.size_bytes;
  return request.is_synchronising ? run(Synchronise{WaitFor::device}, {}) : done();
}

SessionAnswer Session::run(const CreateTexture& request, Bytes) {
  const std::string problem = why_invalid(request.texture);
  if (!problem.empty()) return refused(Status::invalid_value, problem);
  if (request.kind > texture::ObjectKind::surface)
    return refused(Status::invalid_value, "the object is neither a texture object nor a surface object");
  const texture::TextureObject object{mark_of(request.kind), request.texture};
  if (!device_.holds(request.texture.address, request.texture.span_bytes())) {
    return refused(Status::invalid_value,
                   fmt::format("the {} bytes of texels at {} are not all inside one allocation of the device",
                               request.texture.span_bytes(), address_text(request.texture.address)));
  }
  const auto address = allocate(sizeof object);
  if (!address) return no_room(device_, sizeof object);
  work_flow_.bind(request.texture.address, request.texture.span_bytes());
  commands_.noted(HostCommand::Kind::memory, {*address}, encode(request));
  device_.write(*address, std::as_bytes(std::span(&object, 1)));
  return accepted(DeviceAddress{*address});
}

SessionAnswer Session::run(const ShareHostMemory& request, Bytes) {
  const MemoryRange& registered = request.registered;
  const bool is_inside = registered.size_bytes <= request.size_bytes &&
                         registered.address - request.address <= request.size_bytes - registered.size_bytes;
  if (registered.size_bytes > 0 && !is_inside) return broken("a registration outside of its shared pages");
  const HostMemory::Origin origin =
      registered.size_bytes > 0 ? HostMemory::Origin::program : HostMemory::Origin::allocated;
  const bool allocates = origin == HostMemory::Origin::allocated;
  if (allocates && (refuses_allocation() || refuses(Refused::host_allocations)))
    return refused_allocation(device_);
  Descriptor file = host_memory_.share(request.address, request.size_bytes, origin);
  if (!file) {
    return refused(Status::out_of_memory,
                   fmt::format("cannot share {} bytes of host memory with the device: the range is already "
                               "shared, or the limit for shared memory is reached",
                               request.size_bytes));
  }
  if (options_.spoils_pinned_memory && origin == HostMemory::Origin::allocated)
    host_memory_.spoil(request.address);
  if (registered.size_bytes > 0) {
    registrations_.begin(registered.address, registered.size_bytes);
  }
  report_.peak_pinned_bytes =
      std::max(report_.peak_pinned_bytes, host_memory_.allocated_bytes() + registrations_.page_bytes());
  SessionAnswer answer = done();
  answer.descriptor = std::move(file);
  return answer;
}

SessionAnswer Session::run(const EndRegistration& request, Bytes) {
  Issue issue;
  issue.site = request.site;
  races_.release(work_of(MemoryCall::unregister, issue), request.address, request.size_bytes);
  registrations_.end(request.address);
  return done();
}

SessionAnswer Session::run(const ReadByCaller& request, Bytes) {
  note_work(work_of(MemoryCall::read_by_caller, {}), {{request.address, request.size_bytes, false}});
  return done();
}

SessionAnswer Session::run(const ForgetContents& request, Bytes) {
  if (device_.forget(request.address, request.size_bytes)) return done();
  return broken("memory to forget that is not in one allocation of the device");
}

SessionAnswer Session::run(const NameCallersMemory& request, Bytes) {
  constexpr std::size_t kMaxArrays = 256;
  const bool is_valid = request.address + request.size_bytes >= request.address;
  if (is_valid && callers_arrays_.size() < kMaxArrays) callers_arrays_.push_back({request});
  return done();
}

SessionAnswer Session::run(const UnshareHostMemory& request, Bytes) {
  if (request.is_wait)
    races_.settle_all();
  else
    races_.deliver_all();
  if (host_memory_.unshare(request.address)) return done();
  return refused(Status::invalid_value, "no shared memory starts at this host address");
}

SessionAnswer Session::run(const QueryMemory&, Bytes) {
  const std::uint64_t total = device_.profile().global_bytes;
  std::uint64_t used = 0;
  for (const Allocation& allocation : device_.live_allocations()) used += allocation.size_bytes;
  return accepted(MemoryFacts{total - std::min(used, total), total});
}

WorkMoment Session::note_work(const StreamWork& work, const std::vector<StreamAccess>& accesses) {
  const WorkMoment moment = races_.order().issue(work.stream);
  races_.add(work, moment, with_linked_variables(accesses));
  return moment;
}

/// Models a copy of pageable memory, which is all memory that goes through the socket. The first piece of a
/// copy announces the size of the whole copy, and its time covers all pieces. Bytes beyond the announced size
/// count as a new copy. Variables are an exception: the client updates their host copies on its own.
bool Session::issue_pageable(OperationKind kind, const Issue& issue, const Rows& device_side,
                             const Box& box) {
  const std::uint64_t bytes = bytes_of(box).value_or(0);
  const bool is_write = kind == OperationKind::copy_to_device;
  if (issue.continues && bytes <= announced_bytes_) {
    announced_bytes_ -= bytes;
    work_flow_.access(rows_of(device_side, box, is_write));
    return true;
  }
  if (issue.continues && !device_.allocation_at(device_side.address)) return false;
  const std::uint64_t total = issue.continues ? bytes : std::max(bytes, issue.total_bytes);
  announced_bytes_ = total - bytes;
  work_flow_.begin(times_.add_copy(kind, issue.stream, total, true));
  if (is_write) work_flow_.read_host();
  work_flow_.access(rows_of(device_side, box, is_write));
  note_work(work_of(kind, issue), accesses_of(device_side, box, is_write));
  // A copy to the device can return when the bytes are in a buffer of the driver. The runtime requests the
  // end of a copy that is not asynchronous (CUDA Runtime API, "API synchronization behavior").
  if (!is_write) note_end(WaitFor::stream, issue.stream);
  return true;
}

/// Adds a copy within the device to the totals.
void Session::count_copy(const Copy& request, std::uint64_t bytes) {
  const std::uint64_t read = dram_bytes_of(request.from, request.box);
  const std::uint64_t written = dram_bytes_of(request.to, request.box);
  DeviceCopies& all = report_.device_copies;
  all.copies += 1;
  all.copied_bytes += bytes;
  small_pieces_.add(request.to, request.from, request.box);
  all.dram_read_bytes += read;
  all.dram_write_bytes += written;
  all.seconds += times_.device_copy_s(read + written);
  work_flow_.begin(
      times_.add_device_copy(OperationKind::copy_on_device, request.issue.stream, bytes, read + written));
}

void Session::count_fill(const Fill& request) {
  const std::uint64_t bytes = bytes_of(request.box).value_or(0);
  if (host_memory_.holds(request.to.address)) {
    work_flow_.begin(times_.add_copy(OperationKind::fill, request.issue.stream, bytes));
    return;
  }
  const std::uint64_t written = dram_bytes_of(request.to, request.box);
  DeviceCopies& all = report_.device_copies;
  all.fills += 1;
  all.filled_bytes += bytes;
  all.dram_write_bytes += written;
  all.seconds += times_.device_copy_s(written);
  work_flow_.begin(times_.add_device_copy(OperationKind::fill, request.issue.stream, bytes, written));
}

/// Memory that is registered and never copied counts nothing: it would be registered for show.
void Session::count_registered(const Rows& host_side, const Box& box) {
  if (callers_arrays_.empty()) return;
  for (const MemoryAccess& row : rows_of(host_side, box, false)) {
    const std::uint64_t bytes = row.end() - row.start;
    if (!registrations_.hold(row.start, bytes)) continue;
    for (auto& [range, copied_bytes] : callers_arrays_) {
      const std::uint64_t copied =
          std::min(common_bytes(range, {row.start, bytes}), range.size_bytes - copied_bytes);
      copied_bytes += copied;
      report_.registered_argument_bytes += copied;
    }
  }
}

/// Records the values of a copy from shared memory to the device.
void Session::note_upload(const Copy& request) {
  std::vector<std::byte> bytes(bytes_of(request.box).value_or(0));
  read_rows(device_, request.from, request.box, bytes);
  commands_.uploaded(request.to, request.box, bytes);
}

/// Copies between memory of the device and shared memory. Neither side is pageable, because the device has no
/// access to pageable memory.
void Session::perform(const Copy& request, std::uint64_t bytes) {
  const bool to_host = host_memory_.holds(request.to.address);
  const bool from_host = host_memory_.holds(request.from.address);
  const bool is_variable = !device_.allocation_at(to_host ? request.from.address : request.to.address);
  races_.before_copy(request.to.address, request.from.address,
                     span_of(request.to, request.box).value_or(bytes));
  commands_.copied(to_host == from_host ? HostCommand::Kind::copy_on_device
                   : to_host            ? HostCommand::Kind::copy_to_host
                                        : HostCommand::Kind::copy_to_device,
                   request.to, request.from, request.box);
  if (from_host && !to_host) note_upload(request);
  if (to_host && !from_host) unwritten_copies_.note(device_, request.issue, request.from, request.box);
  copy_rows(device_, request.to, request.from, request.box);
  if (!from_host || to_host) commands_.delivered(request.to, request.box);
  if (to_host) commands_.inform();
  if (to_host != from_host) count_registered(to_host ? request.to : request.from, request.box);
  lineage_.copied(request.to, request.from, request.box);
  // Records the values on the device's side: the program can change those on the host at any time.
  const std::size_t first_word = transfers_.fetched_words(), first_sent = transfers_.sent_words();
  if (from_host && !to_host) transfers_.sent(request.to, request.box, bytes);
  if (to_host && !from_host) transfers_.fetched(request.from, request.box, bytes);
  if (request.issue.continues && is_variable) return;
  const OperationKind kind = from_host == to_host ? OperationKind::copy_on_device
                             : to_host            ? OperationKind::copy_to_host
                                                  : OperationKind::copy_to_device;
  if (from_host || to_host) {
    work_flow_.begin(times_.add_copy(kind, request.issue.stream, bytes));
  } else {
    count_copy(request, bytes);
  }
  if (from_host) work_flow_.read_host();
  work_flow_.access(rows_of(request.from, request.box, false));
  work_flow_.access(rows_of(request.to, request.box, true));
  work_flow_.sent(first_sent, transfers_.sent_words());
  work_flow_.delivered(first_word, transfers_.fetched_words());
  auto accesses = accesses_of(request.to, request.box, true);
  for (const StreamAccess& read : accesses_of(request.from, request.box, false)) accesses.push_back(read);
  const StreamWork work = work_of(kind, request.issue);
  const WorkMoment moment = note_work(work, accesses);
  if (from_host != to_host && is_contiguous(request.box))
    races_.after_copy(work, moment, to_host ? request.to.address : request.from.address, bytes);
}

SessionAnswer Session::run(const Write& request, Bytes bulk) {
  const auto expected = bytes_of(request.box);
  if (expected != bulk.size()) {
    return broken(fmt::format("a box of {} × {} × {} bytes has {} bytes of data", request.box.width,
                              request.box.height, request.box.depth, bulk.size()));
  }
  if (!holds(device_, request.to, request.box)) return bad_range(host_memory_, request.to, request.box);
  const std::size_t first_word = transfers_.sent_words();
  transfers_.sent(bulk);
  if (issue_pageable(OperationKind::copy_to_device, request.issue, request.to, request.box))
    work_flow_.sent(first_word, transfers_.sent_words());
  commands_.uploaded(request.to, request.box, bulk);
  write_rows(device_, request.to, request.box, bulk);
  lineage_.set(request.to, request.box);
  return done();
}

SessionAnswer Session::run(const Read& request, Bytes) {
  if (refuses(Refused::copies_to_host)) return refused_copy();
  const auto size = bytes_of(request.box);
  if (!size || *size > options_.max_message_bytes) {
    return broken(fmt::format("read of {} × {} × {} bytes; at most {}", request.box.width, request.box.height,
                              request.box.depth, options_.max_message_bytes));
  }
  if (!holds(device_, request.from, request.box)) return bad_range(host_memory_, request.from, request.box);
  unwritten_copies_.note(device_, request.issue, request.from, request.box);
  const bool is_work = issue_pageable(OperationKind::copy_to_host, request.issue, request.from, request.box);
  std::vector<std::byte> bytes(*size);
  read_rows(device_, request.from, request.box, bytes);
  const std::size_t first_word = transfers_.fetched_words();
  transfers_.fetched(request.from, request.box, bytes);
  if (is_work) work_flow_.delivered(first_word, transfers_.fetched_words());
  commands_.copied(HostCommand::Kind::copy_to_host, {}, request.from, request.box);
  commands_.inform();
  return accepted(Nothing{}, std::move(bytes));
}

SessionAnswer Session::run(const Copy& request, Bytes) {
  const bool is_to_host = host_memory_.holds(request.to.address) && !host_memory_.holds(request.from.address);
  if (is_to_host && refuses(Refused::copies_to_host)) return refused_copy();
  if (!holds(device_, request.to, request.box)) return bad_range(host_memory_, request.to, request.box);
  if (!holds(device_, request.from, request.box)) return bad_range(host_memory_, request.from, request.box);
  perform(request, bytes_of(request.box).value_or(0));
  return done();
}

SessionAnswer Session::run(const Fill& request, Bytes) {
  const std::uint32_t bytes = request.value_bytes;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || request.box.width % bytes != 0)
    return broken(
        fmt::format("cannot fill rows of {} bytes with values of {} bytes", request.box.width, bytes));
  if (!holds(device_, request.to, request.box)) return bad_range(host_memory_, request.to, request.box);
  transfers_.filled(request.value, bytes);
  commands_.filled(request.to, request.box, request.value, bytes);
  count_fill(request);
  work_flow_.access(rows_of(request.to, request.box, true));
  races_.before_copy(request.to.address, 0, span_of(request.to, request.box).value_or(0));
  note_work(work_of(OperationKind::fill, request.issue), accesses_of(request.to, request.box, true));
  fill_rows(device_, request.to, request.box, request.value, bytes);
  lineage_.set(request.to, request.box);
  return done();
}

}  // namespace vgpu::cudart
