#include "judge/inexact_kernels.hpp"

#include "catch.hpp"

using namespace grader;

namespace {

vgpu::LaunchRecord launch(std::string kernel, std::vector<vgpu::Approximations::Function> functions) {
  vgpu::Approximations found;
  found.functions = std::move(functions);
  if (!found.functions.empty()) found.branch = {"/box/mine.cu", 9};
  vgpu::LaunchRecord record;
  record.kernel = std::move(kernel);
  record.approximations = std::make_shared<const vgpu::Approximations>(found);
  return record;
}

}  // namespace

TEST_CASE("kernels with approximate functions are listed once, without folders", "[judge]") {
  vgpu::cudart::SessionReport program;
  program.launches = {launch("_Z5exactv", {}),
                      launch("_Z4fastv", {{"rcp.approx.f32", 2, {"/box/mine.cu", 5}}}),
                      launch("_Z4fastv", {{"rcp.approx.f32", 2, {"/box/mine.cu", 5}}})};
  CHECK(is_analysed(program));
  std::vector<InexactKernel> all;
  add_inexact_kernels(program, all);
  add_inexact_kernels(program, all);
  REQUIRE(all.size() == 1);
  CHECK(all.front().name == "fast");
  CHECK(all.front().found.functions.front().first == vgpu::Approximations::Place{"mine.cu", 5});
  CHECK(all.front().found.branch == vgpu::Approximations::Place{"mine.cu", 9});
}

TEST_CASE("a run that was not analysed is not exact", "[judge]") {
  vgpu::cudart::SessionReport program;
  program.launches = {vgpu::LaunchRecord{}};
  CHECK_FALSE(is_analysed(program));
}

TEST_CASE("a program with very many kernels gives a list of limited length", "[judge]") {
  vgpu::cudart::SessionReport program;
  for (std::size_t i = 0; i < 2 * kMaxInexactKernels; ++i)
    program.launches.push_back(launch("k" + std::to_string(i), {{"ex2.approx.f32", 1, {"a.cu", 1}}}));
  std::vector<InexactKernel> all;
  add_inexact_kernels(program, all);
  CHECK(all.size() == kMaxInexactKernels);
}
