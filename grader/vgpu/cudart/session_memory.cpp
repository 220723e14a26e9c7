// A session's memory: allocations, memory of the host, copies and fills.

#include <algorithm>

#include <fmt/format.h>

#include "vgpu/cudart/rows.hpp"
#include "vgpu/cudart/session.hpp"

namespace vgpu::cudart {
namespace {

SessionAnswer bad_range(const Rows& rows, const Box& box) {
  if (box.height <= 1 && box.depth <= 1) {
    return refused(Status::invalid_value,
                   fmt::format("the {} bytes at device address {:#x} are not all inside one allocation",
                               box.width, rows.address));
  }
  return refused(
      Status::invalid_value,
      fmt::format("{} × {} rows of {} bytes, {} bytes apart, at device address {:#x} overlap or are not all "
                  "inside one allocation",
                  box.depth, box.height, box.width, rows.pitch, rows.address));
}

std::string why_not_freed(const Device& device, std::uint64_t address) {
  const auto found = device.allocation_at(address);
  if (!found) {
    return fmt::format(
        "{:#x} is no device memory that this program allocated: free only what cudaMalloc gave", address);
  }
  const Allocation& allocation = found->allocation;
  if (!found->is_live)
    return fmt::format("allocation {} ({} bytes) was freed before: it is freed twice", allocation.ordinal,
                       allocation.size_bytes);
  return fmt::format("the address lies {} bytes behind the start of allocation {} ({} bytes): free its start",
                     address - allocation.start, allocation.ordinal, allocation.size_bytes);
}

}  // namespace

SessionAnswer Session::run(const Allocate& request, Bytes) {
  const auto address = device_.allocate(request.size_bytes);
  if (!address) {
    return refused(Status::out_of_memory, fmt::format("no room for {} bytes on a device of {} bytes",
                                                      request.size_bytes, device_.profile().global_bytes));
  }
  return accepted(DeviceAddress{*address});
}

SessionAnswer Session::run(const Free& request, Bytes) {
  if (device_.free(request.address)) return done();
  return refused(Status::invalid_value, why_not_freed(device_, request.address));
}

SessionAnswer Session::run(const ShareHostMemory& request, Bytes) {
  Descriptor file = host_memory_.share(request.address, request.size_bytes);
  if (!file) {
    return refused(Status::out_of_memory,
                   fmt::format("cannot share {} bytes at host address {:#x} with the device: they are shared "
                               "already, or too much is",
                               request.size_bytes, request.address));
  }
  SessionAnswer answer = done();
  answer.descriptor = std::move(file);
  return answer;
}

SessionAnswer Session::run(const UnshareHostMemory& request, Bytes) {
  if (host_memory_.unshare(request.address)) return done();
  return refused(Status::invalid_value,
                 fmt::format("nothing is shared at host address {:#x}", request.address));
}

SessionAnswer Session::run(const AskMemory&, Bytes) {
  const std::uint64_t total = device_.profile().global_bytes;
  std::uint64_t used = 0;
  for (const Allocation& allocation : device_.live_allocations()) used += allocation.size_bytes;
  return accepted(MemoryFacts{total - std::min(used, total), total});
}

SessionAnswer Session::run(const Write& request, Bytes bulk) {
  const auto expected = bytes_of(request.box);
  if (expected != bulk.size()) {
    return broken(fmt::format("a box of {} × {} × {} bytes came with {}", request.box.width,
                              request.box.height, request.box.depth, bulk.size()));
  }
  if (!holds(device_, request.to, request.box)) return bad_range(request.to, request.box);
  times_.add_copy(OperationKind::copy_to_device, request.issue);
  write_rows(device_, request.to, request.box, bulk);
  return done();
}

SessionAnswer Session::run(const Read& request, Bytes) {
  const auto size = bytes_of(request.box);
  if (!size || *size > options_.max_message_bytes) {
    return broken(fmt::format("read of {} × {} × {} bytes; at most {}", request.box.width, request.box.height,
                              request.box.depth, options_.max_message_bytes));
  }
  if (!holds(device_, request.from, request.box)) return bad_range(request.from, request.box);
  times_.add_copy(OperationKind::copy_to_host, request.issue);
  std::vector<std::byte> bytes(*size);
  read_rows(device_, request.from, request.box, bytes);
  return accepted(Nothing{}, std::move(bytes));
}

SessionAnswer Session::run(const Copy& request, Bytes) {
  if (!holds(device_, request.to, request.box)) return bad_range(request.to, request.box);
  if (!holds(device_, request.from, request.box)) return bad_range(request.from, request.box);
  switch (request.direction) {
    case CopyDirection::to_device:
      times_.add_copy(OperationKind::copy_to_device, request.issue);
      break;
    case CopyDirection::to_host:
      times_.add_copy(OperationKind::copy_to_host, request.issue);
      break;
    case CopyDirection::on_device:
      times_.add_copy(OperationKind::copy_on_device, request.issue);
      break;
  }
  copy_rows(device_, request.to, request.from, request.box);
  return done();
}

SessionAnswer Session::run(const Fill& request, Bytes) {
  const std::uint32_t bytes = request.value_bytes;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || request.box.width % bytes != 0)
    return broken(fmt::format("rows of {} bytes filled with values of {}", request.box.width, bytes));
  if (!holds(device_, request.to, request.box)) return bad_range(request.to, request.box);
  times_.add_copy(OperationKind::fill, request.issue);
  fill_rows(device_, request.to, request.box, request.value, bytes);
  return done();
}

}  // namespace vgpu::cudart
