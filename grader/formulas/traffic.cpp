// How memory moves data: DRAM, bursts, caches, banks of shared memory (DRAM bandwidth; memory coalescing;
// SIMD and GPUs; questions of the control flow lecture).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "formulas/formula.hpp"

namespace grader {
namespace {

constexpr double kKilobyteOfCache = 1024;
constexpr int kBits = 8, kBanks = 32;
const std::vector<double> kSections{32, 64, 128};  ///< bytes of a burst

/// Different bursts that a warp's floats are in, if lane t reads the float t * distance.
double sections_touched(double distance, double section) {
  std::set<double> touched;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    touched.insert(std::floor(lane * distance * kFloatBytes / section));
  return static_cast<double>(touched.size());
}

/// A 64-bit channel transfers eight bytes twice per clock.
double channel_rate(const Quantities& q) { return 8 * 2 * q.at("clock"); }

/// Most words of one bank that a warp's lanes need, if lane t reads the element t * stride of shared memory.
double bank_passes(const Quantities& q) {
  std::map<int, std::set<int>> words_of_bank;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int byte = lane * static_cast<int>(q.at("stride")) * static_cast<int>(q.at("bits")) / kBits;
    const int word = byte / static_cast<int>(kFloatBytes);
    words_of_bank[word % kBanks].insert(word);
  }
  std::size_t most = 0;
  for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
  return static_cast<double>(most);
}

double missed_share(double hits) { return 1 - hits / kPercent; }

}  // namespace

std::span<const Formula> traffic_formulas() {
  static const std::array all = {
      Formula{"dram-channels-rate",
              {{"clock", {1.0, 1.2, 1.25, 1.5}}, {"channels", {4, 6, 8, 12}}},
              [](const Quantities& q) { return channel_rate(q) * q.at("channels"); }},
      // One bank transfers its burst while the others are being read.
      Formula{"dram-banks",
              {{"access", {20, 30, 40, 60}}, {"burst", {5, 10}}},
              [](const Quantities& q) { return 1 + q.at("access") / q.at("burst"); }},
      // The slow cells deliver as many bits at a time as the interface transfers in `ratio` steps.
      Formula{"dram-burst-bytes",
              {{"ratio", {2, 4, 8, 16}}, {"bits", {16, 32, 128}}},
              [](const Quantities& q) { return q.at("ratio") * q.at("bits") / kBits; }},
      Formula{"burst-used",
              {{"section", kSections}, {"stride", {2, 4, 8, 16}}},
              [](const Quantities& q) {
                const double moved = sections_touched(q.at("stride"), q.at("section")) * q.at("section");
                return kPercent * kWarpLanes * kFloatBytes / moved;
              }},
      Formula{"burst-rows",
              {{"section", kSections}, {"width", {4, 8, 10, 100, 1000}}},
              [](const Quantities& q) { return sections_touched(q.at("width"), q.at("section")); }},
      Formula{"burst-gather",
              {{"section", kSections}, {"access", {}, {"gather", "scatter"}}},
              [](const Quantities& q) { return kPercent * kFloatBytes / q.at("section"); }},
      Formula{"bank-passes", {{"bits", {8, 16, 32}}, {"stride", {2, 4, 8, 32, 33}}}, bank_passes},
      // Each thread walks along a row of its own and keeps a line; L1 hits need room for all these lines.
      Formula{"cache-lines",
              {{"threads", {32, 64, 128, 256, 512, 1024}}, {"line", {64, 128}}},
              [](const Quantities& q) { return q.at("threads") * q.at("line") / kKilobyteOfCache; }},
      Formula{
          "cache-misses",
          {{"l1", {20, 40, 50, 75}}, {"l2", {20, 50, 60, 90}}},
          [](const Quantities& q) { return kPercent * missed_share(q.at("l1")) * missed_share(q.at("l2")); }},
  };
  return all;
}

}  // namespace grader
