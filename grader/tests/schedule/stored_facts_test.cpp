#include "schedule/stored_facts.hpp"

#include "catch.hpp"
#include "lab/counter_names.hpp"

namespace stored_facts_test {

using namespace grader;

namespace {

Check check(const std::string& task, const std::string& of, CheckStatus status, Verdict verdict) {
  Check made;
  made.id = std::string(task).append("/").append(of);
  made.task = task;
  made.status = status;
  if (status != CheckStatus::skip) made.verdict = verdict;
  return made;
}

Check passed(const std::string& task, const std::string& of) {
  return check(task, of, CheckStatus::pass, Verdict::accepted);
}

Diagnostic warning() {
  Diagnostic made = diagnose("WG-M08", "a warning", "");
  made.severity = Severity::warning;
  return made;
}

/// The case "a" was accepted and timed.
Result accepted() {
  Result made;
  made.provenance.inputs["a"] = {1, "aa", "bb"};
  for (const std::string& name : counter_names()) made.score.counters["a"][name] = 2;
  made.score.counters["a"]["barriers_per_flop"] = 3;
  made.score.checks = {passed("right", "a"), passed("traffic", "barriers@a"), passed("speed", "a")};
  made.score.performance.resize(1);
  made.score.performance.front().case_name = "a";
  return made;
}

}  // namespace

TEST_CASE("an accepted case has its warnings and counters, but not the rubric's ratios") {
  Result result = accepted();
  result.score.checks.front().diagnostics = {warning()};
  const auto stored = stored_case(result, "a");
  REQUIRE(stored);
  CHECK(stored->verdict.verdict == Verdict::accepted);
  CHECK(stored->verdict.diagnostics == std::vector<Diagnostic>{warning()});
  CHECK(stored->has_warnings);
  CHECK(stored->counters.size() == counter_names().size());
  CHECK_FALSE(stored->counters.contains("barriers_per_flop"));
}

TEST_CASE("the warnings of a case that was only timed and counted are unknown") {
  Result result = accepted();
  result.score.checks.erase(result.score.checks.begin());
  CHECK_FALSE(stored_case(result, "a")->has_warnings);
  result.score.checks.back().status = CheckStatus::fail;  // too slow
  CHECK_FALSE(stored_case(result, "a")->has_warnings);
}

TEST_CASE("an accepted case with missing counters is unknown") {
  Result result = accepted();
  result.score.counters["a"].erase("barriers");
  CHECK_FALSE(stored_case(result, "a"));
}

TEST_CASE("of the counters of change, those that the rubric uses are kept and must be stored") {
  Lab lab;
  Objective objective;
  objective.case_name = "a";
  objective.counter = "change_by_exchanges";
  lab.tasks.resize(1);
  lab.tasks[0].objectives = {objective};
  Result result = accepted();
  result.score.counters["a"].erase("change_by_constant_loads");
  auto stored = stored_case(result, "a");
  REQUIRE(stored);
  CHECK(keep_change_counters(lab, *stored));
  CHECK(stored->counters.contains("change_by_exchanges"));
  CHECK_FALSE(stored->counters.contains("change_by_shared_loads"));
  lab.tasks[0].objectives[0].counter = "change_by_constant_loads";
  CHECK_FALSE(keep_change_counters(lab, *stored));
}

TEST_CASE("a failed case has its verdict and diagnostics, wherever they are stored") {
  Result result;
  result.provenance.inputs["a"] = {1, "aa", "bb"};
  result.provenance.hung_case = "a";
  for (const char* of : {"a", "barriers@a"}) {
    result.score.checks = {check("first", of, CheckStatus::skip, Verdict::accepted),
                           check("second", of, CheckStatus::fail, Verdict::time_limit)};
    result.score.checks.back().diagnostics = {diagnose("WG-H03", "it hung", "")};
    const auto stored = stored_case(result, "a");
    REQUIRE(stored);
    CHECK(stored->verdict.verdict == Verdict::time_limit);
    CHECK(stored->verdict.diagnostics.front().code == "WG-H03");
    CHECK(stored->is_hung);
  }
  result.score.checks.back().verdict = Verdict::grader_fault;
  CHECK_FALSE(stored_case(result, "a"));
}

TEST_CASE("a case that was not run is unknown") {
  Result result = accepted();
  result.score.checks.push_back(check("right", "b", CheckStatus::skip, Verdict::accepted));
  CHECK_FALSE(stored_case(result, "b"));
}

TEST_CASE("a submission that was not built has a reason") {
  CHECK(build_failure(accepted()) == nullptr);
  Result result;
  result.score.checks = {check("", "build", CheckStatus::fail, Verdict::compile_error)};
  CHECK(build_failure(result)->verdict == Verdict::compile_error);
}

TEST_CASE("facts are the same when only the rubric differs") {
  const Provenance before = accepted().provenance;
  Provenance now = before;
  now.rubric_sha256 = "other";
  now.source_sha256 = "other";
  now.inputs.clear();
  now.started = "later";
  now.attempts = 2;
  CHECK(same_facts(before, now));
  for (std::string Provenance::*part : {&Provenance::grader_version, &Provenance::facts_sha256,
                                        &Provenance::seed_file, &Provenance::front_end, &Provenance::compiler,
                                        &Provenance::device, &Provenance::profile, &Provenance::sandbox}) {
    Provenance other = before;
    other.*part = "other";
    CHECK_FALSE(same_facts(before, other));
  }
  now.time_limit_s = 1;
  CHECK_FALSE(same_facts(before, now));
}

TEST_CASE(
    "a missed check has the clue that is stored with it, and one that was met, or not reached, has none") {
  Result result = accepted();
  const Missed barriers{"traffic/barriers@a", "barriers"};
  CHECK_FALSE(stored_clue(result, barriers));
  CHECK(stored_clue(result, {"traffic/barriers@a", ""}));  // there is nothing to know
  Check& check = result.score.checks[1];
  check.status = CheckStatus::fail;
  check.verdict = Verdict::too_slow;
  check.diagnostics = {diagnose("WG-P01", "", "")};
  CHECK_FALSE(stored_clue(result, barriers)->where);
  check.diagnostics.front().where = SourceLocation{"k.cu", 3};
  check.diagnostics.front().likely_cause = "why";
  CHECK(stored_clue(result, barriers)->where->line == 3);
  CHECK(stored_clue(result, barriers)->likely_cause.empty());
  CHECK(stored_clue(result, {"traffic/barriers@a", "unfreed_resources"})->likely_cause == "why");
  CHECK_FALSE(stored_clue(result, {"traffic/barriers@a", "overlap_fraction"}));
}

}  // namespace stored_facts_test
