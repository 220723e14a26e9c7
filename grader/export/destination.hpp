// Where an export goes. Covered by export/destination_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "export/formats.hpp"

namespace grader {

/// What stands at a path already is somebody's; it is replaced only when asked for.
enum class Existing { keep, replace };

/// One file at `path`, complete or not at all. WG-G56 when it exists or cannot be written.
std::optional<Diagnostic> write_one(const std::filesystem::path& path, const std::string& bytes,
                                    Existing existing);

/// A file for each submission in the folder `path`, which is made. `replace` also removes the files of
/// submissions of this class that have none now, so that no old grade is taken for a new one; nothing else is
/// touched.
std::optional<Diagnostic> write_folder(const std::filesystem::path& path, const Exported& exported,
                                       const ExportFormat& format, const ClassResults& all,
                                       Existing existing);

}  // namespace grader
