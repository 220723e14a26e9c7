// BlockChecker: blocks whose accesses to global memory repeat those of an earlier block
// (repeated_blocks.hpp).
#include <limits>
#include <utility>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/lane_groups.hpp"

namespace vgpu::exec {
namespace {

/// Whether no other site has the number (CheckedSites::numbered).
bool has_own_number(const AccessSite& site) {
  return site.number + 1 < std::numeric_limits<SiteIndex>::max();
}

}  // namespace

bool BlockChecker::list_load(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                             const Memo& memo) {
  const bool can_repeat = memo.mask == warp.mask && memo.form.space == ptx::Space::global && !memo.constant &&
                          memo.form.bytes == site.bytes() && can_repeat_loads(memo.allocation) &&
                          has_own_number(site);
  if (!can_repeat) {
    leave_block();
    return note_global_load(warp, d, site, base, memo);
  }
  if (blocks_.is_following()) record_skipped_block();
  blocks_.list(warp.index, site, memo, base);
  if (!note_global_load(warp, d, site, base, memo))
    global_access(warp, d, site, addresses_of_memo(base, memo), memo.mask);
  if (!plans_[d.memo].is_of(memo)) blocks_.set_rough();
  return true;
}

bool BlockChecker::list_store(Warp& warp, const Decoded& d, const AccessSite& site, std::uint64_t base,
                              const Memo& memo) {
  const std::uint32_t bytes = site.bytes();
  const std::uint64_t first = base + memo.lowest, last = base + memo.highest;
  const bool is_aligned = ((base | memo.alignment) & (bytes - 1)) == 0;
  const bool is_inside =
      first >= memo.start && first < memo.end && last >= memo.start && last + bytes <= memo.end;
  const bool is_right = is_aligned && (is_inside || locate(*core_, d, base, bytes));
  const bool can_repeat =
      is_right && !memo.constant && memo.form.bytes == bytes && !needs_changes() && has_own_number(site);
  if (!can_repeat) {
    leave_block();
    return note_global_store(warp, d, site, base, memo);
  }
  has_stored_globally_ = true;
  if (repeats_in_block(warp, site, base, memo)) return true;
  if (blocks_.is_following()) record_skipped_block();
  blocks_.list(warp.index, site, memo, base);
  if (!note_global_store(warp, d, site, base, memo))
    global_access(warp, d, site, addresses_of_memo(base, memo), memo.mask);
  if (memo.pattern == Memo::Pattern::scattered && !plans_[d.memo].is_of(memo)) blocks_.set_rough();
  return true;
}

void BlockChecker::stop_repeating_block() {
  if (blocks_.is_following()) record_skipped_block();
  blocks_.leave();
}

void BlockChecker::record_skipped_block() {
  is_recording_block_ = true;
  blocks_.take_skipped([&](const RepeatedBlocks::Access& access, const Memo& memo) { record(access, memo); });
  is_recording_block_ = false;
}

void BlockChecker::record(const RepeatedBlocks::Access& access, const Memo& memo) {
  const AccessSite& site = sites_.site(access.site());
  const Decoded& d = launch_.program->code[sites_.numbered[site.number]];
  Warp& warp = core_->warps[access.warp()];
  // Perhaps the warp is active with other lanes now, or has ended.
  const std::uint32_t mask = std::exchange(warp.mask, memo.mask);
  const bool is_noted = site.is_store ? note_global_store(warp, d, site, access.base, memo)
                                      : note_global_load(warp, d, site, access.base, memo);
  if (!is_noted) global_access(warp, d, site, addresses_of_memo(access.base, memo), memo.mask);
  warp.mask = mask;
}

}  // namespace vgpu::exec
