// The names in a zip's central directory. libarchive takes names from the entries themselves, but desktop
// tools take them from the directory. An archive in which the two differ would show one file to people and
// another to graders. Format: PKWARE APPNOTE.TXT 6.3, sections 4.3.12 and 4.3.16.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace grader {

/// Returns the names in the directory's order. nullopt: not a zip, or a zip without the kind of directory
/// that zips below 4 GiB have.
std::optional<std::vector<std::string>> zip_directory_names(int descriptor);

/// True if both lists name the same files. Names that are not ASCII are ignored: libarchive converts them,
/// and no source file of a lab has such a name.
bool name_the_same_files(std::vector<std::string> directory, std::vector<std::string> entries);

}  // namespace grader
