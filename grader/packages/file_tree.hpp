// Files and folders below one place, on disk or out of an archive: paths as data, bytes on demand. Nothing is
// followed, opened or read to make one but the folders themselves. Covered by packages/file_tree_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/descriptor.hpp"
#include "base/expected.hpp"
#include "packages/archive_entry.hpp"

namespace grader {

struct TreeEntry {
  std::string path;  ///< relative, parts separated by '/' on disk; as it stands in an archive otherwise
  EntryKind kind = EntryKind::file;
  Contents contents = Contents::present;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< of the bytes, in the file that holds an unpacked archive
};

class FileTree {
 public:
  FileTree() = default;
  /// An unpacked archive; `bytes` is the file that entry_stream.hpp describes.
  FileTree(std::vector<TreeEntry> entries, std::shared_ptr<const Descriptor> bytes)
      : entries_(std::move(entries)), source_(std::move(bytes)) {}

  /// What lies below a folder, sorted by path; hidden entries of the folder itself are left out. At most
  /// `max_each` + 1 entries below each of the folder's own entries, so that one student's millions of files
  /// stop nobody else. The error says which folder cannot be read and why.
  static Expected<FileTree, std::string> of_folder(const std::filesystem::path& folder, std::size_t max_each);

  const std::vector<TreeEntry>& entries() const { return entries_; }
  /// Empty for an archive.
  std::filesystem::path folder() const;
  /// The error is a clause ("is a symbolic link", "has 70000000 bytes; at most …").
  Expected<std::string, std::string> read(const TreeEntry& entry, std::size_t max_bytes) const;

  /// The entries whose path starts with `prefix`, without it; `prefix` itself is left out.
  FileTree below(const std::string& prefix) const;
  /// Other entries of the same place.
  FileTree with(std::vector<TreeEntry> entries) const;

 private:
  std::vector<TreeEntry> entries_;
  std::variant<std::filesystem::path, std::shared_ptr<const Descriptor>> source_;
};

}  // namespace grader
