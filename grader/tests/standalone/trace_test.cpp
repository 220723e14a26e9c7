// A program's timeline as a trace.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "standalone/trace_json.hpp"

using nlohmann::json;
using vgpu::Engine;
using vgpu::OperationKind;

namespace {

grader::ProgramRun sample() {
  vgpu::TimedOperation kernel;
  kernel.kind = OperationKind::kernel;
  kernel.engine = Engine::kernels;
  kernel.stream = 257;
  kernel.start_s = 2e-3;
  kernel.end_s = 3e-3;
  kernel.name = "_Z3addPKfS0_Pfi";
  kernel.grid = {64, 1, 1};
  kernel.block = {256, 1, 1};
  vgpu::TimedOperation event;
  event.kind = OperationKind::event_record;
  event.engine = Engine::none;
  event.start_s = event.end_s = 3e-3;
  grader::ProgramRun run;
  run.programs.resize(1);
  run.programs[0].timeline = {kernel, event};
  return run;
}

}  // namespace

TEST_CASE("the trace names rows and has times in microseconds") {
  const json trace = json::parse(grader::trace_json(sample(), vgpu::lecture_profile()));
  int kernels = 0, instants = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "i") ++instants;
    if (event["ph"] != "X" || event["cat"] != "kernel") continue;
    ++kernels;
    CHECK(event["name"] == "add");
    CHECK(event["ts"] == 2000);
    CHECK(event["dur"] == 1000);
    CHECK(event["args"]["grid"] == json({64, 1, 1}));
  }
  CHECK(kernels == 2);  // in its stream and in its engine
  CHECK(instants == 1);
  CHECK(trace["otherData"]["device"] == "lecture");
}

TEST_CASE("an empty timeline gives an empty trace") {
  CHECK(json::parse(grader::trace_json({}, vgpu::lecture_profile()))["traceEvents"].empty());
}
