#include "vgpu/check/page_log.hpp"

#include <algorithm>
#include <bit>

#include "vgpu/state/key_vector.hpp"

namespace vgpu {
namespace {

using Records = decltype(GlobalShadow::Page::records);

/// Of GroupLanes::shift.
ThreadSequence threads_of_group(unsigned shift) {
  if (shift == GroupLanes::kOneLane) return {};
  return {.shift = static_cast<std::uint8_t>(shift)};
}

/// Calls visit(first, count) for the runs of ones in the 8 lowest bits.
template <class Visit>
void for_stretches(unsigned bits, Visit visit) {
  for (unsigned at = 0; bits >> at != 0;) {
    at += static_cast<unsigned>(std::countr_zero(bits >> at));
    const auto count = static_cast<unsigned>(std::countr_one(bits >> at));
    visit(at, count);
    at += count;
  }
}

}  // namespace

void PageLog::write() {
  for (std::size_t at = in_lines(0); at < kEnd; at = in_lines(at)) {
    const std::size_t group = at / kGroup;
    if (page_.records.is_split(group))
      at = write_keys(at);
    else
      at = kGroup * (is_store_ ? write_writer(group) : write_readers(group));
  }
}

std::size_t PageLog::in_lines(std::size_t at) const {
  const std::uint64_t lines = is_store_ ? page_.stored : page_.loaded;
  const std::size_t line = at / GlobalShadow::kLineGranules;
  const std::uint64_t rest = at < kEnd ? lines >> line : 0;
  if (rest == 0) return kEnd;
  const auto skipped = static_cast<std::size_t>(std::countr_zero(rest));
  return skipped == 0 ? at : (line + skipped) * GlobalShadow::kLineGranules;
}

template <class IsLike>
std::size_t PageLog::end_of_groups(std::size_t group, std::int32_t key, unsigned shift,
                                   IsLike is_like) const {
  const std::int32_t step = shift == GroupLanes::kOneLane ? 0 : static_cast<std::int32_t>(kGroup >> shift);
  std::int32_t expected = key & run_bits();
  const auto continues = [&](std::size_t next) {
    expected += step;
    return !page_.records.is_split(next) && is_like(next, expected);
  };
  std::size_t end = group + 1;
  while (end < kEnd / kGroup && continues(end)) ++end;
  return end;
}

std::size_t PageLog::write_readers(std::size_t group) {
  const Records::Readers* readers = page_.records.readers_of(group);
  if (readers == nullptr || readers->read < oldest_) return group + 1;
  const SiteIndex* sites = readers->has_sites ? page_.records.sites(group) : nullptr;
  if (readers->granules == Records::kAll) {
    const auto is_like = [&](std::size_t next, std::int32_t bits) {
      const Records::Readers* at = page_.records.readers_of(next);
      return at != nullptr && at->read >= oldest_ && (at->read & run_bits()) == bits &&
             at->read_shift == readers->read_shift && at->granules == Records::kAll &&
             at->has_sites == readers->has_sites && (at->has_sites || at->read_site == readers->read_site);
    };
    const std::size_t end = end_of_groups(group, readers->read, readers->read_shift, is_like);
    add(group * kGroup, (end - group) * kGroup, readers->read, threads_of_group(readers->read_shift),
        sites == nullptr ? readers->read_site : sites[0], sites);
    return end;
  }
  const auto write = [&](unsigned first, unsigned count) {
    const std::int32_t key = readers->read + kLaneSteps[readers->read_shift][first];
    const SiteIndex site = sites == nullptr ? readers->read_site : sites[first];
    add(group * kGroup + first, count, key, threads_of_group(readers->read_shift), site,
        sites == nullptr ? nullptr : sites + first);
  };
  for_stretches(readers->granules, write);
  return group + 1;
}

std::size_t PageLog::write_writer(std::size_t group) {
  const Records::Writer* writer = page_.records.writer_of(group);
  if (writer == nullptr || writer->write < oldest_) return group + 1;
  const unsigned changed = (flags_ & AccessKey::kChanged) != 0 ? writer->changed : 0;
  if (changed == 0 || changed == Records::kAll) {
    const auto is_like = [&](std::size_t next, std::int32_t bits) {
      const Records::Writer* at = page_.records.writer_of(next);
      return at != nullptr && at->write >= oldest_ && (at->write & run_bits()) == bits &&
             at->shift == writer->shift && at->site == writer->site &&
             (at->changed == changed || (flags_ & AccessKey::kChanged) == 0);
    };
    const std::size_t end = end_of_groups(group, writer->write, writer->shift, is_like);
    const std::int32_t flag = changed == 0 ? 0 : AccessKey::kChanged;
    add(group * kGroup, (end - group) * kGroup, writer->write | flag, threads_of_group(writer->shift),
        writer->site, nullptr);
    return end;
  }
  // A part of a group can begin between the granules of a lane.
  const unsigned step = writer->shift == GroupLanes::kOneLane ? kGroup : 1;
  for (unsigned at = 0; at < kGroup;) {
    const unsigned rest = changed >> at;
    const bool is_changed = (rest & 1U) != 0;
    const auto run = static_cast<unsigned>(is_changed ? std::countr_one(rest) : std::countr_zero(rest));
    const unsigned end = std::min(at + run, kGroup);
    for (unsigned count = 0; at < end; at += count) {
      count = std::min(step, end - at);
      const std::int32_t key = writer->write + kLaneSteps[writer->shift][at];
      add(group * kGroup + at, count, key | (is_changed ? AccessKey::kChanged : 0), {}, writer->site,
          nullptr);
    }
  }
  return group + 1;
}

std::size_t PageLog::write_keys(std::size_t at) {
  const ShadowSpan& all = page_.all;
  const std::int32_t* keys = is_store_ ? all.write : all.read;
  const SiteIndex* sites = is_store_ ? all.write_site : all.read_site;
  if (keys[at] < oldest_) return at + 1;
  ThreadSequence threads = threads_from(keys, at);
  std::size_t end = end_of_stretch(keys, at, threads);
  const auto granules = static_cast<std::uint32_t>(end - at);
  if (!threads.has_one_thread() && ThreadSequence::can_be_period(granules) &&
      has(keys, end, keys[at] & run_bits())) {
    threads.set_period(granules);
    end = end_of_stretch(keys, at, threads);
  }
  const auto* other_site = std::find_if(sites + at, sites + end, [&](SiteIndex s) { return s != sites[at]; });
  const bool is_plain_load = !is_store_ && (keys[at] & flags_) == 0;
  if (!is_plain_load) end = static_cast<std::size_t>(other_site - sites);
  add(at, end - at, keys[at], threads, sites[at], other_site == sites + end ? nullptr : sites + at);
  return end;
}

bool PageLog::has(const std::int32_t* keys, std::size_t at, std::int32_t bits) const {
  return at < kEnd && keys[at] >= oldest_ && (keys[at] & run_bits()) == bits;
}

ThreadSequence PageLog::threads_from(const std::int32_t* keys, std::size_t at) const {
  constexpr std::size_t kMostGranules = 8;  // of one thread
  const std::int32_t bits = keys[at] & run_bits();
  std::size_t next = at + 1;
  while (next <= at + kMostGranules && has(keys, next, bits)) ++next;
  const std::size_t granules = next - at;
  if (next == kEnd || keys[next] < oldest_ || !std::has_single_bit(granules)) return {};
  const std::int32_t step = (keys[next] & run_bits()) - bits;
  const bool is_later_thread = step > 0 && ((keys[next] ^ bits) & flags_) == 0;
  if (!is_later_thread) return {};
  return {.shift = static_cast<std::uint8_t>(std::countr_zero(granules)),
          .step = static_cast<std::uint16_t>(step)};
}

std::size_t PageLog::end_of_stretch(const std::int32_t* keys, std::size_t at,
                                    const ThreadSequence& threads) const {
  const std::int32_t bits = keys[at] & run_bits();
  const auto expected = [&](std::size_t granule) {
    return bits + static_cast<std::int32_t>(threads.offset_of(static_cast<std::uint32_t>(granule - at)));
  };
  // The keys of groups that are not split are those of earlier blocks.
  std::size_t next = at;
  for (; next + kVectorKeys <= kEnd; next += kVectorKeys) {
    const KeyVector now = keys_at(keys + next);
    const KeyVector wanted = {expected(next), expected(next + 1), expected(next + 2), expected(next + 3)};
    if (any((now < oldest_) | ((now & run_bits()) != wanted))) break;
  }
  while (has(keys, next, expected(next))) ++next;
  return next;
}

void PageLog::add(std::size_t at, std::size_t granules, std::int32_t key, const ThreadSequence& threads,
                  SiteIndex site, const SiteIndex* sites) {
  AccessRun run{.address = (page_.number * kEnd + at) * granule_bytes_,
                .granules = static_cast<std::uint32_t>(granules),
                .site = site,
                .thread = static_cast<std::uint16_t>(AccessKey(key).thread()),
                .flags = key & flags_,
                .is_store = is_store_,
                .threads = threads};
  const bool is_new = log_.runs.size() == first_run_ || !continues(log_.runs.back(), run);
  if (is_new) log_.runs.push_back(run);
  AccessRun& last = log_.runs.back();
  const bool has_other_sites = sites != nullptr || site != last.site || !last.has_one_site();
  if (has_other_sites) {
    if (is_new) last.granules = 0;
    give_sites(last);
    if (sites != nullptr)
      log_.sites.insert(log_.sites.end(), sites, sites + granules);
    else
      log_.sites.insert(log_.sites.end(), granules, site);
    if (is_new) last.granules = run.granules;
  }
  if (!is_new) last.granules += run.granules;
}

/// Prepares the log's last run for a list of sites.
void PageLog::give_sites(AccessRun& run) {
  if (!run.has_one_site()) return;
  run.sites_at = static_cast<std::uint32_t>(log_.sites.size());
  log_.sites.insert(log_.sites.end(), run.granules, run.site);
}

bool PageLog::continues(AccessRun& run, const AccessRun& next) const {
  if (run.address + std::uint64_t{run.granules} * granule_bytes_ != next.address) return false;
  ThreadSequence& threads = run.threads;
  if (run.flags != next.flags || threads.shift != next.threads.shift || threads.step != next.threads.step)
    return false;
  const bool is_plain_load = !is_store_ && run.flags == 0;
  if (!is_plain_load && run.site != next.site) return false;
  if (threads.has_one_thread()) return run.thread == next.thread;
  if (run.granules % (1U << threads.shift) != 0 || next.threads.has_period()) return false;
  const bool starts_over = run.thread == next.thread && !threads.has_period() &&
                           ThreadSequence::can_be_period(run.granules) && next.granules <= run.granules;
  if (starts_over) threads.set_period(run.granules);
  return run.thread_of(run.granules) == next.thread &&
         next.granules - 1 <= threads.rest_of_period(run.granules);
}

}  // namespace vgpu
