#include "profile/roofline.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "profile/profile_sample.hpp"

using namespace grader;
using namespace profile_sample;

namespace {

KernelFacts kernel_with(std::uint64_t flops, std::uint64_t dram_bytes, double seconds) {
  KernelFacts kernel;
  kernel.name = "k";
  kernel.seconds = seconds;
  kernel.counters.flops = flops;
  kernel.counters.cache.dram_read_bytes = dram_bytes;
  return kernel;
}

}  // namespace

TEST_CASE("the lecture's numbers: 4 bytes per operation leave 50 of 1,500 GFLOP/s, and the ridge is at 7.5") {
  const Roofline line = roofline(vgpu::lecture_profile(), {kernel_with(1'000'000, 4'000'000, 25e-6)});
  CHECK(line.peak_flops_per_s == Approx(1500e9).epsilon(0.001));
  CHECK(line.ridge() == Approx(7.5).epsilon(0.001));
  REQUIRE(line.points.size() == 1);
  CHECK(line.points[0].flops_per_byte == 0.25);
  CHECK(line.points[0].bound_flops_per_s == Approx(50e9));
  CHECK(line.points[0].flops_per_s == Approx(40e9));
}

TEST_CASE("to the right of the ridge the peak is the bound") {
  const Roofline line = roofline(vgpu::lecture_profile(), {kernel_with(1'000'000, 1000, 1e-3)});
  CHECK(line.points[0].bound_flops_per_s == line.peak_flops_per_s);
}

TEST_CASE("a device with caches has a roof and a point for each level") {
  const vgpu::Profile h200 = *vgpu::find_profile("h200");
  KernelFacts kernel = kernel_with(1'000'000, 32'000, 1e-5);
  kernel.counters.cache.l2_read_sectors = 2000;
  kernel.counters.cache.l1_load_sectors = 4000;
  const Roofline line = roofline(h200, {kernel});
  REQUIRE(line.roofs.size() == 3);
  CHECK(line.roofs[0].bytes_per_s == Approx(4.8e12 * 0.9));
  CHECK(line.roofs[1].bytes_per_s == Approx(7.5e12));
  CHECK(line.roofs[2].bytes_per_s == Approx(128.0 * 132 * 1.98e9));
  REQUIRE(line.points.size() == 3);
  CHECK(line.points[1].flops_per_byte == Approx(1'000'000.0 / 64'000));
  CHECK(line.points[2].flops_per_byte == Approx(1'000'000.0 / 128'000));
}

TEST_CASE("a kernel without floating-point operations has no point") {
  const Roofline line = roofline(vgpu::lecture_profile(), {kernel_with(0, 1000, 1e-6)});
  CHECK(line.points.empty());
  REQUIRE(line.without_flops.size() == 1);
  CHECK(line.without_flops[0].second == Approx(1e9));
  CHECK_THAT(roofline_text(line, plain()),
             testing::contains("k: no floating-point operations; DRAM moves 1 of 200 GB/s"));
}

TEST_CASE("the roofline is as approved, in text and as SVG") {
  const RunProfile profile = sample_profile();
  CHECK(testing::changed_goldens("roofline", golden, [&](const Terminal& terminal) {
          return roofline_text(profile.rooflines.front(), terminal);
        }) == testing::kNoChange);
  const auto svg = roofline_svg(profile.rooflines.front());
  CHECK(svg == golden("roofline.svg", svg));
}
