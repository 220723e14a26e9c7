#include "vgpu/races/global_races.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace vgpu {
namespace {

std::int32_t key_of(const AccessRun& run, std::uint32_t granule) {
  return AccessKey(0, run.thread_of(granule), run.flags).bits();
}

}  // namespace

template <class Visit>
void GlobalRaces::for_stretches(const AccessRun& run, Visit visit) {
  const std::uint64_t first = run.address >> granule_shift_;
  std::uint32_t done = 0;
  while (done < run.granules) {
    const std::size_t at = (first + done) % kPageGranules;
    const std::size_t rest = run.granules - done;
    // A run with gaps is in one page.
    const std::size_t count = run.spacing.has_gaps() ? rest : std::min(kPageGranules - at, rest);
    const std::uint64_t number = (first + done) / kPageGranules;
    if (Page* page = part_.has_page(number) ? this->page(number) : nullptr)
      visit(Stretch{run, *page, at, count, done});
    done += static_cast<std::uint32_t>(count);
  }
}

void GlobalRaces::add(std::uint64_t block, const BlockLog& log, const Changes& changes,
                      const Report& report) {
  log_ = &log;
  synchronisations_ = 0;
  std::size_t done = 0;
  const std::span<const AccessRun> runs(log.runs);
  for (const Synchronisation& event : log.synchronisations) {
    assert(done <= event.runs_before && event.runs_before <= runs.size());
    add_stretch(block, runs.subspan(done, event.runs_before - done), changes, report);
    done = event.runs_before;
    order_.pass(block, event);
    ++synchronisations_;
  }
  add_stretch(block, runs.subspan(done), changes, report);
}

/// The block's own accesses must not hide those of other blocks: its loads are compared before its stores are
/// kept, and kept after its stores have been compared with the other blocks' loads.
void GlobalRaces::add_stretch(std::uint64_t block, std::span<const AccessRun> runs, const Changes& changes,
                              const Report& report) {
  if (runs.empty()) return;
  block_ = block;
  now_ = order_.now(block);
  loads_.clear();
  for (const AccessRun& run : runs)
    if (!run.is_store) for_stretches(run, [&](const Stretch& stretch) { loads_.push_back(stretch); });
  for (const Stretch& stretch : loads_) check_loads(stretch, report);
  for (const AccessRun& run : runs)
    if (run.is_store)
      for_stretches(run, [&](const Stretch& stretch) { add_stores(stretch, changes, report); });
  for (const Stretch& stretch : loads_) {
    const std::int32_t reads_back = stretch.run.flags & AccessKey::kReadsBack;
    put(stretch.page.loads, stretch, reads_back);
  }
}

GlobalRaces::Page* GlobalRaces::page(std::uint64_t number) {
  Recent& recent = recent_[number % recent_.size()];
  if (recent.number == number) return recent.page;
  const auto found = pages_.find(number);
  if (found == pages_.end() && page_counts_[number % page_counts_.size()]++ >= max_pages_) {
    is_incomplete_ = true;
    return nullptr;
  }
  recent = {number, found != pages_.end() ? &found->second : &pages_[number]};
  return recent.page;
}

/// Whether the store is not ordered before the block's access to the address.
bool GlobalRaces::follows(const LastAccess& store, std::uint64_t address) {
  if (!is_concurrent(store)) return false;
  const bool is_atomic = (store.key & AccessKey::kAtomic) != 0;
  return !is_atomic || !order_.has_seen_atomic(block_, address, store.node);
}

bool GlobalRaces::is_concurrent(const LastAccess& earlier) {
  return earlier.node != 0 && order_.block_of(earlier.node) != block_ &&
         !order_.is_before(earlier.node, AccessKey(earlier.key).thread() / BlockClocks::kLanes, now_);
}

void GlobalRaces::put(PageAccesses& accesses, const Stretch& stretch, std::int32_t flag,
                      const bool* changed) const {
  const AccessRun& run = stretch.run;
  constexpr std::uint32_t kFirst = 0;
  const std::int32_t key = (key_of(run, kFirst) & ~AccessKey::kChanged) | flag;
  const SiteIndex* sites = run.has_one_site() ? nullptr : log_->sites.data() + run.sites_at + stretch.first;
  accesses.put(
      stretch.at,
      {{now_, key, run.site}, sites, changed, run.threads, run.spacing, stretch.first, stretch.count});
}

