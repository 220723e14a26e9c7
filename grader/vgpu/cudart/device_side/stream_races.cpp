#include "vgpu/cudart/device_side/stream_races.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "vgpu/facts/address_text.hpp"

namespace vgpu::cudart {
namespace {

// Limits on what one program can make the device store.
constexpr std::size_t kMaxRecent = 1024;
constexpr std::size_t kMaxPendingBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxFound = 64;
/// Four or eight such bytes are a NaN, so that results computed from them are visibly wrong.
constexpr std::byte kPoison{0xFF};

bool overlap(const MemoryAccess& a, const MemoryAccess& b) { return a.start < b.end() && b.start < a.end(); }

bool is_same(const StreamWork& a, const StreamWork& b) {
  return a.kind == b.kind && a.call == b.call && a.stream == b.stream && a.kernel == b.kernel;
}

}  // namespace

bool StreamAccess::touches(std::uint64_t from, std::uint64_t to) const {
  if (from >= end() || to <= start) return false;
  if (!has_gaps()) return true;
  // The first row that does not end before the range.
  const std::uint64_t row = from < start + row_bytes ? 0 : (from - start - row_bytes) / pitch + 1;
  return row < rows() && start + row * pitch < to;
}

bool overlap(const StreamAccess& a, const StreamAccess& b) {
  if (a.rows() > b.rows()) return overlap(b, a);
  if (a.start >= b.end() || b.start >= a.end()) return false;
  for (std::uint64_t row = 0; row < a.rows(); ++row) {
    const std::uint64_t from = a.start + row * a.pitch;
    if (b.touches(from, from + (a.has_gaps() ? a.row_bytes : a.size_bytes))) return true;
  }
  return false;
}

bool StreamRaces::is_on_host(const Recorded& one) {
  const bool may_be_polled = one.access.is_atomic && one.work.can_signal;
  return looks_like_host_memory(one.access.start) && !may_be_polled && !one.host_may_know;
}

void StreamRaces::report(StreamRace race) {
  const auto known = std::find_if(found_.begin(), found_.end(), [&](const StreamRace& one) {
    return one.by_host == race.by_host && one.place == race.place && is_same(one.earlier, race.earlier) &&
           is_same(one.later, race.later);
  });
  if (known != found_.end()) {
    ++known->count;
  } else if (found_.size() < kMaxFound) {
    if (const auto memory = device_.allocation_at(race.address)) race.allocation = memory->allocation.ordinal;
    found_.push_back(std::move(race));
  }
}

void StreamRaces::add(const StreamWork& work, WorkMoment moment, const std::vector<StreamAccess>& accesses) {
  std::vector<WorkMoment> reported;  // report one race per pair of work, however much memory they share
  for (const StreamAccess& access : accesses) {
    for (const Recorded& earlier : recent_) {
      const bool both_read = !access.is_write && !earlier.access.is_write;
      const bool both_atomic = access.is_atomic && earlier.access.is_atomic;
      // Memory that is used is reported for its uses.
      const bool is_lifetime = earlier.work.call == MemoryCall::allocate && work.call == MemoryCall::free;
      if (both_read || both_atomic || is_lifetime || !overlap(access, earlier.access)) continue;
      if (earlier.moment.stream == moment.stream || order_.is_before_last_of(moment.stream, earlier.moment))
        continue;
      if (std::find(reported.begin(), reported.end(), earlier.moment) != reported.end()) continue;
      reported.push_back(earlier.moment);
      StreamRace race{earlier.work, work, order_.events_between(earlier.moment, moment.stream)};
      race.earlier_writes = earlier.access.is_write;
      race.later_writes = access.is_write;
      race.address = std::max(access.start, earlier.access.start);
      race.size_bytes = std::min(access.end(), earlier.access.end()) - race.address;
      report(std::move(race));
    }
  }
  for (const StreamAccess& access : accesses) {
    // Work that follows this work also follows the stream's earlier work on the same memory, so the latest
    // access is enough.
    std::erase_if(recent_, [&](const Recorded& one) {
      return one.moment.stream == moment.stream && one.access == access && one.moment.count < moment.count;
    });
    if (recent_.size() == kMaxRecent) recent_.pop_front();
    recent_.push_back({work, moment, access, false});
  }
}

bool StreamRaces::is_unchanged(const PendingCopy& copy) const {
  std::vector<std::byte> now(copy.bytes.size());
  return !device_.read(copy.host, now) || now == copy.bytes;
}

/// Ends a copy: delivers the bytes of a copy to the host, and checks the source of a copy to the device.
void StreamRaces::conclude(const PendingCopy& copy) {
  assert(pending_bytes_ >= copy.bytes.size());
  pending_bytes_ -= copy.bytes.size();
  if (copy.is_to_host()) {
    device_.write(copy.host, copy.bytes);
  } else if (!is_unchanged(copy)) {
    StreamRace race;
    race.earlier = copy.work;
    race.by_host = race.later_writes = true;
    race.address = copy.host;
    race.size_bytes = copy.bytes.size();
    report(std::move(race));
  }
}

template <class Test>
void StreamRaces::conclude_where(Test test) {
  // In the order of issue, because two copies can have the same destination.
  for (const PendingCopy& copy : pending_)
    if (test(copy)) conclude(copy);
  std::erase_if(pending_, test);
}

/// The copy reads and writes memory of the host as it is. So it ends pending copies whose host memory it
/// overwrites, and pending copies to host memory that it reads.
void StreamRaces::before_copy(std::uint64_t to, std::uint64_t from, std::size_t size_bytes) {
  conclude_where([&](const PendingCopy& copy) {
    const MemoryAccess host{copy.host, copy.bytes.size()};
    return overlap(host, {to, size_bytes}) || (copy.is_to_host() && overlap(host, {from, size_bytes}));
  });
}

void StreamRaces::after_copy(const StreamWork& work, WorkMoment moment, std::uint64_t host,
                             std::size_t size_bytes) {
  const bool is_to_host = work.kind == OperationKind::copy_to_host;
  if (is_to_host && !delays_copies_) return;
  assert(pending_bytes_ <= kMaxPendingBytes);
  if (size_bytes > kMaxPendingBytes - pending_bytes_) return;
  PendingCopy copy{work, moment, host, std::vector<std::byte>(size_bytes)};
  if (!device_.read(host, copy.bytes)) return;
  if (is_to_host) device_.fill(host, kPoison, size_bytes);
  pending_bytes_ += size_bytes;
  pending_.push_back(std::move(copy));
}

/// A kernel can access any memory of the host. Check the sources of pending copies before the kernel can
/// change them, and show it the bytes of pending copies to the host.
void StreamRaces::before_launch() {
  conclude_where([&](const PendingCopy& copy) { return !copy.is_to_host() && !is_unchanged(copy); });
  for (const PendingCopy& copy : pending_)
    if (copy.is_to_host()) device_.write(copy.host, copy.bytes);
}

/// Stores the host's memory again, because the kernel can have changed it, and hides the destinations again.
void StreamRaces::after_launch() {
  for (PendingCopy& copy : pending_) {
    device_.read(copy.host, copy.bytes);
    if (copy.is_to_host()) device_.fill(copy.host, kPoison, copy.bytes.size());
  }
}

void StreamRaces::before_host_function(StreamId stream) {
  for (Recorded& one : recent_) one.host_may_know |= order_.is_before_last_of(stream, one.moment);
  conclude_where([&](const PendingCopy& copy) { return order_.is_before_last_of(stream, copy.moment); });
}

std::vector<MemoryAccess> StreamRaces::unfinished_on_host() const {
  std::vector<MemoryAccess> all;
  for (const Recorded& one : recent_)
    // The host may use the gaps between rows.
    if (is_on_host(one) && !one.access.has_gaps()) all.push_back(one.access);
  return all;
}

bool StreamRaces::note_host(const HostTouch& touch) {
  const MemoryAccess byte{touch.address, 1, touch.is_write};
  const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const Recorded& one) {
    return is_on_host(one) && overlap(one.access, StreamAccess(byte)) &&
           (touch.is_write || one.access.is_write);
  });
  if (found == recent_.end()) return false;
  StreamRace race;
  race.earlier = found->work;
  race.by_host = true;
  race.in_host_function = touch.in_host_function;
  race.host_wait = order_.host_wait(found->moment);
  race.place = touch.place;
  race.memory = touch.memory;
  race.earlier_writes = found->access.is_write;
  race.later_writes = touch.is_write;
  race.address = found->access.start;
  race.size_bytes = found->access.size_bytes;
  report(std::move(race));
  // Do not report the same race again when the copy ends.
  std::erase_if(pending_, [&](const PendingCopy& copy) {
    const bool is_reported = !copy.is_to_host() && overlap({copy.host, copy.bytes.size()}, byte);
    if (is_reported) pending_bytes_ -= copy.bytes.size();
    return is_reported;
  });
  return true;
}

