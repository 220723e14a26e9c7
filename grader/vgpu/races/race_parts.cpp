#include "vgpu/races/race_parts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace vgpu {

RaceParts::RaceParts(std::uint32_t granule_bytes, unsigned count) : granule_bytes_(granule_bytes) {
  parts_.reserve(count);
  const auto page_shift = static_cast<unsigned>(std::countr_zero(GlobalRaces::kPageGranules * granule_bytes));
  for (unsigned index = 0; index < count; ++index) {
    const MemoryPart part{index, count, page_shift};
    parts_.push_back({GlobalRaces(granule_bytes, part), {}, 0, {}});
  }
}

void RaceParts::set_read_only(const std::vector<bool>& sites) {
  for (Part& part : parts_) part.races.set_read_only(sites);
}

void RaceParts::add_parts(PartSet& parts, const BlockLog& log) const {
  // Each part follows all synchronisations.
  if (!log.synchronisations.empty()) return parts.add_all();
  for (const AccessRun& run : log.runs) {
    const std::uint64_t last = run.address_of(run.granules - 1, granule_bytes_);
    parts.add(part(0), run.address, last - run.address + 1);
  }
}

void RaceParts::add(std::size_t part, std::uint64_t block, const BlockLog& log,
                    const GlobalRaces::Changes& changes) {
  auto& [races, found, taken, known] = parts_[part];
  known.clear();
  races.add(block, log, changes, [&found = found, &known = known](const Race& race) {
    const auto [place, is_new] = known.try_emplace(race.sites(), found.size());
    if (is_new) found.push_back({race});
    FoundRaces& all = found[place->second];
    if (race.place < all.first.place) all.first = race;
    ++all.count;
    all.harmful += race.access.is_harmless ? 0 : 1;
  });
}

std::vector<FoundRaces> RaceParts::take(std::uint64_t block) {
  std::vector<FoundRaces> all;
  for (auto& [races, found, taken, known] : parts_) {
    if (found.empty()) continue;
    while (taken < found.size() && found[taken].first.access.block == block) all.push_back(found[taken++]);
    if (taken != found.size()) continue;
    found.clear();
    taken = 0;
  }
  const auto is_earlier = [](const FoundRaces& one, const FoundRaces& other) {
    return std::pair(one.first.place, one.first.sites()) < std::pair(other.first.place, other.first.sites());
  };
  std::sort(all.begin(), all.end(), is_earlier);
  return all;
}

bool RaceParts::has_found() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return !part.found.empty(); });
}

bool RaceParts::is_incomplete() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.races.is_incomplete(); });
}

}  // namespace vgpu
