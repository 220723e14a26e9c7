#include "base/utc.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>

#include <fmt/chrono.h>

namespace grader {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())));
}

std::string local_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::tm local = fmt::localtime(now);
  const long minutes = local.tm_gmtoff / 60;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}{}{:02}:{:02}", local, minutes < 0 ? '-' : '+',
                     std::abs(minutes) / 60, std::abs(minutes) % 60);
}

}  // namespace grader
