// A small lab with evidence for it.
#pragma once

#include "catch.hpp"
#include "score/score.hpp"

namespace score_fixture {

using grader::Case;
using grader::DeviceKind;
using grader::Evidence;
using grader::Lab;
using grader::Score;
using grader::Task;
using grader::Verdict;

inline Case case_named(const std::string& name, std::optional<DeviceKind> only_on = std::nullopt) {
  Case one;
  one.name = name;
  one.only_on = only_on;
  return one;
}

/// tiling (20: a, b) → boundary (30: c, d, e) → traffic (25: an objective on b), speed (25: a or large).
inline Lab lab() {
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

inline void set_verdict(Evidence& evidence, const std::string& name, Verdict verdict) {
  grader::CaseVerdict& entry = evidence.verdicts[name];
  entry = {name, verdict, {}};
  if (verdict != Verdict::accepted) entry.diagnostics.resize(1);
}

inline Evidence full_marks() {
  Evidence evidence;
  for (const char* name : {"a", "b", "c", "d", "e"}) set_verdict(evidence, name, Verdict::accepted);
  evidence.counters["b"]["bytes"] = 0.25;
  evidence.speed["a"] = {{3e-3}, {1e-3}};
  return evidence;
}

inline const grader::Check& check(const Score& result, const std::string& id) {
  for (const grader::Check& one : result.checks)
    if (one.id == id) return one;
  FAIL("no check " << id);
  return result.checks.front();
}

}  // namespace score_fixture
