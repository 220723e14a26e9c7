// Races between blocks are the same, and in the same order, in any number of parts of memory.
#include "vgpu/races/race_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "catch.hpp"

namespace race_parts_test {

using vgpu::AccessKey;
using vgpu::AccessRun;
using vgpu::BlockLog;
using vgpu::FoundRaces;
using vgpu::RaceParts;

namespace {

constexpr std::uint32_t kWord = 4;
constexpr std::uint32_t kPage = vgpu::GlobalRaces::kPageGranules;

std::uint32_t below(std::mt19937& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

/// Runs by page, loads before stores, as a block's shadow writes them; some of them are in several pages.
BlockLog random_log(std::mt19937& random) {
  BlockLog log;
  for (std::uint32_t page = 0; page < 6; ++page)
    for (const bool is_store : {false, true}) {
      const bool is_interleaved = below(random, 4) == 0;
      const std::uint32_t first = below(random, 64);
      for (std::uint32_t run = 0, runs = below(random, 3); run < runs; ++run) {
        // Interleaved runs have different granules.
        const std::uint32_t at = first + (is_interleaved ? run : below(random, kPage));
        log.runs.push_back({.address = std::uint64_t{page * kPage + at} * kWord,
                            .granules = 1 + below(random, is_interleaved ? 16 : 3 * kPage),
                            .site = static_cast<vgpu::SiteIndex>(below(random, 4)),
                            .thread = static_cast<std::uint16_t>(below(random, 64)),
                            .flags = is_store && below(random, 3) != 0 ? AccessKey::kChanged : 0,
                            .is_store = is_store});
        if (is_interleaved) log.runs.back().spacing.gap = 1;
      }
    }
  if (below(random, 2) == 0)
    log.synchronisations.push_back({vgpu::Synchronisation::Kind::fence, 0,
                                    below(random, static_cast<std::uint32_t>(log.runs.size() + 1))});
  return log;
}

auto contents(const FoundRaces& races) {
  const auto of = [](const vgpu::BlockAccess& access) {
    return std::tuple(access.block, access.thread, access.site, access.is_store, access.is_harmless);
  };
  const vgpu::Race& first = races.first;
  return std::tuple(first.place.address, of(first.access), of(first.earlier), first.sites());
}

/// By pair of sites: the first race, and how many follow, of which harmful.
struct Sum {
  std::vector<std::uint64_t> order;
  std::vector<decltype(contents({}))> firsts;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;

  explicit Sum(const std::vector<FoundRaces>& found) {
    for (const FoundRaces& races : found) {
      const auto known = std::find(order.begin(), order.end(), races.first.sites());
      const auto at = static_cast<std::size_t>(known - order.begin());
      if (known == order.end()) {
        order.push_back(races.first.sites());
        firsts.push_back(contents(races));
        counts.emplace_back();
      }
      counts[at].first += races.count;
      counts[at].second += races.harmful;
    }
  }
  friend bool operator==(const Sum&, const Sum&) = default;
};

}  // namespace

TEST_CASE("races are the same in any number of parts of memory") {
  std::size_t races = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RaceParts whole(kWord, 1), two(kWord, 2), all(kWord, vgpu::MemoryPart::kMost);
    for (std::uint64_t block = 0; block < 4; ++block) {
      const BlockLog log = random_log(random);
      for (RaceParts* parts : {&whole, &two, &all})
        for (std::size_t part = 0; part < parts->count(); ++part) parts->add(part, block, log, nullptr);
      INFO("seed " << seed << ", block " << block);
      const Sum expected(whole.take(block));
      REQUIRE(Sum(two.take(block)) == expected);
      REQUIRE(Sum(all.take(block)) == expected);
      races += expected.order.size();
    }
  }
  CHECK(races > 1000);
}

TEST_CASE("parts that a log has nothing for can skip it") {
  std::size_t races = 0, skipped = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RaceParts whole(kWord, 1), parts(kWord, vgpu::MemoryPart::kMost);
    for (std::uint64_t block = 0; block < 4; ++block) {
      const BlockLog log = random_log(random);
      vgpu::PartSet needed;
      parts.add_parts(needed, log);
      for (unsigned part = 0; part < parts.count(); ++part) {
        if (needed.has(part))
          parts.add(part, block, log, nullptr);
        else
          ++skipped;
      }
      whole.add(0, block, log, nullptr);
      const Sum expected(whole.take(block));
      INFO("seed " << seed << ", block " << block);
      REQUIRE(Sum(parts.take(block)) == expected);
      races += expected.order.size();
    }
  }
  CHECK(races > 1000);
  CHECK(skipped > 1000);
}

TEST_CASE("parts can be searched block after block before races are taken") {
  RaceParts parts(kWord, 2);
  BlockLog log;
  log.runs = {{.address = 0, .granules = 2 * kPage, .flags = AccessKey::kChanged, .is_store = true}};
  for (std::size_t part = 0; part < parts.count(); ++part)
    for (std::uint64_t block = 0; block < 3; ++block) parts.add(part, block, log, nullptr);
  CHECK(parts.take(0).empty());
  for (std::uint64_t block = 1; block < 3; ++block) {
    const std::vector<FoundRaces> found = parts.take(block);
    REQUIRE(found.size() == 2);
    CHECK(found[0].first.place.address == 0);
    CHECK(found[0].count + found[1].count == 2 * kPage);
    CHECK(found[0].harmful == kPage);
    CHECK(found[1].first.access.block == block);
    CHECK(found[1].first.earlier.block == block - 1);
  }
}

}  // namespace race_parts_test
