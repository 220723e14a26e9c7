// A student's hand-in: the files of one lab below a folder with the lab's name, and a receipt. `warpgrade
// grade` accepts the package as it is (packages/package.hpp). Covered by packing/hand_in_package_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "base/receipt.hpp"
#include "lab/lab.hpp"
#include "packing/archive_writer.hpp"

namespace grader {

struct HandInFiles {
  std::string source;                  ///< the bytes of the lab's source
  std::optional<std::string> answers;  ///< of answers.json in the source's folder, if there is one
};

/// Follows a final link of the source, because the file is the student's own, but not of answers.json. Error
/// WG-G72: a file cannot be read, is too large or not a regular file.
Expected<HandInFiles, Diagnostic> read_hand_in(const std::filesystem::path& source);

/// A receipt with the digests of the files, and without time, score and version.
Receipt receipt_of(const Lab& lab, const HandInFiles& files);

PackedFiles hand_in_package(const Lab& lab, const HandInFiles& files, const Receipt& receipt);

}  // namespace grader
