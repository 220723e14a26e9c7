#include "packages/file_tree.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

/// Deeper folders are not entered: no lab needs them, and the length of paths must be bounded.
constexpr int kMaxFolderDepth = 32;

EntryKind kind_of(const fs::file_status& status) {
  switch (status.type()) {
    case fs::file_type::regular:
      return EntryKind::file;
    case fs::file_type::directory:
      return EntryKind::folder;
    case fs::file_type::symlink:
      return EntryKind::symbolic_link;
    default:
      return EntryKind::special;
  }
}

TreeEntry entry_of(const fs::directory_entry& found, const std::string& path) {
  std::error_code error;
  TreeEntry entry{path, kind_of(found.symlink_status(error))};
  if (entry.kind == EntryKind::file) entry.size = found.file_size(error);
  return entry;
}

/// A folder comes before its contents. The error is the system's message.
std::error_code walk(const fs::path& folder, const std::string& prefix, int depth, std::size_t max_entries,
                     std::vector<TreeEntry>& entries) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (entries.size() >= max_entries) return {};
    entries.push_back(entry_of(*at, prefix + at->path().filename().string()));
    if (entries.back().kind != EntryKind::folder || depth >= kMaxFolderDepth) continue;
    const std::string below = entries.back().path + "/";
    if (const auto inner = walk(at->path(), below, depth + 1, max_entries, entries)) return inner;
  }
  return error;
}

Expected<std::string, std::string> read_part(int descriptor, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  for (std::size_t got = 0; got < size;) {
    const ssize_t more =
        ::pread(descriptor, bytes.data() + got, size - got, static_cast<off_t>(offset + got));
    if (more <= 0) return Unexpected{std::string("cannot be read any more")};
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

}  // namespace

Expected<FileTree, std::string> FileTree::of_folder(const fs::path& folder, std::size_t max_each) {
  FileTree tree;
  tree.source_ = folder;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    tree.entries_.push_back(entry_of(*at, name));
    if (tree.entries_.back().kind != EntryKind::folder) continue;
    std::vector<TreeEntry> inner;
    if (const auto why = walk(at->path(), name + "/", 1, max_each + 1, inner))
      return Unexpected{fmt::format("{}: {}", at->path().string(), why.message())};
    tree.entries_.insert(tree.entries_.end(), std::make_move_iterator(inner.begin()),
                         std::make_move_iterator(inner.end()));
  }
  if (error) return Unexpected{fmt::format("{}: {}", folder.string(), error.message())};
  std::sort(tree.entries_.begin(), tree.entries_.end(),
            [](const TreeEntry& a, const TreeEntry& b) { return a.path < b.path; });
  return tree;
}

fs::path FileTree::folder() const {
  const auto* folder = std::get_if<fs::path>(&source_);
  return folder != nullptr ? *folder : fs::path();
}

Expected<std::string, std::string> FileTree::read(const TreeEntry& entry, std::size_t max_bytes) const {
  if (entry.size > max_bytes)
    return Unexpected{fmt::format("has {} bytes; at most {} are read", entry.size, max_bytes)};
  if (const auto* folder = std::get_if<fs::path>(&source_)) return read_file(*folder / entry.path, max_bytes);
  if (entry.contents != Contents::present) return Unexpected{std::string("was not unpacked")};
  return read_part(std::get<1>(source_)->get(), entry.offset, entry.size);
}

FileTree FileTree::below(const std::string& prefix) const {
  FileTree tree;
  tree.source_ = source_;
  if (const auto* folder = std::get_if<fs::path>(&source_)) tree.source_ = *folder / prefix;
  for (const TreeEntry& entry : entries_) {
    if (entry.path.size() <= prefix.size() || !entry.path.starts_with(prefix)) continue;
    tree.entries_.push_back(entry);
    tree.entries_.back().path.erase(0, prefix.size());
  }
  return tree;
}

FileTree FileTree::with(std::vector<TreeEntry> entries) const {
  FileTree tree;
  tree.source_ = source_;
  tree.entries_ = std::move(entries);
  return tree;
}

}  // namespace grader
