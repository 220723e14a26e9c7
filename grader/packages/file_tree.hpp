// Files and folders below one folder on disk or in an archive: paths as data, bytes on demand. Making a tree
// reads only folders; it follows no links and opens no files. Covered by tests/packages.
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
  std::string path;  ///< on disk: relative, parts separated by '/'; in an archive: as stored there
  EntryKind kind = EntryKind::file;
  Contents contents = Contents::present;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< position of the bytes in the file of an unpacked archive
};

class FileTree {
 public:
  FileTree() = default;
  /// The tree of an unpacked archive; `bytes` is a file in the format of entry_stream.hpp.
  FileTree(std::vector<TreeEntry> entries, std::shared_ptr<const Descriptor> bytes)
      : entries_(std::move(entries)), source_(std::move(bytes)) {}

  /// The contents of a folder, sorted by path, without hidden entries of the folder itself. Lists at most
  /// `max_each` + 1 entries below each of the folder's own entries, so that millions of files from one
  /// student do not stop the grading of others. The error names the folder that cannot be read and the
  /// reason.
  static Expected<FileTree, std::string> of_folder(const std::filesystem::path& folder, std::size_t max_each);

  const std::vector<TreeEntry>& entries() const { return entries_; }
  /// The folder on disk; empty for an archive.
  std::filesystem::path folder() const;
  /// The error is a clause ("is a symbolic link", "has 70000000 bytes; at most …").
  Expected<std::string, std::string> read(const TreeEntry& entry, std::size_t max_bytes) const;

  /// The entries whose path starts with `prefix`, with the prefix removed; the entry `prefix` itself is left
  /// out.
  FileTree below(const std::string& prefix) const;
  /// A tree with other entries of the same folder or archive.
  FileTree with(std::vector<TreeEntry> entries) const;

 private:
  std::vector<TreeEntry> entries_;
  std::variant<std::filesystem::path, std::shared_ptr<const Descriptor>> source_;
};

}  // namespace grader
