// Labs, trees and boxes for the tests of packages.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "packages/file_tree.hpp"
#include "packages/unpacking.hpp"
#include "sandbox/boxes.hpp"

namespace testing {

inline grader::Lab lab(const std::string& id, const std::string& source) {
  grader::Lab made;
  made.id = id;
  made.sources = {source};
  return made;
}

inline std::vector<grader::Lab> labs() {
  return {lab("02-tiled-matmul", "tiled_matmul.cu"), lab("03-reduction", "reduction.cu")};
}

inline grader::TreeEntry tree_entry(std::string path, grader::EntryKind kind = grader::EntryKind::file) {
  grader::TreeEntry entry;
  if (path.ends_with('/')) {
    path.pop_back();
    kind = grader::EntryKind::folder;
  }
  entry.path = std::move(path);
  entry.kind = kind;
  return entry;
}

/// Names alone, as out of an archive; those that end with '/' are folders.
inline grader::FileTree names(const std::vector<std::string>& paths) {
  std::vector<grader::TreeEntry> entries;
  entries.reserve(paths.size());
  for (const std::string& path : paths) entries.push_back(tree_entry(path));
  return {std::move(entries), std::make_shared<const grader::Descriptor>()};
}

inline grader::Unpacker unpacker() { return grader::Unpacker(sandbox()); }

}  // namespace testing
