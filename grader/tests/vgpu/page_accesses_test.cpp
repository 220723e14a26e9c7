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
using vgpu::ThreadSequence;

namespace {

constexpr std::size_t kGranules = vgpu::LastAccesses::kPageGranules;

class Pages {
 public:
  explicit Pages(unsigned seed) : random_(seed) {}

  /// A run of the block with this node at the place, like many that a log can have.
  void put_run(vgpu::BlockOrder::Node node, std::size_t at, std::size_t granules) {
    const ThreadSequence orders[] = {
        {}, {.shift = 0}, {.shift = 2, .step = 3}, {.shift = 0, .period_mask = 31}};
    const std::uint32_t index = below(2) * 32 + below(2) * 5;
    std::vector<SiteIndex> sites(granules);
    for (SiteIndex& site : sites) site = static_cast<SiteIndex>(below(4));
    std::array<bool, kGranules> changed{};
    for (bool& one : changed) one = below(3) == 0;
    const PageAccesses::Run run{.first = {node, AccessKey(0, below(64), 0).bits(), 9},
                                .sites = below(3) == 0 ? sites.data() : nullptr,
                                .changed = below(8) == 0 ? changed.data() : nullptr,
                                .threads = orders[below(4)],
                                .index = index,
                                .granules = granules};
    page_.put(at, run);
    for (std::size_t i = 0; i < granules; ++i)
      expected_[at + i] = run.at(index + static_cast<std::uint32_t>(i));
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
      count += is_like && page_.is_empty(at, 1) == (wanted.node == 0) ? 0 : 1;
    }
    return count;
  }
  bool is_empty(std::size_t first, std::size_t count) const {
    for (std::size_t at = first; at < first + count; ++at)
      if (expected_[at].node != 0) return false;
    return true;
  }
  const PageAccesses& page() const { return page_; }

 private:
  std::mt19937 random_;
  PageAccesses page_;
  std::array<LastAccess, kGranules> expected_{};
};

}  // namespace

TEST_CASE("runs that a page keeps have the last access of each granule") {
  for (unsigned round = 0; round < 300; ++round) {
    INFO(round);
    Pages pages(round);
    // Rows that hide others completely; in some rounds, also runs that begin anywhere, and single granules.
    const unsigned row = 64U << pages.below(4), steps = 3 + pages.below(20);
    const bool has_rows_only = pages.below(2) == 0;
    for (unsigned step = 1; step <= steps; ++step) {
      const unsigned at = pages.below(kGranules / row) * row;
      if (has_rows_only || pages.below(4) != 0)
        pages.put_run(step, at, row);
      else if (pages.below(2) == 0)
        pages.put_run(step, at + pages.below(row / 2), 1 + pages.below(row / 2));
      else
        pages.put_granule(step);
      REQUIRE(pages.differences() == 0);
      const unsigned first = pages.below(kGranules - 1), count = 1 + pages.below(kGranules - first);
      REQUIRE(pages.page().is_empty(first, count) == pages.is_empty(first, count));
    }
  }
}

}  // namespace page_accesses_test
