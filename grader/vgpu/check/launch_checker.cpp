#include "vgpu/check/launch_checker.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "vgpu/check/access_description.hpp"

namespace vgpu::exec {
namespace {

Dim3 coordinates(const Dim3& extent, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index % extent.x),
          static_cast<std::uint32_t>(index / extent.x % extent.y),
          static_cast<std::uint32_t>(index / extent.x / extent.y)};
}

/// Which granules of adjacent ones differ. Comparisons of a fixed number of words become vector instructions.
void compare(std::size_t granule, const std::byte* now, const std::byte* then, std::span<bool> changed) {
  constexpr std::size_t kWord = 4, kWords = 16;
  std::size_t i = 0;
  for (; granule == kWord && i + kWords <= changed.size(); i += kWords) {
    std::array<std::uint32_t, kWords> before, after;
    std::array<bool, kWords> differ;
    std::memcpy(before.data(), now + i * kWord, sizeof before);
    std::memcpy(after.data(), then + i * kWord, sizeof after);
    for (std::size_t word = 0; word < kWords; ++word) differ[word] = before[word] != after[word];
    std::copy(differ.begin(), differ.end(), changed.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (; i < changed.size(); ++i)
    changed[i] = std::memcmp(now + i * granule, then + i * granule, granule) != 0;
}

/// GlobalRaces::Changes for a block whose stores are in a view.
void find_changes(const GlobalMemory& memory, const BlockView& view, std::size_t granule,
                  std::uint64_t address, const Spacing& spacing, std::span<bool> changed) {
  const auto place_of = [&](std::size_t i) {
    return spacing.place_of(static_cast<std::uint32_t>(i)) * granule;
  };
  const std::size_t size = place_of(changed.size() - 1) + granule;
  const std::byte* now = memory.host(address, size);
  if (now == nullptr || view.reduces(address, size)) {
    if (changed.size() > 1) {  // a part of the granules
      for (std::size_t i = 0; i < changed.size(); ++i)
        find_changes(memory, view, granule, address + place_of(i), {}, changed.subspan(i, 1));
    } else {
      changed[0] = true;  // a granule with a pending reduction counts as changed
    }
    return;
  }
  std::array<std::byte, GlobalRaces::kPageGranules * sizeof(std::uint32_t)> then;
  view.load_apart(address, now, then.data(), size);
  if (std::memcmp(now, then.data(), size) == 0) return std::fill(changed.begin(), changed.end(), false);
  if (!spacing.has_gaps()) return compare(granule, now, then.data(), changed);
  const auto compare_spaced = [&](auto size_of_granule) {
    for (std::size_t i = 0; i < changed.size(); ++i)
      changed[i] = std::memcmp(now + place_of(i), then.data() + place_of(i), size_of_granule) != 0;
  };
  constexpr std::integral_constant<std::size_t, 4> kWord;  // inlined, since calls for each word would be slow
  granule == kWord ? compare_spaced(kWord) : compare_spaced(granule);
}

}  // namespace

LaunchChecker::LaunchChecker(const LaunchContext& launch, GlobalMemory& memory, unsigned parts)
    : launch_(launch),
      memory_(memory),
      unstored_(launch, memory),
      races_(launch.program->checked.global_granule, parts),
      accesses_(launch.program->checked.global_granule, parts),
      parts_(parts) {
  const CheckedSites& checked = launch.program->checked;
  std::vector<bool> read_only;
  for (std::size_t i = 0; i < checked.numbered.size(); ++i)
    if (checked.by_code[checked.numbered[i]].is_read_only) {
      read_only.resize(checked.numbered.size());
      read_only[i] = true;
    }
  races_.set_read_only(read_only);
  if (launch.checks.uninitialised) number_lines();
}

/// Before the blocks run, so that the numbers do not depend on their order.
void LaunchChecker::number_lines() {
  const Program& program = *launch_.program;
  lines_.resize(program.checked.numbered.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const AccessSite& site = program.checked.site(static_cast<SiteIndex>(i));
    if (!site.is_store) continue;
    const OtherAccess access = describe_other(program, site, true);
    lines_[i] = memory_.store_lines().number({access.file, access.source.line});
  }
}

void LaunchChecker::add(std::uint64_t block, const BlockLog& log, const BlockView* view) {
  for (std::size_t part = 0; part < races_.count(); ++part) search(part, block, log, view);
  add_searched(block, log);
}

void LaunchChecker::search(std::size_t part, std::uint64_t block, const BlockLog& log,
                           const BlockView* view) {
  if (!launch_.checks.races) return;
  GlobalRaces::Changes changes;
  if (view != nullptr) {
    changes = [this, view](std::uint64_t address, const Spacing& spacing, std::span<bool> changed) {
      find_changes(memory_, *view, launch_.program->checked.global_granule, address, spacing, changed);
    };
  }
  races_.add(part, block, log, changes);
  accesses_.add(races_.part(part), log);
  if (unstored_.is_empty()) return;
  parts_[part].has_stored_elsewhere |= std::any_of(
      log.runs.begin(), log.runs.end(),
      [&](const AccessRun& run) { return run.is_store && unstored_.has(segment_number(run.address)); });
}

void LaunchChecker::add_searched(std::uint64_t block, const BlockLog& log) {
  if (launch_.checks.races) {
    for (const FoundRaces& races : races_.take(block)) report(races);
    for (const FetchedMemory& memory : log.fetched) accesses_.add_read(memory.start, memory.size_bytes);
  }
  mark_written(log);
}

void LaunchChecker::mark(std::size_t part, const BlockLog& log) {
  if (!launch_.checks.uninitialised) return;
  const std::uint32_t granule = launch_.program->checked.global_granule;
  std::vector<Stored>& unmarked = parts_[part].unmarked;
  const auto add = [&](const Stored& stored) {
    if (!unmarked.empty() && unmarked.back().is_continued_by(stored))
      unmarked.back().size_bytes += stored.size_bytes;
    else
      unmarked.push_back(stored);
  };
  for (const AccessRun& run : log.runs) {
    if (!run.is_store) continue;
    run.for_parts(granule, [&](std::uint64_t start, std::uint32_t granules) {
      const std::uint64_t size = std::uint64_t{granules} * granule;
      races_.part(part).for_ranges(start, size, [&](std::uint64_t address, std::uint64_t size_bytes) {
        add({address, size_bytes, lines_[run.site]});
      });
    });
  }
}

/// Marks what has been stored before: other threads can do so at the same time.
void LaunchChecker::end_part(std::size_t part) {
  std::erase_if(parts_[part].unmarked, [&](const Stored& stored) {
    return memory_.is_written(stored.address, stored.size_bytes) &&
           memory_.mark_stored_again(stored.address, stored.size_bytes, stored.line);
  });
}

void LaunchChecker::end_marks() {
  for (Part& part : parts_) {
    for (const auto& [address, size_bytes, line] : part.unmarked) {
      memory_.mark_written(address, size_bytes);
      memory_.mark_stored(address, size_bytes, line);
    }
    part.unmarked.clear();
  }
}

/// Drops reads of memory that an earlier block of the same wave wrote: to the reading block it looked
/// unwritten, but the finding is a race.
void LaunchChecker::add(std::vector<Fault> findings, bool alone) {
  std::erase_if(findings, [&](const Fault& finding) {
    return !alone && finding.kind == FaultKind::uninitialised_read && finding.space == ptx::Space::global &&
           memory_.is_written(finding.address, finding.access_bytes);
  });
  findings_.add(std::move(findings));
}

void LaunchChecker::mark_written(const BlockLog& log) {
  if (!launch_.checks.uninitialised) return;
  const std::uint32_t granule = launch_.program->checked.global_granule;
  for (const AccessRun& run : log.runs) {
    if (!run.is_store) continue;
    const StoreLine line = lines_[run.site];
    run.for_parts(granule, [&](std::uint64_t address, std::uint32_t granules) {
      const std::size_t bytes = std::size_t{granules} * granule;
      memory_.mark_written(address, bytes);
      // The log keeps the line of a plain store if an atomic of the block follows without a barrier in
      // between.
      memory_.mark_stored(address, bytes, line);
    });
  }
  for (const std::uint64_t address : log.unwritten) memory_.mark_unwritten(address, 1);
}

void LaunchChecker::report(const FoundRaces& races) {
  const std::uint64_t sites = races.first.sites();
  findings_.add(
      sites, [&] { return describe(races.first); }, races.count);
  if (races.harmful != 0) findings_.mark_harmful(sites);
  harmful_races_ += races.harmful;
}

Fault LaunchChecker::describe(const Race& race) const {
  const auto& [place, access, earlier] = race;
  const Program& program = *launch_.program;
  const FaultKind kind = access.is_stale ? FaultKind::stale_read : FaultKind::global_race;
  Fault finding = describe_access(program, kind, program.checked.site(access.site));
  finding.is_harmless = true;  // until one is not
  finding.block = coordinates(launch_.grid, access.block);
  finding.thread = coordinates(launch_.block, access.thread);
  finding.address = place.address;
  finding.space = ptx::Space::global;
  if (const Segment* segment = memory_.near(place.address))
    finding.nearest = Fault::Nearest{segment->start, segment->size, 0, segment->ordinal};
  finding.other = describe_other(program, program.checked.site(earlier.site), earlier.is_store);
  finding.other->block = coordinates(launch_.grid, earlier.block);
  finding.other->thread = coordinates(launch_.block, earlier.thread);
  return finding;
}

std::vector<MemoryAccess> LaunchChecker::take_accesses() {
  accesses_.add_reads(reads_);
  return accesses_.take();
}

std::vector<Fault> LaunchChecker::take_findings() {
  std::vector<Fault> findings = findings_.take();
  const bool has_stored_elsewhere =
      std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.has_stored_elsewhere; });
  if (races_.is_incomplete() || has_stored_elsewhere) {
    Fault& finding = findings.emplace_back();
    finding.kind = FaultKind::races_not_recorded;
    finding.kernel = launch_.program->kernel;
    finding.space = ptx::Space::global;
  }
  return findings;
}

}  // namespace vgpu::exec
