#include "base/verdict.hpp"

namespace grader {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return "accepted";
    case Verdict::compile_error:
      return "compile_error";
    case Verdict::compile_limit:
      return "compile_limit";
    case Verdict::runtime_error:
      return "runtime_error";
    case Verdict::time_limit:
      return "time_limit";
    case Verdict::memory_limit:
      return "memory_limit";
    case Verdict::output_limit:
      return "output_limit";
    case Verdict::wrong_answer:
      return "wrong_answer";
    case Verdict::too_slow:
      return "too_slow";
    case Verdict::rejected:
      return "rejected";
    case Verdict::grader_fault:
      return "grader_fault";
  }
  return "grader_fault";
}

}  // namespace grader
