#include "score/both_devices.hpp"

#include <algorithm>

#include "catch.hpp"

// In a namespace of its own, because all test files of a folder are compiled together.
namespace both_devices_test {

using namespace grader;
using testing::contains;
using Names = std::vector<std::string>;

namespace {

constexpr DeviceKind kVirtual = DeviceKind::virtual_gpu, kCuda = DeviceKind::cuda;

Task task(const std::string& id, double points, Names needs, Names cases) {
  Task made;
  made.id = id;
  made.points = points;
  made.needs = std::move(needs);
  made.cases = std::move(cases);
  return made;
}

/// values (50: a, b, and few on the virtual GPU only) → traffic (25: an objective on a) → speed (25: modelled
/// in middle, measured in large).
Lab lab() {
  Lab made;
  made.id = "lab";
  for (const char* name : {"a", "b", "few", "middle", "large"}) made.cases.emplace_back().name = name;
  made.cases[2].only_on = kVirtual;
  made.cases[4].only_on = kCuda;
  made.tasks = {task("values", 50, {}, {"a", "b", "few"}), task("traffic", 25, {"values"}, {}),
                task("speed", 25, {"traffic"}, {})};
  made.tasks[1].objectives = {{"bytes", "a", 0.3, std::nullopt, 4.0, 0.25, "use tiles"}};
  made.tasks[2].speedup =
      Speedup{"middle", "large", "naive", {3, 2, std::nullopt}, {1.5, 1.1, std::nullopt}, "continue"};
  return made;
}

void set(Evidence& evidence, const std::string& name, Verdict verdict, const std::string& code = "WG-V01") {
  evidence.verdicts[name] = {name, verdict, {}};
  if (verdict != Verdict::accepted) evidence.verdicts[name].diagnostics = {diagnose(code, "wrong", "look")};
}

/// What both devices have found out about one submission.
struct Both {
  Evidence on_virtual, on_cuda;

