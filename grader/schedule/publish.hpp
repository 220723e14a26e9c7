// Publishes a file in a folder that several processes, on several machines, may write to at once: whole, and
// once. The first complete one wins; whoever comes later changes nothing. Works on NFS, where link() is
// atomic and rename() over a lock file is not to be trusted. Thread safe. Covered by
// schedule/publish_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/expected.hpp"

namespace grader {

enum class Publication {
  first,  ///< the file holds these bytes now
  late,   ///< somebody else published before; theirs stay
};

/// Writes to a name of its own in the folder `attempts`, flushes to disk, links it to `file` and removes its
/// own name. Makes both folders. A kill leaves at most a file in `attempts`, which nobody ever reads. The
/// error says why ("No space left on device"); then `file` is as it was.
Expected<Publication, std::string> publish(const std::filesystem::path& file, std::string_view bytes,
                                           const std::filesystem::path& attempts);

}  // namespace grader
