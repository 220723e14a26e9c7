// Golden files of this folder, as in tests/report/sample.hpp.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace testing {

/// The contents of golden/<name>; with WARPGRADE_APPROVE=1, they are first replaced by `actual`.
inline std::string similarity_golden(const std::string& name, const std::string& actual) {
  const auto file =
      std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader" / "tests" / "similarity" / "golden" / name;
  if (std::getenv("WARPGRADE_APPROVE") != nullptr) std::ofstream(file, std::ios::binary) << actual;
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace testing
