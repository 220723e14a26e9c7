// What a path in a package means. Paths are data: they are compared with the names that labs ask for and
// shown to people, nothing else. Covered by packages/entry_path_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

struct EntryPath {
  enum class Kind {
    usable,
    side_file,  ///< what systems add unasked: __MACOSX, ._name, .DS_Store, Thumbs.db, hidden folders
    odd,        ///< too long, too deep or with control characters: no source can be there
    hostile,    ///< absolute, or leaves the package through "..": no honest program writes such a name
  };
  Kind kind = Kind::usable;
  std::string path;  ///< when usable: parts separated by '/', without "." and empty parts
};

/// Windows' separators become '/' where there is no '/'.
EntryPath read_entry_path(std::string_view raw);

std::string_view base_name(std::string_view path);
/// A name in a message: cut where it is long. It may still hold anything; reports escape it.
std::string shown_name(std::string_view name);

}  // namespace grader
