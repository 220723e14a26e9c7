// Memory: bandwidth against arithmetic, kinds of variables, DRAM, bursts (memory and data locality; DRAM
// bandwidth; memory coalescing; roofline).
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "formulas/formula.hpp"

namespace grader {
namespace {

constexpr double kFloatBytes = 4;
constexpr double kPercent = 100;
constexpr double kKilobyteOfCache = 1024;
const std::vector<double> kSections{32, 64, 128};  ///< bytes of a burst

/// GFLOP/s if each operation needs a float from memory.
double bound(const Quantities& q) { return q.at("bandwidth") / kFloatBytes; }

/// Different bursts that a warp's floats are in, if lane t reads the float t * distance.
double sections_touched(double distance, double section) {
  std::set<double> touched;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    touched.insert(std::floor(lane * distance * kFloatBytes / section));
  return static_cast<double>(touched.size());
}

/// A 64-bit channel transfers eight bytes twice per clock.
double channel_rate(const Quantities& q) { return 8 * 2 * q.at("clock"); }

// The variables of foo_kernel, and declarations, in the order of the words below.
constexpr std::array kMemoryOfVariable = {0, 1, 2, 2, 3};  // register, local, shared, shared, global
constexpr std::array kScopeOfDeclaration = {0, 0, 1, 2, 2};
constexpr std::array kLifetimeOfDeclaration = {0, 0, 0, 1, 1};

std::size_t word_index(const Quantities& q, std::string_view name) {
  return static_cast<std::size_t>(q.find(name)->second);
}

const Drawn kDeclaration{
    "declaration",
    {},
    {"int i;", "float x[4];", "__shared__ float s;", "__device__ float g;", "__constant__ float c;"}};

double copies_of_variable(const Quantities& q) {
  const double blocks = std::ceil(q.at("n") / q.at("threads"));
  const bool is_of_thread = q.at("variable") < 2;
  return is_of_thread ? blocks * q.at("threads") : blocks;
}

}  // namespace

std::span<const Formula> memory_formulas() {
  static const std::vector<double> bandwidths{120, 160, 240, 288, 320}, peaks{1000, 1500, 2400, 3000};
  static const std::array all = {
      Formula{"memory-bound", {{"bandwidth", bandwidths}, {"peak", peaks}}, bound},
      Formula{"memory-share-of-peak",
              {{"bandwidth", bandwidths}, {"peak", peaks}},
              [](const Quantities& q) { return kPercent * bound(q) / q.at("peak"); }},
      Formula{"memory-rate-for-peak",
              {{"peak", peaks}},
              [](const Quantities& q) { return kFloatBytes * q.at("peak"); }},
      Formula{"variable-memory",
              {{"variable", {}, {"i", "x", "y_s", "b_s", "a[0]"}}},
              [](const Quantities& q) { return double(kMemoryOfVariable.at(word_index(q, "variable"))); }},
      Formula{
          "variable-copies",
          {{"variable", {}, {"i", "x", "y_s", "b_s"}}, {"n", {1024, 2048, 4096}}, {"threads", {128, 256}}},
          copies_of_variable},
      Formula{
          "variable-scope",
          {kDeclaration},
          [](const Quantities& q) { return double(kScopeOfDeclaration.at(word_index(q, "declaration"))); }},
      Formula{"variable-lifetime",
              {kDeclaration},
              [](const Quantities& q) {
                return double(kLifetimeOfDeclaration.at(word_index(q, "declaration")));
              }},
      Formula{"variable-shared-bytes",
              {{"threads", {64, 128, 256, 512}}},
              [](const Quantities& q) { return kFloatBytes * (q.at("threads") + 1); }},  // b_s and y_s
      Formula{"dram-channels-rate",
              {{"clock", {1.0, 1.2, 1.25, 1.5}}, {"channels", {4, 6, 8, 12}}},
              [](const Quantities& q) { return channel_rate(q) * q.at("channels"); }},
      // One bank transfers its burst while the others are being read.
      Formula{"dram-banks",
              {{"access", {20, 30, 40, 60}}, {"burst", {5, 10}}},
              [](const Quantities& q) { return 1 + q.at("access") / q.at("burst"); }},
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
      // Each thread walks along a row of its own and keeps a line; L1 hits need room for all these lines.
      Formula{"cache-lines",
              {{"threads", {32, 64, 128, 256, 512, 1024}}, {"line", {64, 128}}},
              [](const Quantities& q) { return q.at("threads") * q.at("line") / kKilobyteOfCache; }},
      // One multiplication and one addition for each float of the matrix.
      Formula{"roofline-matvec",
              {{"bandwidth", {14, 48, 120, 200, 288}}},
              [](const Quantities& q) { return 2 * bound(q); }},
      Formula{"roofline-ridge",
              {{"bandwidth", {20, 40, 50, 200}}, {"peak", {100.4, 250, 1500}}},
              [](const Quantities& q) { return q.at("peak") / bound(q); }},
      // 2 n³ operations, 3 n² floats.
      Formula{"roofline-matmul",
              {{"n", {96, 300, 600, 1200, 8192}}},
              [](const Quantities& q) { return 2 * q.at("n") / 3; }},
  };
  return all;
}

}  // namespace grader
