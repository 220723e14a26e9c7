#include "report/packed_text.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "report/sample.hpp"

using namespace grader;

namespace {

Receipt sample_receipt() {
  Receipt receipt;
  receipt.lab = "02-tiled-matmul";
  receipt.sources = {{"tiled_matmul.cu", "8a0fb9d9b9b9a0b7f4a1d3c1f0f9f2f5b8b7c3d6e1a2b3c4d5e6f708192a3b4c"},
                     {"answers.json", std::string(64, 'b')}};
  receipt.score = 87.5;
  receipt.max_score = 100;
  receipt.packed_at = "2026-01-31T10:05:00+01:00";
  receipt.version = "0.1.0+3f2a9c1d04b7";
  return receipt;
}

}  // namespace

TEST_CASE("the receipt of a hand-in is as approved: piped, narrow, ASCII, coloured") {
  CHECK(testing::changed_goldens("packed", testing::golden, [](const Terminal& terminal) {
          return packed_text(
              sample_receipt(),
              {"out/02-tiled-matmul.zip", "/home/ada/labs/02-tiled-matmul/tiled_matmul.cu", "6 of 8 right"},
              terminal);
        }) == testing::kNoChange);
}

TEST_CASE("without a check, the receipt has no score") {
  Receipt receipt = sample_receipt();
  receipt.score.reset();
  CHECK_THAT(packed_text(receipt, {"a.zip", "/home/ada/tiled_matmul.cu"}, {}),
             testing::contains("not checked (--no-check)") && !testing::contains("questions"));
}