void StreamRaces::release(const StreamWork& call, std::uint64_t start, std::uint64_t size_bytes) {
  const MemoryAccess range{start, size_bytes, true};
  const bool is_free = call.call == MemoryCall::free_by_host;
  for (const Recorded& one : recent_) {
    const bool is_use = is_free ? one.work.call == MemoryCall::none && !one.host_may_know : is_on_host(one);
    if (!is_use || !overlap(one.access, StreamAccess(range))) continue;
    StreamRace race{one.work, call};
    race.memory = is_free ? MemoryKind::device : MemoryKind::registered;
    race.earlier_writes = one.access.is_write;
    race.address = std::max(start, one.access.start);
    race.size_bytes = std::min(range.end(), one.access.end()) - race.address;
    report(std::move(race));
  }
  conclude_where([&](const PendingCopy& copy) { return overlap({copy.host, copy.bytes.size()}, range); });
}

void StreamRaces::deliver_all() {
  conclude_where([](const PendingCopy&) { return true; });
}

void StreamRaces::place(std::size_t index, bool is_later, HostPlace place) {
  if (index >= found_.size()) return;
  StreamRace& race = found_[index];
  (is_later ? race.later : race.earlier).place = std::move(place);
}

void StreamRaces::settle() {
  conclude_where([&](const PendingCopy& copy) { return order_.is_finished(copy.moment); });
  std::erase_if(recent_, [&](const Recorded& one) { return order_.is_finished(one.moment); });
}

void StreamRaces::settle_all() {
  order_.finish_all();
  settle();
}

}  // namespace vgpu::cudart
