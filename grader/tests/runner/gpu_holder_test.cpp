// The program is the virtual GPU's harness, so that the test needs no GPU.
#include "runner/gpu_holder.hpp"

#include <chrono>
#include <thread>

#include "harness/job.hpp"
#include "runner/places.hpp"
#include "tests/runner/kit.hpp"

using namespace grader;

TEST_CASE("a holder's program runs until the holder ends it") {
  const Runner runner = testing::make_runner();
  Places places(runner.sandbox().kind().isolated);
  BoxJob job;
  job.command = {places.add(runner.paths().binaries / "bin/harness-virtual", "/kit/harness"), harness::kHold};
  job.environment = {
      {"LD_LIBRARY_PATH", places.add(runner.paths().binaries / "lib/virtual", "/kit/lib").string()}};
  job.mounts = places.mounts();
  job.limits.wall = std::chrono::milliseconds(1);  // replaced
  GpuHolder holder(runner.sandbox(), job);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto result = holder.finish();
  REQUIRE(result);
  CHECK(result->end == BoxResult::End::exited);
  CHECK(result->code == 0);
  CHECK(result->wall.count() > 0.1);
  CHECK(holder.finish()->code == 0);
}
