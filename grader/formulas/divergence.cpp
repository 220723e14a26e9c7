// Control flow: divergence, predication, reductions, device emulation (control flow; thread execution
// efficiency).
#include <array>
#include <cmath>

#include "formulas/formula.hpp"

namespace grader {
namespace {

/// G80: shorter branches are predicated. A branch that certainly does not diverge is cheap to keep.
constexpr double kShortest = 4, kShortestIfDivergent = 7;

/// Warps of a block of which some lanes add and others do not.
template <class Adds>
double divergent_warps(int threads, Adds adds) {
  int divergent = 0;
  for (int first = 0; first < threads; first += kWarpLanes) {
    int adding = 0;
    for (int t = first; t < first + kWarpLanes; ++t) adding += adds(t) ? 1 : 0;
    divergent += adding > 0 && adding < kWarpLanes ? 1 : 0;
  }
  return divergent;
}

double interleaved(const Quantities& q) {
  const int stride = static_cast<int>(q.at("stride"));
  return divergent_warps(static_cast<int>(q.at("threads")), [=](int t) { return t % (2 * stride) == 0; });
}

double contiguous(const Quantities& q) {
  const int stride = static_cast<int>(q.at("stride"));
  return divergent_warps(static_cast<int>(q.at("threads")), [=](int t) { return t < stride; });
}

/// In percent of all warps that the launch starts.
double divergent_share(const Quantities& q) {
  const double n = q.at("n"), threads = q.at("threads");
  const double warps = std::ceil(n / threads) * threads / kWarpLanes;
  return std::fmod(n, kWarpLanes) == 0 ? 0 : 100 / warps;
}

/// Threads are counted along x first.
double warp_of_thread(const Quantities& q) {
  return std::floor((q.at("y") * q.at("width") + q.at("x")) / kWarpLanes);
}

/// In the order of the words below: is it zero in float? Doubles hold all three.
constexpr std::array kIsZeroInFloat = {true, true, false};

double divides_by_zero(const Quantities& q) {
  const bool is_float = q.at("type") == 0;
  return is_float && kIsZeroInFloat.at(static_cast<std::size_t>(q.at("constant"))) ? 1 : 0;
}

/// In the order of the words below: fails on the device only, other results, found.
constexpr std::array kEffectOfEmulation = {0, 1, 2, 1};

}  // namespace

std::span<const Formula> divergence_formulas() {
  static const std::vector<double> blocks{128, 256, 512};
  static const std::array all = {
      Formula{"divergence-share", {{"n", {500, 1000, 2000, 5000}}, {"threads", {128, 256}}}, divergent_share},
      Formula{"divergence-interleaved", {{"threads", blocks}, {"stride", {1, 4, 16, 32, 64}}}, interleaved},
      Formula{"divergence-contiguous", {{"threads", blocks}, {"stride", {64, 32, 16, 8, 2}}}, contiguous},
      Formula{"divergence-paths",
              {{"paths", {2, 3, 4, 8}}, {"cycles", {10, 20, 30}}},
              [](const Quantities& q) { return q.at("paths") * q.at("cycles"); }},
      Formula{"divergence-predication",
              {{"instructions", {2, 3, 4, 5, 6, 7, 9}},
               {"branch", {}, {"is guaranteed not to diverge", "can diverge"}}},
              [](const Quantities& q) {
                const double limit = q.at("branch") == 0 ? kShortest : kShortestIfDivergent;
                return q.at("instructions") < limit ? 0.0 : 1.0;
              }},
      Formula{"divergence-warp-of-thread",
              {{"width", {8, 16, 20, 24}}, {"x", {1, 3, 6}}, {"y", {5, 7, 9}}},
              warp_of_thread},
      Formula{"divergence-zero",
              {{"constant", {}, {"1e-100", "1e-60", "1e-30"}}, {"type", {}, {"float", "double"}}},
              divides_by_zero},
      Formula{"divergence-emulation",
              {{"program",
                {},
                {"reads an array of the host through a host pointer in a kernel",
                 "lets all threads add to one float without an atomic operation",
                 "calls __syncthreads() where only some threads of a block arrive",
                 "depends on the last bits of a sum of floats"}}},
              [](const Quantities& q) {
                return double(kEffectOfEmulation.at(static_cast<std::size_t>(q.at("program"))));
              }},
  };
  return all;
}

}  // namespace grader
