// The words for statuses in result.json.
#include "score/score.hpp"

namespace grader {

std::string_view to_string(CheckStatus status) {
  switch (status) {
    case CheckStatus::pass:
      return "pass";
    case CheckStatus::fail:
      return "fail";
    case CheckStatus::skip:
      break;
  }
  return "skip";
}

std::string_view to_string(SpeedVerdict verdict) {
  switch (verdict) {
    case SpeedVerdict::pass:
      return "pass";
    case SpeedVerdict::fail:
      return "fail";
    case SpeedVerdict::too_close:
      return "too_close";
    case SpeedVerdict::invalid:
      break;
  }
  return "invalid";
}

std::string_view to_string(ResultStatus status) {
  switch (status) {
    case ResultStatus::graded:
      return "graded";
    case ResultStatus::rejected:
      return "rejected";
    case ResultStatus::grader_fault:
      break;
  }
  return "grader_fault";
}

}  // namespace grader
