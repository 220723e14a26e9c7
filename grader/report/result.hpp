// One graded submission of one lab: what every report renders and what result.json holds. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "score/score.hpp"

namespace grader {

/// Where the inputs of one case came from.
struct InputRecord {
  std::optional<std::uint64_t> seed;  ///< none: it came from a seed file and stays secret
  std::string sha256;                 ///< of the input arrays: name, shape and bytes, in order
  std::string facts_sha256;           ///< of the case in lab.json (lab/facts.hpp)

  friend bool operator==(const InputRecord&, const InputRecord&) = default;
};

/// What one needs to know to grade the same again and get the same.
struct Provenance {
  std::string grader_version;
  std::string rubric_sha256;                  ///< of lab.json
  std::string facts_sha256;                   ///< of what all runs depend on in it (lab/facts.hpp)
  std::string source_sha256;                  ///< of the submission's file; empty when it could not be read
  std::map<std::string, InputRecord> inputs;  ///< by case, for the cases that were run
  std::string seed_file;                      ///< fingerprint of the secret seeds' file; empty: none
  std::string front_end;                      ///< "nvcc", "clang"
  std::string compiler;                       ///< "nvcc 13.0.88"
  std::string device;                         ///< "virtual", "cuda"
  std::string profile;                        ///< the virtual device's profile, or the GPU's name
  std::optional<double> clock_hz;             ///< of the profile; unknown on a real GPU
  double time_limit_s = 0;                    ///< that one case may take
  std::string sandbox;                        ///< "bubblewrap 0.8.0, …"
  int attempts = 1;                           ///< more than one: the grader or the machine failed before
  std::string hung_case;          ///< its host program ran into the time limit, so no case was run after it
  std::string started, finished;  ///< UTC, ISO 8601

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Result {
  std::string submission;
  std::string lab;
  Score score;
  Provenance provenance;
};

/// The diagnostic that a reader should act on first; nullptr when all is well.
const Diagnostic* first_diagnostic(const Score& score);

}  // namespace grader
