// The verdict on one case of one submission, with the names of the result schema.
#pragma once

#include <string_view>

namespace grader {

enum class Verdict {
  accepted,
  compile_error,
  compile_limit,
  runtime_error,
  time_limit,
  memory_limit,
  output_limit,
  wrong_answer,
  too_slow,
  rejected,      ///< package or policy
  grader_fault,  ///< the grader's or the machine's own fault; never charged to a student
};

std::string_view to_string(Verdict verdict);

}  // namespace grader
