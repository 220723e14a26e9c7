#include "base/programs.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

#include <unistd.h>

namespace grader {

bool is_program(const std::filesystem::path& candidate) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0;
}

std::filesystem::path find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path candidate = std::filesystem::path(folder) / name;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
  }
  return {};
}

}  // namespace grader
