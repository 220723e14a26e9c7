// Objectives: their limits, what they say when they miss one, and what a miss costs.
#include "score_fixture.hpp"

namespace objectives_test {

using grader::CheckStatus;
using grader::score;
using testing::contains;
using namespace score_fixture;

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

TEST_CASE("a missed related limit gets a cause and a hint of its own") {
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
             contains("each thread keeps values in registers") &&
                 contains("bytes counts only together with this limit; the taught way needs less"));
  CHECK_THAT(missed.next_step, contains("shared memory"));
}

TEST_CASE("twice the solution's bytes per element are explained by elements of 8 bytes") {
  Lab limited = lab();
  grader::ShownCounter loads;
  loads.counter = "shared_load_requested_bytes_per_element";
  loads.at_most = 12;
  loads.solution = 7.992;
  limited.tasks[2].objectives[0].related.push_back(loads);
  double bytes = 2560;
  const auto missed = [&](double value) {
    Evidence evidence = full_marks();
    evidence.counters["b"][loads.counter] = value;
    evidence.counters["b"]["shared_load_requests"] = 10;
    evidence.counters["b"]["shared_load_requested_bytes"] = bytes;
    return check(score(limited, evidence), "traffic/bytes@b").diagnostics.at(0);
  };
  CHECK_THAT(missed(15.98).likely_cause, contains("8 bytes (double"));
  CHECK_THAT(missed(15.98).next_step, contains("4 bytes") && contains("keep in a register"));
  CHECK_THAT(missed(20).likely_cause, contains("the taught way needs less"));
  bytes = 1280;  // twice as many elements, of 4 bytes
  CHECK_THAT(missed(15.98).likely_cause, contains("the taught way needs less"));
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

TEST_CASE("a task that misses a required objective has no points, and needs it") {
  Lab made = lab();
  made.tasks[1].objectives = {{"registers", "c", 64.0, std::nullopt, 30.0, 32.0, "one sum a thread"}};
  made.tasks[1].objectives[0].is_required = true;
  Evidence evidence = full_marks();
  evidence.counters["c"]["registers"] = 64;
  CHECK(score(made, evidence).score == 100);
  evidence.counters["c"]["registers"] = 88;
  const Score result = score(made, evidence);
  CHECK(result.score == 20);
  CHECK(result.verdict == Verdict::too_slow);
  const auto& missed = check(result, "boundary/registers@c");
  CHECK(missed.status == CheckStatus::fail);
  CHECK_THAT(missed.diagnostics.at(0).likely_cause,
             contains("the task has no points, even if all values are right"));
  CHECK(missed.diagnostics.at(0).next_step == "one sum a thread");
  const auto& held = check(result, "boundary/d");
  CHECK(held.status == CheckStatus::skip);
  CHECK_FALSE(held.verdict.has_value());
  CHECK(held.skip_reason == "counts only together with registers");
  CHECK(check(result, "speed/a").skip_reason == "needs: boundary");
}

TEST_CASE("a wrong case of a required objective costs what a wrong case costs") {
  Lab made = lab();
  made.tasks[1].objectives = {{"registers", "c", 64.0, std::nullopt, 30.0, 32.0, ""}};
  made.tasks[1].objectives[0].is_required = true;
  Evidence evidence = full_marks();
  set_verdict(evidence, "c", Verdict::wrong_answer);
  CHECK(check(score(made, evidence), "boundary/d").points == 7.5);
  evidence.devices = grader::Devices::cuda;  // no counters
  CHECK(check(score(made, evidence), "boundary/d").points == 10);
}

}  // namespace objectives_test
