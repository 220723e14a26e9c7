#include "score_fixture.hpp"

namespace score_test {

using grader::CheckStatus;
using grader::next_cases;
using grader::ResultStatus;
using grader::score;
using testing::contains;
using Names = std::vector<std::string>;
using namespace score_fixture;

TEST_CASE("a correct submission gets full points, and every check is listed in order") {
  const Score result = score(lab(), full_marks());
  CHECK(result.score == 100);
  CHECK(result.max_score == 100);
  CHECK(result.status == ResultStatus::graded);
  CHECK(result.verdict == Verdict::accepted);
  Names ids;
  for (const auto& one : result.checks) ids.push_back(one.id);
  CHECK(ids == Names{"tiling/a", "tiling/b", "boundary/c", "boundary/d", "boundary/e", "traffic/bytes@b",
                     "speed/a"});
  CHECK(check(result, "tiling/a").points == 10);
  REQUIRE(result.performance.size() == 1);
  CHECK(result.performance[0].verdict == grader::SpeedVerdict::pass);
  CHECK(result.counters.at("b").at("bytes") == 0.25);
}

Lab strict_lab() {
  Lab strict = lab();
  strict.gates = grader::Gates::all;
  return strict;
}

TEST_CASE("a failed case costs its share, and limits the tasks that need its task to the rest") {
  Evidence evidence = full_marks();
  set_verdict(evidence, "d", Verdict::wrong_answer);
  const Score result = score(lab(), evidence);
  CHECK(result.score == 73.33);  // 20 + 2/3 · (30 + 25 + 25)
  CHECK(result.max_score == 100);
  CHECK(result.verdict == Verdict::wrong_answer);
  CHECK(check(result, "boundary/c").points == 10);
  CHECK_FALSE(check(result, "boundary/c").cap);
  CHECK(check(result, "boundary/d").status == CheckStatus::fail);
  CHECK(check(result, "boundary/d").diagnostics.size() == 1);
  const auto& traffic = check(result, "traffic/bytes@b");
  CHECK(traffic.status == CheckStatus::pass);
  CHECK(traffic.max_points == 25);
  CHECK(traffic.points == 2.0 / 3 * 25);
  REQUIRE(traffic.cap);
  CHECK(traffic.cap->share == 2.0 / 3);
  CHECK(traffic.cap->task == "boundary");
  CHECK(check(result, "speed/a").status == CheckStatus::pass);
  CHECK(result.performance.size() == 1);
}

TEST_CASE("with Gates::all, tasks that need a task with a failed case are skipped") {
  Evidence evidence = full_marks();
  set_verdict(evidence, "d", Verdict::wrong_answer);
  const Score result = score(strict_lab(), evidence);
  CHECK(score(strict_lab(), full_marks()).score == 100);
  CHECK(result.score == 40);
  CHECK(result.max_score == 100);
  CHECK(check(result, "boundary/c").points == 10);
  CHECK(check(result, "traffic/bytes@b").skip_reason == "needs: boundary");
  CHECK(check(result, "traffic/bytes@b").max_points == 25);
  CHECK(check(result, "speed/a").status == CheckStatus::skip);
  CHECK_FALSE(check(result, "speed/a").verdict);
  CHECK(result.performance.empty());
}

TEST_CASE("limits pass along a chain of needs, as part of a task's share") {
  Evidence evidence = full_marks();
  set_verdict(evidence, "a", Verdict::runtime_error);
  set_verdict(evidence, "e", Verdict::runtime_error);
  const Score result = score(lab(), evidence);
  CHECK(check(result, "boundary/c").points == 5);
  CHECK(check(result, "boundary/c").cap->task == "tiling");
  CHECK(check(result, "traffic/bytes@b").cap->task == "boundary");
  CHECK(check(result, "traffic/bytes@b").cap->share == 2.0 / 3 * 0.5);
  CHECK(check(result, "speed/a").status == CheckStatus::fail);
  CHECK_FALSE(check(result, "speed/a").cap);
  CHECK(result.score == 28.33);  // 10 + 30 · 1/2 · 2/3 + 25 · 1/3
}

TEST_CASE(
    "the weakest of several needed tasks limits a task, and parts of points of a failed check are limited, "
    "too") {
  Lab both = lab();
  both.tasks[3].needs = {"tiling", "boundary"};
  Evidence evidence = full_marks();
  set_verdict(evidence, "b", Verdict::wrong_answer);
  evidence.speed["a"] = {{2e-3}, {1e-3}};
  both.tasks[1].needs.clear();
  const Score scored = score(both, evidence);
  const auto& speed = check(scored, "speed/a");
  CHECK(speed.status == CheckStatus::fail);
  CHECK(speed.points == 6.25);
  CHECK(speed.cap->task == "tiling");
}

TEST_CASE("tasks are skipped along a chain of needs if the first earned nothing") {
  Evidence evidence = full_marks();
  set_verdict(evidence, "a", Verdict::runtime_error);
  set_verdict(evidence, "b", Verdict::wrong_answer);
  for (const Lab& one : {lab(), strict_lab()}) {
    const Score result = score(one, evidence);
    CHECK(result.score == 0);
    CHECK(check(result, "boundary/c").skip_reason == "needs: tiling");
    CHECK(check(result, "speed/a").skip_reason == "needs: boundary");
  }
}

TEST_CASE("fractional shares still add up to the task's points") {
  Lab thirds = lab();
  thirds.tasks[1].points = 10;
  CHECK(score(thirds, full_marks()).score == 80);
}

TEST_CASE("a speed-up between the thresholds earns part of the points and does not pass") {
  Evidence evidence = full_marks();
  evidence.speed["a"] = {{2.5e-3}, {1e-3}};
  const Score result = score(lab(), evidence);
  CHECK(result.score == 93.75);
  CHECK(check(result, "speed/a").status == CheckStatus::fail);
  CHECK(check(result, "speed/a").verdict == Verdict::too_slow);
  CHECK(check(result, "speed/a").diagnostics.at(0).code == "WG-P02");
  CHECK_THAT(check(result, "speed/a").diagnostics.at(0).what,
             contains("2.50 times as fast as the naive kernel when it should be 3.00"));
  CHECK(check(result, "speed/a").diagnostics.at(0).likely_cause.empty());  // no counters, as on a real GPU
  evidence.counters["a"] = {{"kernel_s", 1e-3}, {"dram_s", 0.9e-3}};
  CHECK_THAT(check(score(lab(), evidence), "speed/a").diagnostics.at(0).likely_cause,
             contains("DRAM limits the speed"));
  evidence.speed["a"] = {{1.9e-3}, {1e-3}};
  CHECK(score(lab(), evidence).score == 75);
}

TEST_CASE("unusable times are the submission's fault unless they are the baseline's") {
  Evidence evidence = full_marks();
  evidence.speed["a"] = {{1e-3}, {0}};
  CHECK(score(lab(), evidence).verdict == Verdict::runtime_error);
  CHECK(check(score(lab(), evidence), "speed/a").diagnostics.at(0).code == "WG-P03");
  evidence.speed["a"] = {{0}, {1e-3}};
  CHECK(score(lab(), evidence).status == ResultStatus::grader_fault);
}

TEST_CASE("on a real GPU, checks that need counters count 0 of 0") {
  Evidence evidence = full_marks();
  evidence.devices = grader::Devices::cuda;
  evidence.counters.clear();
  set_verdict(evidence, "large", Verdict::accepted);
  evidence.speed = {{"large", {{2e-3, 2e-3}, {1e-3, 1e-3}}}};
  const Score result = score(lab(), evidence);
  CHECK(result.score == 75);
  CHECK(result.max_score == 75);
  CHECK(check(result, "traffic/bytes@b").skip_reason == "counters exist on the virtual GPU only");
  CHECK(check(result, "speed/large").status == CheckStatus::pass);
  CHECK(result.performance.at(0).threshold.full == 1.5);
}

TEST_CASE("on a real GPU, a task without checks passes the limit of the tasks that it needs on") {
  Lab chain = lab();
  chain.tasks[3].needs = {"traffic"};
  Evidence evidence = full_marks();
  evidence.devices = grader::Devices::cuda;
  evidence.counters.clear();
  set_verdict(evidence, "large", Verdict::accepted);
  evidence.speed = {{"large", {{2e-3, 2e-3}, {1e-3, 1e-3}}}};
  CHECK(score(chain, evidence).score == 75);
  set_verdict(evidence, "c", Verdict::wrong_answer);
  CHECK(score(chain, evidence).score == 56.67);  // 20 + 2/3 · (30 + 25)
  for (const char* name : {"d", "e"}) set_verdict(evidence, name, Verdict::wrong_answer);
  CHECK(check(score(chain, evidence), "speed/large").skip_reason == "needs: traffic");
}

TEST_CASE("the points of a case for another device go to the other checks of its task") {
  Lab mixed = lab();
  mixed.tasks[0].cases.push_back("large");
  const Score result = score(mixed, full_marks());
  CHECK(result.score == 100);
  CHECK(check(result, "tiling/large").max_points == 0);
  CHECK(check(result, "tiling/a").max_points == 10);
}

TEST_CASE("after a failed build nothing is run, and the build's diagnostics come first") {
  Evidence evidence;
  evidence.build_verdict = Verdict::compile_error;
  evidence.build_diagnostics.resize(2);
  const Score result = score(lab(), evidence);
  CHECK(result.score == 0);
  CHECK(result.max_score == 100);
  CHECK(result.verdict == Verdict::compile_error);
  CHECK(result.checks.at(0).id == "build");
  CHECK(result.checks.at(0).diagnostics.size() == 2);
  CHECK(check(result, "tiling/a").skip_reason == "needs: build");
  CHECK(next_cases(lab(), evidence).empty());
}

TEST_CASE("a rejected submission and a grader fault have statuses of their own") {
  Evidence evidence;
  evidence.build_verdict = Verdict::rejected;
  CHECK(score(lab(), evidence).status == ResultStatus::rejected);
  evidence = full_marks();
  set_verdict(evidence, "a", Verdict::wrong_answer);
  set_verdict(evidence, "b", Verdict::grader_fault);
  CHECK(score(lab(), evidence).status == ResultStatus::grader_fault);
  CHECK(score(lab(), evidence).verdict == Verdict::grader_fault);
}

TEST_CASE("checks that were not run are skipped with the reason") {
  Evidence evidence;
  set_verdict(evidence, "a", Verdict::accepted);
  const Score result = score(lab(), evidence);
  CHECK(result.score == 10);
  CHECK(check(result, "tiling/b").skip_reason == "not run");
  CHECK(check(result, "boundary/c").skip_reason == "not run");
}

TEST_CASE("the cases of a task are run once each task that it needs has earned points") {
  Evidence evidence;
  CHECK(next_cases(lab(), evidence) == Names{"a", "b"});
  set_verdict(evidence, "a", Verdict::accepted);
  set_verdict(evidence, "b", Verdict::wrong_answer);
  CHECK(next_cases(lab(), evidence) == Names{"c", "d", "e"});
  set_verdict(evidence, "c", Verdict::accepted);
  for (const char* name : {"d", "e"}) set_verdict(evidence, name, Verdict::wrong_answer);
  CHECK(next_cases(lab(), evidence).empty());
  evidence.devices = grader::Devices::cuda;
  CHECK(next_cases(lab(), evidence) == Names{"large"});
}

TEST_CASE("cases of tasks that need a task without points are not run") {
  Evidence evidence;
  for (const char* name : {"a", "b"}) set_verdict(evidence, name, Verdict::wrong_answer);
  CHECK(next_cases(lab(), evidence).empty());
}

TEST_CASE("with Gates::all, the cases of a task are run once the tasks that it needs have passed") {
  Evidence evidence;
  set_verdict(evidence, "a", Verdict::accepted);
  CHECK(next_cases(strict_lab(), evidence) == Names{"b"});
  set_verdict(evidence, "b", Verdict::wrong_answer);
  CHECK(next_cases(strict_lab(), evidence).empty());
  set_verdict(evidence, "b", Verdict::accepted);
  CHECK(next_cases(strict_lab(), evidence) == Names{"c", "d", "e"});
}

}  // namespace score_test
