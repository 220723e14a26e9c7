// solutions/<lab>/expected.json: the expected results of the files in that folder. `warpgrade lint` checks
// them. Covered by schedule/promises_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "report/result.hpp"

namespace grader {

struct Promise {
  std::string verdict;             ///< "accepted", "wrong_answer", …
  std::vector<std::string> codes;  ///< the first diagnostic's code is one of these; empty = no diagnostic
  std::optional<double> score, score_at_most, score_at_least;
  std::string line;  ///< part of the source line that the first diagnostic shows; empty: any
  std::string says;  ///< part of what the first diagnostic says, or of its likely cause; empty: any
};

struct Promises {
  Promise skeleton;                      ///< for the unchanged file in labs/
  std::map<std::string, Promise> files;  ///< by path relative to expected.json: "wrong/no_load_guard.cu"
};

/// The error describes the problem and its position.
Expected<Promises, std::string> parse_promises(const std::string& json_text);

/// The differences between `result` and the promise, one sentence each; empty if there are none.
std::vector<std::string> broken_promises(const Promise& promise, const Result& result);

}  // namespace grader
