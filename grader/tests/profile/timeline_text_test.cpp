#include "profile/timeline_text.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "profile/profile_sample.hpp"

using namespace grader;
using namespace profile_sample;

TEST_CASE("rows of streams, then of engines, and widths are shares of the time") {
  const RunProfile profile = sample_profile();
  CHECK(timeline_text(profile.run.programs.front(), plain(60)) ==
        R"(Timeline: 32 us from the first operation to the last
  default stream |>>>>>>>>>>>>>>>>
  stream 1       |               ###########################
  engines of the device
  copy engine    |>>>>>>>>>>>>>>>>
  kernels        |               ###########################
# kernel, > copy to the device, < copy to the host, = copy
on the device or fill
)");
}

TEST_CASE("the timeline is as approved: piped, narrow, ASCII, coloured") {
  const RunProfile profile = sample_profile();
  CHECK(testing::changed_goldens("timeline", golden, [&](const Terminal& terminal) {
          return timeline_text(profile.run.programs.front(), terminal);
        }) == testing::kNoChange);
}

TEST_CASE("without operations that take time there is no timeline") {
  vgpu::cudart::SessionReport program;
  CHECK(timeline_text(program, plain()).empty());
  program.timeline.resize(1);
  CHECK(timeline_text(program, plain()).empty());
}
