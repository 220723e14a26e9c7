#include "profile/divergence.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "profile/profile_sample.hpp"

using namespace grader;
using namespace profile_sample;
using vgpu::RecordedStep;

TEST_CASE("steps that repeat are folded, also if several steps form the loop") {
  const RecordedStep a{1, 10, 1, 1, 1}, b{1, 11, 1, 1, 1}, c{1, 12, 1, 1, 1};
  const auto groups = folded({c, a, b, a, b, a, b, c, c});
  REQUIRE(groups.size() == 3);
  CHECK((groups[0].first == 0 && groups[0].times == 1));
  CHECK((groups[1].first == 1 && groups[1].count == 2 && groups[1].times == 3));
  CHECK((groups[2].first == 7 && groups[2].count == 1 && groups[2].times == 2));
  CHECK(folded({}).empty());
  std::size_t covered = 0;
  for (const StepGroup& group : folded({a, b, c, a, b, c, a, b})) covered += group.count * group.times;
  CHECK(covered == 8);
}

TEST_CASE("lane slots are divided among executing, waiting and ended lanes") {
  vgpu::RecordedPath path;
  path.steps = {{1, 1, 0xFFFFFFFF, 0xFFFFFFFF, 2}, {1, 2, 0xFF, 0xFFFF, 3}};
  const LaneUse use = lane_use(path);
  CHECK(use.active == 2 * 32 + 3 * 8);
  CHECK(use.waiting == 3 * 8);
  CHECK(use.ended == 3 * 16);
}

TEST_CASE("the divergence picture is as approved, in text and as SVG") {
  const RunProfile profile = sample_profile();
  const KernelFacts& kernel = profile.kernels.front();
  CHECK(testing::changed_goldens("divergence", golden, [&](const Terminal& terminal) {
          return divergence_text(kernel, terminal);
        }) == testing::kNoChange);
  const auto svg = divergence_svg(kernel);
  CHECK(svg == golden("divergence.svg", svg));
  CHECK(divergence_text({}, plain()).empty());
  CHECK(divergence_svg({}).empty());
}
