// One graded submission of one lab: the data for all reports and for result.json. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/receipt.hpp"
#include "questions/outcome.hpp"
#include "score/score.hpp"

namespace grader {

/// The origin of the inputs of one case.
struct InputRecord {
  std::optional<std::uint64_t> seed;  ///< none: from a seed file, and therefore secret
  std::string sha256;                 ///< of the input arrays: name, shape and bytes, in order
  std::string facts_sha256;           ///< of the case in lab.json (lab/facts.hpp)

  friend bool operator==(const InputRecord&, const InputRecord&) = default;
};

/// The facts that are needed to reproduce a grading.
struct Provenance {
  std::string grader_version;
  std::string rubric_sha256;  ///< of lab.json
  std::string facts_sha256;   ///< of the parts of lab.json on which all runs depend (lab/facts.hpp)
  std::string source_sha256;  ///< of the submission's file; empty if it could not be read
  std::map<std::string, InputRecord> inputs;  ///< by case, for the cases that were run
  std::string seed_file;                      ///< fingerprint of the secret seeds' file; empty: none
  std::string front_end;                      ///< "nvcc", "clang"
  std::string compiler;                       ///< "nvcc 13.0.88"
  std::string device;                         ///< "virtual", "cuda", "both"
  std::string profile;                        ///< the virtual device's profile, or the real GPU's name
  std::string gpu;                            ///< with both devices: the real GPU's name; else empty
  std::optional<double> clock_hz;             ///< of the profile; unknown on a real GPU alone
  double time_limit_s = 0;                    ///< limit per case
  std::string sandbox;                        ///< "bubblewrap 0.8.0, …"
  int attempts = 1;       ///< more than one: earlier attempts failed because of the grader or the machine
  std::string hung_case;  ///< its host program reached the time limit, so no case was run after it
  std::string started, finished;  ///< UTC, ISO 8601

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Result {
  std::string submission;
  std::string lab;
  Score score;
  Provenance provenance;
  std::optional<QuestionsOutcome> questions = std::nullopt;  ///< only if answers were handed in
  std::optional<ReceiptFacts> receipt = {};  ///< of `warpgrade handin`, as handed in; not trusted
};

/// "virtual, lecture", "both, lecture, NVIDIA H200"
std::string device_settings(const Provenance& how);

/// Whether two cases fail because of one mistake: the diagnostics have one code and one place.
bool is_same_mistake(const Diagnostic& one, const Diagnostic& other);

/// The failed check whose first diagnostic a reader should fix first; nullptr if there is none.
const Check* leading_check(const Score& score);
/// That diagnostic; nullptr if there is none.
const Diagnostic* first_diagnostic(const Score& score);

}  // namespace grader
