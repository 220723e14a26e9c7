// Classifies the paths in a package. Paths are data: they are only compared with the names that labs require
// and shown to people. Covered by packages/entry_path_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

struct EntryPath {
  enum class Kind {
    usable,
    side_file,  ///< added by operating systems: __MACOSX, ._name, .DS_Store, Thumbs.db, hidden folders
    odd,        ///< too long, too deep or with control characters: cannot be a source's path
    hostile,    ///< absolute, or leaves the package through "..": no legitimate program writes such a name
  };
  Kind kind = Kind::usable;
  std::string path;  ///< if usable: parts separated by '/', without "." and empty parts
};

/// If the path contains no '/', Windows' separators are replaced by '/'.
EntryPath read_entry_path(std::string_view raw);

std::string_view base_name(std::string_view path);
/// The name for a message, shortened if it is long. It can still contain any character; reports escape it.
std::string shown_name(std::string_view name);

}  // namespace grader
