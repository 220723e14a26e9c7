// The lectures' own numbers, and properties of all formulas.
#include <cmath>

#include "catch.hpp"
#include "formulas/formula.hpp"

namespace formulas_test {

namespace {

using grader::find_formula;
using grader::Formula;
using grader::Quantities;

double truth(std::string_view formula, const Quantities& quantities) {
  return find_formula(formula)->truth(quantities);
}

}  // namespace

TEST_CASE("50 of 1,500 GFLOP/s: memory and data locality") {
  CHECK(truth("memory-bound", {{"bandwidth", 200}, {"peak", 1500}}) == 50);
  CHECK(truth("memory-share-of-peak", {{"bandwidth", 200}, {"peak", 1500}}) == Approx(3.333).epsilon(1e-3));
  CHECK(truth("memory-rate-for-peak", {{"peak", 1500}}) == 6000);
}

TEST_CASE("tiles of 16 and 32, 4,096 pending loads: tiled matrix multiplication kernel") {
  CHECK(truth("tile-bytes", {{"tile", 16}}) == 2048);
  CHECK(truth("tile-bytes", {{"tile", 32}}) == 8192);
  CHECK(truth("tile-blocks", {{"tile", 16}, {"shared_kb", 16}, {"threads_per_sm", 2048}}) == 8);
  CHECK(truth("tile-blocks", {{"tile", 32}, {"shared_kb", 16}, {"threads_per_sm", 2048}}) == 2);
  CHECK(truth("tile-blocks", {{"tile", 32}, {"shared_kb", 16}, {"threads_per_sm", 1536}}) == 1);
  CHECK(truth("tile-pending-loads", {{"tile", 16}, {"shared_kb", 16}}) == 4096);
  CHECK(truth("tile-bound", {{"tile", 16}, {"bandwidth", 200}}) == 800);
  CHECK(truth("tile-own-blocks", {{"shared_bytes", 2048}, {"shared_kb", 16}}) == 8);
  CHECK(std::isnan(truth("tile-own-blocks", {{"shared_bytes", 0}, {"shared_kb", 16}})));
}

TEST_CASE(
    "the phase table of block (0, 0) for tiles of 2: thread (1, 0) loads M[1][2] and N[3][0] in phase 1") {
  const Quantities thread{{"tile", 2}, {"phase", 1}, {"ty", 1}, {"tx", 0}};
  CHECK(truth("tile-phase-of-m", thread) == 2);
  CHECK(truth("tile-phase-of-n", thread) == 3);
}

TEST_CASE("336 of 2,352 and 14 of 392 warp-phases diverge when tiles of M are loaded, for 100 × 100") {
  CHECK(truth("tile-divergent-m", {{"width", 100}}) == 336 + 14);
  // Blocks at the right edge: 7 of them, 8 warps in 6 phases, and 2 warps in the last.
  CHECK(truth("tile-divergent-n", {{"width", 100}}) == 7 * 8 * 6 + 7 * 2);
  CHECK(truth("tile-divergent-m", {{"width", 96}}) == 0);
  // An odd number of rows: in the last phase, one warp of each other block has one row that exists.
  CHECK(truth("tile-divergent-n", {{"width", 101}}) == 7 * 8 * 6 + 7 * 3 + 42);
}

TEST_CASE("one of 32 warps diverges in a vector addition of 1,000 elements: thread execution efficiency") {
  CHECK(truth("divergence-share", {{"n", 1000}, {"threads", 256}}) == 3.125);
  CHECK(truth("divergence-share", {{"n", 1024}, {"threads", 256}}) == 0);
}

TEST_CASE("interleaved steps split warps, contiguous ones only below a warp: control flow") {
  CHECK(truth("divergence-interleaved", {{"threads", 512}, {"stride", 1}}) == 16);
  CHECK(truth("divergence-interleaved", {{"threads", 512}, {"stride", 32}}) == 8);
  CHECK(truth("divergence-contiguous", {{"threads", 512}, {"stride", 32}}) == 0);
  CHECK(truth("divergence-contiguous", {{"threads", 512}, {"stride", 16}}) == 1);
  // A block of 8 × 8 threads: rows 0 to 3 are warp 0.
  CHECK(truth("divergence-warp-of-thread", {{"width", 8}, {"x", 7}, {"y", 3}}) == 0);
  CHECK(truth("divergence-warp-of-thread", {{"width", 8}, {"x", 0}, {"y", 4}}) == 1);
  constexpr double kPredicated = 0, kKept = 1, kUniform = 0, kDivergent = 1;
  CHECK(truth("divergence-predication", {{"instructions", 3}, {"branch", kUniform}}) == kPredicated);
  CHECK(truth("divergence-predication", {{"instructions", 4}, {"branch", kUniform}}) == kKept);
  CHECK(truth("divergence-predication", {{"instructions", 6}, {"branch", kDivergent}}) == kPredicated);
  CHECK(truth("divergence-predication", {{"instructions", 7}, {"branch", kDivergent}}) == kKept);
}

TEST_CASE("a constant of 1e-100 prevents a division by zero in double, but is zero in float") {
  constexpr double k1e100 = 0, k1e30 = 2, kFloat = 0, kDouble = 1, kDivides = 1;
  CHECK(static_cast<float>(1e-60) == 0);
  CHECK(static_cast<float>(1e-30) > 0);
  CHECK(truth("divergence-zero", {{"constant", k1e100}, {"type", kFloat}}) == kDivides);
  CHECK(truth("divergence-zero", {{"constant", k1e100}, {"type", kDouble}}) != kDivides);
  CHECK(truth("divergence-zero", {{"constant", k1e30}, {"type", kFloat}}) != kDivides);
}

TEST_CASE("141 GB/s from eight channels, and bursts, strides and rows: DRAM bandwidth, coalescing") {
  CHECK(truth("dram-channels-rate", {{"clock", 1.1}, {"channels", 1}}) == Approx(17.6));
  CHECK(truth("dram-channels-rate", {{"clock", 1.1}, {"channels", 8}}) == Approx(140.8));
  CHECK(truth("dram-banks", {{"access", 30}, {"burst", 10}}) == 4);
  CHECK(truth("burst-used", {{"section", 128}, {"stride", 1}}) == 100);
  CHECK(truth("burst-used", {{"section", 128}, {"stride", 2}}) == 50);
  CHECK(truth("burst-used", {{"section", 32}, {"stride", 16}}) == 12.5);  // a sector for each lane
  CHECK(truth("burst-rows", {{"section", 128}, {"width", 1000}}) == 32);
  CHECK(truth("burst-rows", {{"section", 128}, {"width", 8}}) == 8);
  CHECK(truth("cache-lines", {{"threads", 512}, {"line", 128}}) == 64);
  CHECK(truth("burst-gather", {{"section", 128}}) == 3.125);
  CHECK(truth("dram-burst-bytes", {{"ratio", 8}, {"bits", 64}}) == 64);
}

TEST_CASE("passes of shared memory: floats, 8 and 16 bits, columns with and without padding") {
  CHECK(truth("bank-passes", {{"bits", 32}, {"stride", 1}}) == 1);
  CHECK(truth("bank-passes", {{"bits", 32}, {"stride", 32}}) == 32);
  CHECK(truth("bank-passes", {{"bits", 32}, {"stride", 33}}) == 1);
  // Lanes that need the same word share it: no conflict since compute capability 2.0.
  CHECK(truth("bank-passes", {{"bits", 8}, {"stride", 1}}) == 1);
  CHECK(truth("bank-passes", {{"bits", 16}, {"stride", 1}}) == 1);
  CHECK(truth("bank-passes", {{"bits", 16}, {"stride", 4}}) == 2);
  CHECK(truth("bank-passes", {{"bits", 8}, {"stride", 32}}) == 8);
}

TEST_CASE("DRAM's share after two levels of cache") {
  CHECK(truth("cache-misses", {{"l1", 0}, {"l2", 0}}) == 100);
  CHECK(truth("cache-misses", {{"l1", 75}, {"l2", 60}}) == Approx(10));
}

TEST_CASE(
    "28 operations per float for 100.4 GFLOP/s and 14 GB/s, two for matrix-vector, 2 n / 3 for matrices") {
  CHECK(truth("roofline-ridge", {{"peak", 100.4}, {"bandwidth", 14}}) == Approx(28.69).epsilon(1e-3));
  CHECK(truth("roofline-matvec", {{"bandwidth", 14}}) == 7);
  CHECK(truth("roofline-matmul", {{"n", 300}}) == 200);
  CHECK(truth("roofline-capacity", {{"n", 2}}) == 1);  // 16 operations; 8 floats of B, 4 of A, 4 of C
  CHECK(truth("roofline-capacity", {{"n", 1e6}}) == Approx(2).epsilon(1e-5));
}

TEST_CASE("foo_kernel's variables") {
  constexpr double kX = 1, kYs = 2;
  CHECK(truth("variable-copies", {{"variable", kX}, {"n", 1024}, {"threads", 128}}) == 1024);
  CHECK(truth("variable-copies", {{"variable", kYs}, {"n", 1024}, {"threads", 128}}) == 8);
  CHECK(truth("variable-shared-bytes", {{"threads", 128}}) == 516);
  CHECK(truth("variable-intensity", {{"terms", 4}}) == Approx(10.0 / 24));  // 10 operations, 5 loads, 1 store
}

TEST_CASE("copies and kernels of streams: one after the other, ideal, in two orders of issue") {
  const Quantities even{{"segments", 4}, {"in", 2}, {"kernel", 2}, {"out", 1}};
  CHECK(truth("transfer-serial", even) == 20);
  CHECK(truth("transfer-small-copies", {{"copies", 1}, {"kilobytes", 800}, {"rate", 8}, {"latency", 10}}) ==
        110);
  CHECK(truth("transfer-small-copies", {{"copies", 100}, {"kilobytes", 8}, {"rate", 8}, {"latency", 10}}) ==
        1100);
  CHECK(truth("transfer-pipelined", even) == 11);
  // Depth-first, each copy to the device waits for the copy back of the segment before.
  CHECK(truth("transfer-depth-first", even) == 20);
  // in 0–2, in 2–4, kernels 2–4 and 4–6, out 4–5 and 6–7; the next pair begins at 7.
  CHECK(truth("transfer-breadth-first", even) == 14);
  constexpr double kDepth = 0, kBreadth = 1, kOneQueue = 0, kHyper = 1, kYes = 0, kNo = 1;
  CHECK(truth("transfer-blocked", {{"order", kDepth}, {"queues", kOneQueue}}) == kNo);
  CHECK(truth("transfer-blocked", {{"order", kBreadth}, {"queues", kOneQueue}}) == kYes);
  CHECK(truth("transfer-blocked", {{"order", kDepth}, {"queues", kHyper}}) == kYes);
}

TEST_CASE("8 × 8 values in registers: a quarter of a load per sum, 374 operations per clock") {
  CHECK(truth("register-loads", {{"side", 8}}) == 0.25);
  CHECK(truth("register-values", {{"side", 8}}) == 80);
  CHECK(truth("register-padded", {{"n", 1000}}) == 1024);
  CHECK(truth("register-warp", {{"width", 8}}) == 12);
  CHECK(truth("register-operations", {{"n", 6300}, {"seconds", 1.2}, {"clock", 1.1}}) ==
        Approx(378.8).epsilon(1e-3));
}

TEST_CASE("launches: blocks, idle threads, lanes and multiprocessors") {
  CHECK(truth("launch-blocks", {{"n", 1000}, {"threads", 256}}) == 4);
  CHECK(truth("launch-idle-threads", {{"n", 1000}, {"threads", 256}}) == 24);
  CHECK(truth("launch-empty-lanes", {{"threads", 5}}) == 27);
  CHECK(truth("launch-idle-sms", {{"blocks", 1}, {"sms", 4}}) == 3);
  CHECK(truth("launch-warp-clocks", {{"sps", 32}, {"instructions", 1}}) == 1);
  CHECK(truth("launch-warp-clocks", {{"sps", 8}, {"instructions", 1}}) == 4);
  CHECK(truth("launch-hiding-warps", {{"run", 10}, {"wait", 0}}) == 1);
  CHECK(truth("launch-hiding-warps", {{"run", 10}, {"wait", 200}}) == 21);
  CHECK(truth("launch-saxpy-bound", {{"bandwidth", 144}}) == 24);
}

TEST_CASE("names are unique, and the same seed draws the same quantities") {
  const auto names = grader::formula_names();
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(find_formula("no-such-formula") == nullptr);
  const Formula& formula = *find_formula("tile-blocks");
  CHECK(grader::draw(formula, 7) == grader::draw(formula, 7));
  CHECK(grader::draw(formula, 7) != grader::draw(formula, 8));
  CHECK(grader::shown_quantity(*find_formula("transfer-blocked"), "order", 1) == "breadth-first");
  CHECK(grader::shown_quantity(formula, "shared_kb", 48) == "48");
  CHECK(grader::shown_quantity(*find_formula("roofline-ridge"), "peak", 100.4) == "100.4");
}

}  // namespace formulas_test
