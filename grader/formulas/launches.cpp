// Launches: blocks, warps, multiprocessors (SIMD and GPUs; thread execution efficiency).
#include <array>
#include <cmath>

#include "formulas/formula.hpp"

namespace grader {
namespace {

double blocks_of(const Quantities& q) { return std::ceil(q.at("n") / q.at("threads")); }

const std::vector<double> kSizes{1000, 5000, 70000, 131073, 262145};
const std::vector<double> kThreads{64, 128, 256, 512};

}  // namespace

std::span<const Formula> launch_formulas() {
  static const std::array all = {
      Formula{"launch-blocks", {{"n", kSizes}, {"threads", kThreads}}, blocks_of},
      Formula{"launch-idle-threads",
              {{"n", kSizes}, {"threads", kThreads}},
              [](const Quantities& q) { return blocks_of(q) * q.at("threads") - q.at("n"); }},
      Formula{"launch-empty-lanes",
              {{"threads", {5, 20, 33, 48, 70, 100, 129}}},
              [](const Quantities& q) {
                return std::ceil(q.at("threads") / kWarpLanes) * kWarpLanes - q.at("threads");
              }},
      Formula{"launch-idle-sms",
              {{"blocks", {1, 2, 3}}, {"sms", {4, 8, 14, 16}}},
              [](const Quantities& q) { return q.at("sms") - q.at("blocks"); }},
      Formula{"launch-warp-clocks",
              {{"sps", {8, 16}}, {"instructions", {10, 20, 30, 50}}},
              [](const Quantities& q) { return q.at("instructions") * kWarpLanes / q.at("sps"); }},
      // While one warp waits, the others run.
      Formula{"launch-hiding-warps",
              {{"run", {5, 10, 20}}, {"wait", {100, 200, 400}}},
              [](const Quantities& q) { return 1 + q.at("wait") / q.at("run"); }},
      // Three floats, 12 bytes, for one multiplication and one addition.
      Formula{"launch-saxpy-bound",
              {{"bandwidth", {96, 144, 192, 240, 288}}},
              [](const Quantities& q) { return q.at("bandwidth") * 2 / 12; }},
      Formula{"launch-own-threads",
              {},
              [](const Quantities& q) { return q.at("blocks") * q.at("threads"); },
              {"blocks", "threads"}},
  };
  return all;
}

}  // namespace grader
