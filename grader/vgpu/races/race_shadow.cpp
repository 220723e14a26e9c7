#include "vgpu/races/race_shadow.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/races/concurrent_keys.hpp"
#include "vgpu/state/key_vector.hpp"

namespace vgpu {
namespace {

unsigned warp_of(unsigned thread) { return thread / BlockClocks::kLanes; }

/// Atomics never race with one another, nor do an atomic and a volatile access of two warps. Within a warp
/// volatile is not enough: CUDA does not guarantee that its lanes run in lockstep.
bool are_exempt(AccessKey earlier, const ThreadAccess& access) {
  if (earlier.has(AccessKey::kAtomic) && (access.flags & AccessKey::kAtomic) != 0) return true;
  return warp_of(earlier.thread()) != warp_of(access.thread) &&
         is_atomic_with_volatile(earlier.bits(), access.flags);
}

/// True if the earlier access is another thread's and not ordered before the present one.
bool is_concurrent(AccessKey earlier, const ThreadAccess& access, const BlockClocks& clocks) {
  if (earlier.clock() <= clocks.settled(warp_of(access.thread))) return false;
  return earlier.thread() != access.thread &&
         !clocks.is_ordered(earlier.clock(), earlier.thread(), access.thread);
}

/// Whether a plain access races with other atomics that the last write represents, although that write itself
/// is ordered before it or the thread's own. Lanes of one warp that meet after their atomics are ordered.
bool is_one_of_many_atomics(AccessKey write, const ThreadAccess& access, const BlockClocks& clocks) {
  const bool are_many = write.has(AccessKey::kAtomic) && write.has(AccessKey::kMany);
  if (!are_many || access.flags != 0 || write.clock() <= clocks.settled(warp_of(access.thread))) return false;
  const bool are_own_warp =
      !write.has(AccessKey::kManyWarps) && warp_of(write.thread()) == warp_of(access.thread);
  return !are_own_warp || !clocks.has_met_others(write.clock(), access.thread);
}

/// Whether the write races with the access.
bool races_with_write(AccessKey write, const ThreadAccess& access, const BlockClocks& clocks) {
  if (write.has(AccessKey::kAtomic) && access.has_seen_atomics) return false;
  return (is_concurrent(write, access, clocks) && !are_exempt(write, access)) ||
         is_one_of_many_atomics(write, access, clocks);
}

/// The reader that a store races with: preferably one that has not stored the same bytes itself, then one of
/// another warp, since fixing that race needs a block-wide barrier.
Conflict conflict_with_reader(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                              bool changes) {
  const AccessKey first(*at.read), other(*at.other_read);
  const auto races = [&](AccessKey read) {
    return is_concurrent(read, access, clocks) && !are_exempt(read, access);
  };
  const auto is_far = [&](AccessKey read) { return warp_of(read.thread()) != warp_of(access.thread); };
  const auto is_harmless = [&](AccessKey read) { return !changes && read.has(AccessKey::kReadsBack); };
  const auto weight = [&](AccessKey read) { return (is_harmless(read) ? 0 : 2) + (is_far(read) ? 1 : 0); };
  const bool is_other = races(other);
  const bool is_first = races(first) && (!is_other || weight(first) > weight(other));
  if (is_first) return {first, *at.read_site, false, is_harmless(first)};
  return is_other ? Conflict{other, *at.other_read_site, false, is_harmless(other)} : Conflict{};
}

void remember_read(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks) {
  const unsigned warp = warp_of(access.thread);
  const AccessKey first(*at.read);
  // A read of this block that the key no longer represents must not count as one that reads back.
  const bool hides_other =
      first.bits() >= AccessKey::first_of(clocks.start()) && !first.has(AccessKey::kReadsBack);
  const bool replaces_first = first.thread() == access.thread || !is_concurrent(first, access, clocks);
  const bool reads_back = access.reads_back && !(replaces_first && hides_other);
  AccessKey me(clocks.now(warp), access.thread, access.flags | (reads_back ? AccessKey::kReadsBack : 0));
  if (replaces_first) {
    const AccessKey other(*at.other_read);
    const bool has_other = warp_of(other.thread()) != warp && is_concurrent(other, access, clocks);
    *at.read = me.bits() | (has_other ? AccessKey::kMany : 0);
    *at.read_site = access.site;
    return;
  }
  if (warp_of(first.thread()) != warp) {
    *at.read |= AccessKey::kMany;
  } else if (first.has(AccessKey::kMany)) {
    return;
  }
  *at.other_read = me.bits();
  *at.other_read_site = access.site;
}

/// The readers of four granules after further loads, and which of them are new.
struct ReaderVectors {
  KeyVector read, other_read;
  KeyVector replaces_first, replaces_other;
};

/// As remember_read(). `own`: the keys of the loads; `reads_back`: whether the readers have stored the bytes.
ReaderVectors remembered_reads(KeyVector first, KeyVector other, KeyVector own, KeyVector reads_back,
                               const ConcurrentKeys& are_concurrent, std::int32_t start) {
  const KeyVector replaces_first = ~are_concurrent(first, own);
  const KeyVector hides_other = replaces_first & (first >= start) & ((first & AccessKey::kReadsBack) == 0);
  const KeyVector me = own | (reads_back & ~hides_other & AccessKey::kReadsBack);
  const KeyVector has_other = are_concurrent(other, own) & ~ConcurrentKeys::are_of_warp(other, own);
  const KeyVector is_far = ~ConcurrentKeys::are_of_warp(first, own);
  const KeyVector replaces_other = ~replaces_first & (is_far | ((first & AccessKey::kMany) == 0));
  return {(replaces_first & (me | (has_other & AccessKey::kMany))) |
              (~replaces_first & (first | (is_far & AccessKey::kMany))),
          (replaces_other & me) | (~replaces_other & other), replaces_first, replaces_other};
}

using GroupReaders = std::array<ReaderVectors, kGroup / kVectorKeys>;

/// Puts the site where the vectors of a group are true.
void put_sites(SiteIndex* sites, KeyVector low, KeyVector high, SiteIndex site) {
  using SiteVector = SiteIndex __attribute__((vector_size(kGroup * sizeof(SiteIndex))));
  const auto low_halves = std::bit_cast<SiteVector>(low), high_halves = std::bit_cast<SiteVector>(high);
  const SiteVector is_new = __builtin_shufflevector(low_halves, high_halves, 0, 2, 4, 6, 8, 10, 12, 14);
  SiteVector now;
  std::memcpy(&now, sites, sizeof now);
  now = (is_new & site) | (~is_new & now);
  std::memcpy(sites, &now, sizeof now);
}

void put_readers(const ShadowSpan& at, const GroupReaders& readers, SiteIndex site) {
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    put_keys(at.read + i, readers[i / kVectorKeys].read);
    put_keys(at.other_read + i, readers[i / kVectorKeys].other_read);
  }
  put_sites(at.read_site, readers[0].replaces_first, readers[1].replaces_first, site);
  put_sites(at.other_read_site, readers[0].replaces_other, readers[1].replaces_other, site);
}

/// The lowest key of accesses that are possibly not ordered before the thread's present access.
std::int32_t unsettled_key(const ThreadAccess& access, const BlockClocks& clocks) {
  return AccessKey::first_of(clocks.settled(warp_of(access.thread)) + 1);
}

std::int32_t key_of(const ThreadAccess& access, const BlockClocks& clocks) {
  return AccessKey(clocks.now(warp_of(access.thread)), access.thread, access.flags).bits();
}

}  // namespace

