// Reads and writes files safely. Paths can be in folders that students write to, so reading refuses anything
// but regular files, does not follow a final symbolic link and never reads more than the given limit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/expected.hpp"

namespace grader {

/// The largest accepted source file of a submission, in bytes.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

/// Opens a regular file for reading; follows no final symbolic link, does not block on a fifo. Errors as
/// below.
Expected<Descriptor, std::string> open_regular_file(const std::filesystem::path& path, std::size_t max_bytes);

/// The file's bytes. The error is a clause without the path ("is a symbolic link", "has 70000000 bytes;
/// at most …").
Expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes a new file, flushed to disk, mode 0644. Its name is `prefix` and six characters that make it unique
/// in its folder. On failure no file is left.
Expected<std::filesystem::path, std::string> write_new_file(const std::filesystem::path& prefix,
                                                            std::string_view bytes);

/// Writes to a temporary name in the folder of `path`, flushes to disk and renames: readers see the old bytes
/// or the new, never a part. On failure the temporary file is removed, the old file is intact, and the error
/// is the reason ("No space left on device").
Expected<bool, std::string> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A new folder under the system's temporary folder, mode 0700, deleted with its contents by the destructor.
/// The folder is locked (flock) during its lifetime. The first folder of a prefix in a process deletes the
/// unlocked folders of the same prefix and user: killed processes left them.
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
