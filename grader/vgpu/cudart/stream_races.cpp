#include "vgpu/cudart/stream_races.hpp"

#include <algorithm>
#include <utility>

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

void StreamRaces::report(StreamRace race) {
  const auto known = std::find_if(found_.begin(), found_.end(), [&](const StreamRace& one) {
    return one.by_host == race.by_host && is_same(one.earlier, race.earlier) &&
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
  for (const MemoryAccess& access : accesses) {
    for (const Recorded& earlier : recent_) {
      const bool both_read = !access.is_write && !earlier.access.is_write;
      const bool both_atomic = access.is_atomic && earlier.access.is_atomic;
      if (both_read || both_atomic || !overlap(access, earlier.access)) continue;
      if (earlier.moment.stream == moment.stream || order_.is_before_last_of(moment.stream, earlier.moment))
        continue;
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
    recent_.push_back({work, moment, access});
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
    StreamRace race{copy.work, {}, true};
    race.later_writes = true;
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
  conclude_where([&](const PendingCopy& copy) { return order_.is_before_last_of(stream, copy.moment); });
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
