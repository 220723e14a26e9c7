#include "report/counter_text.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "report/page_text.hpp"
#include "report/sample.hpp"

using namespace grader;

TEST_CASE("the explanation of a counter is as approved: piped, narrow, ASCII, coloured") {
  CHECK(testing::changed_goldens("explain-counter", testing::golden, [](const Terminal& terminal) {
          return counter_text(
              {"shared_load_wavefronts", "shared memory",
               "passes that the 32 banks of 4 bytes need; lanes that read the same word share one",
               "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
               "the hardware merges loads of two halves of a warp – this counter does not"},
              terminal);
        }) == testing::kNoChange);
}

TEST_CASE("the explanation of a diagnostic is as approved: piped, narrow, ASCII, coloured") {
  constexpr const char* kPage =
      "# WG-X01: a store past the end of an array\n\n"
      "A thread stored where no element is – the guard is missing, or compares with another extent.\n\n"
      "## Example\n\n```cuda\nif (row < m) P[row * n + col] = sum;  // col ≥ n is not excluded\n```\n\n"
      "| extent | elements |\n|---|---|\n| 17 × 65 | 1105 |\n\n"
      "- Guard every store with the extents of the array that it writes to.\n\n"
      "See also: [WG-X02](WG-X02.md)\n";
  CHECK(testing::changed_goldens("explain", testing::golden, [](const Terminal& terminal) {
          return page_text(kPage, terminal);
        }) == testing::kNoChange);
}
