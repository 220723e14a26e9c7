// Tests the rows and the picture of a timeline.
#include <vector>

#include "catch.hpp"
#include "report/timeline_rows.hpp"
#include "report/timeline_svg.hpp"

namespace timeline_test {

using testing::contains;
using vgpu::Engine;
using vgpu::OperationKind;

namespace {

vgpu::TimedOperation operation(OperationKind kind, Engine engine, vgpu::StreamId stream, double start_s,
                               double end_s) {
  vgpu::TimedOperation one;
  one.kind = kind;
  one.engine = engine;
  one.stream = stream;
  one.start_s = start_s;
  one.end_s = end_s;
  return one;
}

std::vector<vgpu::cudart::SessionReport> sample() {
  auto up = operation(OperationKind::copy_to_device, Engine::copy, 257, 0, 2e-3);
  up.bytes = 4U << 20U;
  up.is_pageable = true;
  auto kernel = operation(OperationKind::kernel, Engine::kernels, 257, 2e-3, 3e-3);
  kernel.name = "_Z3addPKfS0_Pfi";
  kernel.grid = {64, 1, 1};
  kernel.block = {256, 1, 1};
  const auto event = operation(OperationKind::event_record, Engine::none, 0, 3e-3, 3e-3);
  std::vector<vgpu::cudart::SessionReport> programs(1);
  programs[0].timeline = {up, kernel, event};
  return programs;
}

}  // namespace

TEST_CASE("rows: the default stream first, then the others by number, then engines that took time") {
  const auto programs = sample();
  const auto rows = grader::timeline_rows(programs[0].timeline);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].name == "default stream");
  CHECK(rows[1].name == "stream 1");
  CHECK(rows[1].operations.size() == 2);
  CHECK(rows[2].name == "copy engine");
  CHECK(rows[2].is_engine);
  CHECK(rows[3].name == "kernels");
}

TEST_CASE("the picture has a box with a tooltip for everything that takes time, an axis and a legend") {
  const std::string picture = grader::timeline_svg(sample(), vgpu::lecture_profile());
  CHECK(picture.starts_with("<svg "));
  CHECK_THAT(picture, contains("copy to device, 2 ms from 0 s on; 4 MiB, pageable host memory") ||
                          contains("4 MiB, pageable host memory"));
  CHECK_THAT(picture, contains(">add</text>") && contains(" ms</text>") && contains("event recorded"));
  CHECK_THAT(picture, contains("prefers-color-scheme:dark"));
  CHECK_THAT(picture, !contains("copy to host"));
}

TEST_CASE("an empty timeline gives an empty picture, not a broken one") {
  CHECK_THAT(grader::timeline_svg({}, vgpu::lecture_profile()), contains("no stream received any work"));
}

TEST_CASE("the name of a kernel cannot inject markup into the picture") {
  auto programs = sample();
  programs[0].timeline[1].name = "<script>&";
  const std::string picture = grader::timeline_svg(programs, vgpu::lecture_profile());
  CHECK(picture.find("<script") == std::string::npos);
}

TEST_CASE("bytes are printed in a suitable unit") {
  CHECK(grader::bytes_text(100) == "100 B");
  CHECK(grader::bytes_text(20480) == "20 KiB");
  CHECK(grader::bytes_text(4U << 20U) == "4 MiB");
}

}  // namespace timeline_test
