#include "vgpu/check/global_shadow.hpp"

#include <algorithm>

#include "vgpu/check/page_log.hpp"

namespace vgpu {

void GlobalShadow::Page::restart() {
  state = State::fresh;
  loaded = stored = 0;
  has_stores = false;
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

bool GlobalShadow::Page::add_spaced(const SpacedRun& run) {
  if (state == State::fresh) {
    spaced.clear();
    state = State::spaced;
  }
  if (state != State::spaced || !spaced.add(run)) return false;
  has_stores |= run.is_store;
  return true;
}

void GlobalShadow::Page::record_spaced() {
  state = State::recorded;
  for (const SpacedRun& run : spaced.runs())
    for (std::uint32_t i = 0; i < run.granules; ++i) {
      const std::uint32_t granule = run.place_of(i);
      constexpr unsigned kOne = 1;
      const ShadowSpan at = keys(granule, kOne);
      mark(granule, kOne, run.is_store);
      if (run.is_store) {
        *at.write = run.key_of(i);
        *at.write_site = run.site;
      } else {
        *at.read = *at.other_read = run.key_of(i);
        *at.read_site = *at.other_read_site = run.site;
      }
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

void GlobalShadow::log_spaced(BlockLog& log, const Page& page, std::int32_t oldest,
                              std::uint32_t granule_bytes) {
  for (const bool is_store : {false, true}) {
    const std::size_t first = log.runs.size();
    std::uint64_t end = 0;
    bool is_interleaved = false;
    for (const SpacedRun& run : page.spaced.runs()) {
      if (run.is_store != is_store || run.key < oldest) continue;
      is_interleaved |= run.at < end;
      end = std::max<std::uint64_t>(end, run.end());
      log.runs.push_back({.address = (page.number * kPageGranules + run.at) * granule_bytes,
                          .granules = run.granules,
                          .site = run.site,
                          .thread = static_cast<std::uint16_t>(AccessKey(run.key).thread()),
                          .is_store = is_store,
                          .threads = run.threads(),
                          .spacing = run.spacing});
    }
    for (std::size_t i = first; i < log.runs.size(); ++i) log.runs[i].is_interleaved = is_interleaved;
  }
}

void GlobalShadow::log(BlockLog& log, BlockClocks::Clock since, std::int32_t store_flags,
                       std::uint32_t granule_bytes) {
  for (std::size_t i = 0; i < used_; ++i) {
    Page& page = *pages_[i];
    if (page.state == Page::State::spaced) {
      page.spaced.sort();
      log_spaced(log, page, AccessKey::first_of(since), granule_bytes);
      continue;
    }
    for (const bool is_store : {false, true}) {
      const std::int32_t flags = is_store ? store_flags : AccessRun::kFlags;
      PageLog(log, page, is_store, flags, AccessKey::first_of(since), granule_bytes).write();
    }
    page.loaded = page.stored = 0;
  }
}

}  // namespace vgpu
