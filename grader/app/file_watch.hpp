// Notices that a file was saved: by inotify where it works, and by looking at the file every half second
// where it does not (network file systems, WSL). Follows files that editors replace. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace grader::app {

class FileWatch {
 public:
  explicit FileWatch(std::filesystem::path file);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Readable when something happens in the file's folder; -1: only polling.
  int descriptor() const { return inotify_; }
  /// True if the file's bytes differ from those at the last call, or at construction. A file that is being
  /// replaced does not count until it exists again.
  bool has_changed();

 private:
  /// Cheap facts, so that an unchanged file is not read.
  struct Stamp {
    std::int64_t modified_ns = 0;
    std::uint64_t inode = 0, bytes = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::optional<Stamp> stamp() const;
  std::string digest() const;
  void drain() const;

  std::filesystem::path file_;
  int inotify_ = -1;
  std::optional<Stamp> stamp_;
  std::string digest_;
};

}  // namespace grader::app
