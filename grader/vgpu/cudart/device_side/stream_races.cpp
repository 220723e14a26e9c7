#include "vgpu/cudart/device_side/stream_races.hpp"

#include <algorithm>
#include <utility>

#include "vgpu/facts/address_text.hpp"

namespace vgpu::cudart {
namespace {

constexpr std::size_t kMaxRecent = 1024;
constexpr std::size_t kMaxPendingBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxFound = 64;
constexpr std::byte kPoison{0xFF};

bool overlap(const MemoryAccess& a, const MemoryAccess& b) { return a.start < b.end() && b.start < a.end(); }

bool is_same(const StreamWork& a, const StreamWork& b) {
  return a.kind == b.kind && a.stream == b.stream && a.kernel == b.kernel;
}

}  // namespace

bool StreamRaces::is_on_host(const Recorded& one) {
  return looks_like_host_memory(one.access.start) && !one.access.is_atomic && !one.host_may_know;
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

void StreamRaces::add(const StreamWork& work, WorkMoment moment, const std::vector<MemoryAccess>& accesses) {
  std::vector<WorkMoment> told;  // two pieces of work race once, however much memory they share
  for (const MemoryAccess& access : accesses) {
    for (const Recorded& earlier : recent_) {
      const bool both_read = !access.is_write && !earlier.access.is_write;
      const bool both_atomic = access.is_atomic && earlier.access.is_atomic;
      if (both_read || both_atomic || !overlap(access, earlier.access)) continue;
      if (earlier.moment.stream == moment.stream || order_.is_before_last_of(moment.stream, earlier.moment))
        continue;
      if (std::find(told.begin(), told.end(), earlier.moment) != told.end()) continue;
      told.push_back(earlier.moment);
      StreamRace race{earlier.work, work};
      race.earlier_writes = earlier.access.is_write;
      race.later_writes = access.is_write;
      race.address = std::max(access.start, earlier.access.start);
      race.size_bytes = std::min(access.end(), earlier.access.end()) - race.address;
      report(std::move(race));
    }
  }
  for (const MemoryAccess& access : accesses) {
    // Who comes behind this work comes behind the stream's earlier work on the same memory, too.
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

/// The copy has ended.
void StreamRaces::conclude(const PendingCopy& copy) {
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
  // In the order of issue: two copies may go to one place.
  for (const PendingCopy& copy : pending_)
    if (test(copy)) conclude(copy);
  std::erase_if(pending_, test);
}

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
  if (size_bytes > kMaxPendingBytes - pending_bytes_) return;
  PendingCopy copy{work, moment, host, std::vector<std::byte>(size_bytes)};
  if (!device_.read(host, copy.bytes)) return;
  if (is_to_host) device_.fill(host, kPoison, size_bytes);
  pending_bytes_ += size_bytes;
  pending_.push_back(std::move(copy));
}

void StreamRaces::before_launch() {
  conclude_where([&](const PendingCopy& copy) { return !copy.is_to_host() && !is_unchanged(copy); });
  for (const PendingCopy& copy : pending_)
    if (copy.is_to_host()) device_.write(copy.host, copy.bytes);
}

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
    if (is_on_host(one)) all.push_back(one.access);
  return all;
}

bool StreamRaces::note_host(const HostTouch& touch) {
  const MemoryAccess byte{touch.address, 1, touch.is_write};
  const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const Recorded& one) {
    return is_on_host(one) && overlap(one.access, byte) && (touch.is_write || one.access.is_write);
  });
  if (found == recent_.end()) return false;
  StreamRace race;
  race.earlier = found->work;
  race.by_host = true;
  race.place = touch.place;
  race.memory = touch.memory;
  race.earlier_writes = found->access.is_write;
  race.later_writes = touch.is_write;
  race.address = found->access.start;
  race.size_bytes = found->access.size_bytes;
  report(std::move(race));
  // It need not be found a second time.
  std::erase_if(pending_, [&](const PendingCopy& copy) {
    const bool is_told = !copy.is_to_host() && overlap({copy.host, copy.bytes.size()}, byte);
    if (is_told) pending_bytes_ -= copy.bytes.size();
    return is_told;
  });
  return true;
}

void StreamRaces::place(std::size_t index, HostPlace earlier, HostPlace later) {
  if (index >= found_.size()) return;
  found_[index].earlier.place = std::move(earlier);
  found_[index].later.place = std::move(later);
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
