// The tiled matrix product: shared memory, blocks per SM, phases, divergence of the guards (tiled matrix
// multiplication kernel; performance impact of control divergence).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formulas/formula.hpp"

namespace grader {
namespace {

constexpr int kTile = 16;  ///< of the questions about divergence, as in the lecture
constexpr double kKilobyte = 1024;

double square(double x) { return x * x; }
double tile_bytes(const Quantities& q) { return 2 * square(q.at("tile")) * 4; }  // M's and N's
double blocks_by_memory(const Quantities& q) {
  return std::floor(q.at("shared_kb") * kKilobyte / tile_bytes(q));
}

/// Warps whose lanes disagree on `exists(row, column)` when a block's threads load a tile, over all phases.
/// (row, column) is the element's place in the matrix.
template <class Exists>
double divergent_warp_phases(int width, Exists exists) {
  const int tiles = (width + kTile - 1) / kTile;
  int divergent = 0;
  for (int block = 0; block < tiles * tiles; ++block)
    for (int phase = 0; phase < tiles; ++phase)
      for (int first = 0; first < kTile * kTile; first += kWarpLanes) {
        int loading = 0;
        for (int t = first; t < first + kWarpLanes; ++t)
          loading += exists(block / tiles, block % tiles, phase, t / kTile, t % kTile) ? 1 : 0;
        divergent += loading > 0 && loading < kWarpLanes ? 1 : 0;
      }
  return divergent;
}

double divergent_loads_of_M(const Quantities& q) {
  const int width = static_cast<int>(q.at("width"));
  return divergent_warp_phases(width, [=](int by, int /*bx*/, int phase, int ty, int tx) {
    return by * kTile + ty < width && phase * kTile + tx < width;
  });
}

double divergent_loads_of_N(const Quantities& q) {
  const int width = static_cast<int>(q.at("width"));
  return divergent_warp_phases(width, [=](int /*by*/, int bx, int phase, int ty, int tx) {
    return phase * kTile + ty < width && bx * kTile + tx < width;
  });
}

double own_blocks(const Quantities& q) {
  const double bytes = q.at("shared_bytes");
  return bytes > 0 ? std::floor(q.at("shared_kb") * kKilobyte / bytes)
                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::span<const Formula> tile_formulas() {
  static const std::vector<double> shared{24, 32, 48}, widths{70, 84, 90, 101, 117};
  static const std::array all = {
      Formula{"tile-bytes", {{"tile", {8, 16, 32}}}, tile_bytes},
      Formula{"tile-blocks",
              {{"tile", {16, 32}}, {"shared_kb", shared}, {"threads_per_sm", {1024, 1536, 2048}}},
              [](const Quantities& q) {
                return std::min(blocks_by_memory(q),
                                std::floor(q.at("threads_per_sm") / square(q.at("tile"))));
              }},
      // Two loads per thread.
      Formula{"tile-pending-loads",
              {{"tile", {8, 16}}, {"shared_kb", shared}},
              [](const Quantities& q) { return blocks_by_memory(q) * 2 * square(q.at("tile")); }},
      // Each float from memory serves as many operations as the tile is wide.
      Formula{"tile-bound",
              {{"tile", {8, 16, 32}}, {"bandwidth", {100, 200, 288}}},
              [](const Quantities& q) { return q.at("bandwidth") / 4 * q.at("tile"); }},
      Formula{"tile-phase-of-m",
              {{"tile", {2, 4, 16}}, {"phase", {1, 2, 3}}, {"ty", {0, 1}}, {"tx", {0, 1}}},
              [](const Quantities& q) { return q.at("phase") * q.at("tile") + q.at("tx"); }},
      Formula{"tile-phase-of-n",
              {{"tile", {2, 4, 16}}, {"phase", {1, 2, 3}}, {"ty", {0, 1}}, {"tx", {0, 1}}},
              [](const Quantities& q) { return q.at("phase") * q.at("tile") + q.at("ty"); }},
      Formula{"tile-divergent-m", {{"width", widths}}, divergent_loads_of_M},
      Formula{"tile-divergent-n", {{"width", widths}}, divergent_loads_of_N},
      Formula{"tile-own-blocks", {{"shared_kb", {16, 24, 32, 40, 48}}}, own_blocks, {"shared_bytes"}},
  };
  return all;
}

}  // namespace grader
