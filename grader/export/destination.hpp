// Writes the files of an export. Covered by export/destination_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "export/formats.hpp"

namespace grader {

/// Existing files are replaced only on request.
enum class Existing { keep, replace };

/// Writes one file, completely or not at all. Error WG-G56: the file exists or cannot be written.
std::optional<Diagnostic> write_one(const std::filesystem::path& path, const std::string& bytes,
                                    Existing existing);

/// Writes one file per submission into the folder `path`, which is created. `replace` also removes the files
/// of this class's submissions that have no file in this export, so that an old grade is not mistaken for a
/// new one. Other files do not change.
std::optional<Diagnostic> write_folder(const std::filesystem::path& path, const Exported& exported,
                                       const ExportFormat& format, const ClassResults& all,
                                       Existing existing);

}  // namespace grader
