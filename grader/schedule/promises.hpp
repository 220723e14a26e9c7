// solutions/<lab>/expected.json: the expected results of the files in that folder. `warpgrade lint` checks
// them. Covered by schedule/promises_test.cpp.
#pragma once

#include <filesystem>
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
  std::string says;  ///< part of what the first diagnostic says, causes and advice included; empty: any
};

struct Promises {
  Promise skeleton;  ///< for the unchanged file in labs/
  /// SHA-256 of the file in labs/, and of earlier versions that were handed out. The file itself proves
  /// nothing: on the machine of someone who works on the lab, it is no longer the skeleton.
  std::vector<std::string> skeleton_sha256;
  std::map<std::string, Promise> files;  ///< by path relative to expected.json: "wrong/no_load_guard.cu"
};

/// The error describes the problem and its position.
Expected<Promises, std::string> parse_promises(const std::string& json_text);
/// Reads `folder`/expected.json.
Expected<Promises, std::string> read_promises(const std::filesystem::path& folder);

/// The files in wrong/ whose promise names no code, or neither `line` nor `says`: nothing would notice that
/// their message stops leading to the mistake. One sentence each.
std::vector<std::string> vague_promises(const Promises& promises);

/// The differences between `result` and the promise, one sentence each; empty if there are none.
std::vector<std::string> broken_promises(const Promise& promise, const Result& result);

}  // namespace grader
