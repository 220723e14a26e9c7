// Finds each lab's source in one package, which is a folder or an unpacked archive. Pure: uses names and
// sizes only. A lab's file is accepted as <lab>/<source> or <source>, below any folders that wrap the whole
// package. Entries that no lab needs are ignored (links, other files, files added by operating systems). If
// the package contains an entry that no legitimate program writes, the whole package is refused. Covered by
// packages/package_test.cpp.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/receipt.hpp"
#include "lab/lab.hpp"
#include "packages/file_tree.hpp"
#include "packages/receipt.hpp"

namespace grader {

/// A small file that a student can hand in next to a lab's source.
struct Companion {
  const char* name;
  std::size_t max_bytes;
};
inline constexpr std::array kCompanions = {Companion{kAnswersName, std::size_t{64} << 10U},
                                           Companion{kReceiptFile, kMaxReceiptBytes}};

/// A lab's file in a package; `problem` is set if the file is not accepted.
struct FoundSource {
  TreeEntry entry;
  std::optional<Diagnostic> problem;
  std::map<std::string, TreeEntry> companions = {};  ///< by name; only regular files
};

struct PackageContents {
  std::optional<Diagnostic> refused;           ///< if set, the other members are empty
  std::map<std::string, FoundSource> sources;  ///< by lab
  std::map<std::string, std::string> hints;    ///< by lab without a file: what was found instead
  std::vector<std::string> notes;              ///< entries that were left out
  std::vector<TreeEntry> archives;             ///< archives at the top level, not opened
};

struct PackageLimits {
  std::size_t entries = 20'000;
};

/// `name` is the package's name in messages.
PackageContents inspect_package(const FileTree& tree, const std::string& name, const std::vector<Lab>& labs,
                                const PackageLimits& limits = {});

}  // namespace grader
