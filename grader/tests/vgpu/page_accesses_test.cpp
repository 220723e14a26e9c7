// The runs that a page keeps as they are say the same of each granule as an entry per granule does.
#include "vgpu/races/page_accesses.hpp"

#include <array>
#include <random>
#include <vector>

#include "catch.hpp"

namespace page_accesses_test {

using vgpu::AccessKey;
using vgpu::LastAccess;
using vgpu::PageAccesses;
using vgpu::SiteIndex;
using vgpu::SpacedGranules;
using vgpu::ThreadSequence;

namespace {

constexpr std::size_t kGranules = vgpu::LastAccesses::kPageGranules;

class Pages {
 public:
  explicit Pages(unsigned seed) : random_(seed) {}

  /// A run of the block with this node at the place, like many that a log can have.
  void put_run(vgpu::BlockOrder::Node node, const SpacedGranules& place) {
    const std::size_t granules = place.granules;
    const ThreadSequence orders[] = {
        {}, {.shift = 0}, {.shift = 2, .step = 3}, {.shift = 0, .period_mask = 31}};
    const std::uint32_t index = place.spacing.has_gaps() ? 0 : below(2) * 32 + below(2) * 5;
    std::vector<SiteIndex> sites(granules);
    for (SiteIndex& site : sites) site = static_cast<SiteIndex>(below(4));
    std::array<bool, kGranules> changed{};
    for (bool& one : changed) one = below(3) == 0;
    const PageAccesses::Run run{.first = {node, AccessKey(0, below(64), 0).bits(), 9},
                                .sites = below(3) == 0 ? sites.data() : nullptr,
                                .changed = below(4) == 0 ? changed.data() : nullptr,
                                .threads = orders[below(4)],
                                .spacing = place.spacing,
                                .index = index,
                                .granules = granules};
    page_.put(place.at, run);
    for (std::uint32_t i = 0; i < granules; ++i) expected_[place.place_of(i)] = run.at(index + i);
  }
  void put_granule(vgpu::BlockOrder::Node node) {
    const std::size_t at = below(kGranules);
    page_.put(at, expected_[at] = {node, AccessKey(0, below(64), 0).bits(), 8});
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  /// The number of granules that differ from an entry per granule.
  unsigned differences() const {
    unsigned count = 0;
    for (std::size_t at = 0; at < kGranules; ++at) {
      const LastAccess found = page_.at(at), &wanted = expected_[at];
      const bool is_like = found.node == wanted.node && found.key == wanted.key && found.site == wanted.site;
      count += is_like ? 0 : 1;
    }
    return count;
  }
  /// Whether no granule was accessed of those that the page says are empty.
  bool are_empty_if_page_says_so(const SpacedGranules& granules) {
    if (!page_.are_empty(granules)) return true;
    ++found_empty;
    for (std::uint32_t i = 0; i < granules.granules; ++i)
      if (expected_[granules.place_of(i)].node != 0) return false;
    return true;
  }
  unsigned found_empty = 0;

 private:
  std::mt19937 random_;
  PageAccesses page_;
  std::array<LastAccess, kGranules> expected_{};
};

}  // namespace

TEST_CASE("runs that a page keeps have the last access of each granule") {
  unsigned found_empty = 0;
  for (unsigned round = 0; round < 400; ++round) {
    INFO(round);
    Pages pages(round);
    // Rows, or members of structures, that hide others completely; in some rounds, also runs that begin
    // anywhere, and single granules.
    const unsigned row = 64U << pages.below(4), steps = 3 + pages.below(20);
    const unsigned members = 1 + pages.below(4);
    const bool is_regular = pages.below(2) == 0;
    const auto some_place = [&](unsigned first, unsigned length) {
      const vgpu::Spacing spacing{.gap = static_cast<std::uint16_t>(members - 1)};
      return SpacedGranules{first + pages.below(members), length / members, spacing};
    };
    for (unsigned step = 1; step <= steps; ++step) {
      const unsigned at = pages.below(static_cast<unsigned>(kGranules) / row) * row;
      if (is_regular || pages.below(4) != 0)
        pages.put_run(step, some_place(at, row - members));
      else if (pages.below(2) == 0)
        pages.put_run(step, some_place(at + pages.below(row / 2), 4 + pages.below(row / 2 - 8)));
      else
        pages.put_granule(step);
      REQUIRE(pages.differences() == 0);
      REQUIRE(pages.are_empty_if_page_says_so(some_place(at, row - members)));
    }
    found_empty += pages.found_empty;
  }
  CHECK(found_empty > 500);
}

}  // namespace page_accesses_test
