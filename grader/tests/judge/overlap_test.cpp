// Reasons why copies and kernels do not overlap: timelines that show one, and a pipeline that shows none.
#include "judge/overlap.hpp"

#include "catch.hpp"
#include "vgpu/model/timeline.hpp"

namespace overlap_test {

using namespace grader;
using testing::contains;
using vgpu::Engine;
using vgpu::OperationKind;
using vgpu::TimedOperation;
using vgpu::cudart::SessionReport;

namespace {

const SourceText kSource{
    "k.cu", {"  add<<<1, 2>>>(a);", "  cudaDeviceSynchronize();", "  cudaStreamSynchronize(stream);"}};

const harness::Job kJob{.entry = "f"};

TimedOperation operation(OperationKind kind, vgpu::StreamId stream, double start_s, double issued_s = 0) {
  TimedOperation one;
  one.kind = kind;
  one.stream = stream;
  one.name = kind == OperationKind::kernel ? "_Z3addPf" : "";
  one.engine = kind == OperationKind::kernel ? Engine::kernels : Engine::copy;
  one.issued_s = issued_s;
  one.start_s = start_s;
  one.end_s = start_s + 1;
  return one;
}

constexpr auto kIn = OperationKind::copy_to_device, kOut = OperationKind::copy_to_host,
               kKernel = OperationKind::kernel;

/// Two streams, one copy engine that never waits.
SessionReport pipeline() {
  SessionReport report;
  report.timeline = {operation(kIn, 1, 0),      operation(kIn, 2, 1),     operation(kKernel, 1, 1),
                     operation(kOut, 1, 2),     operation(kKernel, 2, 2), operation(kOut, 2, 3),
                     operation(kIn, 1, 4, 3.5), operation(kKernel, 1, 5)};
  return report;
}

std::string cause(const SessionReport& report) {
  const auto clue = why_no_overlap(report, kSource, kJob);
  return clue ? clue->likely_cause : "";
}

}  // namespace

TEST_CASE("a pipeline has no reason") { CHECK(cause(pipeline()).empty()); }

TEST_CASE("a blocking copy among asynchronous ones is a reason, if the program waited") {
  const SourceText source{
      "k.cu", {"void f() {", "  cudaMemcpyAsync(a, b, 4, kind, s);", "  cudaMemcpy(a, b, 4, kind);", "}"}};
  SessionReport report = pipeline();
  CHECK_FALSE(why_no_overlap(report, source, kJob));
  report.host_waits.stream = 1;
  const auto clue = why_no_overlap(report, source, kJob);
  REQUIRE(clue);
  CHECK(clue->where->line == 3);
  CHECK_THAT(clue->likely_cause, contains("cudaMemcpy in line 3 returns only when"));
  CHECK_FALSE(why_no_overlap(report, source, {.entry = "g"}));
}

TEST_CASE("a copy in the default stream is a reason, and its line is named") {
  const SourceText source{"k.cu",
                          {"  cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, s);",
                           "  CUDA_CHECK(cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, 0));"}};
  SessionReport report = pipeline();
  report.timeline[3].stream = vgpu::kLegacyStream;
  const auto clue = why_no_overlap(report, source, kJob);
  REQUIRE(clue);
  CHECK_THAT(clue->likely_cause, contains("copies to the host are in the default stream"));
  REQUIRE(clue->where);
  CHECK(clue->where->line == 2);
  report.timeline[3].is_access = true;  // a kernel's access to mapped memory
  CHECK_FALSE(why_no_overlap(report, source, kJob));
}

TEST_CASE("pageable copies, the default stream and one stream are reasons") {
  SessionReport report = pipeline();
  report.timeline[1].is_pageable = true;
  CHECK_THAT(cause(report), contains("1 of 5 copies") && contains("not pinned"));
  report = pipeline();
  report.timeline[2].stream = vgpu::kLegacyStream;
  CHECK_THAT(cause(report), contains("default stream"));
  CHECK(why_no_overlap(report, kSource, kJob)->where->line == 1);
  report = pipeline();
  for (TimedOperation& one : report.timeline) one.stream = 1;
  CHECK_THAT(cause(report), contains("all work is in one stream"));
  CHECK_THAT(why_no_overlap(report, kSource, kJob)->next_step, contains("create several streams"));
  report.timeline.back().stream = 2;  // one of eight
  CHECK_THAT(cause(report), contains("one stream has almost all of the work"));
}

TEST_CASE("waits of the host are reasons, with the line of the wait") {
  SessionReport report = pipeline();
  report.host_waits.stream = 1;  // before buffers are used again
  CHECK(cause(report).empty());
  report.host_waits.stream = 3;
  CHECK_THAT(cause(report), contains("for a stream 3 times"));
  CHECK(why_no_overlap(report, kSource, kJob)->where->line == 3);
  report.host_waits.device = 1;
  CHECK_THAT(cause(report), contains("whole device"));
  CHECK(why_no_overlap(report, kSource, kJob)->where->line == 2);
}

TEST_CASE("waits for buffers that are not needed again, and frees that wait, are reasons") {
  SessionReport report = pipeline();
  for (int i = 0; i < 4; ++i) report.timeline.push_back(operation(kKernel, 1, 6 + i));
  report.host_waits.stream = 2;
  CHECK_THAT(cause(report), contains("waits for a stream or an event 2 times before it issues more work"));
  report.host_waits.device = 2;
  const auto freed = why_no_overlap(report, {"k.cu", {"  cudaFree(a);"}}, kJob);
  CHECK_THAT(freed.value().likely_cause, contains("waits 2 times for the whole device, as cudaFree"));
}

TEST_CASE("more kernels than the arrays have pieces are a reason") {
  harness::Job job = kJob;
  job.outputs = {{"c", {40}}};
  job.piece = {"segment", 10};
  SessionReport report = pipeline();
  for (int i = 0; i < 2; ++i) report.timeline.push_back(operation(kKernel, 1, 6 + i));
  CHECK_FALSE(why_no_overlap(report, kSource, job));  // 5 kernels for 4 pieces
  report.timeline.push_back(operation(kKernel, 1, 8));
  CHECK_THAT(why_no_overlap(report, kSource, job).value().likely_cause,
             contains("the pieces are smaller than `segment`"));
  vgpu::LaunchRecord whole;
  whole.counters.global_stores.requested_bytes = 10 * sizeof(float);
  report.launches.assign(6, whole);
  CHECK_THAT(why_no_overlap(report, kSource, job).value().likely_cause,
             contains("launched more than once for the same piece"));
}

TEST_CASE("kernels that take almost all of the time are a reason before the order of copies") {
  SessionReport report = pipeline();
  for (TimedOperation& one : report.timeline) {
    one.start_s *= 10;
    one.end_s = one.start_s + (one.kind == kKernel ? 20 : 1);
  }
  CHECK_THAT(cause(report), contains("kernels run for") && contains("times as long as all copies together"));
}

TEST_CASE("kernels that never pause are a reason, however long the copies take, and so are partial warps") {
  SessionReport report = pipeline();
  for (int i = 0; i < 95; ++i) report.timeline.push_back(operation(kKernel, 1, 5 + i));
  for (int i = 0; i < 60; ++i) report.timeline.push_back(operation(kIn, 2, 5 + i));
  CHECK_THAT(cause(report), contains("kernels run for 98 % of this time"));

  report = pipeline();
  vgpu::LaunchRecord launch;
  launch.grid = {4, 1, 1};
  launch.block = {100, 1, 1};
  report.launches.push_back(launch);
  CHECK_THAT(cause(report), contains("blocks of 100 threads, 28 lanes"));
  report.launches[0].block = {96, 1, 1};
  CHECK(cause(report).empty());
}

TEST_CASE("kernels that use the host's memory themselves are a reason") {
  SessionReport report = pipeline();
  report.timeline[3].is_access = true;
  report.timeline[3].bytes = 4;
  CHECK_THAT(cause(report), contains("kernels store to the host's memory themselves"));
}

TEST_CASE("bytes that are copied again, and many copies for one piece, are reasons") {
  harness::Job job{.entry = "f"};
  job.inputs = {{{"a", {20}, {}}, harness::Place::host}};
  job.outputs = {{"c", {20}, harness::Place::host}};
  job.piece = {"segment", 10};
  SessionReport report;
  for (int i = 0; i < 2; ++i)
    for (const OperationKind kind : {kIn, kKernel, kOut}) {
      report.timeline.push_back(operation(kind, 1U + i, 3 * i));
      report.timeline.back().bytes = kind == kKernel ? 0 : 40;
    }
  for (const auto place : {harness::Place::pinned, harness::Place::host}) {
    job.inputs[0].place = place;
    CHECK_FALSE(why_no_overlap(report, kSource, job));
  }
  SessionReport again = report;
  again.timeline[0].bytes = 80;
  CHECK_THAT(why_no_overlap(again, kSource, job)->likely_cause,
             contains("120 bytes are copied to the device, and the inputs have 80"));
  for (int i = 0; i < 4; ++i) {
    report.timeline.push_back(operation(kOut, 1, 9 + i));
    report.timeline.back().bytes = 0;
  }
  CHECK_THAT(why_no_overlap(report, kSource, job)->likely_cause,
             contains("8 copies move what 4 copies of 10 elements can"));
}

TEST_CASE(
    "copies to the device that are queued after a copy back, which waits for its kernel, are a reason") {
  SessionReport report;
  for (int i = 0; i < 3; ++i)
    for (const vgpu::StreamId stream : {1U, 2U}) {
      const double at = 6.0 * i + 3.0 * stream;
      report.timeline.push_back(operation(kIn, stream, at));
      report.timeline.push_back(operation(kKernel, stream, at + 1));
      report.timeline.push_back(operation(kOut, stream, at + 2));
    }
  CHECK_THAT(cause(report), contains("5 copies to the device wait in the copy engine's queue"));
}

TEST_CASE("copies to the device that wait for the copy back from their buffers are a reason") {
  SessionReport report;
  for (int i = 0; i < 3; ++i)
    for (const vgpu::StreamId stream : {1U, 2U}) {
      TimedOperation in = operation(kIn, stream, 3 * i), out = operation(kOut, stream, 3 * i + 2);
      out.engine = Engine::copy_back;
      report.timeline.insert(report.timeline.end(), {in, operation(kKernel, stream, 3 * i + 1), out});
    }
  CHECK_THAT(cause(report), contains("too few sets of buffers"));
}

}  // namespace overlap_test
