#include "vgpu/check/global_shadow.hpp"

#include "vgpu/check/page_log.hpp"

namespace vgpu {

void GlobalShadow::Page::restart() {
  loaded = stored = 0;
  has_stores = waits = false;
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
    for (const bool is_store : {false, true}) {
      const std::int32_t flags = is_store ? store_flags : AccessRun::kFlags;
      PageLog(log, page, is_store, flags, AccessKey::first_of(since), granule_bytes).write();
    }
    page.loaded = page.stored = 0;
  }
}

}  // namespace vgpu
