// Publishes a file once and completely, in a folder that several processes on several machines can write to
// at the same time. The first complete file is kept; later ones change nothing. Works on NFS, where link() is
// atomic and rename() over a lock file is not reliable. Thread-safe. Covered by schedule/publish_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/expected.hpp"

namespace grader {

enum class Publication {
  first,  ///< the file has these bytes now
  late,   ///< another process published first; its bytes are kept
};

/// Writes a file with a unique name in the folder `attempts`, flushes it to disk, links it to `file` and
/// removes the unique name. Creates both folders. A killed process leaves at most a file in `attempts`, which
/// is never read. The error is the reason ("No space left on device"); `file` is then unchanged.
Expected<Publication, std::string> publish(const std::filesystem::path& file, std::string_view bytes,
                                           const std::filesystem::path& attempts);

}  // namespace grader
