#include "base/utc.hpp"

#include <chrono>

#include <fmt/chrono.h>

namespace grader {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())));
}

}  // namespace grader
