#include "catch.hpp"
#include "score/score.hpp"

namespace bonus_test {

using namespace grader;

namespace {

Task task_named(const std::string& id, double points, const std::string& case_name) {
  Task made;
  made.id = id;
  made.points = points;
  made.cases = {case_name};
  return made;
}

/// core (100: a), then the bonus task extra (10: f), which needs it.
Lab lab() {
  Lab made;
  for (const char* name : {"a", "f"}) made.cases.emplace_back().name = name;
  made.tasks = {task_named("core", 100, "a"), task_named("extra", 10, "f")};
  made.tasks.back().is_bonus = true;
  made.tasks.back().needs = {"core"};
  return made;
}

Score scored(Verdict core, Verdict extra) {
  Evidence evidence;
  for (const auto& [name, verdict] : {std::pair{"a", core}, std::pair{"f", extra}}) {
    CaseVerdict& entry = evidence.verdicts[name];
    entry = {name, verdict, {}};
    if (verdict != Verdict::accepted) entry.diagnostics.resize(1);
  }
  return score(lab(), evidence);
}

}  // namespace

TEST_CASE("points of a bonus task come on top of the maximum") {
  const Score result = scored(Verdict::accepted, Verdict::accepted);
  CHECK(result.score == 110);
  CHECK(result.max_score == 100);
  CHECK(bonus_of(result).points == 10);
  CHECK(has_all_points(result));
  CHECK_FALSE(result.checks.front().is_bonus);
  CHECK(result.checks.back().is_bonus);
  CHECK(lab().max_points() == 100);
  CHECK(lab().bonus_points() == 10);
}

TEST_CASE("a bonus task that is not solved costs nothing, and its failure is no verdict") {
  const Score result = scored(Verdict::accepted, Verdict::wrong_answer);
  CHECK(result.score == 100);
  CHECK(result.verdict == Verdict::accepted);
  CHECK(is_complete(result));
  CHECK_FALSE(has_all_points(result));
  CHECK(bonus_of(result).max_points == 10);
}

TEST_CASE("a core task that fails counts for the verdict, whatever the bonus gave") {
  const Score result = scored(Verdict::runtime_error, Verdict::accepted);
  CHECK(result.verdict == Verdict::runtime_error);
  CHECK_FALSE(is_complete(result));
}

TEST_CASE("a bonus task that is rejected, or that the grader could not run, decides the verdict") {
  CHECK(scored(Verdict::accepted, Verdict::rejected).status == ResultStatus::rejected);
  CHECK(scored(Verdict::accepted, Verdict::grader_fault).status == ResultStatus::grader_fault);
}

}  // namespace bonus_test
