// Tests what the other facts of a run add to its faults.
#include "judge/case_faults.hpp"

#include "catch.hpp"

namespace case_faults_test {

using namespace grader;
using testing::contains;
using vgpu::Fault;
using vgpu::ptx::Space;

namespace {

constexpr std::uint64_t kStart = 0x4000000800000000;

const SourceText kSource{"k.cu",
                         {"__global__ void k(const float* in, float* out, int width, int height) {",  // 1
                          "  __shared__ float tile[16][16];",                                         // 2
                          "  if (x) tile[1][2] = 3; else tile[1][2] = 0;",                            // 3
                          "  if (row < height && column < width)",                                    // 4
                          "    out[height * row + column] = tile[1][2];",                             // 5
                          "}",                                                                        // 6
                          "void f(const float* h_in) {",                                              // 7
                          "  cudaMalloc(&d_in, n);",                                                  // 8
                          "  k<<<grid, block>>>(d_in, d_out, width, height);",                        // 9
                          "}"}};                                                                      // 10

harness::Job job() {
  harness::Job one;
  one.entry = "f";
  one.inputs = {{{"in", {48, 64}, std::vector<float>(3072)}, harness::Place::host}};
  one.outputs = {{"out", {48, 64}, harness::Place::host}};
  return one;
}

/// An access just after memory of this size.
Fault outside(Space space, std::uint64_t size, std::uint32_t line = 5) {
  Fault fault;
  fault.kind = vgpu::FaultKind::out_of_bounds;
  fault.kernel = "_Z1kPf";
  fault.file = "/box/k.cu";
  fault.source.line = line;
  fault.space = space;
  fault.is_store = true;
  fault.access_bytes = 4;
  fault.address = kStart + size;
  fault.nearest = Fault::Nearest{kStart, size, 0, 1};
  return fault;
}

/// The fault of a launch with this grid and block.
Diagnostic diagnosis(const Fault& fault, const SourceText& source = kSource, vgpu::Dim3 grid = {2, 2, 1},
                     vgpu::Dim3 block = {32, 32, 1}) {
  CaseRun run;
  vgpu::LaunchRecord launch;
  launch.kernel = "_Z1kPf";
  launch.grid = grid;
  launch.block = block;
  launch.occupancy.blocks_per_sm = 1;
  launch.faults = {fault};
  run.session.sm_count = 16;
  run.session.launches = {launch};
  run.session.memory[kStart].allocated = {"k.cu", 8, ""};
  return diagnose_faults({&run.session.launches[0].faults[0]}, job(), run, source, false).front();
}

/// The launch passes the extents in the other order.
SourceText swapped() {
  SourceText source = kSource;
  source.lines[8] = "  k<<<grid, block>>>(d_in, d_out, height, width);";
  return source;
}

}  // namespace

TEST_CASE("arguments of the launch in another order explain an index that leaves its array") {
  CHECK_THAT(diagnosis(outside(Space::global, 4096), swapped()).likely_cause,
             contains("the launch in line 9"));
  CHECK_THAT(diagnosis(outside(Space::global, 4096)).likely_cause, !contains("the launch in line"));
}

TEST_CASE("memory with as many bytes as the array has elements lacks the size of an element") {
  const Diagnostic found = diagnosis(outside(Space::global, 3072));
  CHECK_THAT(found.likely_cause,
             contains("allocated with 3072 bytes, in line 8") && contains("sizeof(float)"));
  CHECK_THAT(diagnosis(outside(Space::global, 3076)).likely_cause, !contains("sizeof"));
}

TEST_CASE("an index that leaves a matrix although a condition guards it has a wrong row length") {
  const Diagnostic guarded = diagnosis(outside(Space::global, 4 * 3072));
  CHECK_THAT(guarded.likely_cause,
             contains("multiplies the row by a number other than") && contains("line 4"));
  SourceText one_too_many = kSource;
  one_too_many.lines[3] = "  if (row <= height && column <= width)";
  CHECK_THAT(diagnosis(outside(Space::global, 4 * 3072), one_too_many).likely_cause,
             contains("line 4 compares with <="));
  SourceText unguarded = kSource;
  unguarded.lines[3] = "  if (n < 4) return;";
  const Diagnostic without = diagnosis(outside(Space::global, 4 * 3072), unguarded);
  CHECK_THAT(without.likely_cause, contains("the guard is missing"));
  CHECK_THAT(without.next_step, contains("the row and the column"));
  CHECK_THAT(diagnosis(outside(Space::global, 4 * 3071)).likely_cause, contains("more threads run"));
}

TEST_CASE("a block that is wider than a tile in shared memory is named") {
  Fault wide = outside(Space::shared, 1024, 3);
  wide.variable = "_ZZ1kPfE4tile";
  CHECK_THAT(diagnosis(wide).likely_cause,
             contains("blocks of 32 × 32 threads, but a row of `tile` has only 16 elements"));
  SourceText fits = kSource;
  fits.lines[1] = "  __shared__ float tile[32][32];";
  CHECK_THAT(diagnosis(wide, fits).likely_cause, !contains("a row of `tile`"));
}

TEST_CASE("a whole block that leaves the array hints at the grid, a small block at exchanged arguments") {
  Fault first = outside(Space::global, 2000);
  CHECK_THAT(diagnosis(first).likely_cause, !contains("the grid"));
  first.block = {1, 0, 0};
  CHECK_THAT(diagnosis(first).likely_cause,
             contains("or the grid, 2 × 2 blocks, is too large") && contains("block (1, 0, 0)"));
  CHECK_THAT(diagnosis(first, kSource, {8, 8, 1}, {2, 2, 1}).likely_cause,
             contains("grid and block are exchanged: the launch has 8 × 8 blocks of 2 × 2 threads"));
  Fault before = first;
  before.address = kStart - 4;
  CHECK_THAT(diagnosis(before).likely_cause, !contains("the grid"));
  first.thread = {5, 0, 0};
  CHECK_THAT(diagnosis(first).likely_cause, !contains("the grid"));
}

TEST_CASE("a launch over the limit of instructions is explained by its waits or its blocks") {
  Fault endless;
  endless.kind = vgpu::FaultKind::step_limit;
  endless.kernel = "_Z1kPf";
  SourceText waiting = kSource;
  waiting.lines[2] = "  while (load(flag) == 0) {}";
  const Diagnostic waits = diagnosis(endless, waiting, {17, 1, 1}, {256, 1, 1});
  CHECK_THAT(waits.likely_cause,
             contains("16 of the 17 blocks fit on the device") && contains("cannot start"));
  CHECK_THAT(waits.next_step, contains("cudaLaunchCooperativeKernel"));
  CHECK_THAT(diagnosis(endless, waiting, {16, 1, 1}).likely_cause, !contains("fit on the device"));
  CHECK_THAT(diagnosis(endless, kSource, {17, 1, 1}).likely_cause, !contains("fit on the device"));
  endless.detail = vgpu::kManyBlocks;  // so none of them waits
  CHECK_THAT(diagnosis(endless, waiting, {65, 1, 1}, {256, 1, 1}).likely_cause,
             contains("65 blocks, 16640 threads in all") && !contains("fit on the device"));
}

TEST_CASE("an access without a line gets that of a store to its array, or of the launch") {
  Fault merged = outside(Space::shared, 1024, 0);
  merged.variable = "_ZZ1kPfE4tile";
  const Diagnostic store = diagnosis(merged);
  CHECK(store.where == SourceLocation{"k.cu", 3});
  CHECK_THAT(store.first, contains("line 3 is the first that stores to `tile`"));
  merged.is_store = false;
  const Diagnostic load = diagnosis(merged);
  CHECK(load.where == SourceLocation{"k.cu", 9});
  CHECK_THAT(load.first, contains("this line launches it"));
}

}  // namespace case_faults_test
