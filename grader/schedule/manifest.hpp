// DIR/manifest.json (schema/manifest.schema.json): all items that a grading run must grade, and every setting
// that determines the results. Written before grading starts and not changed during grading. Any machine with
// the folder and the kit can grade any part of the run and gets the same results. Pure values and text.
// Covered by schedule/manifest_test.cpp.
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

/// Answers to a lab's questions, as they were handed in.
struct HandedAnswers {
  std::string sha256;   ///< of the file, stored as DIR/sources/<sha256>; empty: `refused`
  std::string refused;  ///< why the file is not accepted, as a sentence
  std::vector<std::string>
      names;  ///< the names that the answers may be for: the submission's and its people's

  friend bool operator==(const HandedAnswers&, const HandedAnswers&) = default;
};

/// One result that the run must produce: one submission, one lab.
struct WorkItem {
  std::string submission;
  std::string folder;  ///< safe name of the submission's folder below results/; no other submission has it
  std::string lab;
  std::string source_sha256;  ///< of the submitted file, stored as DIR/sources/<sha256>; empty: `refused`
  std::optional<Diagnostic> refused;  ///< why nothing can be graded
  std::optional<HandedAnswers> answers = std::nullopt;
  std::optional<ReceiptFacts> receipt = {};  ///< if one was handed in next to the file

  friend bool operator==(const WorkItem&, const WorkItem&) = default;
};

/// Path of the result, relative to DIR: "results/alice/02-tiled-matmul.json".
std::filesystem::path result_path(const WorkItem& item);
/// Path of the submitted file, relative to DIR. Requires: it was not refused.
std::filesystem::path source_path(const WorkItem& item);

/// Likewise for the answers. Requires: they were not refused.
std::filesystem::path answers_path(const WorkItem& item);

/// The settings that determine results, in addition to the sources. Names are those of the provenance in
/// result.json.
struct RunSettings {
  std::string grader_version;
  std::string front_end, compiler;
  std::string device;       ///< "virtual", "cuda", "both"
  std::string profile;      ///< the virtual device's profile, or the real GPU's name
  std::string gpu;          ///< with both devices: the real GPU's name; else empty
  double time_limit_s = 0;  ///< per case
  std::string seed_file;    ///< fingerprint (lab/secret_seeds.hpp); empty: seeds are those of lab.json
  std::map<std::string, std::string> rubrics;  ///< by lab: SHA-256 of its lab.json

  friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

/// The settings that a result was made with, without the rubrics of the run's other labs.
RunSettings settings_of(const Provenance& how);

struct Manifest {
  RunSettings settings;
  std::vector<WorkItem> items;  ///< by submission, then lab
  std::string seed_file_path;   ///< absolute path for other processes; does not affect results
};

/// The text ends with a newline. Equal manifests give equal bytes.
std::string manifest_json(const Manifest& manifest);
/// The error is one sentence.
Expected<Manifest, std::string> parse_manifest(const std::string& text);
/// Reads DIR/manifest.json; nullopt: the file does not exist. Error WG-G35: it cannot be read.
Expected<std::optional<Manifest>, Diagnostic> read_manifest(const std::filesystem::path& dir);

/// Why `result` cannot be the item's result in a run with these settings; empty if it can.
std::string mismatch(const RunSettings& settings, const WorkItem& item, const Result& result);

/// The differences, one sentence each: "the compiler is nvcc 13.1.0 but was nvcc 13.0.88".
std::vector<std::string> differences(const RunSettings& before, const RunSettings& now);
/// Settings first, then sources: "bob's file for 02-tiled-matmul has changed".
std::vector<std::string> differences(const Manifest& before, const Manifest& now);

}  // namespace grader
