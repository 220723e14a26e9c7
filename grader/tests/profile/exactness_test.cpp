#include "profile/exactness.hpp"

#include "catch.hpp"
#include "profile/profile_sample.hpp"

using namespace grader;

TEST_CASE("the line names functions, their place, and what a result can reach") {
  vgpu::Approximations found;
  CHECK(exactness_text(found) == "exact: no approximate function");
  found.functions = {{"ex2.approx.f32", 1, {"/src/a.cu", 5}}, {"div.full.f32", 3, {"/src/a.cu", 7}}};
  CHECK(exactness_text(found) ==
        "approximate: ex2.approx.f32 (a.cu:5), div.full.f32 (3 times, first in a.cu:7); no result reaches a "
        "branch, an address or a barrier");
  found.branch = {"/src/a.cu", 9};
  found.barrier = {"/src/a.cu", 11};
  CHECK_THAT(exactness_text(found),
             testing::contains("; a result can reach a branch (a.cu:9), a barrier (a.cu:11)"));
}

TEST_CASE("with several kernels, only those that approximate are named") {
  vgpu::cudart::SessionReport program;
  vgpu::LaunchRecord exact, approximate;
  exact.kernel = "_Z5exactv";
  exact.approximations = std::make_shared<const vgpu::Approximations>();
  approximate.kernel = "_Z4fastv";
  vgpu::Approximations found;
  found.functions = {{"rcp.approx.f32", 1, {"", 0}}};
  approximate.approximations = std::make_shared<const vgpu::Approximations>(found);
  program.launches = {exact, exact};
  CHECK(exactness_lines({program}) == std::vector<std::string>{"exact: no approximate function"});
  program.launches.push_back(approximate);
  const auto lines = exactness_lines({program});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], testing::contains("fast is approximate: rcp.approx.f32 (no line)"));
  CHECK(exactness_lines({}).empty());
}