void GlobalRaces::check_loads(const Stretch& stretch, const Report& report) {
  const PageAccesses& stores = stretch.page.stores;
  if (stretch.is_empty(stores)) return;
  for (std::uint32_t i = 0; i < stretch.count; ++i)
    check_load(stretch, i, stores.at(stretch.place(i)), report);
}

void GlobalRaces::check_load(const Stretch& stretch, std::uint32_t i, const LastAccess& store,
                             const Report& report) {
  const AccessRun& run = stretch.run;
  const std::uint32_t granule = stretch.first + i;
  const AccessKey key(store.key);
  if (is_atomic_with_volatile(store.key, run.flags)) return;
  const SiteIndex site = log_->site_of(run, granule);
  // The first of several blocks' atomics represents all of them, even if it is the block's own.
  const bool is_many =
      key.has(AccessKey::kMany) && order_.block_of(store.node) == block_ && store.node == now_;
  if (!follows(store, address_of(run, granule)) && !is_many) {
    const bool is_of_other = store.node != 0 && order_.block_of(store.node) != block_;
    if (is_of_other && site < read_only_.size() && read_only_[site])
      report({place_of(stretch, i),
              {block_, run.thread_of(granule), site, false, true},
              {order_.block_of(store.node), key.thread(), store.site, true}});
    return;
  }
  // If the block has stored other bytes than the earlier block, its store is a race of its own.
  const bool is_harmless = (run.flags & AccessKey::kReadsBack) != 0 && !key.has(AccessKey::kAtomic);
  report({place_of(stretch, i),
          {block_, run.thread_of(granule), site, false, false, is_harmless},
          {order_.block_of(store.node), key.thread(), store.site, true}});
}

void GlobalRaces::add_stores(const Stretch& stretch, const Changes& changes, const Report& report) {
  const AccessRun& run = stretch.run;
  std::array<bool, kPageGranules> changed;
  static_assert(sizeof(bool) == 1);  // for memchr()
  const std::span<bool> of_run(changed.data(), stretch.count);
  if (changes) {
    changes(address_of(run, stretch.first), run.spacing, of_run);
  } else {
    std::fill(of_run.begin(), of_run.end(), (run.flags & AccessKey::kChanged) != 0);
  }
  const PageAccesses& loads = stretch.page.loads;
  PageAccesses& stores = stretch.page.stores;
  if (stretch.is_empty(stores) && stretch.is_empty(loads)) {
    const bool are_alike = std::memchr(changed.data(), of_run[0] ? 0 : 1, of_run.size()) == nullptr;
    return put(stores, stretch, of_run[0] && are_alike ? AccessKey::kChanged : 0,
               are_alike ? nullptr : changed.data());
  }
  for (std::uint32_t i = 0; i < stretch.count; ++i) {
    const std::size_t at = stretch.place(i);
    stores.put(at, add_store(stretch, i, changed[i], loads.at(at), stores.at(at), report));
  }
}

LastAccess GlobalRaces::add_store(const Stretch& stretch, std::uint32_t i, bool changed,
                                  const LastAccess& load, LastAccess store, const Report& report) {
  const AccessRun& run = stretch.run;
  const std::uint32_t granule = stretch.first + i;
  const bool follows_store = follows(store, address_of(run, granule));
  BlockAccess access{block_, run.thread_of(granule), run.site, true};
  if (changed && follows_store && !is_atomic_with_volatile(store.key, run.flags)) {
    report({place_of(stretch, i),
            access,
            {order_.block_of(store.node), AccessKey(store.key).thread(), store.site, true}});
  } else if (is_concurrent(load) && !is_atomic_with_volatile(load.key, run.flags)) {
    access.is_harmless = !changed && AccessKey(load.key).has(AccessKey::kReadsBack);
    report({place_of(stretch, i),
            access,
            {order_.block_of(load.node), AccessKey(load.key).thread(), load.site, false}});
  }
  const bool both_atomic = (store.key & run.flags & AccessKey::kAtomic) != 0;
  if (follows_store && both_atomic) {
    store.key |= AccessKey::kMany;
    return store;
  }
  if (follows_store && !changed) return store;  // both blocks wrote the same bytes
  const bool hides_store =
      store.node != 0 && order_.block_of(store.node) == block_ && (store.key & AccessKey::kAtomic) == 0;
  if (hides_store && (run.flags & AccessKey::kAtomic) != 0)
    return store;  // keep the block's own store before its atomic
  const std::int32_t key = key_of(run, granule) & ~AccessKey::kChanged;
  return {now_, key | (changed ? AccessKey::kChanged : 0), run.site};
}

}  // namespace vgpu
