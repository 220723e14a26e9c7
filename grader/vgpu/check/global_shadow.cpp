#include "vgpu/check/global_shadow.hpp"

#include <algorithm>
#include <bit>

#include "vgpu/check/page_log.hpp"

namespace vgpu {

void GlobalShadow::Page::restart() {
  loaded = stored = 0;
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

GlobalShadow::GlobalShadow() { grow(); }

GlobalShadow::Page& GlobalShadow::search(std::uint64_t number) {
  for (std::size_t at = first_slot(number); slots_[at].block == block_; at = (at + 1) % slots_.size())
    if (slots_[at].number == number) return *slots_[at].page;
  if (used_ == pages_.size()) pages_.push_back(std::make_unique<Page>());
  Page& page = *pages_[used_++];
  // The shadow keeps the keys of earlier blocks, whose clocks are lower than any of this block.
  page.number = number;
  page.restart();
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
  slots_[at] = {block_, page.number, &page};
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
    if (page->shadow != nullptr) page->shadow->clear();
    page->restart();
    page->records.clear();
  }
}

ShadowSpan GlobalShadow::at(std::uint64_t granule, unsigned count, bool is_store) {
  Page& page = this->page(granule / kPageGranules);
  const std::size_t first = granule % kPageGranules;
  page.mark(first, count, is_store);
  return page.keys(first, count);
}

void GlobalShadow::log(BlockLog& log, BlockClocks::Clock since, std::int32_t store_flags,
                       std::uint32_t granule_bytes) {
  for (std::size_t i = 0; i < used_; ++i) {
    Page& page = *pages_[i];
    for (const bool is_store : {false, true})
      PageLog(log, page, is_store, is_store ? store_flags : AccessRun::kFlags, AccessKey::first_of(since),
              granule_bytes)
          .write();
    page.loaded = page.stored = 0;
  }
}

}  // namespace vgpu
