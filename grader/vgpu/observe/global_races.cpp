#include "vgpu/observe/global_races.hpp"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::int32_t kUnordered = AccessKey::kAtomic | AccessKey::kStrong;

/// Atomics and volatile accesses of two blocks do not race with one another.
bool are_exempt(std::int32_t earlier, std::int32_t later) {
  return (earlier & kUnordered) != 0 && (later & kUnordered) != 0;
}

std::int32_t key_of(const AccessRun& run, std::uint32_t granule) {
  return AccessKey(0, run.thread_of(granule), run.flags).bits();
}

}  // namespace

void GlobalRaces::add(std::uint64_t block, const BlockLog& log, const Changes& changes,
                      const Report& report) {
  std::size_t done = 0;
  const std::span<const AccessRun> runs(log.runs);
  for (const Synchronisation& event : log.synchronisations) {
    add_stretch(block, runs.subspan(done, event.runs_before - done), changes, report);
    done = event.runs_before;
    order_.pass(block, event);
  }
  add_stretch(block, runs.subspan(done), changes, report);
}

/// Own accesses must not hide those of other blocks: loads are kept once stores have been compared with the
/// others' loads, and compared before stores are kept.
void GlobalRaces::add_stretch(std::uint64_t block, std::span<const AccessRun> runs, const Changes& changes,
                              const Report& report) {
  if (runs.empty()) return;
  block_ = block;
  now_ = order_.now(block);
  for (const AccessRun& run : runs)
    if (!run.is_store) check_loads(run, report);
  for (const AccessRun& run : runs)
    if (run.is_store) add_stores(run, changes, report);
  for (const AccessRun& run : runs)
    if (!run.is_store) keep_loads(run);
}

GlobalRaces::Page* GlobalRaces::page(std::uint64_t number) {
  if (number == last_number_) return last_;
  const auto found = pages_.find(number);
  if (found == pages_.end() && pages_.size() >= max_pages_) {
    is_incomplete_ = true;
    return nullptr;
  }
  last_ = found != pages_.end() ? &found->second : &pages_[number];
  last_number_ = number;
  return last_;
}

template <class Visit>
void GlobalRaces::for_stretches(const AccessRun& run, Visit visit) {
  const std::uint64_t first = run.address / granule_bytes_;
  std::uint32_t done = 0;
  while (done < run.granules) {
    const std::size_t at = (first + done) % kPageGranules;
    const std::size_t count = std::min<std::size_t>(kPageGranules - at, run.granules - done);
    if (Page* page = this->page((first + done) / kPageGranules))
      visit(Stretch{*page, std::span(page->cells).subspan(at, count), done});
    done += static_cast<std::uint32_t>(count);
  }
}

/// Whether the write that the cell remembers may come at any time beside what the block does there.
bool GlobalRaces::follows_write(const Cell& at, std::uint64_t address) {
  if (!is_concurrent(at.write)) return false;
  const bool is_atomic = (at.write_key & AccessKey::kAtomic) != 0;
  return !is_atomic || !order_.has_seen_atomic(block_, address, at.write);
}

bool GlobalRaces::is_concurrent(BlockOrder::Node earlier) {
  return earlier != 0 && order_.block_of(earlier) != block_ && !order_.is_before(earlier, now_);
}

void GlobalRaces::check_loads(const AccessRun& run, const Report& report) {
  for_stretches(run, [&](const Stretch& stretch) {
    if (!stretch.page.is_written) return;
    std::uint32_t granule = stretch.first;
    for (const Cell& at : stretch.cells) check_load(run, granule++, at, report);
  });
}

void GlobalRaces::check_load(const AccessRun& run, std::uint32_t granule, const Cell& at,
                             const Report& report) {
  const AccessKey write(at.write_key);
  if (!write.has(AccessKey::kChanged) || are_exempt(at.write_key, run.flags)) return;
  // Several blocks' atomics: the first stands for all, even if it is the own one.
  const bool is_many = write.has(AccessKey::kMany) && order_.block_of(at.write) == block_ && at.write == now_;
  if (!follows_write(at, address_of(run, granule)) && !is_many) return;
  report(address_of(run, granule), {block_, run.thread_of(granule), run.site, false},
         {order_.block_of(at.write), write.thread(), at.write_site, true});
}

void GlobalRaces::add_stores(const AccessRun& run, const Changes& changes, const Report& report) {
  for_stretches(run, [&](const Stretch& stretch) {
    stretch.page.is_written = true;
    std::uint32_t granule = stretch.first;
    for (Cell& at : stretch.cells) {
      const bool changed =
          changes ? changes(address_of(run, granule)) : (run.flags & AccessKey::kChanged) != 0;
      add_store(run, granule++, changed, at, report);
    }
  });
}

void GlobalRaces::add_store(const AccessRun& run, std::uint32_t granule, bool changed, Cell& at,
                            const Report& report) {
  const bool follows_write = this->follows_write(at, address_of(run, granule));
  const BlockAccess access{block_, run.thread_of(granule), run.site, true};
  if (changed && follows_write && !are_exempt(at.write_key, run.flags)) {
    report(address_of(run, granule), access,
           {order_.block_of(at.write), AccessKey(at.write_key).thread(), at.write_site, true});
  } else if (changed && is_concurrent(at.read) && !are_exempt(at.read_key, run.flags)) {
    report(address_of(run, granule), access,
           {order_.block_of(at.read), AccessKey(at.read_key).thread(), at.read_site, false});
  }
  const bool both_atomic = (at.write_key & run.flags & AccessKey::kAtomic) != 0;
  if (follows_write && both_atomic) {
    at.write_key |= AccessKey::kMany;
    return;
  }
  if (follows_write && !changed) return;  // the same bytes as the other block wrote
  const bool hides_store = at.write != 0 && order_.block_of(at.write) == block_ &&
                           (at.write_key & AccessKey::kAtomic) == 0 &&
                           (at.write_key & AccessKey::kChanged) != 0;
  if (hides_store && (run.flags & AccessKey::kAtomic) != 0) return;  // the block's own, before its atomic
  const std::int32_t key = key_of(run, granule) & ~AccessKey::kChanged;
  at.write = now_;
  at.write_key = key | (changed ? AccessKey::kChanged : 0);
  at.write_site = run.site;
}

void GlobalRaces::keep_loads(const AccessRun& run) {
  for_stretches(run, [&](const Stretch& stretch) {
    std::uint32_t granule = stretch.first;
    for (Cell& at : stretch.cells) {
      at.read = now_;
      at.read_key = key_of(run, granule++);
      at.read_site = run.site;
    }
  });
}

}  // namespace vgpu
