// Finds each lab's source in one package, which is a folder or an unpacked archive. Pure: uses names and
// sizes only. A lab's file is accepted as <lab>/<source> or <source>, below any folders that wrap the whole
// package; its answers to questions as <lab>/answers.json or answers.json, and its receipt next to the
// source. Entries that no lab needs are
// ignored (links, other files, files added by operating systems). If the package contains an entry that no
// legitimate program writes, the whole package is refused. Covered by packages/package_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lab/lab.hpp"
#include "packages/file_tree.hpp"

namespace grader {

/// A lab's file in a package; `problem` is set if the file is not accepted.
struct FoundSource {
  TreeEntry entry;
  std::optional<Diagnostic> problem;
};

struct PackageContents {
  std::optional<Diagnostic> refused;            ///< if set, the other members are empty
  std::map<std::string, FoundSource> sources;   ///< by lab
  std::map<std::string, FoundSource> answers;   ///< by lab with questions: its answers.json
  std::map<std::string, FoundSource> receipts;  ///< by lab: the receipt.json next to its source
  std::map<std::string, std::string> hints;     ///< by lab without a file: what was found instead
  std::vector<std::string> other_programs;      ///< .cu files that no lab takes
  bool is_empty = false;                        ///< no entries at all
  std::vector<std::string> notes;               ///< entries that were left out
  std::vector<TreeEntry> archives;              ///< archives at the top level, not opened
};

struct PackageLimits {
  std::size_t entries = 20'000;
};

/// `name` is the package's name in messages.
PackageContents inspect_package(const FileTree& tree, const std::string& name, const std::vector<Lab>& labs,
                                const PackageLimits& limits = {});

}  // namespace grader
