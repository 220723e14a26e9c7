// Memory: bandwidth against arithmetic, kinds of variables (memory and data locality; foo_kernel; roofline).
#include <array>
#include <cmath>

#include "formulas/formula.hpp"

namespace grader {
namespace {

/// GFLOP/s if each operation needs a float from memory.
double bound(const Quantities& q) { return q.at("bandwidth") / kFloatBytes; }

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

/// foo_kernel with other numbers of terms a[…] * constant. Its two terms in shared memory add a product and
/// two sums; b is loaded and stored once.
double intensity_of_variables(const Quantities& q) {
  const double terms = q.at("terms");
  const double operations = terms + (terms - 1) + 1 + 2;
  return operations / (kFloatBytes * (terms + 2));
}

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
      Formula{"variable-intensity", {{"terms", {2, 3, 6, 8}}}, intensity_of_variables},
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
      // 2 n³ operations; n³ floats of one matrix, and n² of each of the two others.
      Formula{"roofline-capacity",
              {{"n", {6, 14, 30, 62}}},
              [](const Quantities& q) { return 2 * q.at("n") / (q.at("n") + 2); }},
  };
  return all;
}

}  // namespace grader
