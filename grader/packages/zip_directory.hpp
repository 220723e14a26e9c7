// The names in a zip's central directory. libarchive takes names from the entries themselves; tools for
// people take them from the directory. An archive in which the two differ shows one file to people and
// another to graders. Format: PKWARE APPNOTE.TXT 6.3, sections 4.3.12 and 4.3.16.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace grader {

/// In the directory's order. nullopt: no zip, or one that has no directory as zips below 4 GiB have.
std::optional<std::vector<std::string>> zip_directory_names(int descriptor);

/// Whether two readings name the same files. Names that are not ASCII may differ: libarchive converts them,
/// and no source file of a lab has one.
bool name_the_same_files(std::vector<std::string> directory, std::vector<std::string> entries);

}  // namespace grader