Conflict note_load(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks) {
  const AccessKey write(*at.write);
  const bool races = races_with_write(write, access, clocks);
  remember_read(at, access, clocks);
  const bool is_harmless = access.reads_back && !write.has(AccessKey::kAtomic);
  return races ? Conflict{write, *at.write_site, true, is_harmless} : Conflict{};
}

Conflict note_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                    bool changes) {
  const AccessKey write(*at.write);
  const bool follows_write = is_concurrent(write, access, clocks);
  Conflict conflict = conflict_with_reader(at, access, clocks, changes);
  if (changes && races_with_write(write, access, clocks)) conflict = {write, *at.write_site, true};
  const bool is_atomic = (access.flags & AccessKey::kAtomic) != 0;
  if (is_atomic && follows_write && write.has(AccessKey::kAtomic)) {
    const bool is_of_other_warp = warp_of(write.thread()) != warp_of(access.thread);
    // The first atomic represents all of them.
    *at.write |= AccessKey::kMany | (is_of_other_warp ? AccessKey::kManyWarps : 0);
    return conflict;
  }
  // An atomic must not hide an earlier plain store that is not settled.
  const bool is_recent = write.thread() == access.thread
                             ? write.clock() > clocks.settled(warp_of(access.thread))
                             : follows_write;
  const bool hides_store = is_recent && !write.has(AccessKey::kAtomic);
  if (is_atomic && hides_store) return conflict;
  // A store of the same bytes by another thread does not replace the earlier one.
  if (!changes && follows_write) return conflict;
  // A thread's later store of the same bytes keeps the mark of its earlier change.
  const bool changed_before = write.thread() == access.thread && write.has(AccessKey::kChanged) &&
                              write.clock() > clocks.settled(warp_of(access.thread));
  const std::int32_t flags = access.flags | (changes || changed_before ? AccessKey::kChanged : 0);
  *at.write = AccessKey(clocks.now(warp_of(access.thread)), access.thread, flags).bits();
  *at.write_site = access.site;
  return conflict;
}

