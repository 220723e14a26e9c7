#include "vgpu/shadow/page_log.hpp"

#include <algorithm>
#include <array>
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

ThreadSequence threads_of_writer(const Records::Writer& writer) {
  if (writer.shift != Records::Writer::kSingleLanes) return threads_of_group(writer.shift);
  return {.shift = 0, .step = static_cast<std::uint16_t>(writer.thread_step())};
}

/// Of granules that one thread accessed. Larger parts of a page cost little as runs of their own.
bool can_be_element(std::size_t granules) { return granules == 1 || granules == 2 || granules == 4; }

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
  const std::int32_t* keys = is_store_ ? page_.all.write : page_.all.read;
  for (std::size_t at = in_lines(0); at < kEnd; at = in_lines(at)) {
    const std::size_t group = at / kGroup;
    if (page_.records.is_split(group)) {
      const std::size_t end = (group + 1) * kGroup, next = next_key(keys, at, end);
      at = next == end ? end : write_keys(next);
    } else {
      at = kGroup * (is_store_ ? write_writer(group) : write_readers(group));
    }
  }
}

void PageLog::write_runs() {
  page_.spaced.for_sorted([&](const SpacedRun& run) {
    if (run.is_store != is_store_ || run.key < oldest_) return;
    const SiteIndex* sites = run.has_sites ? page_.records.sites(0) + run.at : nullptr;
    add(run.at, run.granules, run.key, run.threads(), run.site, sites, run.spacing);
  });
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
std::size_t PageLog::end_of_groups(std::size_t group, std::int32_t key, ThreadSequence& threads,
                                   IsLike is_like) const {
  const std::int32_t bits = key & run_bits();
  const auto continues = [&](std::size_t next, std::size_t granule) {
    const auto offset = static_cast<std::int32_t>(threads.offset_of(static_cast<std::uint32_t>(granule)));
    return next < kEnd / kGroup && !page_.records.is_split(next) && is_like(next, bits + offset);
  };
  const auto end_from = [&](std::size_t next) {
    while (continues(next, (next - group) * kGroup)) ++next;
    return next;
  };
  const std::size_t end = end_from(group + 1);
  const auto granules = static_cast<std::uint32_t>((end - group) * kGroup);
  const bool starts_over =
      !threads.has_one_thread() && ThreadSequence::can_be_period(granules) && continues(end, 0);
  if (!starts_over) return end;
  threads.set_period(granules);
  return end_from(end);
}

std::size_t PageLog::write_readers(std::size_t group) {
  const Records::Readers* readers = page_.records.readers_of(group);
  if (readers == nullptr || readers->read < oldest_) return group + 1;
  const SiteIndex* sites = readers->has_sites ? page_.records.sites(group) : nullptr;
  ThreadSequence threads = threads_of_group(readers->read_shift);
  if (readers->granules == Records::kAll) {
    bool have_one_site = sites == nullptr;
    const auto is_like = [&](std::size_t next, std::int32_t bits) {
      const Records::Readers* at = page_.records.readers_of(next);
      const bool is_alike = at != nullptr && at->read >= oldest_ && (at->read & run_bits()) == bits &&
                            at->read_shift == readers->read_shift && at->granules == Records::kAll;
      if (is_alike) have_one_site &= !at->has_sites && at->read_site == readers->read_site;
      return is_alike;
    };
    const std::size_t end = end_of_groups(group, readers->read, threads, is_like);
    std::array<SiteIndex, kEnd> buffer;
    sites = have_one_site ? nullptr : sites_of_groups(group, end, buffer);
    add(group * kGroup, (end - group) * kGroup, readers->read, threads,
        sites == nullptr ? readers->read_site : sites[0], sites);
    return end;
  }
  const auto write = [&](unsigned first, unsigned count) {
    const std::int32_t key = readers->read + kLaneSteps[readers->read_shift][first];
    const SiteIndex site = sites == nullptr ? readers->read_site : sites[first];
    add(group * kGroup + first, count, key, threads, site, sites == nullptr ? nullptr : sites + first);
  };
  for_stretches(readers->granules, write);
  return group + 1;
}

const SiteIndex* PageLog::sites_of_groups(std::size_t group, std::size_t end,
                                          std::span<SiteIndex> buffer) const {
  bool have_lists = true;
  for (std::size_t at = group; at < end; ++at) have_lists &= page_.records.readers_of(at)->has_sites;
  if (have_lists) return page_.records.sites(group);
  for (std::size_t at = group; at < end; ++at) {
    const Records::Readers& readers = *page_.records.readers_of(at);
    SiteIndex* to = &buffer[(at - group) * kGroup];
    if (readers.has_sites)
      std::copy_n(page_.records.sites(at), kGroup, to);
    else
      std::fill_n(to, kGroup, readers.read_site);
  }
  return buffer.data();
}

std::size_t PageLog::write_writer(std::size_t group) {
  const Records::Writer* writer = page_.records.writer_of(group);
  if (writer == nullptr || writer->write < oldest_) return group + 1;
  const bool knows_changes = (flags_ & AccessKey::kChanged) != 0;
  const unsigned changed = knows_changes ? writer->changed : 0;
  const int step = writer->thread_step();
  const bool is_run = writer->is_whole() && step >= 0 && (changed == 0 || changed == Records::kAll);
  if (is_run) {
    const auto is_like = [&](std::size_t next, std::int32_t bits) {
      const Records::Writer* at = page_.records.writer_of(next);
      return at != nullptr && at->write >= oldest_ && at->is_whole() &&
             (at->key_of(0) & run_bits()) == bits && at->shift == writer->shift &&
             at->thread_step() == step && at->site == writer->site &&
             (at->changed == changed || !knows_changes);
    };
    ThreadSequence threads = threads_of_writer(*writer);
    const std::int32_t key = writer->key_of(0);
    const std::size_t end = end_of_groups(group, key, threads, is_like);
    add(group * kGroup, (end - group) * kGroup, key | (changed == 0 ? 0 : AccessKey::kChanged), threads,
        writer->site, nullptr);
    return end;
  }
  // A part of a group can begin between the granules of a lane.
  const bool has_one_lane = writer->shift == GroupLanes::kOneLane;
  for (unsigned at = 0, end = 0; at < kGroup; at = end) {
    const bool is_changed = (changed >> at & 1U) != 0;
    const unsigned alike = is_changed ? changed >> at : ~(changed >> at);
    end = has_one_lane ? std::min(at + static_cast<unsigned>(std::countr_one(alike)), kGroup) : at + 1;
    if ((writer->granules >> at & 1U) != 0)
      add(group * kGroup + at, end - at, writer->key_of(at) | (is_changed ? AccessKey::kChanged : 0), {},
          writer->site, nullptr);
  }
  return group + 1;
}

std::size_t PageLog::write_keys(std::size_t at) {
  const ShadowSpan& all = page_.all;
  const std::int32_t* keys = is_store_ ? all.write : all.read;
  const SiteIndex* sites = is_store_ ? all.write_site : all.read_site;
  ThreadSequence threads = threads_from(keys, at);
  std::size_t end = end_of_stretch(keys, at, threads);
  if (threads.has_one_thread() && can_be_element(end - at)) {
    if (const std::size_t spaced_end = write_spaced(at, end); spaced_end != at) return spaced_end;
  }
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

std::size_t PageLog::write_spaced(std::size_t at, std::size_t end) {
  const std::int32_t* keys = is_store_ ? page_.all.write : page_.all.read;
  const SiteIndex* sites = is_store_ ? page_.all.write_site : page_.all.read_site;
  const std::size_t element = end - at;
  // All groups up to the last element are split, since each has an element.
  const std::size_t step = next_key(keys, end, std::min(at + kGroup + 1, kEnd)) - at;
  if (step > kGroup || at + step == kEnd) return at;
  const std::int32_t bits = keys[at] & run_bits(), thread_step = (keys[at + step] & run_bits()) - bits;
  const auto is_element = [&](std::size_t first, std::int32_t wanted) {
    if (((wanted ^ bits) & flags_) != 0) return false;
    for (std::size_t i = first; i < first + element; ++i)
      if (!has(keys, i, wanted) || sites[i] != sites[at]) return false;
    return true;
  };
  std::int32_t wanted = bits + thread_step;
  std::size_t first = at + step;
  for (; thread_step >= 0 && is_element(first, wanted); wanted += thread_step) {
    end = first + element;
    first += step;
    if (next_key(keys, end, std::min(first, kEnd)) != first) break;
  }
  const auto elements = (end - at + step - element) / step;
  if (elements == 1) return at;
  const auto shift = static_cast<std::uint8_t>(std::countr_zero(element));
  const ThreadSequence threads =
      thread_step == 0 ? ThreadSequence{}
                       : ThreadSequence{.shift = shift, .step = static_cast<std::uint16_t>(thread_step)};
  add(at, elements * element, keys[at], threads, sites[at], nullptr,
      {.shift = shift, .gap = static_cast<std::uint16_t>(step - element)});
  return end;
}

std::size_t PageLog::next_key(const std::int32_t* keys, std::size_t at, std::size_t end) const {
  while (at < end && keys[at] < oldest_) ++at;
  return at;
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
  if (next == kEnd || keys[next] < oldest_ ||
      !ThreadSequence::can_be_period(static_cast<std::uint32_t>(granules)))
    return {};
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
                  SiteIndex site, const SiteIndex* sites, const Spacing& spacing) {
  // Made in place, since the processor could not pass members that were just written on to a copy in vectors.
  AccessRun& run = log_.runs.emplace_back();
  run.address = (page_.number * kEnd + at) * granule_bytes_;
  run.granules = static_cast<std::uint32_t>(granules);
  run.site = site;
  run.thread = static_cast<std::uint16_t>(AccessKey(key).thread());
  run.flags = key & flags_;
  run.is_store = is_store_;
  run.threads = threads;
  run.spacing = spacing;
  const bool is_new = log_.runs.size() == first_run_ + 1 || !continues(*(&run - 1), run);
  if (!is_new) log_.runs.pop_back();
  AccessRun& last = log_.runs.back();
  const bool has_other_sites = sites != nullptr || site != last.site || !last.has_one_site();
  if (has_other_sites) {
    if (is_new) last.granules = 0;
    give_sites(last);
    if (sites != nullptr)
      log_.sites.insert(log_.sites.end(), sites, sites + granules);
    else
      log_.sites.insert(log_.sites.end(), granules, site);
    if (is_new) last.granules = static_cast<std::uint32_t>(granules);
  }
  if (!is_new) last.granules += static_cast<std::uint32_t>(granules);
}

/// Prepares the log's last run for a list of sites.
void PageLog::give_sites(AccessRun& run) {
  if (!run.has_one_site()) return;
  run.sites_at = static_cast<std::uint32_t>(log_.sites.size());
  log_.sites.insert(log_.sites.end(), run.granules, run.site);
}

bool PageLog::continues(AccessRun& run, const AccessRun& next) const {
  const bool is_plain_load = !is_store_ && run.flags == 0;
  if (run.flags != next.flags || (!is_plain_load && run.site != next.site)) return false;
  const bool follows = run.address_of(run.granules, granule_bytes_) == next.address;
  if (!run.spacing.has_gaps()) {
    if (next.spacing.has_gaps()) return false;
    return follows ? continues_threads(run, next) : begins_spacing(run, next);
  }
  const bool has_elements =
      next.spacing.has_gaps() ? next.spacing == run.spacing : next.granules == run.spacing.element();
  return follows && has_elements && continues_threads(run, next);
}

bool PageLog::begins_spacing(AccessRun& run, const AccessRun& next) const {
  if (run.granules != next.granules || !ThreadSequence::can_be_period(run.granules)) return false;
  const auto shift = static_cast<std::uint8_t>(std::countr_zero(run.granules));
  const bool are_two_threads =
      run.threads.has_one_thread() && next.threads.has_one_thread() && run.thread < next.thread;
  if (are_two_threads)
    run.threads = {.shift = shift, .step = static_cast<std::uint16_t>(next.thread - run.thread)};
  else if (!continues_threads(run, next))
    return false;
  // Both are in one page, `next` later.
  const std::uint64_t step = (next.address - run.address) / granule_bytes_;
  run.spacing = {.shift = shift, .gap = static_cast<std::uint16_t>(step - run.granules)};
  return true;
}

bool PageLog::continues_threads(AccessRun& run, const AccessRun& next) {
  ThreadSequence& threads = run.threads;
  if (threads.has_one_thread()) return next.threads.has_one_thread() && run.thread == next.thread;
  const bool has_same_order =
      threads.shift == next.threads.shift && threads.step == next.threads.step && !next.threads.has_period();
  const bool is_one_step = next.threads.has_one_thread() && next.granules == 1U << threads.shift;
  if (!has_same_order && !is_one_step) return false;
  if (run.granules % (1U << threads.shift) != 0) return false;
  const bool starts_over = run.thread == next.thread && !threads.has_period() &&
                           ThreadSequence::can_be_period(run.granules) && next.granules <= run.granules;
  if (starts_over) threads.set_period(run.granules);
  return run.thread_of(run.granules) == next.thread &&
         next.granules - 1 <= threads.rest_of_period(run.granules);
}

}  // namespace vgpu