  Evidence merged() const { return merge_devices(lab(), on_virtual, on_cuda); }
  Score scored() const { return score(lab(), merged()); }
};

Both full_marks() {
  Both both;
  both.on_cuda.devices = Devices::cuda;
  for (const char* name : {"a", "b", "few", "middle"}) set(both.on_virtual, name, Verdict::accepted);
  for (const char* name : {"a", "b", "large"}) set(both.on_cuda, name, Verdict::accepted);
  both.on_virtual.counters["a"]["bytes"] = 0.25;
  both.on_cuda.speed["large"] = {{2e-3, 2e-3}, {1e-3, 1e-3}};
  return both;
}

const Check& check(const Score& score, const std::string& id) {
  return *std::find_if(score.checks.begin(), score.checks.end(),
                       [&](const Check& one) { return one.id == id; });
}

/// The diagnostic with this code in the check; nullptr if there is none.
const Diagnostic* found(const Check& check, const std::string& code) {
  for (const Diagnostic& one : check.diagnostics)
    if (one.code == code) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("both devices give all points, and each check names where they come from") {
  const Score result = full_marks().scored();
  CHECK(result.score == 100);
  CHECK(result.max_score == 100);
  CHECK(result.verdict == Verdict::accepted);
  CHECK(check(result, "values/a").devices == Devices::both);
  CHECK(check(result, "values/few").devices == Devices::virtual_gpu);
  CHECK(check(result, "traffic/bytes@a").devices == Devices::virtual_gpu);
  CHECK(check(result, "speed/large").devices == Devices::cuda);
  CHECK(result.performance.at(0).threshold.full == 1.5);
  CHECK(std::all_of(result.checks.begin(), result.checks.end(),
                    [](const Check& one) { return one.diagnostics.empty(); }));
}

TEST_CASE("one device's result names no device") {
  CHECK_FALSE(check(score(lab(), full_marks().on_virtual), "values/a").devices);
}

TEST_CASE("a case that only the real GPU refuses fails, and the result names the disagreement") {
  Both both = full_marks();
  set(both.on_cuda, "b", Verdict::wrong_answer, "WG-V02");
  const Score result = both.scored();
  const Check& b = check(result, "values/b");
  CHECK(b.status == CheckStatus::fail);
  CHECK(b.verdict == Verdict::wrong_answer);
  CHECK(b.diagnostics.front().code == "WG-V02");
  REQUIRE(found(b, "WG-D01") != nullptr);
  CHECK(found(b, "WG-D01")->severity == Severity::warning);
  CHECK(found(b, "WG-D01")->what ==
        "the devices disagree on b: accepted on the virtual GPU, wrong answer (WG-V02) on the real GPU");
  CHECK_THAT(found(b, "WG-D01")->next_step, contains("warpgrade check lab --case b --device virtual"));
  CHECK(check(result, "values/a").diagnostics.empty());
}

TEST_CASE("wrong values on the virtual GPU alone are a disagreement, too") {
  Both both = full_marks();
  set(both.on_virtual, "b", Verdict::wrong_answer);
  CHECK(found(check(both.scored(), "values/b"), "WG-D01") != nullptr);
}

TEST_CASE("a mistake that only the virtual GPU looks for is noted as found on one device") {
  for (const char* code : {"WG-M02", "WG-R01", "WG-B01"}) {
    Both both = full_marks();
    set(both.on_virtual, "b", Verdict::runtime_error, code);
    const Score result = both.scored();
    const Check& b = check(result, "values/b");
    CHECK(b.verdict == Verdict::runtime_error);
    CHECK(found(b, "WG-D01") == nullptr);
    REQUIRE(found(b, "WG-D02") != nullptr);
    CHECK(found(b, "WG-D02")->severity == Severity::note);
  }
}

TEST_CASE("a refusal by a case that lowers the virtual GPU's limits is noted as found on one device") {
  Lab limited = lab();
  limited.cases[1].device["max_threads_per_block"] = 512;
  Both both = full_marks();
  set(both.on_virtual, "b", Verdict::runtime_error, "WG-H07");
  const Evidence merged = merge_devices(limited, both.on_virtual, both.on_cuda);
  CHECK(merged.verdicts.at("b").diagnostics.back().code == "WG-D02");
}

TEST_CASE("equal verdicts are no disagreement, and the virtual GPU explains them") {
  Both both = full_marks();
  set(both.on_virtual, "b", Verdict::wrong_answer, "WG-V03");
  set(both.on_cuda, "b", Verdict::wrong_answer, "WG-V01");
  const Score result = both.scored();
  CHECK(check(result, "values/b").diagnostics.size() == 1);
  CHECK(check(result, "values/b").diagnostics.front().code == "WG-V03");
}

TEST_CASE("a rejection by either device rejects the submission") {
  Both both = full_marks();
  set(both.on_virtual, "b", Verdict::rejected, "WG-S27");
  CHECK(both.scored().status == ResultStatus::rejected);
  CHECK(found(check(both.scored(), "values/b"), "WG-D02") != nullptr);
  set(both.on_virtual, "b", Verdict::wrong_answer);
  set(both.on_cuda, "b", Verdict::rejected, "WG-S20");
  CHECK(both.scored().status == ResultStatus::rejected);
  CHECK(found(check(both.scored(), "values/b"), "WG-D01") != nullptr);
}

TEST_CASE("a fault of the grader on either device is no grade and no disagreement") {
  for (const bool on_cuda : {false, true}) {
    Both both = full_marks();
    set(on_cuda ? both.on_cuda : both.on_virtual, "b", Verdict::grader_fault, "WG-G10");
    const Score result = both.scored();
    CHECK(result.status == ResultStatus::grader_fault);
    CHECK(check(result, "values/b").diagnostics.size() == 1);
  }
}

TEST_CASE("warnings of both devices about an accepted case are kept once per code") {
  Both both = full_marks();
  both.on_virtual.verdicts["a"].diagnostics = {diagnose("WG-H10", "one", "")};
  both.on_cuda.verdicts["a"].diagnostics = {diagnose("WG-H10", "two", ""), diagnose("WG-H08", "three", "")};
  const Score result = both.scored();
  CHECK(check(result, "values/a").diagnostics.size() == 2);
  CHECK(check(result, "values/a").diagnostics.front().what == "one");
}

TEST_CASE("a case counts only when each device that can run it has run it") {
  Both both = full_marks();
  both.on_cuda.verdicts.erase("b");
  CHECK(check(both.scored(), "values/b").skip_reason == "not run");
  both = full_marks();
  both.on_virtual.verdicts.erase("b");
  CHECK(check(both.scored(), "values/b").skip_reason == "not run");
}

TEST_CASE("a speed-up counts only if the virtual GPU accepts its own case of it") {
  Both both = full_marks();
  set(both.on_virtual, "middle", Verdict::runtime_error, "WG-R01");
  const Score result = both.scored();
  const Check& speed = check(result, "speed/large");
  CHECK(speed.points == 0);
  CHECK(speed.devices == Devices::virtual_gpu);
  CHECK(speed.diagnostics.front().code == "WG-R01");
  REQUIRE(found(speed, "WG-D02") != nullptr);
  CHECK(found(speed, "WG-D02")->what ==
        "task `speed`: runtime error (WG-R01) on the virtual GPU, which alone runs middle; the real GPU "
        "accepts all cases of the task that it runs");
}

TEST_CASE("a speed-up that fails in the virtual GPU's case is shown to whom that case is shown") {
  Lab hidden = lab();
  hidden.cases[3].visibility = Visibility::hidden;
  Both both = full_marks();
  const auto speed = [&] { return check(score(hidden, both.merged()), "speed/large"); };
  CHECK(speed().visibility == Visibility::visible);
  set(both.on_virtual, "middle", Verdict::wrong_answer);
  CHECK(speed().visibility == Visibility::hidden);
}

TEST_CASE("a case that the real GPU alone runs and refuses is noted against the virtual GPU's verdict") {
  Both both = full_marks();
  set(both.on_cuda, "large", Verdict::wrong_answer);
  const Score result = both.scored();
  CHECK(check(result, "speed/large").devices == Devices::cuda);
  CHECK(found(check(result, "speed/large"), "WG-D02") != nullptr);
}

TEST_CASE("each device runs the cases that it has not run, and needs are those of the merged verdicts") {
  Both both;
  both.on_cuda.devices = Devices::cuda;
  const auto next = [&](const Evidence& own) { return next_cases(lab(), both.merged(), own); };
  CHECK(next(both.on_virtual) == Names{"a", "b", "few"});
  CHECK(next(both.on_cuda) == Names{"a", "b"});
  for (const char* name : {"a", "b", "few"}) set(both.on_virtual, name, Verdict::accepted);
  both.on_virtual.counters["a"]["bytes"] = 0.25;
  for (const char* name : {"a", "b"}) set(both.on_cuda, name, Verdict::accepted);
  CHECK(next(both.on_virtual) == Names{"middle"});
  CHECK(next(both.on_cuda) == Names{"large"});
}

TEST_CASE("cases of tasks that need a task without points on the merged verdicts are not run") {
  Both both;
  both.on_cuda.devices = Devices::cuda;
  for (const char* name : {"a", "b", "few"}) set(both.on_virtual, name, Verdict::wrong_answer);
  for (const char* name : {"a", "b"}) set(both.on_cuda, name, Verdict::accepted);
  CHECK(next_cases(lab(), both.merged(), both.on_cuda).empty());
}

TEST_CASE("a build that one device refuses fails, and the result names the disagreement") {
  Both both;
  both.on_cuda.devices = Devices::cuda;
  both.on_cuda.build_verdict = Verdict::compile_error;
  both.on_cuda.build_diagnostics = {diagnose("WG-C01", "unknown", "look")};
  const Score result = both.scored();
  CHECK(result.verdict == Verdict::compile_error);
  CHECK(result.max_score == 100);
  REQUIRE(found(check(result, "build"), "WG-D01") != nullptr);
  both.on_virtual.build_verdict = Verdict::compile_error;
  both.on_virtual.build_diagnostics = {diagnose("WG-C02", "missing", "look")};
  CHECK(check(both.scored(), "build").diagnostics.size() == 1);
  CHECK(check(both.scored(), "build").diagnostics.front().code == "WG-C02");
  both.on_cuda.build_verdict = Verdict::grader_fault;
  CHECK(both.scored().status == ResultStatus::grader_fault);
}

TEST_CASE("after a host program hangs on one device, the other device's later cases do not count") {
  Both both = full_marks();
  set(both.on_virtual, "a", Verdict::time_limit, "WG-H03");
  both.on_virtual.hung_case = "a";
  for (const char* name : {"b", "few", "middle"}) both.on_virtual.verdicts.erase(name);
  CHECK(both.merged().hung_case == "a");
  CHECK(check(both.scored(), "values/b").skip_reason == "not run");
}

}  // namespace both_devices_test
