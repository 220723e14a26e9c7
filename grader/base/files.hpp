// Reading and writing files safely. Paths may lie in folders that students write to, so reading refuses
// anything but regular files, follows no final symbolic link and never reads more than it was told to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/expected.hpp"

namespace grader {

/// Larger files are taken for no source of a submission.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

/// A regular file, open for reading; nothing is followed, a fifo does not block. The error as below.
Expected<Descriptor, std::string> open_regular_file(const std::filesystem::path& path, std::size_t max_bytes);

/// The file's bytes. The error is one sentence without the path ("is a symbolic link", "has 70000000 bytes;
/// at most …").
Expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes to a new file whose name is `prefix` and six characters that no other file there has, flushed to
/// disk, mode 0644. On failure there is no such file.
Expected<std::filesystem::path, std::string> write_new_file(const std::filesystem::path& prefix,
                                                            std::string_view bytes);

/// Writes to a temporary name beside `path`, flushes to disk and renames: readers see the old bytes or the
/// new, never a part. On failure the temporary file is removed, the old file is intact, and the error says
/// why ("No space left on device").
Expected<bool, std::string> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A new folder under the system's temporary folder, mode 0700, deleted with its contents by the destructor.
/// It is locked (flock) meanwhile: the first of a prefix in a process deletes those of the same prefix and
/// user that nobody locks, which killed processes left.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace grader
