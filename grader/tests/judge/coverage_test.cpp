// Tests the causes that a region without stores and a launch's extents lead to.
#include "judge/coverage.hpp"

#include "catch.hpp"

namespace coverage_test {

namespace {

using grader::advice_on_missing;
using grader::LaunchExtents;
using grader::Region;
using testing::contains;

std::string cause(const Region& region, const LaunchExtents& launch) {
  return advice_on_missing(region, launch).likely_cause;
}

LaunchExtents launch(vgpu::Dim3 grid, vgpu::Dim3 block) { return {grid, block}; }

}  // namespace

TEST_CASE("a grid whose extents would fit if they were exchanged is called swapped") {
  const Region columns{32, 64, 32, 32}, rows{48, 64, 16, 64};
  CHECK_THAT(
      cause(columns, launch({2, 4}, {16, 16})),
      contains(
          "grid.x and grid.y are swapped: the grid has 2 × 4 blocks (x × y), but 64 columns need 4 along "
          "x, and 32 rows need 2 along y"));
  CHECK_THAT(cause(rows, launch({6, 2}, {32, 8})), contains("are swapped"));
}

TEST_CASE("too few blocks in one direction are named with the number that is needed") {
  const auto floor = advice_on_missing({17, 65, 17, 64}, launch({4, 2}, {16, 16}));
  CHECK_THAT(floor.likely_cause,
             contains("its 4 blocks along x cover 64 of 65 columns, because their number is "
                      "rounded down"));
  CHECK_THAT(floor.next_step, contains("launch 5 blocks along x"));
  const std::string few = cause({100, 100, 32, 100}, launch({7, 2}, {16, 16}));
  CHECK_THAT(few, contains("its 2 blocks along y cover 32 of 100 rows"));
  CHECK_THAT(few, !contains("rounded"));
  CHECK_THAT(cause({1, 1000, 1, 768, true}, launch({3}, {256})), contains("cover 768 of 1000 elements"));
}

TEST_CASE("if the grid covers the output, a guard is the cause") {
  const std::string other = cause({48, 64, 48, 48}, launch({2, 6}, {32, 8}));
  CHECK_THAT(
      other,
      contains("a guard stops threads from column 48 onwards: it compares the column with 48, the number of "
               "rows"));
  const std::string strict = cause({48, 64, 47, 64}, launch({2, 6}, {32, 8}));
  CHECK_THAT(strict, contains("a guard stops threads from row 47 onwards, or the index of the row"));
  CHECK_THAT(strict, !contains("number of"));
  const std::string square = cause({48, 64, 36, 64}, launch({2, 6}, {32, 8}));
  CHECK_THAT(square,
             contains("as many as 48 rows of 48 elements, although a row has 64") && !contains("guard"));
  // The same region and grid fit a transpose with a swapped grid.
  CHECK_THAT(cause({32, 64, 32, 32}, launch({4, 2}, {16, 16})), contains("if blockIdx.x counts rows"));
  // Threads that store several rows each: a direction without a gap is covered.
  for (const Region& region : {Region{64, 96, 64, 64}, Region{17, 33, 17, 32}})
    CHECK_THAT(cause(region, launch({region.columns == 96 ? 3U : 2U, region.rows == 64 ? 2U : 1U}, {32, 8})),
               contains("the grid covers all") && contains("if blockIdx.x counts rows"));
}

TEST_CASE("a launch in one dimension covers a matrix with a block per row, or a thread per element") {
  const Region last{64, 64, 63, 63};
  for (const auto& covering : {launch({64}, {32}), launch({16}, {256})})
    CHECK_THAT(cause(last, covering), contains("a guard stops threads from column 63 onwards"));
  CHECK_THAT(cause(last, launch({15}, {256})), contains("or a guard is too strict"));
  const auto short_of_threads = advice_on_missing({1000, 1, 256, 1}, launch({1}, {256}));
  CHECK_THAT(short_of_threads.likely_cause, contains("its 1 × 256 = 256 threads store one element each"));
  CHECK_THAT(short_of_threads.next_step, contains("launch 4 blocks of 256 threads"));
}

TEST_CASE("of blocks that store a row each, a missing loop over the columns is a possible cause") {
  const Region right_half{128, 128, 128, 64};
  const auto half = advice_on_missing(right_half, launch({128}, {64}));
  CHECK_THAT(half.likely_cause, contains("its 64 threads store only 64 of 128 columns: no loop"));
  CHECK_THAT(half.next_step, contains("every 64th column"));
  for (const auto& guarded : {launch({128}, {128}), launch({128}, {48}), launch({256}, {64})})
    CHECK_THAT(cause(right_half, guarded), contains("a guard stops threads from column 64 onwards"));
}

TEST_CASE("without a missing guard, extents of the grid or rows and columns of an index are exchanged") {
  const auto advice = [](const LaunchExtents& launch) {
    const auto found = grader::advice_on_exact_launch(32, 64, launch);
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(advice(launch({2, 4}, {16, 16})), contains("grid.x and grid.y are swapped"));
  CHECK_THAT(advice(launch({4, 2}, {16, 16})), contains("row and column are swapped in an index"));
  CHECK_THAT(advice(launch({2, 4}, {32, 8})), contains("row and column are swapped in an index"));
  CHECK(advice(launch({5, 2}, {16, 16})).empty());
  CHECK_FALSE(grader::advice_on_exact_launch(64, 64, launch({4, 4}, {16, 16})));
  CHECK_FALSE(grader::advice_on_exact_launch(32, 64, {{2, 4}, {16, 16}, true}));
}

TEST_CASE("in a transpose, a block of 32 × 8 threads can handle 32 rows") {
  LaunchExtents tiles = launch({4, 1}, {32, 8});
  tiles.is_transpose = true;
  const std::string guard = cause({128, 32, 32, 32}, tiles);
  CHECK_THAT(guard, contains("a guard stops threads from row 32") && contains("exchange blockIdx.x") &&
                        contains("does not store all rows of its tile"));
  tiles.grid.x = 3;
  CHECK_THAT(cause({128, 32, 96, 32}, tiles), contains("its 3 blocks along x cover 96 of 128 rows"));
}

TEST_CASE("in a transpose, blockIdx.x counts the rows of the output") {
  LaunchExtents right = launch({2, 3}, {32, 8}), swapped = launch({3, 2}, {32, 8});
  right.is_transpose = swapped.is_transpose = true;
  CHECK_THAT(cause({64, 96, 64, 64}, right), contains("a guard stops threads from column 64 onwards") &&
                                                 contains("with 64, the number of rows"));
  CHECK_THAT(cause({64, 96, 64, 64}, swapped), contains("are swapped"));
}

TEST_CASE("of a vector that a grid with rows fills, only the number of threads counts") {
  const Region end{1, 4099, 1, 4096, true};
  CHECK_THAT(cause(end, launch({16, 1}, {32, 8})),
             contains("16 × 1 blocks of 32 × 8 threads are 4096 threads"));
  CHECK_THAT(cause(end, launch({16, 2}, {32, 8})), !contains("blocks of"));
}

TEST_CASE("blocks that walk through the output need not cover it") {
  LaunchExtents few = launch({2, 1}, {16, 16});
  CHECK_THAT(cause({17, 64, 17, 32}, few), contains("its 2 blocks along x cover 32 of 64"));
  few.walks = true;
  CHECK_THAT(cause({17, 64, 17, 32}, few), contains("its blocks walk through the output"));
  LaunchExtents enough = launch({2, 1}, {64});
  enough.walks = true;
  CHECK_THAT(cause({1, 100, 1, 99, true}, enough), contains("a guard stops threads from element 99"));
}

TEST_CASE("if each block or each warp stores one element, their number decides") {
  const auto advice = [](std::size_t stored, std::size_t extent, vgpu::Dim3 grid, vgpu::Dim3 block) {
    LaunchExtents extents = launch(grid, block);
    extents.stores_singly = true;
    return advice_on_missing({1, extent, 1, stored, true}, extents);
  };
  const auto of_blocks = advice(9, 10, {9}, {512});
  CHECK_THAT(of_blocks.likely_cause,
             contains("the grid has 9 blocks, and each block stores one element, but the output has 10"));
  CHECK_THAT(of_blocks.next_step, contains("launch 10 blocks"));
  CHECK(of_blocks.is_about_launch);
  const auto of_warps = advice(8, 32, {1}, {256});
  CHECK_THAT(of_warps.likely_cause, contains("the grid has 1 block of 8 warps, and each warp stores one"));
  CHECK_THAT(of_warps.next_step, contains("launch 4 blocks: lab::ceil_div(32, 8)"));
  const auto first = advice(1, 16, {16}, {512});
  CHECK_THAT(first.likely_cause, contains("only block 0 stores") && !contains("rows"));
  CHECK_THAT(advice(9, 10, {10}, {512}).likely_cause, contains("the blocks from block 9 on store none"));
  for (const std::string& other : {advice(5, 32, {1}, {256}).likely_cause, of_blocks.likely_cause})
    CHECK_THAT(other, !contains("the grid covers all"));
  CHECK_THAT(advice(65535, 70001, {65535}, {1}).likely_cause, contains("cover 65535 of 70001 elements"));
  // A warp that stores a row of elements has one thread per element.
  CHECK_THAT(cause({1, 1000, 1, 768, true}, launch({4}, {256})), contains("a guard stops threads"));
  CHECK_THAT(cause({1, 1000, 1, 1, true}, launch({4}, {256})), !contains("number of rows"));
}

TEST_CASE("without a launch, or if neither fits, both causes are given") {
  const auto both = advice_on_missing({17, 65, 17, 64}, std::nullopt);
  CHECK_THAT(both.likely_cause, contains("rounded down, or a guard is too strict"));
  CHECK_THAT(cause({17, 65, 17, 60}, launch({4, 2}, {7, 16})), contains("or a guard is too strict"));
}

}  // namespace coverage_test