void note_read(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks) {
  remember_read(at, access, clocks);
}

bool note_group_store(const ShadowSpan& at, const ThreadAccess& access, unsigned shift,
                      const BlockClocks& clocks, unsigned changed) {
  const ConcurrentKeys are_concurrent(warp_of(access.thread), clocks);
  const std::int32_t key = key_of(access, clocks);
  KeyVector suspicious{};
  std::array<KeyVector, kGroup / kVectorKeys> stores;
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector own = keys_at(&kLaneSteps[shift][i]) + key;
    const KeyVector write = keys_at(at.write + i);
    const KeyVector is_recent = write >= are_concurrent.unsettled;
    suspicious |= are_concurrent(write, own) | (is_recent & ((write & AccessKey::kAtomic) != 0)) |
                  are_concurrent(keys_at(at.read + i), own) | are_concurrent(keys_at(at.other_read + i), own);
    const KeyVector changes = elements_of(changed >> i);
    // As note_store(): the mark of the thread's earlier change stays.
    const KeyVector earlier = is_recent & ConcurrentKeys::are_of_thread(write, own) & write;
    stores[i / kVectorKeys] = own | ((earlier | changes) & AccessKey::kChanged);
  }
  if (any(suspicious)) return false;
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) put_keys(at.write + i, stores[i / kVectorKeys]);
  std::fill_n(at.write_site, kGroup, access.site);
  return true;
}

bool note_ordered_group_load(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes,
                             const BlockClocks& clocks) {
  const unsigned warp = warp_of(load.first.thread);
  if (!ConcurrentKeys::are_all(warp, clocks)) return false;
  const ConcurrentKeys are_concurrent(warp, clocks);
  const std::int32_t start = AccessKey::first_of(clocks.start());
  const std::int32_t oldest_own = load.first.flags == 0 ? load.unsettled : start;
  KeyVector suspicious{};
  GroupReaders readers;
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector own = load.keys(lanes, i);
    const KeyVector write = keys_at(at.write + i);
    suspicious |= are_concurrent(write, own) | (write < load.oldest_write) |
                  ((write >= load.unsettled) & ((write & AccessKey::kAtomic) != 0));
    const KeyVector reads_back = ConcurrentKeys::are_of_thread(write, own) & (write >= oldest_own);
    readers[i / kVectorKeys] = remembered_reads(keys_at(at.read + i), keys_at(at.other_read + i), own,
                                                reads_back, are_concurrent, start);
  }
  if (any(suspicious)) return false;
  put_readers(at, readers, load.first.site);
  return true;
}

