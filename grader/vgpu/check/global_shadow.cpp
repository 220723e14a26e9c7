#include "vgpu/check/global_shadow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/check/key_vector.hpp"

namespace vgpu {
namespace {

constexpr std::size_t kLineGranules = GlobalShadow::kLineGranules;

/// The bits of the keys in a run: equal for all its granules, or counting up with the thread.
constexpr std::int32_t kRunBits = AccessRun::kFlags | AccessKey::kThreadMask;

/// The granules from `first` on that form one run: accessed by the same instruction, by one thread or by
/// neighbouring threads, and not before `oldest`.
struct Stretch {
  std::size_t end = 0;
  bool by_neighbours = false;
};

Stretch stretch_from(const std::int32_t* keys, const SiteIndex* sites, std::size_t first, std::size_t end,
                     std::int32_t oldest) {
  const std::int32_t bits = keys[first] & kRunBits;
  const auto continues = [&](std::size_t at, std::int32_t expected) {
    return keys[at] >= oldest && (keys[at] & kRunBits) == expected && sites[at] == sites[first];
  };
  std::size_t next = first + 1;
  const bool by_neighbours = next < end && continues(next, bits + 1);
  const std::int32_t step = by_neighbours ? 1 : 0;
  std::int32_t expected = bits + step;
  const KeyVector steps = KeyVector{0, 1, 2, 3} * step;
  for (; next + kVectorKeys <= end; next += kVectorKeys, expected += step * std::int32_t{kVectorKeys}) {
    const KeyVector now = keys_at(keys + next);
    // The sites after `first` belong to the run so far or to these granules, so that one comparison of ranges
    // compares each with its predecessor's.
    const bool same_site = std::memcmp(sites + next, sites + first, kVectorKeys * sizeof *sites) == 0;
    if (!same_site || any((now < oldest) | ((now & kRunBits) != steps + expected))) break;
  }
  for (; next < end && continues(next, expected); expected += step) ++next;
  return {next, by_neighbours};
}

/// Whether the run `next` is the continuation of `run`.
bool continues_run(const AccessRun& run, const AccessRun& next, std::uint32_t granule_bytes) {
  return run.by_neighbours && run.site == next.site && run.flags == next.flags &&
         run.address + std::uint64_t{run.granules} * granule_bytes == next.address &&
         run.thread + run.granules == next.thread;
}

/// `at` if its granule is in one of the lines, else the first later granule that is.
std::size_t in_lines(std::uint64_t lines, std::size_t at) {
  const std::size_t line = at / kLineGranules;
  const std::uint64_t rest = at < GlobalShadow::kPageGranules ? lines >> line : 0;
  if (rest == 0) return GlobalShadow::kPageGranules;
  return (rest & 1U) != 0 ? at : (line + static_cast<std::size_t>(std::countr_zero(rest))) * kLineGranules;
}

}  // namespace

GlobalShadow::GlobalShadow() { grow(); }

GlobalShadow::Page& GlobalShadow::search(std::uint64_t number) {
  for (std::size_t at = first_slot(number); slots_[at].block == block_; at = (at + 1) % slots_.size())
    if (slots_[at].page->number == number) return *slots_[at].page;
  if (used_ == pages_.size()) pages_.push_back(std::make_unique<Page>());
  Page& page = *pages_[used_++];
  // The shadow keeps the keys of earlier blocks, whose clocks are lower than any of this block.
  page.number = number;
  page.loaded = page.stored = 0;
  page.known.forget();
  page.readers.restart();
  if (2 * used_ > slots_.size()) {
    grow();
  } else {
    insert(page);
  }
  return page;
}

void GlobalShadow::insert(Page& page) {
  std::size_t at = first_slot(page.number);
  while (slots_[at].block == block_) at = (at + 1) % slots_.size();
  slots_[at] = {block_, &page};
}

void GlobalShadow::grow() {
  constexpr std::size_t kFirstSlots = 64;
  const std::size_t slots = slots_.empty() ? kFirstSlots : 2 * slots_.size();
  slots_.assign(slots, Slot{});
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  for (std::size_t i = 0; i < used_; ++i) insert(*pages_[i]);
}

void GlobalShadow::begin_block() {
  // The pages stay allocated for later blocks.
  ++block_;
  used_ = 0;
}

void GlobalShadow::clear() {
  for (const auto& page : pages_) {
    page->shadow.clear();
    page->known.forget();
    page->readers.restart();
  }
}

ShadowSpan GlobalShadow::at(std::uint64_t granule, unsigned count, bool is_store) {
  Page& page = this->page(granule / kPageGranules);
  const std::size_t first = granule % kPageGranules;
  page.mark(first, count, is_store);
  return page.keys(first, count);
}

void GlobalShadow::log(BlockLog& log, BlockClocks::Clock since, std::uint32_t granule_bytes) {
  const std::int32_t oldest = AccessKey::first_of(since);
  for (std::size_t i = 0; i < used_; ++i) {
    for (const bool is_store : {false, true}) this->log(log, *pages_[i], is_store, oldest, granule_bytes);
    pages_[i]->loaded = pages_[i]->stored = 0;
  }
}

void GlobalShadow::log(BlockLog& log, const Page& page, bool is_store, std::int32_t oldest,
                       std::uint32_t granule_bytes) {
  const ShadowSpan& all = page.all;
  const std::int32_t* keys = is_store ? all.write : all.read;
  const SiteIndex* sites = is_store ? all.write_site : all.read_site;
  const std::uint64_t lines = is_store ? page.stored : page.loaded;
  const std::uint64_t start = page.number * kPageGranules;
  const std::size_t first_run = log.runs.size();
  for (std::size_t at = in_lines(lines, 0); at < kPageGranules; at = in_lines(lines, at)) {
    const auto run = [&](std::int32_t key, SiteIndex site, std::size_t end, bool by_neighbours) {
      return AccessRun{(start + at) * granule_bytes,
                       static_cast<std::uint32_t>(end - at),
                       site,
                       static_cast<std::uint16_t>(AccessKey(key).thread()),
                       key & AccessRun::kFlags,
                       is_store,
                       by_neighbours};
    };
    if (const auto* group = is_store ? nullptr : page.readers.together(at / kGroup)) {
      const std::size_t end = (at / kGroup + 1) * kGroup;
      if (group->read >= oldest) {
        const AccessRun one = run(group->read, group->read_site, end, true);
        const bool continues =
            log.runs.size() > first_run && continues_run(log.runs.back(), one, granule_bytes);
        if (continues) {
          log.runs.back().granules += one.granules;
        } else {
          log.runs.push_back(one);
        }
      }
      at = end;
    } else if (keys[at] < oldest) {
      ++at;
    } else {
      const auto [end, by_neighbours] = stretch_from(keys, sites, at, kPageGranules, oldest);
      log.runs.push_back(run(keys[at], sites[at], end, by_neighbours));
      at = end;
    }
  }
}

}  // namespace vgpu
