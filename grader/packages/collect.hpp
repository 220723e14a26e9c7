// Collects a student's sources from all parts of the submission: single files, folders, and archives in them
// (not archives in archives). Covered by packages/collect_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "packages/class_layout.hpp"
#include "packages/open_class.hpp"
#include "packages/unpacking.hpp"

namespace grader {

struct SourceBytes {
  std::string bytes;
};

/// A lab's file: its path on disk, its bytes from an archive, or the reason why it is not accepted.
using CollectedSource = std::variant<std::filesystem::path, SourceBytes, Diagnostic>;

struct Collected {
  HandIn hand_in;
  std::map<std::string, CollectedSource> sources;   ///< by lab; labs without a submitted file are absent
  std::map<std::string, CollectedSource> answers;   ///< by lab: answers to its questions, likewise
  std::map<std::string, CollectedSource> receipts;  ///< by lab: of the package that its source comes from
  std::string found_instead;                        ///< for labs without a file: what there is; can be empty
  std::optional<Diagnostic> problem;                ///< why the whole submission cannot be accepted
};

/// If several uploads contain a lab's file, the one with the LMS's largest number is taken, and the others
/// are listed in hand_in.not_taken. Without numbers the file counts as ambiguous. The error is a fault of the
/// machine.
Expected<Collected, Diagnostic> collect_sources(const OpenedClass& opened, const Upload& upload,
                                                const std::vector<Lab>& labs, const Unpacker& unpacker);

}  // namespace grader
