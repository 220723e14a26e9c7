// The record of a measurement on a GPU, with a library in the place of NVML.
#include "runner/gpu_watch.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "catch.hpp"

namespace gpu_watch_test {

using namespace grader;

std::shared_ptr<const Nvml> stub(const char* state) {
  ::setenv("NVML_STUB", state, 1);
  return Nvml::open({"libno-such-library.so.1", WARPGRADE_NVML_STUB});
}

GpuRecord watched(const char* state) {
  GpuWatch watch(stub(state), "GPU-stub");
  const auto record = watch.finish();
  REQUIRE(record);
  CHECK(watch.finish() == record);
  return *record;
}

TEST_CASE("the record names the GPU, its driver, clocks, limits and neighbours") {
  const GpuRecord record = watched("quiet");
  CHECK(record == GpuRecord{"NVIDIA Stub", "GPU-stub", "580.1", 1980, 2619, 700, 45, {}, true, 0, 0});
  CHECK(why_disturbed(record).empty());
}

TEST_CASE(
    "heat and working processes of others disturb a measurement, a power cap and idle processes do not") {
  CHECK(why_disturbed(watched("hot")) == "the GPU lowered its clocks (temperature)");
  CHECK(watched("hot").temperature_c == 91);
  CHECK(why_disturbed(watched("busy")) == "1 other process used the GPU");
  CHECK(watched("capped").throttled_by == std::vector<std::string>{"power cap"});
  CHECK(why_disturbed(watched("capped")).empty());
  CHECK(watched("shared").other_processes == 1);
  CHECK(why_disturbed(watched("shared")).empty());
}

TEST_CASE("own programs that run at the start of a watch are not counted as others") {
  const auto others = [](const char* first, const char* last, GpuWatch::AtStart at_start) {
    GpuWatch watch(stub(first), "GPU-stub", at_start);
    ::setenv("NVML_STUB", last, 1);
    return watch.finish()->other_processes;
  };
  CHECK(others("shared", "quiet", GpuWatch::AtStart::only_others) == 1);
  CHECK(others("shared", "quiet", GpuWatch::AtStart::own_programs) == 0);
  CHECK(others("shared", "shared", GpuWatch::AtStart::own_programs) == 1);
}

TEST_CASE("a watch that begins again forgets what disturbed the time before") {
  GpuWatch watch(stub("hot"), "GPU-stub");
  std::this_thread::sleep_for(std::chrono::milliseconds(250));  // the watch takes samples
  ::setenv("NVML_STUB", "earlier", 1);
  watch.begin_again();
  const auto record = watch.finish();
  REQUIRE(record);
  CHECK(why_disturbed(*record).empty());
  CHECK(record->temperature_c == 45);
  CHECK(record->other_processes == 1);
}

TEST_CASE("without NVML, or with a GPU that it does not know, there is no record") {
  CHECK(Nvml::open({"libno-such-library.so.1"}) == nullptr);
  CHECK(stub("broken") == nullptr);
  CHECK_FALSE(GpuWatch(nullptr, "GPU-stub").finish());
  CHECK_FALSE(GpuWatch(stub("quiet"), "GPU-other").finish());
  CHECK(GpuWatch(stub("quiet"), "").finish().has_value());  // the only GPU
}

TEST_CASE("a library without the functions gives an empty record or none") {
  CHECK(Nvml::open({"libm.so.6"}) == nullptr);
}

}  // namespace gpu_watch_test
