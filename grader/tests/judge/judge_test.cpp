#include "judge/judge.hpp"

#include <bit>
#include <csignal>
#include <limits>

#include "catch.hpp"
#include "judge/active_mask.hpp"
#include "judge/case_findings.hpp"
#include "judge/patterns.hpp"

namespace judge_test {

namespace {

using grader::CaseRun;
using grader::CaseVerdict;
using grader::Expectation;
using grader::Verdict;
using testing::contains;
using End = CaseRun::End;

grader::harness::Job job() {
  grader::harness::Job one;
  one.entry = "tiled_matmul";
  one.inputs = {{"M", {2, 2}, {1, 2, 3, 4}}, {"N", {2, 2}, {1, 0, 0, 1}}};
  one.outputs = {{"P", {2, 2}}};
  return one;
}

std::vector<Expectation> expected() { return {{"P", {2, 2}, {1, 2, 3, 4}, {1e-6, 1e-6, 1e-6, 1e-6}, {}}}; }

/// A correct run: one launch, which stored P.
CaseRun right_run() {
  CaseRun run;
  run.end = End::finished;
  run.answer.outputs = {{"P", {2, 2}, {1, 2, 3, 4}}};
  run.session.launches.emplace_back();
  run.session.launches[0].kernel = "_Z6kernelv";
  run.session.total_counters.global_stores.requested_bytes = 16;
  run.seconds = 1e-6;
  return run;
}

CaseVerdict judged(const CaseRun& run, const grader::SourceText& source = {}) {
  return grader::judge_case("case", job(), run, expected(), source);
}

std::string first_code(const CaseVerdict& verdict) {
  return verdict.diagnostics.empty() ? "" : verdict.diagnostics[0].code;
}

CaseRun ended(End end, int code = 0) {
  CaseRun run = right_run();
  run.answer.outputs.clear();
  run.end = end;
  run.code = code;
  return run;
}

vgpu::Fault fault(vgpu::FaultKind kind) {
  vgpu::Fault one;
  one.kind = kind;
  one.space = vgpu::ptx::Space::global;
  return one;
}

TEST_CASE("a write next to an array fails the case although the values are right") {
  CaseRun run = right_run();
  run.answer.overrun = {"P"};
  const CaseVerdict verdict = judged(run);
  CHECK(verdict.verdict == Verdict::runtime_error);
  CHECK(first_code(verdict) == "WG-S29");
  CHECK_THAT(verdict.diagnostics[0].what, contains("after P"));
}

TEST_CASE("a right result is accepted without diagnostics") {
  const CaseVerdict verdict = judged(right_run());
  CHECK(verdict.case_name == "case");
  CHECK(verdict.verdict == Verdict::accepted);
  CHECK(verdict.diagnostics.empty());
}

TEST_CASE("memory that the function does not free is a warning and costs nothing") {
  CaseRun run = right_run();
  // The harness's own three arrays stay to the end.
  run.session.live_allocations = {{0x100, 16, 1}, {0x200, 16, 2}, {0x300, 16, 3}};
  CHECK(judged(run).diagnostics.empty());
  run.session.live_allocations.push_back({0x80, 4096, 4});
  const CaseVerdict verdict = judged(run);
  CHECK(verdict.verdict == Verdict::accepted);
  REQUIRE(verdict.diagnostics.size() == 1);
  CHECK(verdict.diagnostics[0].code == "WG-M09");
  CHECK(verdict.diagnostics[0].severity == grader::Severity::warning);
  CHECK(verdict.diagnostics[0].first == "allocation 1 (4096 bytes)");
}

grader::harness::Job job_with_earlier_call(grader::harness::Place place) {
  grader::harness::Job one = job();
  one.scalars = {{"n", 2}};
  one.earlier = {{{{"n", 70}}, one.inputs, one.outputs}};
  for (auto* call : {&one.inputs, &one.earlier[0].inputs})
    for (auto& input : *call) input.place = place;
  for (auto* call : {&one.outputs, &one.earlier[0].outputs})
    for (auto& output : *call) output.place = place;
  return one;
}

TEST_CASE("memory that repeated calls do not free is an error where the functions must free it") {
  using grader::harness::Place;
  CaseRun run = right_run();
  run.session.live_allocations = {{0x80, 4096, 1}};
  for (const float value : run.answer.outputs[0].values)
    run.session.words.to_host.push_back(std::bit_cast<std::uint32_t>(value));
  const CaseVerdict verdict =
      grader::judge_case("case", job_with_earlier_call(Place::host), run, expected(), {});
  CHECK(verdict.verdict == Verdict::runtime_error);
  REQUIRE(verdict.diagnostics.size() == 1);
  CHECK(verdict.diagnostics[0].code == "WG-M09");
  CHECK_THAT(verdict.diagnostics[0].first,
             contains("the case first calls `tiled_matmul` several times, with n = 70"));
  run.session.live_allocations.clear();
  CHECK(grader::judge_case("case", job_with_earlier_call(Place::host), run, expected(), {}).verdict ==
        Verdict::accepted);
  run.session.live.streams = 2;
  run.session.live.events = 1;
  const CaseVerdict handles =
      grader::judge_case("case", job_with_earlier_call(Place::host), run, expected(), {});
  CHECK(handles.verdict == Verdict::runtime_error);
  CHECK(handles.diagnostics.at(0).what == "the program ends with 2 streams and 1 event not destroyed");
  run.session.live.streams = run.session.live.events = 0;
  run.session.live.graphs = run.session.live.executable_graphs = run.session.live.memory_pools = 1;
  const CaseVerdict graphs =
      grader::judge_case("case", job_with_earlier_call(Place::host), run, expected(), {});
  CHECK(graphs.diagnostics.at(0).what ==
        "the program ends with 1 graph, 1 executable graph and 1 memory pool not destroyed");
  CHECK_THAT(graphs.diagnostics.at(0).next_step, contains("cudaGraphExecDestroy"));
  run.session.live_allocations = {{0x80, 4096, 1}};
  // Six arrays of the harness, and a buffer and streams that the program can keep.
  for (std::uint32_t i = 2; i < 8; ++i) run.session.live_allocations.push_back({i << 8U, 16, i});
  CHECK(grader::judge_case("case", job_with_earlier_call(Place::device), run, expected(), {}).verdict ==
        Verdict::accepted);
}

TEST_CASE("streams and events that exist when the second call begins are kept for all calls") {
  CaseRun run = right_run();
  run.session.live.streams = 2;
  run.session.live.events = 1;
  const auto lost = [&] {
    const auto job = job_with_earlier_call(grader::harness::Place::host);
    return grader::lost_by_repeated_calls(grader::findings_of(run, job, {}), run, job, {});
  };
  CHECK(lost().has_value());
  run.session.calls.resize(3);
  run.session.calls[1].live = run.session.live;
  CHECK_FALSE(lost().has_value());
  run.session.live.events = 3;
  CHECK(lost()->what == "the program ends with 3 events not destroyed");
}

TEST_CASE("a function for device memory can keep memory, but not more with each call") {
  CaseRun run = right_run();
  const auto lost = [&](bool is_repeated) {
    auto job = job_with_earlier_call(grader::harness::Place::device);
    if (is_repeated) job.earlier[0].scalars = job.scalars;
    return grader::lost_by_repeated_calls(grader::findings_of(run, job, {}), run, job, {});
  };
  // Six arrays of the harness, and a buffer.
  for (std::uint32_t i = 1; i < 8; ++i) run.session.live_allocations.push_back({i << 8U, 16, i});
  run.session.calls.resize(2);
  run.session.calls[1].live_allocations = 7;
  CHECK_FALSE(lost(true).has_value());
  run.session.live_allocations.push_back({0x1000, 64, 8});
  CHECK_FALSE(lost(false).has_value());  // the last call has other sizes
  const auto buffer = lost(true);
  REQUIRE(buffer.has_value());
  CHECK(buffer->code == "WG-M09");
  CHECK(buffer->severity == grader::Severity::error);
  CHECK_THAT(buffer->first, contains("in the last call"));
  run.session.calls[1].live_allocations = 8;
  run.session.live.events = 1;
  CHECK(lost(true)->what == "the program ends with 1 event not destroyed");
  run.session.calls[1].live.events = 1;
  CHECK_FALSE(lost(true).has_value());
}

TEST_CASE("a wrong result after a call of another function is blamed on what both use") {
  CaseRun run = right_run();
  run.answer.outputs[0].values = {9, 8, 7, 11};
  auto other = job_with_earlier_call(grader::harness::Place::device);
  other.earlier.back().entry = "tiled_matmul_dynamic";
  const CaseVerdict verdict = grader::judge_case("case", other, run, expected(), {});
  REQUIRE_FALSE(verdict.diagnostics.empty());
  CHECK_THAT(verdict.diagnostics[0].likely_cause, contains("`tiled_matmul_dynamic` has changed something"));
  CHECK_THAT(verdict.diagnostics[0].first, contains("then `tiled_matmul_dynamic` with other values"));
}

TEST_CASE("a wrong result after earlier calls is blamed on what they left, if no pattern fits") {
  CaseRun run = right_run();
  run.answer.outputs[0].values = {9, 8, 7, 11};
  const CaseVerdict verdict =
      grader::judge_case("case", job_with_earlier_call(grader::harness::Place::device), run, expected(), {});
  REQUIRE_FALSE(verdict.diagnostics.empty());
  CHECK_THAT(verdict.diagnostics[0].likely_cause, contains("from an earlier call"));
}

TEST_CASE("an access outside of the program's own buffer after earlier calls is blamed on its size") {
  CaseRun run = right_run();
  vgpu::Fault outside = fault(vgpu::FaultKind::out_of_bounds);
  outside.nearest = {.start = 0x100, .size_bytes = 4, .ordinal = 9};
  run.session.launches[0].faults = {outside};
  const auto cause = [&](const grader::harness::Job& one) {
    return grader::judge_case("case", one, run, expected(), {}).diagnostics.at(0).likely_cause;
  };
  CHECK_THAT(cause(job_with_earlier_call(grader::harness::Place::device)),
             contains("too small for a later one"));
  CHECK_THAT(cause(job()), !contains("too small for a later one"));
}

TEST_CASE("memory that is not freed is reported with its line if that is in the student's file") {
  CaseRun run = right_run();
  run.session.live_allocations = {{0x100, 16, 1}, {0x200, 16, 2}, {0x300, 16, 3}, {0x80, 4096, 4}};
  const grader::SourceText source{"tiled_matmul.cu", {"float* tmp;", "cudaMalloc(&tmp, 4096);"}};
  const auto reported = [&](const vgpu::cudart::HostPlace& claimed) {
    run.session.memory[0x80].allocated = claimed;
    const CaseVerdict verdict = grader::judge_case("case", job(), run, expected(), source);
    CHECK(verdict.verdict == Verdict::accepted);
    REQUIRE(verdict.diagnostics.size() == 1);
    return verdict.diagnostics[0];
  };
  const grader::Diagnostic right = reported({"/box/tiled_matmul.cu", 2, "tiled_matmul"});
  CHECK(right.where == grader::SourceLocation{"tiled_matmul.cu", 2});
  CHECK(right.source_line == "cudaMalloc(&tmp, 4096);");
  CHECK(right.first == "allocation 1 (4096 bytes) at tiled_matmul.cu:2");
  CHECK(!reported({"/box/tiled_matmul.cu", 3, ""}).where);
  CHECK(!reported({"/harness/calls.cpp", 2, ""}).where);
  CHECK(!reported({"", 0, "tiled_matmul"}).where);
}

TEST_CASE("a failed call is reported as ignored if the function continued without checking it") {
  CaseRun run = right_run();
  run.answer.problem = "a launch in tiled_matmul: cudaErrorInvalidValue";
  run.session.failures = {{"cudaMemcpy", 1, "the destination is a null pointer", false}};
  CHECK(first_code(judged(run)) == "WG-H08");
  run.session.failures[0].is_ignored = true;
  CHECK(first_code(judged(run)) == "WG-H13");
}

TEST_CASE("a null pointer is the consequence of the call that failed before it") {
  CaseRun run = right_run();
  run.session.failures = {{"cudaMalloc", 2, "4096 bytes do not fit", true}};
  run.session.launches[0].faults = {fault(vgpu::FaultKind::out_of_bounds)};
  run.session.launches[0].faults[0].address = 64;
  run.session.launches[0].faults[0].space = vgpu::ptx::Space::global;
  CHECK(first_code(judged(run)).starts_with("WG-H"));
  run.session.launches[0].faults[0].address = std::uint64_t{1} << 40U;
  CHECK(first_code(judged(run)).starts_with("WG-M"));
}

TEST_CASE("memory that the checks could not cover is a warning, not a mistake") {
  CaseRun run = right_run();
  run.session.launches[0].findings = {fault(vgpu::FaultKind::races_not_recorded)};
  const CaseVerdict verdict = judged(run);
  CHECK(verdict.verdict == Verdict::accepted);
  REQUIRE(verdict.diagnostics.size() == 1);
  CHECK(verdict.diagnostics[0].code == "WG-R07");
  CHECK(verdict.diagnostics[0].severity == grader::Severity::warning);
}

TEST_CASE("every end of the program has its verdict and code") {
  const std::vector<std::tuple<End, Verdict, std::string>> ends{
      {End::no_entry, Verdict::compile_error, "WG-C02"},
      {End::crashed, Verdict::runtime_error, "WG-H01"},
      {End::exited, Verdict::runtime_error, "WG-H02"},
      {End::wall_limit, Verdict::time_limit, "WG-H03"},
      {End::cpu_limit, Verdict::time_limit, "WG-H03"},
      {End::memory_limit, Verdict::memory_limit, "WG-H05"},
      {End::output_limit, Verdict::output_limit, "WG-H06"},
      {End::channel_broken, Verdict::runtime_error, "WG-H09"},
      {End::grader_fault, Verdict::grader_fault, "WG-G10"},
      {End::stopped, Verdict::grader_fault, "WG-G10"}};
  for (const auto& [end, verdict, code] : ends) {
    const CaseVerdict found = judged(ended(end));
    CHECK(found.verdict == verdict);
    CHECK(first_code(found) == code);
  }
  CHECK_THAT(judged(ended(End::crashed, SIGSEGV)).diagnostics[0].what, contains("SIGSEGV"));
  CHECK_THAT(judged(ended(End::crashed, SIGFPE)).diagnostics[0].likely_cause,
             contains("divides an integer by zero"));
  CHECK_THAT(judged(ended(End::exited, 3)).diagnostics[0].what, contains("exited with code 3"));
  CHECK_THAT(judged(ended(End::no_entry)).diagnostics[0].what, contains("`tiled_matmul` is missing"));
}

TEST_CASE(
    "a missing function is distinguished from one with other parameters, and from one without its header") {
  grader::SourceText source{"k.cu", {"#include \"lab/.hpp\"", "void tiled_matmul(float* d_M, int n) {", "}"}};
  CHECK_THAT(judged(ended(End::no_entry), source).diagnostics[0].likely_cause,
             contains("line 2 defines a function of this name"));
  source.lines[0] = "// #include \"lab/.hpp\"";
  CHECK_THAT(judged(ended(End::no_entry), source).diagnostics[0].likely_cause,
             contains("line 2 defines it, but the file does not include lab/"));
  const grader::SourceText renamed{"k.cu",
                                   {"#include \"lab/tiled_matmul.hpp\"", "void tiledMatmul() {", "}"}};
  CHECK_THAT(judged(ended(End::no_entry), renamed).diagnostics[0].likely_cause,
             contains("renamed or removed"));
  CHECK_THAT(judged(ended(End::no_entry)).diagnostics[0].likely_cause, contains("renamed or removed"));
}

TEST_CASE("where a call may fail, the program must end with a message or be right") {
  grader::harness::Job full = job();
  full.may_fail = true;
  const auto judged_as = [&](const CaseRun& run) {
    return grader::judge_case("case", full, run, expected(), {});
  };
  CaseRun run = ended(End::exited, 1);
  run.session.failures = {{.call = "cudaMalloc", .error = 2, .detail = "no room"}};
  run.printed = "cudaMalloc: out of memory\n";
  CHECK(judged(run).verdict == Verdict::runtime_error);
  CHECK(judged_as(run).verdict == Verdict::accepted);
  run.code = 0;
  CHECK(judged_as(run).verdict == Verdict::accepted);
  run.end = End::crashed, run.code = SIGABRT;  // an exception, or a failed assertion
  CHECK(judged_as(run).verdict == Verdict::accepted);
  run.printed = "warpgrade: host code crashed at saxpy.cu:2\n\n";
  CaseVerdict verdict = judged_as(run);
  CHECK(verdict.verdict == Verdict::runtime_error);
  CHECK_THAT(verdict.diagnostics.at(0).likely_cause, contains("without a message"));
  run.printed = "out of memory\n", run.code = SIGSEGV;
  verdict = judged_as(run);
  CHECK(verdict.verdict == Verdict::runtime_error);
  CHECK_THAT(verdict.diagnostics.at(0).likely_cause, contains("continues as if it had succeeded"));
  CHECK(judged_as(ended(End::exited, 1)).verdict == Verdict::runtime_error);  // no call has failed
  CHECK(judged_as(right_run()).verdict == Verdict::accepted);
  CaseRun unchecked = right_run();
  unchecked.session.failures = run.session.failures;
  unchecked.session.launches[0].faults = {fault(vgpu::FaultKind::out_of_bounds)};
  verdict = judged_as(unchecked);
  CHECK(verdict.verdict == Verdict::runtime_error);
  CHECK_THAT(verdict.diagnostics.at(0).likely_cause, contains("does not check what this call returns"));
}

TEST_CASE(
    "a crash is reported with the line that the program named, if it is the student's, and with advice") {
  CaseRun run = ended(End::crashed, SIGSEGV);
  run.printed =
      "warpgrade: WG-H14: host code used device memory at 0x40: copy it to the host with cudaMemcpy first\n"
      "warpgrade: host code crashed at saxpy.cu:2\n";
  const grader::SourceText source{"saxpy.cu", {"int main() {", "  return *d_x;", "}"}};
  const auto reported = grader::judge_case("case", job(), run, expected(), source).diagnostics.at(0);
  CHECK(reported.code == "WG-H01");
  REQUIRE(reported.where);
  CHECK(reported.where->line == 2);
  CHECK(reported.source_line == "  return *d_x;");
  CHECK_THAT(reported.likely_cause, contains("device memory"));
  CHECK_THAT(reported.next_step, contains("cudaMemcpy"));
  run.printed = "warpgrade: host code crashed at other.cu:2\n";
  const auto other = grader::judge_case("case", job(), run, expected(), source).diagnostics.at(0);
  CHECK_FALSE(other.where);
  CHECK_THAT(other.likely_cause, contains("null or wrong pointer"));
}

TEST_CASE("a failed call has advice of its kind") {
  CaseRun run = right_run();
  run.answer.outputs[0].values[3] = 7;
  const auto advice = [&](const char* call, int error) {
    run.session.failures = {{call, error, ""}};
    return judged(run).diagnostics.at(0).next_step;
  };
  CHECK_THAT(advice("cudaMalloc", 2), contains("allocate what fits"));
  CHECK_THAT(advice("cudaMemcpy", 1), contains("cudaMemcpyToSymbol"));
  CHECK_THAT(advice("cudaFree", 1), contains("cudaFreeHost"));
  CHECK_THAT(advice("cudaMemcpyToSymbol", 13), contains("pass the variable itself"));
}

TEST_CASE("an output that atomic operations change without a start value is named") {
  CaseRun run = right_run();
  run.answer.outputs[0].values[2] = std::bit_cast<float>(0xFFFFFFFFU);
  run.stored_by = {{1, 1, 1, 1}};
  run.session.store_lines = {{"/box/k.cu", 1}};
  const grader::SourceText source{"k.cu", {"  atomicAdd(P, 1);"}};
  const grader::Diagnostic of_floats = judged(run, source).diagnostics.at(0);
  CHECK(of_floats.code == "WG-V03");
  CHECK_THAT(of_floats.likely_cause, contains("`P` was not set before this line adds to it"));
  grader::harness::Job integers = job();
  integers.outputs[0].element = grader::harness::Element::i32;
  const auto verdict = grader::judge_case("case", integers, run, expected(), source);
  CHECK_THAT(verdict.diagnostics.at(0).first, contains("P[1][0] is -1 when it should be 3"));
}

TEST_CASE("blocks that race only in a later launch have kept a counter of the first") {
  vgpu::Fault race = fault(vgpu::FaultKind::global_race);
  race.is_store = true;
  race.other.emplace();
  race.other->block = {1, 0, 0};
  CaseRun run = right_run();
  run.session.launches.assign(2, run.session.launches.at(0));
  for (auto& launch : run.session.launches) launch.kernel = race.kernel;
  run.session.launches[1].findings = {race};
  const auto cause = [&] { return judged(run).diagnostics.at(0).likely_cause; };
  CHECK_THAT(cause(), !contains("counter"));  // the kernel has no atomic operation
  for (auto& launch : run.session.launches) launch.counters.global_atomics.requests = 1;
  CHECK_THAT(cause(), contains("still has its value from an earlier launch"));
  run.session.launches[0].findings = {race};
  CHECK_THAT(cause(), !contains("counter"));
}

TEST_CASE("a race in the same case explains values that fit no pattern") {
  CaseRun run = right_run();
  run.answer.outputs[0].values[3] = std::numeric_limits<float>::quiet_NaN();
  const auto last_cause = [&] { return judged(run).diagnostics.back().likely_cause; };
  CHECK_THAT(last_cause(), !contains("WG-R05"));
  vgpu::Fault race = fault(vgpu::FaultKind::global_race);
  race.other.emplace();
  run.session.launches.at(0).findings = {race};
  CHECK_THAT(last_cause(), contains("WG-R05 was found in this case"));
}

TEST_CASE("memory that a later launch writes is read too early") {
  CaseRun run = right_run();
  vgpu::Fault unwritten = fault(vgpu::FaultKind::uninitialised_read);
  unwritten.kernel = "_Z6kernelv";
  unwritten.nearest = vgpu::Fault::Nearest{4096, 64, 0, 4};
  run.session.launches[0].findings = {unwritten};
  const auto cause = [&](std::uint64_t stored_at) {
    run.session.launches.resize(1);
    run.session.launches.emplace_back();
    run.session.launches[1].kernel = "_Z3padv";
    run.session.launches[1].accesses = {{stored_at, 16, true, false}};
    CaseRun wrong = run;
    wrong.answer.outputs[0].values[1] = 7;
    return judged(wrong).diagnostics[0].likely_cause;
  };
  CHECK_THAT(cause(4112), contains("`pad`, which writes the array, is launched only after"));
  CHECK_THAT(cause(8192), !contains("`pad`"));
}

TEST_CASE("a launch that was stopped because of its races is no endless one: the race is reported") {
  CaseRun run = right_run();
  vgpu::Fault stopped = fault(vgpu::FaultKind::step_limit);
  stopped.detail = vgpu::kRacesTooOften;
  vgpu::Fault race = fault(vgpu::FaultKind::global_race);
  race.other.emplace().block = {1, 0, 0};
  run.session.launches[0].faults = {stopped};
  run.session.launches[0].findings = {race};
  const auto verdict = judged(run);
  CHECK(verdict.verdict == Verdict::runtime_error);
  REQUIRE(verdict.diagnostics.size() == 1);
  CHECK(verdict.diagnostics[0].code == "WG-R04");
  run.session.launches[0].findings.clear();  // a race of a library, for example
  CHECK_THAT(judged(run).diagnostics.at(0).what, contains("its threads race too often"));
}

TEST_CASE("calls of the function that the program itself announces are a forged answer") {
  CaseRun run = right_run();
  run.session.sm_count = 16;
  CHECK(judged(run).verdict == Verdict::accepted);
  run.session.calls = {{}};
  CHECK(first_code(judged(run)) == "WG-H09");
  grader::harness::Job after_another = job();
  after_another.earlier = {{{}, {}, after_another.outputs}};
  const auto code = [&] {
    const auto verdict = grader::judge_case("case", after_another, run, expected(), {}, {});
    return verdict.diagnostics.empty() ? std::string() : verdict.diagnostics[0].code;
  };
  CHECK(code() == "WG-H09");  // one of two calls
  run.session.calls = {{}, {}};
  CHECK(code().empty());
  run.session.calls.clear();
  CHECK(code() == "WG-H09");
  run.session.sm_count = 0;  // a real GPU hears of no calls
  CHECK(code().empty());
}

TEST_CASE("exit(0) before the answer is complete is a runtime error, even if its answer is right") {
  CaseRun run = right_run();
  run.end = End::exited;
  CHECK(judged(run).verdict == Verdict::runtime_error);
}

TEST_CASE("a fault in a kernel counts even when the values are right, and comes before the program's end") {
  CaseRun run = right_run();
  run.session.launches[0].faults = {fault(vgpu::FaultKind::out_of_bounds)};
  CHECK(judged(run).verdict == Verdict::runtime_error);
  CHECK(first_code(judged(run)) == "WG-M01");
  run.end = End::crashed;
  CHECK(first_code(judged(run)) == "WG-M01");
  run.end = End::grader_fault;
  CHECK(judged(run).verdict == Verdict::grader_fault);
}

TEST_CASE("the step limit of a kernel is a time limit") {
  CaseRun run = ended(End::exited);
  run.session.launches[0].faults = {fault(vgpu::FaultKind::step_limit)};
  CHECK(judged(run).verdict == Verdict::time_limit);
  CHECK(first_code(judged(run)) == "WG-H04");
}

TEST_CASE("a cooperative launch that is too large names the call that computes its size") {
  CaseRun run = right_run();
  run.session.launches[0].error = vgpu::LaunchError::cooperative_too_large;
  run.session.launches[0].error_detail =
      "129 blocks in a cooperative launch; this device holds at most 128 at the same time";
  run.answer.outputs[0].values[3] = 7;
  CHECK(first_code(judged(run)) == "WG-H07");
  CHECK_THAT(judged(run).diagnostics[0].likely_cause, contains("blocks per SM"));
  CHECK_THAT(judged(run).diagnostics[0].next_step, contains("cudaOccupancyMaxActiveBlocksPerMultiprocessor"));
}

TEST_CASE("a block of too many threads in a grid of a block's usual size has swapped arguments") {
  CaseRun run = right_run();
  vgpu::LaunchRecord& launch = run.session.launches[0];
  launch.error = vgpu::LaunchError::invalid_configuration;
  launch.grid = {256, 1, 1};
  launch.block = {2051, 1, 1};
  run.answer.outputs[0].values[3] = 7;
  CHECK_THAT(judged(run).diagnostics[0].likely_cause, contains("arguments are swapped"));
  CHECK_THAT(judged(run).diagnostics[0].next_step, contains("2051 blocks of 256 threads"));
  launch.grid = {1, 1, 1};
  CHECK_THAT(judged(run).diagnostics[0].likely_cause, !contains("swapped"));
}

TEST_CASE("where a launch must fail, the mistake is what the function makes of its error") {
  grader::harness::Job refusing = job();
  refusing.needs_launch = false;
  CaseRun run = right_run();
  run.session.launches[0].error = vgpu::LaunchError::invalid_configuration;
  run.session.launches[0].error_detail = "2048 threads per block; this device allows 1024";
  run.session.launches[0].kernel = "scale";
  run.session.launches[0].block = {2048, 1, 1};
  run.answer.outputs[0].values[3] = 7;
  const auto judge = [&] { return grader::judge_case("case", refusing, run, expected(), {}); };
  CHECK(judge().verdict == Verdict::runtime_error);
  CHECK(first_code(judge()) == "WG-H07");
  CHECK_THAT(judge().diagnostics[0].likely_cause, contains("does not return the launch's error"));
  CHECK_THAT(judge().diagnostics[0].next_step, contains("return cudaGetLastError()"));
  run.answer = {.problem = "a launch in tiled_matmul: cudaErrorInvalidConfiguration (invalid)"};
  const auto left = judge().diagnostics.at(0);
  CHECK(left.code == "WG-H07");
  CHECK(
      left.what ==
      "`tiled_matmul` returns without resetting the error of its launch: `scale` could not be launched: 2048 "
      "threads per block; this device allows 1024");
  CHECK(left.first == "cudaErrorInvalidConfiguration (invalid)");
  CHECK_THAT(left.next_step, contains("cudaGetLastError()") && contains("resets it"));
  refusing.needs_launch = true;
  CHECK_THAT(judge().diagnostics.at(0).what, contains("could not be launched"));
  CHECK_THAT(judge().diagnostics.at(0).next_step, contains("launch many blocks of 256 threads"));
}

TEST_CASE("a mask of the lanes that run together gets a warning if its line was executed") {
  CaseRun run = right_run();
  const grader::SourceText source{"k.cu", {"a", "unsigned mask = __activemask();"}};
  CHECK(judged(run, source).diagnostics.empty());
  run.session.launches[0].lines = {{"/box/k.cu", 2, {}}};
  CHECK(judged(run).diagnostics.empty());
  const CaseVerdict verdict = judged(run, source);
  CHECK(verdict.verdict == Verdict::accepted);
  CHECK(verdict.diagnostics.at(0).code == "WG-B03");
  CHECK(verdict.diagnostics[0].severity == grader::Severity::warning);
  const auto warning = grader::warn_of_active_mask(run, source);
  REQUIRE(warning);
  const grader::Diagnostic error = grader::depends_on_active_mask(*warning);
  CHECK(error.severity == grader::Severity::error);
  CHECK_THAT(error.what, contains("depends on the lanes"));
  CHECK(error.where->line == 2);
  CHECK(verdict.diagnostics[0].where->line == 2);
}

TEST_CASE("the advice for a spoiled value names a shuffle, unless the virtual GPU would have reported it") {
  CaseRun run = right_run();
  run.answer.outputs[0].values[3] = -1.7e38F;
  const grader::SourceText source{"k.cu", {"v += __shfl_down_sync(mask, v, 16);"}};
  CHECK_THAT(judged(run).diagnostics.at(0).likely_cause, contains("used before it has a value"));
  CHECK_THAT(judged(run, source).diagnostics.at(0).likely_cause, contains("used before it has a value"));
  run.session.launches.clear();
  const grader::Diagnostic found = judged(run, source).diagnostics.at(0);
  CHECK(found.code == "WG-V03");
  CHECK_THAT(found.likely_cause,
             contains("__shfl_down_sync in line 1 reads from a lane that does not take part"));
}

TEST_CASE("an error that an earlier call did not reset is distinguished from the launch's own") {
  CaseRun run = right_run();
  run.session.launches.insert(run.session.launches.begin(), run.session.launches[0]);
  run.session.launches[0].error = vgpu::LaunchError::invalid_configuration;
  run.session.launches[0].error_detail = "2048 threads per block; this device allows 1024";
  run.answer.outputs[0].values[3] = 7;
  const auto found =
      grader::judge_case("case", job_with_earlier_call(grader::harness::Place::host), run, expected(), {})
          .diagnostics.at(0);
  CHECK(found.code == "WG-H07");
  CHECK_THAT(found.likely_cause, contains("its error was not reset"));
  CHECK_THAT(found.next_step, contains("cudaGetLastError(), which resets it"));
}

TEST_CASE("only the first few of many faults are reported") {
  CaseRun run = right_run();
  run.session.launches[0].faults.assign(9, fault(vgpu::FaultKind::misaligned));
  CHECK(judged(run).diagnostics.size() == grader::kMaxDiagnosticsPerCase);
}

TEST_CASE("a refused launch explains a wrong result or an exit, with both numbers") {
  CaseRun run = right_run();
  run.session.launches[0].error = vgpu::LaunchError::invalid_configuration;
  run.session.launches[0].error_detail = "2048 threads per block; this device allows 1024";
  run.session.launches[0].block = {64, 32, 1};
  CHECK(judged(run).verdict == Verdict::accepted);
  run.answer.outputs[0].values[3] = 7;
  CHECK(judged(run).verdict == Verdict::runtime_error);
  CHECK(first_code(judged(run)) == "WG-H07");
  CHECK_THAT(judged(run).diagnostics[0].what, contains("2048 threads per block; this device allows 1024"));
  CHECK_THAT(judged(run).diagnostics[0].first, contains("block (64, 32, 1)"));
  run.end = End::exited;
  const CaseVerdict left = judged(run);
  REQUIRE(left.diagnostics.size() == 2);
  CHECK(left.diagnostics[0].code == "WG-H07");
  CHECK(left.diagnostics[1].code == "WG-H02");
}

TEST_CASE("stores to one output do not count for another") {
  grader::harness::Job two = job();
  two.outputs.push_back({"Q", {2, 2}});
  auto both = expected();
  both.push_back(both[0]);
  both[1].name = "Q";
  CaseRun run = right_run();
  run.answer.outputs.push_back({"Q", {2, 2}, {1, 2, 3, std::bit_cast<float>(~std::uint32_t{0})}});
  run.session.total_counters.global_stores.requested_bytes = 28;
  const CaseVerdict verdict = grader::judge_case("case", two, run, both, {});
  CHECK(first_code(verdict) == "WG-V02");
}

TEST_CASE("a failed call is named, and a query that returns not ready is not a failure") {
  CaseRun run = right_run();
  run.answer.outputs[0].values[3] = 7;
  run.session.failures = {{"cudaStreamQuery", 600, ""}};
  CHECK(judged(run).verdict == Verdict::wrong_answer);
  run.session.failures.push_back({"cudaMalloc", 2, "asked for 5 GiB"});
  CHECK(judged(run).verdict == Verdict::runtime_error);
  CHECK(judged(run).diagnostics[0].what ==
        "cudaMalloc failed with cudaErrorMemoryAllocation (2): asked for 5 GiB");
  run.session.unsupported = {"cudaGraphLaunch"};
  CHECK(first_code(judged(run)) == "WG-H10");
  CHECK_THAT(judged(run).diagnostics[0].what, contains("cudaGraphLaunch"));
  CHECK_FALSE(judged(run).diagnostics[0].where);
  run.session.failures.push_back({.call = "cudaGraphLaunch", .error = 801, .place = {"/box/k.cu", 2}});
  CHECK(judged(run, {"k.cu", {"a", "b", "c"}}).diagnostics[0].where->line == 2);
}

TEST_CASE("an error that the harness encountered is a runtime error") {
  CaseRun run = right_run();
  run.answer.problem = "cudaMemcpy: an illegal memory access was encountered";
  run.answer.outputs.clear();
  CHECK(judged(run).verdict == Verdict::runtime_error);
  CHECK(first_code(judged(run)) == "WG-H08");
}

TEST_CASE("a program that launches nothing is wrong, even if its values are right") {
  CaseRun run = right_run();
  run.session.launches.clear();
  run.seconds = 0;
  CHECK(judged(run).verdict == Verdict::wrong_answer);
  CHECK(first_code(judged(run)) == "WG-H12");
  CHECK_THAT(judged(run).diagnostics[0].what, contains("`tiled_matmul` launches no kernel"));
  run.seconds = 2e-6;  // a real GPU: launches are unknown, event times are never 0
  CHECK(judged(run).verdict == Verdict::accepted);
}

TEST_CASE("a function that needs no kernel can compute its result on the host") {
  grader::harness::Job question;
  question.needs_launch = false;
  question.entry = "device_count";
  question.outputs = {{"count", {1}, grader::harness::Place::host}};
  CaseRun run;
  run.end = End::finished;
  run.answer.outputs = {{"count", {1}, {3}}};
  const auto judged_with = [&](double right) {
    return grader::judge_case("case", question, run, {{"count", {1}, {right}, {0}, {}}}, {});
  };
  CHECK(judged_with(3).verdict == Verdict::accepted);
  CHECK(first_code(judged_with(2)) == "WG-V01");
}

TEST_CASE("an answer that does not match the request is not from the harness") {
  const auto code_of = [](const std::vector<grader::Array>& outputs) {
    CaseRun run = right_run();
    run.answer.outputs = outputs;
    CHECK(judged(run).verdict == Verdict::runtime_error);
    return first_code(judged(run));
  };
  CHECK(code_of({}) == "WG-H09");
  CHECK(code_of({{"Q", {2, 2}, {1, 2, 3, 4}}}) == "WG-H09");
  CHECK(code_of({{"P", {4}, {1, 2, 3, 4}}}) == "WG-H09");
  CHECK(code_of({{"P", {2, 2}, {1, 2}}}) == "WG-H09");
  CHECK(code_of({{"P", {2, 2}, {1, 2, 3, 4}}, {"P", {2, 2}, {1, 2, 3, 4}}}) == "WG-H09");
  CaseRun run = right_run();
  run.session.protocol_error = "message of 3 GB";
  CHECK(first_code(judged(run)) == "WG-H09");
  CHECK(judged(run).verdict == Verdict::runtime_error);
}

TEST_CASE("wrong values are a wrong answer, with the hypothesis that explains them") {
  CaseRun run = right_run();
  run.answer.outputs[0].values = {5, 7, 9, 14};
  CHECK(judged(run).verdict == Verdict::wrong_answer);
  CHECK(first_code(judged(run)) == "WG-V01");
  const std::vector<grader::Hypothesis> hypotheses{
      {"WG-V09", "shifted", "cause", "step", "P", [](std::size_t i) {
         return std::array{5, 7, 9, 14}[i];
       }}};
  const CaseVerdict verdict = grader::judge_case("case", job(), run, expected(), {}, hypotheses);
  CHECK(first_code(verdict) == "WG-V09");
}

}  // namespace

}  // namespace judge_test
