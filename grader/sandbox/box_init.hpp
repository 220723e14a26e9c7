// Reports of the box's first process to the grader, through a pipe that the boxed command cannot access.
#pragma once

#include <cstdint>

namespace grader {

struct BoxReport {
  enum class Kind : std::int32_t {
    not_launched,  ///< `value` is errno; no process of the box was started
    started,       ///< the box is set up; `value` is 0
    not_executed,  ///< `value` is errno; the command could not be executed
    ended,         ///< `value` is the command's wait status
  };
  Kind kind;
  std::int32_t value;
};

}  // namespace grader
