// How often a student can have a submission run with hidden inputs. Only such runs are limited: a run with
// public inputs is what the student's own `warpgrade check` does. Pure. Covered by
// course_grades/attempts_test.cpp; used by the adapters (handout/instructor/adapters).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "course/time_zone.hpp"

namespace grader::course {

struct Attempt {
  Instant at;
  double points = 0;
  bool grader_failed = false;  ///< costs no attempt
};

/// The attempts of a student or group, as the LMS records them.
struct AttemptRecord {
  Instant now;  ///< of the submission to grade; not the clock's, so that a regrade decides alike
  std::vector<Attempt> earlier;
};

struct AttemptPolicy {
  int hidden_runs = 1;  ///< at most, within the hours before a submission
  int hours = 24;
};

struct AttemptDecision {
  bool is_hidden_run = true;            ///< false: the hidden runs are used up
  int used = 0;                         ///< hidden runs within the hours before
  std::optional<double> points;         ///< of the last hidden run
  std::optional<Instant> next_allowed;  ///< if they are used up
};

/// Which earlier attempts were hidden runs follows from the same policy.
AttemptDecision decide(const AttemptRecord& record, const AttemptPolicy& policy);

/// Reads Gradescope's submission_metadata.json. Names and addresses in it are ignored. The error is a clause.
Expected<AttemptRecord, std::string> read_gradescope_attempts(const std::string& json);

}  // namespace grader::course
