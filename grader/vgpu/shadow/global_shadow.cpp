#include "vgpu/shadow/global_shadow.hpp"

#include <algorithm>
#include <utility>

#include "vgpu/shadow/page_log.hpp"

namespace vgpu {

void GlobalShadow::Page::restart() {
  state = State::fresh;
  loaded = stored = 0;
  has_stores = false;
  again.clear();
  ++changes;
  known.forget();
  records.restart();
}

void GlobalShadow::Page::split(std::size_t first, unsigned count) {
  if (shadow == nullptr) {
    shadow = std::make_unique<Shadow>(kPageGranules);
    all = shadow->span();
  }
  records.split(first, count, all);
}

bool GlobalShadow::Page::add_spaced(const SpacedRun& latest, const SiteIndex* sites) {
  if (state == State::fresh) {
    spaced.clear();
    state = State::spaced;
  }
  const bool may_store_again = latest.is_store && !again.empty();
  if (state != State::spaced || may_store_again) return false;
  SpacedRun* run = spaced.add(latest);
  if (run == nullptr) return false;
  has_stores |= latest.is_store;
  if (run->has_sites || latest.has_sites || latest.site != run->site) set_sites(*run, latest, sites);
  return true;
}

void GlobalShadow::Page::set_sites(SpacedRun& run, const SpacedRun& latest, const SiteIndex* sites) {
  if (!std::exchange(run.has_sites, true)) records.set_sites(run.at, run.granules, run.site);
  if (latest.has_sites)
    records.set_sites(latest.at, latest.granules, sites);
  else
    records.set_sites(latest.at, latest.granules, latest.site);
}

void GlobalShadow::Page::record_spaced() {
  state = State::recorded;
  for (const SpacedRun& run : spaced.runs()) record(run);
}

void GlobalShadow::Page::record(const SpacedRun& run) {
  for (std::uint32_t i = 0; i < run.granules;) {
    if (record_group(run, i)) {
      i += kGroup;
    } else {
      record_granule(run, i++);
    }
  }
}

bool GlobalShadow::Page::record_group(const SpacedRun& run, std::uint32_t index) {
  const std::uint32_t granule = run.place_of(index);
  const bool is_whole = run.is_row() && granule % kGroup == 0 && index + kGroup <= run.granules;
  const auto shift = std::min<unsigned>(run.threads().shift, GroupLanes::kOneLane);
  const bool are_neighbours = run.step == 1 || shift == GroupLanes::kOneLane;
  if (!is_whole || !are_neighbours || !run.threads().has_group_at(index)) return false;
  if (!records.put_group(granule / kGroup, run.key_of(index), run.site, shift, run.is_store, run.has_sites,
                         run.other_lane))
    return false;
  mark_record(granule, run.is_store);
  return true;
}

void GlobalShadow::Page::record_granule(const SpacedRun& run, std::uint32_t index) {
  const std::uint32_t granule = run.place_of(index);
  const std::int32_t key = run.key_of(index);
  const SiteIndex site = run.has_sites ? records.sites(0)[granule] : run.site;
  constexpr std::int32_t kAllUnsettled = 1;
  constexpr unsigned kOne = 1;
  const WarpLoad load{.unsettled = kAllUnsettled, .key = key};
  const bool is_recorded =
      run.is_store
          ? records.note_lane_store(granule, key, kAllUnsettled, site, false)
          : run.other_lane >= 0 && records.note_uniform_load(granule / kGroup, kOne << granule % kGroup, load,
                                                             0, run.other_lane, OneSite{site});
  if (is_recorded) return mark_record(granule, run.is_store);
  const ShadowSpan at = keys(granule, kOne);
  mark(granule, kOne, run.is_store);
  (run.is_store ? *at.write : *at.read) = key;
  (run.is_store ? *at.write_site : *at.read_site) = site;
  if (run.other_lane >= 0) {
    *at.other_read = key + run.other_lane;
    *at.other_read_site = site;
  }
}

GlobalShadow::Page& GlobalShadow::add_page(std::uint64_t number) {
  if (used_ == pages_.size()) pages_.push_back(std::make_unique<Page>());
  Page& page = *pages_[used_++];
  // The shadow keeps the keys of earlier blocks, whose clocks are lower than any of this block.
  page.number = number;
  page.restart();
  by_number_.add(number, &page);
  return page;
}

void GlobalShadow::begin_block() {
  // The pages stay allocated for later blocks.
  by_number_.clear();
  used_ = 0;
}

void GlobalShadow::clear() {
  for (const auto& page : pages_) {
    if (page->shadow != nullptr) page->shadow->clear();
    page->restart();
    page->records.clear();
  }
}

void GlobalShadow::log(BlockLog& log, BlockClocks::Clock since, std::int32_t store_flags,
                       std::uint32_t granule_bytes) {
  for (std::size_t i = 0; i < used_; ++i) {
    Page& page = *pages_[i];
    const bool is_spaced = page.state == Page::State::spaced;
    for (const bool is_store : {false, true}) {
      const std::int32_t flags = is_store ? store_flags : AccessRun::kFlags;
      PageLog page_log(log, page, is_store, flags, AccessKey::first_of(since), granule_bytes);
      is_spaced ? page_log.write_runs() : page_log.write();
    }
    page.loaded = page.stored = 0;
  }
}

}  // namespace vgpu
