// Recorded logs of Nsight Compute and compute-sanitizer; long ones are shortened.
#pragma once

#include <string>

#include "base/files.hpp"
#include "catch.hpp"

namespace profile_sample {

inline std::string recorded_log(const std::string& name) {
  const auto text = grader::read_file(
      std::string(WARPGRADE_SOURCE_DIR) + "/grader/tests/profile/logs/" + name, std::size_t{1} << 20U);
  if (!text) FAIL(name << ": " << text.error());
  return *text;
}

}  // namespace profile_sample
