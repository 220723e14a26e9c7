// Collects a student's sources from all that was handed in: loose files, folders, and archives in them (not
// archives in archives). Covered by packages/collect_test.cpp.
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

/// A lab's file: where it lies on disk, or its bytes out of an archive, or why it is not taken.
using CollectedSource = std::variant<std::filesystem::path, SourceBytes, Diagnostic>;

struct Collected {
  HandIn hand_in;
  std::map<std::string, CollectedSource>
      sources;                        ///< by lab; a lab of which nothing was handed in is left out
  std::optional<Diagnostic> problem;  ///< why nothing at all can be taken
};

/// When several uploads hold a lab's file, the one that the LMS numbers last is taken and the others are
/// named in hand_in.not_taken; without numbers the file counts as ambiguous. The error is a fault of the
/// machine's.
Expected<Collected, Diagnostic> collect_sources(const OpenedClass& opened, const Upload& upload,
                                                const std::vector<Lab>& labs, const Unpacker& unpacker);

}  // namespace grader
