// What the first process of a box reports to the grader through a pipe that the boxed command cannot reach.
#pragma once

#include <cstdint>

namespace grader {

struct BoxReport {
  enum class Kind : std::int32_t {
    not_launched,  ///< `value` is errno; nothing of the box was started
    started,       ///< the box stands; `value` is 0
    not_executed,  ///< `value` is errno; the command could not be executed
    ended,         ///< `value` is the command's wait status
  };
  Kind kind;
  std::int32_t value;
};

}  // namespace grader
