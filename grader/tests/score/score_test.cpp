#include "score/score.hpp"

#include "catch.hpp"

namespace {

using grader::Case;
using grader::CheckStatus;
using grader::DeviceKind;
using grader::Evidence;
using grader::Lab;
using grader::next_cases;
using grader::ResultStatus;
using grader::Score;
using grader::score;
using grader::Task;
using grader::Verdict;
using testing::contains;
using Names = std::vector<std::string>;

Case case_named(const std::string& name, std::optional<DeviceKind> only_on = std::nullopt) {
  Case one;
  one.name = name;
  one.only_on = only_on;
  return one;
}

/// tiling (20: a, b) → boundary (30: c, d, e) → traffic (25: an objective on b), speed (25: a or large).
Lab lab() {
  Lab made;
  made.cases = {case_named("a"), case_named("b"), case_named("c"),
                case_named("d"), case_named("e"), case_named("large", DeviceKind::cuda)};
  Task tiling, boundary, traffic, speed;
  tiling.id = "tiling";
  tiling.points = 20;
  tiling.cases = {"a", "b"};
  boundary.id = "boundary";
  boundary.points = 30;
  boundary.needs = {"tiling"};
  boundary.cases = {"c", "d", "e"};
  traffic.id = "traffic";
  traffic.points = 25;
  traffic.needs = {"boundary"};
  traffic.objectives = {{"bytes", "b", 0.3, std::nullopt, 4.0, 0.25, "use tiles"}};
  speed.id = "speed";
  speed.points = 25;
  speed.needs = {"boundary"};
  speed.speedup =
      grader::Speedup{"a", "large", "naive", {3, 2, std::nullopt}, {1.5, 1.1, std::nullopt}, "continue"};
  made.tasks = {tiling, boundary, traffic, speed};
  return made;
}

void set_verdict(Evidence& evidence, const std::string& name, Verdict verdict) {
  grader::CaseVerdict& entry = evidence.verdicts[name];
  entry = {name, verdict, {}};
  if (verdict != Verdict::accepted) entry.diagnostics.resize(1);
}

Evidence full_marks() {
  Evidence evidence;
  for (const char* name : {"a", "b", "c", "d", "e"}) set_verdict(evidence, name, Verdict::accepted);
  evidence.counters["b"]["bytes"] = 0.25;
  evidence.speed["a"] = {{3e-3}, {1e-3}};
  return evidence;
}

const grader::Check& check(const Score& result, const std::string& id) {
  for (const grader::Check& one : result.checks)
    if (one.id == id) return one;
  FAIL("no check " << id);
  return result.checks.front();
}

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

TEST_CASE("an objective is met only within the limits of the counters next to it") {
  Lab made = lab();
  made.tasks[2].objectives[0].related = {{"shown", 9, 9}, {"limited", 9, 1, 2.0, {}}};
  Evidence evidence = full_marks();
  evidence.counters["b"]["shown"] = 100;
  evidence.counters["b"]["limited"] = 2;
  CHECK(score(made, evidence).score == 100);
  evidence.counters["b"]["limited"] = 3;
  const Score result = score(made, evidence);
  CHECK(result.score == 75);
  CHECK_THAT(check(result, "traffic/bytes@b").diagnostics.at(0).what,
             contains("limited is 3 when it should be at most 2"));
}

TEST_CASE("an upper limit is compared with the launch that has the most") {
  Lab made = lab();
  made.tasks[2].objectives[0].at_least = 0.1;
  Evidence evidence = full_marks();
  evidence.counters["b"]["most_bytes"] = 0.3;
  CHECK(score(made, evidence).score == 100);
  evidence.counters["b"]["most_bytes"] = 0.4;
  CHECK_THAT(check(score(made, evidence), "traffic/bytes@b").diagnostics.at(0).what,
             contains("bytes is 0.4"));
  evidence.counters["b"]["bytes"] = 0.05;
  CHECK_THAT(check(score(made, evidence), "traffic/bytes@b").diagnostics.at(0).what,
             contains("bytes is 0.05"));
}

TEST_CASE("a limit that only the sum with atomics misses is reported as such") {
  Lab made = lab();
  made.tasks[2].objectives[0].counter = "global_load_requested_bytes_per_flop";
  Evidence evidence = full_marks();
  evidence.counters["b"]["global_load_requested_bytes_per_flop"] = 0.25;
  evidence.counters["b"]["most_global_load_requested_bytes_per_flop"] = 4.25;
  const auto problem = [&] {
    return check(score(made, evidence), "traffic/global_load_requested_bytes_per_flop@b").diagnostics.at(0);
  };
  CHECK_THAT(problem().what, contains("global load requested B/flop with atomics is 4.25 when"));
  CHECK_THAT(problem().first, contains("; atomic operations account for 4: they count too"));
  evidence.counters["b"]["global_load_requested_bytes_per_flop"] = 0.5;
  CHECK_THAT(problem().what, contains("global load requested B/flop is 0.5 when"));
  CHECK_THAT(problem().first, !contains("atomic"));
}

TEST_CASE("a missed objective shows the value, the limit and the reference values") {
  Evidence evidence = full_marks();
  evidence.counters["b"]["bytes"] = 4;
  const Score result = score(lab(), evidence);
  CHECK(result.score == 75);
  CHECK(result.verdict == Verdict::too_slow);
  const auto& missed = check(result, "traffic/bytes@b").diagnostics.at(0);
  CHECK(missed.code == "WG-P01");
  CHECK(missed.what == "bytes is 4 when it should be at most 0.3 (b)");
  CHECK(missed.first == "the naive kernel has 4, the solution 0.25");
  CHECK(missed.next_step == "use tiles");
}

TEST_CASE("a missed objective with one right value names that value") {
  Lab exact = lab();
  exact.tasks[2].objectives[0].at_least = exact.tasks[2].objectives[0].at_most = 3;
  Evidence evidence = full_marks();
  evidence.counters["b"]["bytes"] = 4;
  CHECK(check(score(exact, evidence), "traffic/bytes@b").diagnostics.at(0).what ==
        "bytes is 4 when it should be 3 (b)");
}

TEST_CASE("an objective is met only within its limits in other cases, too") {
  Lab sized = lab();
  sized.tasks[2].objectives[0].elsewhere = {{{"a", "c"}, 0.6, std::nullopt, 3.5, 0.4}};
  Evidence evidence = full_marks();
  CHECK(score(sized, evidence).score == 100);  // cases without counters have no effect
  evidence.counters["a"]["bytes"] = 0.6;
  evidence.counters["c"]["bytes"] = 4;
  evidence.clues["traffic/bytes@b/c"].where.emplace().line = 7;
  const Score result = score(sized, evidence);
  CHECK(result.score == 75);
  const auto& missed = check(result, "traffic/bytes@b").diagnostics.at(0);
  CHECK(missed.what == "bytes is 4 when it should be at most 0.6 (c)");
  CHECK_THAT(missed.first,
             contains("at other sizes; there the naive kernel has at least 3.5, the solution at most 0.4"));
  CHECK_THAT(missed.likely_cause, contains("b meets its limit, so the program runs other code"));
  CHECK(missed.next_step == "use tiles");
  CHECK(missed.where->line == 7);
  evidence.counters["b"]["bytes"] = 3;  // the objective's own case comes first
  CHECK(check(score(sized, evidence), "traffic/bytes@b").diagnostics.at(0).what ==
        "bytes is 3 when it should be at most 0.3 (b)");
}

TEST_CASE("a missed counter of change says that the results are computed from other values") {
  Lab changed = lab();
  grader::ShownCounter change;
  change.counter = "change_by_shared_loads";
  change.at_least = 0.5;
  changed.tasks[2].objectives[0].related.push_back(change);
  Evidence evidence = full_marks();
  evidence.counters["b"][change.counter] = 0;
  const auto missed = check(score(changed, evidence), "traffic/bytes@b").diagnostics.at(0);
  CHECK_THAT(missed.what, contains("change by shared loads is 0 when it should be at least 0.5"));
  CHECK_THAT(missed.likely_cause, contains("computed from other values: with other floats in shared memory"));
  CHECK(missed.next_step == "compute the results from these values");
}

TEST_CASE("a case that may fail earns nothing if all other cases of its task are wrong") {
  Lab made = lab();
  made.cases[1].may_fail = true;
  Evidence evidence = full_marks();
  CHECK(check(score(made, evidence), "tiling/b").points == 10);
  set_verdict(evidence, "a", Verdict::wrong_answer);
  const Score result = score(made, evidence);
  CHECK(check(result, "tiling/b").points == 0);
  CHECK(check(result, "tiling/b").skip_reason == "counts only if another case passes");
  evidence.verdicts.erase("a");  // not run
  CHECK(check(score(made, evidence), "tiling/b").points == 10);
}

TEST_CASE("a missed related limit gets a cause and the objective's hint") {
  Lab limited = lab();
  grader::ShownCounter registers;
  registers.counter = "registers_per_thread";
  registers.at_most = 128;
  limited.tasks[2].objectives[0].related.push_back(registers);
  Evidence evidence = full_marks();
  evidence.counters["b"][registers.counter] = 241;
  const auto missed = check(score(limited, evidence), "traffic/bytes@b").diagnostics.at(0);
  CHECK_THAT(missed.what, contains("registers per thread is 241 when it should be at most 128"));
  CHECK_THAT(missed.likely_cause,
             contains("bytes counts only together with this limit") && contains("the taught way needs less"));
  CHECK(missed.next_step == "use tiles");
}

TEST_CASE("twice the solution's bytes per element are explained by elements of 8 bytes") {
  Lab limited = lab();
  grader::ShownCounter loads;
  loads.counter = "shared_load_requested_bytes_per_element";
  loads.at_most = 12;
  loads.solution = 7.992;
  limited.tasks[2].objectives[0].related.push_back(loads);
  const auto missed = [&](double value) {
    Evidence evidence = full_marks();
    evidence.counters["b"][loads.counter] = value;
    return check(score(limited, evidence), "traffic/bytes@b").diagnostics.at(0);
  };
  CHECK_THAT(missed(15.98).likely_cause, contains("8 bytes (double"));
  CHECK_THAT(missed(15.98).next_step, contains("4 bytes") && contains("use tiles"));
  CHECK_THAT(missed(20).likely_cause, contains("the taught way needs less"));
}

TEST_CASE("work that is saved at one size only costs the task's objectives of that function") {
  Lab sized = lab();
  grader::Objective barriers, other_function;
  barriers.counter = "barriers";
  barriers.case_name = "b";
  barriers.at_most = 9;
  other_function = barriers;
  other_function.case_name = "d";
  sized.cases[3].entry = "another";
  sized.tasks[2].objectives.insert(sized.tasks[2].objectives.end(), {barriers, other_function});
  sized.tasks[2].objectives[0].elsewhere = {{{"a"}, 0.6, std::nullopt, 3.5, 0.4}};
  Evidence evidence = full_marks();
  evidence.counters["b"]["barriers"] = evidence.counters["d"]["barriers"] = 5;
  CHECK(score(sized, evidence).score == 100);
  evidence.counters["a"]["bytes"] = 4;
  const Score result = score(sized, evidence);
  CHECK_THAT(check(result, "traffic/barriers@b").diagnostics.at(0).what,
             contains("bytes is 4") && contains("the task's other objectives count only together with it"));
  CHECK(check(result, "traffic/barriers@d").status == CheckStatus::pass);
}

TEST_CASE("a ratio that useless work can improve counts only together with the total of its case") {
  Lab paired = lab();
  grader::Objective ratio;
  ratio.counter = "active_lanes_per_instruction";
  ratio.case_name = "b";
  ratio.at_least = 28;
  paired.tasks[2].objectives.insert(paired.tasks[2].objectives.begin(), ratio);
  Evidence evidence = full_marks();
  evidence.counters["b"]["active_lanes_per_instruction"] = 31;
  CHECK(score(paired, evidence).score == 100);
  evidence.counters["b"]["bytes"] = 4;
  const Score diluted = score(paired, evidence);
  CHECK(diluted.score == 75);
  const auto& held = check(diluted, "traffic/active_lanes_per_instruction@b");
  CHECK(held.verdict == Verdict::too_slow);
  CHECK(held.diagnostics.at(0).what ==
        "bytes is 4 when it should be at most 0.3 (b); active lanes per instruction counts only together "
        "with it");
  evidence.counters["b"] = {{"bytes", 0.25}, {"active_lanes_per_instruction", 20}};
  CHECK(score(paired, evidence).score == 87.5);   // the total counts alone
  paired.tasks[2].objectives[0].case_name = "a";  // no total is judged there
  evidence.counters["a"]["active_lanes_per_instruction"] = 31;
  evidence.counters["b"]["bytes"] = 4;
  CHECK(score(paired, evidence).score == 87.5);
}

TEST_CASE("resources that are not freed cost their own points, not those of a ratio") {
  Lab paired = lab();
  grader::Objective ratio, leak;
  ratio.counter = "overlap_fraction";
  ratio.at_least = 0.5;
  leak.counter = "unfreed_resources";
  leak.at_most = 0;
  ratio.case_name = leak.case_name = "b";
  paired.tasks[2].objectives.insert(paired.tasks[2].objectives.begin(), {ratio, leak});
  Evidence evidence = full_marks();
  evidence.counters["b"]["overlap_fraction"] = 0.9;
  evidence.counters["b"]["unfreed_resources"] = 1;
  const Score leaking = score(paired, evidence);
  CHECK(check(leaking, "traffic/unfreed_resources@b").status == CheckStatus::fail);
  CHECK(check(leaking, "traffic/overlap_fraction@b").status == CheckStatus::pass);
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

}  // namespace
