// Reuse in registers, padding, useful operations per clock (GPU programming, version 2: reuse data in
// registers).
#include <array>
#include <cmath>

#include "formulas/formula.hpp"

namespace grader {
namespace {

constexpr double kPaddedTile = 64;

double padded(const Quantities& q) { return std::ceil(q.at("n") / kPaddedTile) * kPaddedTile; }

}  // namespace

std::span<const Formula> register_formulas() {
  static const std::vector<double> sizes{100, 257, 300, 500, 1000}, sides{2, 4, 6, 8};
  static const std::array all = {
      // 2 · side values serve side² sums.
      Formula{"register-loads", {{"side", sides}}, [](const Quantities& q) { return 2 / q.at("side"); }},
      Formula{"register-values",
              {{"side", sides}},
              [](const Quantities& q) { return q.at("side") * q.at("side") + 2 * q.at("side"); }},
      Formula{"register-padded", {{"n", sizes}}, padded},
      Formula{"register-waste",
              {{"n", sizes}},
              [](const Quantities& q) { return 100 * (1 - std::pow(q.at("n") / padded(q), 2)); }},
      // A warp's lanes have `width` different x and 32 / width different y.
      Formula{"register-warp",
              {{"width", {2, 4, 8, 16}}},
              [](const Quantities& q) { return q.at("width") + kWarpLanes / q.at("width"); }},
      // An addition and a minimum for each of n³ candidates.
      Formula{"register-operations",
              {{"n", {4000, 5000, 6300}}, {"seconds", {1.2, 2, 8}}, {"clock", {1.1, 1.5}}},
              [](const Quantities& q) {
                return 2 * std::pow(q.at("n"), 3) / (q.at("seconds") * q.at("clock") * 1e9);
              }},
      Formula{"register-own-share",
              {{"units", {512, 640, 1024}}},
              [](const Quantities& q) { return 100 * q.at("operations") / q.at("units"); },
              {"operations"}},
  };
  return all;
}

}  // namespace grader
