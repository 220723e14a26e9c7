#include "pages/picture_caption.hpp"

#include "catch.hpp"

using grader::pages::picture_caption;

TEST_CASE("a picture's caption names the kernel, the line or the case, and what is shown") {
  CHECK(picture_caption("tiled_kernel-access-32.svg") ==
        "Kernel tiled_kernel, line 32: the lanes of one warp against the memory that they access");
  CHECK(picture_caption("tiled_kernel-access-32-2.svg") == picture_caption("tiled_kernel-access-32.svg"));
  CHECK(picture_caption("k-divergence.svg") ==
        "Kernel k: the lanes of one warp that execute or wait at each step");
  CHECK(picture_caption("k-divergence-2.svg") == picture_caption("k-divergence.svg"));
  CHECK_THAT(picture_caption("roofline-h200.svg"), testing::contains("Roofline of the device h200: "));
  CHECK_THAT(picture_caption("timeline.svg"), testing::contains("by stream and by engine"));
  CHECK_THAT(picture_caption("streams-1024-timeline.svg"),
             testing::contains("Timeline of case streams-1024: "));
}

TEST_CASE("an image's caption names the array and its case") {
  CHECK_THAT(picture_caption("17x33x65-out-errors.png"),
             testing::contains("Errors in out of case 17x33x65: white is within the tolerance"));
  CHECK(picture_caption("camera-out-expected.png") == "What out of case camera should be");
  CHECK(picture_caption("radius-2-in.png") == "Values of in of case radius-2");
}

TEST_CASE("a file that the kit did not write keeps its name") {
  CHECK(picture_caption("plan.svg") == "plan.svg");
  CHECK(picture_caption(".svg") == ".svg");
}
