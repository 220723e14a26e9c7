// The virtual GPU and a real one run the same programs on the same inputs and must give the same bits: the
// result of a kernel that adds in a fixed order with fused multiply-adds is fully determined.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "catch.hpp"
#include "lab/lab.hpp"
#include "lab/workload.hpp"
#include "runner/kit.hpp"

using grader::CaseRun;
using grader::DeviceKind;

namespace {

grader::RunnerOptions options_for(DeviceKind device) {
  grader::RunnerOptions options;
  options.device = device;
  options.run_limits.wall = std::chrono::seconds(60);
  return options;
}

const grader::Lab& tiled_matmul_lab() {
  static const auto lab =
      grader::load_lab(std::filesystem::path(WARPGRADE_SOURCE_DIR) / "labs/02-tiled-matmul");
  REQUIRE(lab);
  return *lab;
}

}  // namespace

TEST_CASE("the solution gives the same bits on the virtual GPU and on a real one") {
  const auto source =
      std::filesystem::path(WARPGRADE_SOURCE_DIR) / "solutions/02-tiled-matmul/tiled_matmul.cu";
  const grader::Runner on_virtual = testing::make_runner(options_for(DeviceKind::virtual_gpu));
  const grader::Runner on_cuda = testing::make_runner(options_for(DeviceKind::cuda));
  const grader::Built for_virtual = testing::build(on_virtual, source);
  const grader::Built for_cuda = testing::build(on_cuda, source);

  const grader::Lab& lab = tiled_matmul_lab();
  const grader::Workload* workload = grader::find_workload(lab.workload);
  REQUIRE(workload != nullptr);
  for (const grader::Case& one : lab.cases) {
    if (!one.runs_on(DeviceKind::virtual_gpu) || !one.device.empty())
      continue;  // limits that a real GPU does not have
    INFO(one.name);
    const auto job = grader::make_job(lab, one);
    REQUIRE(job);
    const CaseRun ours = on_virtual.run(for_virtual, *job, vgpu::lecture_profile());
    const CaseRun theirs = on_cuda.run(for_cuda, *job, vgpu::lecture_profile());
    REQUIRE(ours.end == CaseRun::End::finished);
    REQUIRE(theirs.end == CaseRun::End::finished);
    CHECK(ours.answer.outputs.front().values == theirs.answer.outputs.front().values);
  }
}
