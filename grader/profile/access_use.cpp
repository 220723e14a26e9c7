#include "profile/access_use.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace grader {
namespace {

/// Calls visit(word, lane) for every word that an active lane accesses.
template <class Visit>
void for_each_word(const vgpu::RecordedAccess& access, std::uint32_t bytes_per_lane, Visit visit) {
  const std::uint64_t bytes = std::max(bytes_per_lane, 1U);
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)];
    for (std::uint64_t word = first / kWordBytes; word <= (first + bytes - 1) / kWordBytes; ++word)
      visit(word, lane);
  }
}

}  // namespace

unsigned SectorUse::used_words() const {
  return static_cast<unsigned>(
      std::count_if(lanes.begin(), lanes.end(), [](std::uint32_t one) { return one != 0; }));
}

std::vector<SectorUse> sectors_of(const vgpu::RecordedAccess& access, std::uint32_t bytes_per_lane) {
  std::map<std::uint64_t, SectorUse> sectors;
  for_each_word(access, bytes_per_lane, [&](std::uint64_t word, int lane) {
    SectorUse& sector = sectors[word / kWordsPerSector];
    sector.start = word / kWordsPerSector * kWordsPerSector * kWordBytes;
    sector.lanes[word % kWordsPerSector] |= 1U << lane;
  });
  std::vector<SectorUse> sorted;
  for (const auto& [number, sector] : sectors) sorted.push_back(sector);
  return sorted;
}

std::array<std::vector<WordUse>, kBanks> banks_of(const vgpu::RecordedAccess& access,
                                                  std::uint32_t bytes_per_lane) {
  std::array<std::vector<WordUse>, kBanks> banks;
  for_each_word(access, bytes_per_lane, [&](std::uint64_t word, int lane) {
    auto& bank = banks[word % kBanks];
    auto known = std::find_if(bank.begin(), bank.end(), [&](const WordUse& one) { return one.word == word; });
    if (known == bank.end()) known = bank.insert(bank.end(), WordUse{word, 0});
    known->lanes |= 1U << lane;
  });
  return banks;
}

}  // namespace grader
