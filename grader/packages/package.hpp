// What one package, a folder or an unpacked archive, holds for each lab. Pure: looks at names and sizes only.
//
// A lab's file counts where labs ask for it: <lab>/<source> or <source>, below any folders that wrap the
// whole package. What does not matter to a lab does no harm (links, other files, what systems add), but for
// what no honest program writes: then nothing of the package is taken. Covered by packages/package_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lab/lab.hpp"
#include "packages/file_tree.hpp"

namespace grader {

/// A lab's file in a package, or why it is not taken.
struct FoundSource {
  TreeEntry entry;
  std::optional<Diagnostic> problem;
};

struct PackageContents {
  std::optional<Diagnostic> refused;           ///< then the rest is empty
  std::map<std::string, FoundSource> sources;  ///< by lab
  std::map<std::string, std::string> hints;    ///< by lab whose file is not there: what was found instead
  std::vector<std::string> notes;              ///< what was left out
  std::vector<TreeEntry> archives;             ///< at the top; not looked into
};

struct PackageLimits {
  std::size_t entries = 20'000;
};

/// `name` is what messages call the package.
PackageContents inspect_package(const FileTree& tree, const std::string& name, const std::vector<Lab>& labs,
                                const PackageLimits& limits = {});

}  // namespace grader