void note_group_read(const ShadowSpan& at, const WarpLoad& load, const GroupLanes& lanes,
                     const BlockClocks& clocks, unsigned granules) {
  const unsigned warp = warp_of(load.first.thread);
  if (!ConcurrentKeys::are_all(warp, clocks)) {
    ThreadAccess one = load.first;
    for (unsigned i = 0; i < kGroup; ++i) {
      if ((granules >> i & 1U) == 0) continue;
      one.thread = load.first.thread + lanes.first + (i >> lanes.shift);
      remember_read(at.from(i), one, clocks);
    }
    return;
  }
  const ConcurrentKeys are_concurrent(warp, clocks);
  const std::int32_t start = AccessKey::first_of(clocks.start());
  GroupReaders readers;
  for (unsigned i = 0; i < kGroup; i += kVectorKeys) {
    const KeyVector first = keys_at(at.read + i), other = keys_at(at.other_read + i);
    const KeyVector are_read = elements_of(granules >> i);
    ReaderVectors& after = readers[i / kVectorKeys];
    after = remembered_reads(first, other, load.keys(lanes, i), KeyVector{}, are_concurrent, start);
    after.read = (are_read & after.read) | (~are_read & first);
    after.other_read = (are_read & after.other_read) | (~are_read & other);
    after.replaces_first &= are_read;
    after.replaces_other &= are_read;
  }
  put_readers(at, readers, load.first.site);
}

bool note_quiet_store(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                      bool changes) {
  const std::int32_t unsettled = unsettled_key(access, clocks);
  const std::int32_t key = key_of(access, clocks);
  const auto is_other = [&](std::int32_t earlier) {
    return earlier >= unsettled && ((earlier ^ key) & AccessKey::kThreadMask) != 0;
  };
  const std::int32_t write = *at.write;
  const std::int32_t earlier = write >= unsettled ? write : 0;
  if (is_other(earlier) || (earlier & AccessKey::kAtomic) != 0 || is_other(*at.read) ||
      is_other(*at.other_read))
    return false;
  const std::int32_t changed_before = earlier & AccessKey::kChanged;
  *at.write = key | (changes ? AccessKey::kChanged : 0) | changed_before;
  *at.write_site = access.site;
  return true;
}

bool note_quiet_atomic(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                       unsigned granules) {
  const std::int32_t unsettled = unsettled_key(access, clocks);
  const AccessKey write(*at.write);
  const bool is_recent = write.bits() >= unsettled;
  const std::int32_t recent = is_recent ? -1 : 0;  // as a vector's result of a comparison
  unsigned done = 0;
  KeyVector suspicious{};
  for (; done + kVectorKeys <= granules; done += kVectorKeys) {
    const KeyVector writes = keys_at(at.write + done);
    suspicious |= (keys_at(at.read + done) >= unsettled) | (keys_at(at.other_read + done) >= unsettled);
    suspicious |= (writes != write.bits()) & ((writes >= unsettled) | recent);
  }
  if (any(suspicious)) return false;
  for (; done < granules; ++done) {
    const bool is_different = at.write[done] != write.bits() && (at.write[done] >= unsettled || is_recent);
    if (at.read[done] >= unsettled || at.other_read[done] >= unsettled || is_different) return false;
  }
  return note_next_atomic(at, access, clocks, granules);
}

bool note_next_atomic(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks,
                      unsigned granules) {
  const AccessKey write(*at.write);
  if (write.bits() >= unsettled_key(access, clocks)) {
    if (!write.has(AccessKey::kAtomic)) return false;
    if (write.thread() != access.thread && !clocks.is_ordered(write.clock(), write.thread(), access.thread)) {
      // As note_store(): the first atomic represents all of them.
      const bool is_of_other_warp = warp_of(write.thread()) != warp_of(access.thread);
      const std::int32_t flags = AccessKey::kMany | (is_of_other_warp ? AccessKey::kManyWarps : 0);
      if ((write.bits() & flags) != flags) std::fill_n(at.write, granules, write.bits() | flags);
      return true;
    }
  }
  std::fill_n(at.write, granules, key_of(access, clocks) | AccessKey::kChanged);
  std::fill_n(at.write_site, granules, access.site);
  return true;
}

bool note_quiet_load(const ShadowSpan& at, const ThreadAccess& access, const BlockClocks& clocks) {
  const std::int32_t unsettled = unsettled_key(access, clocks);
  const std::int32_t key = key_of(access, clocks);
  const std::int32_t write = *at.write;
  const bool is_own = (write & AccessKey::kAtomic) == 0 && ((write ^ key) & AccessKey::kThreadMask) == 0;
  if (write >= unsettled && !is_own) return false;
  if (*at.read >= unsettled || *at.other_read >= unsettled) {
    remember_read(at, access, clocks);
  } else {
    *at.read = key;
    *at.read_site = access.site;
  }
  return true;
}

}  // namespace vgpu
