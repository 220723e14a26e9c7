// Numbers in JSON files: whole numbers as integers, so that "score": 100 does not depend on how a library
// prints 100.0; numbers that are not finite as null.
#pragma once

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace grader {

inline nlohmann::ordered_json json_number(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::fabs(value) < kExactIntegers)
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace grader
