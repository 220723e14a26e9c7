// DIR/manifest.json (schema/manifest.schema.json): everything that one grading run owes, and every setting
// that decides its results. Written before anything is graded and never changed while it is: whoever has the
// folder and the kit, on whatever machine, can grade any part of it and gets the same.
// Pure values and text. Covered by schedule/manifest_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "report/result.hpp"

namespace grader {

/// One result that the run owes: one submission, one lab.
struct WorkItem {
  std::string submission;
  std::string folder;  ///< safe name of the submission's folder below results/; no other submission has it
  std::string lab;
  std::string source_sha256;  ///< of the file handed in, kept as DIR/sources/<sha256>; empty: `refused`
  std::optional<Diagnostic> refused;  ///< why nothing can be graded

  friend bool operator==(const WorkItem&, const WorkItem&) = default;
};

/// Where the result lies, relative to DIR: "results/alice/02-tiled-matmul.json".
std::filesystem::path result_path(const WorkItem& item);
/// Where the file handed in lies, relative to DIR. Requires: it was not refused.
std::filesystem::path source_path(const WorkItem& item);

/// What decides results beside the sources; the words are those of result.json's provenance.
struct RunSettings {
  std::string grader_version;
  std::string front_end, compiler;
  std::string device;       ///< "virtual", "cuda"
  std::string profile;      ///< the virtual device's profile, or the GPU's name
  double time_limit_s = 0;  ///< of one case
  std::string seed_file;    ///< fingerprint (lab/secret_seeds.hpp); empty: the seeds are lab.json's
  std::map<std::string, std::string> rubrics;  ///< by lab: SHA-256 of its lab.json

  friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

/// Those that the result was made with, but for the rubrics, which are not its alone.
RunSettings settings_of(const Provenance& how);

struct Manifest {
  RunSettings settings;
  std::vector<WorkItem> items;  ///< by submission, then lab
  std::string seed_file_path;   ///< absolute; where another process finds it; decides nothing
};

/// Ends with a line end. Equal manifests give equal bytes.
std::string manifest_json(const Manifest& manifest);
/// The error is one sentence.
Expected<Manifest, std::string> parse_manifest(const std::string& text);
/// DIR/manifest.json. WG-G35: it cannot be read; nullopt: there is none.
Expected<std::optional<Manifest>, Diagnostic> read_manifest(const std::filesystem::path& dir);

/// Why `result` is none that the item of a run with these settings may have; empty when it is.
std::string mismatch(const RunSettings& settings, const WorkItem& item, const Result& result);

/// What differs, a sentence each: "the compiler is nvcc 13.1.0 when it was nvcc 13.0.88".
std::vector<std::string> differences(const RunSettings& before, const RunSettings& now);
/// Settings first, then sources: "bob's file for 02-tiled-matmul has changed".
std::vector<std::string> differences(const Manifest& before, const Manifest& now);

}  // namespace grader
