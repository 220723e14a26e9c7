// solutions/<lab>/expected.json: what every file beside it must get. `warpgrade lint` holds the grader to it.
// Covered by schedule/promises_test.cpp.
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
  std::string line;  ///< part of the source line that the first diagnostic shows; empty: not promised
};

struct Promises {
  Promise skeleton;                      ///< of the untouched file in labs/
  std::map<std::string, Promise> files;  ///< by path relative to expected.json: "wrong/no_load_guard.cu"
};

/// The error says what is wrong and where.
Expected<Promises, std::string> parse_promises(const std::string& json_text);

/// How `result` breaks the promise, a sentence each; empty when it keeps it.
std::vector<std::string> broken_promises(const Promise& promise, const Result& result);

}  // namespace grader
