// Reads an archive: zip, tar (plain, gzip, xz), 7z. The bytes are hostile, so this code runs in a sandbox
// (unpack.cpp), and the grader never links it. It writes nothing to disk and uses no name as a path. Archives
// are refused, before or during reading, if they have too many entries or too many unpacked bytes, if they
// expand like a decompression bomb, or if the two directories of a zip name different files. Covered by
// packages/archive_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packages/archive_entry.hpp"

namespace grader {

/// Selects the files with this ending (case-insensitive) whose contents are read, up to a size.
struct SelectedFile {
  std::string ending;
  std::uint64_t max_bytes = 0;
};

struct ArchiveLimits {
  std::uint64_t entries = 20'000;
  std::uint64_t unpacked_bytes = std::uint64_t{256} << 20U;  ///< of all files, selected or not
  std::uint64_t selected_bytes = std::uint64_t{64} << 20U;   ///< of all selected files
  std::uint64_t bomb_ratio = 100;  ///< unpacked bytes per packed byte; checked from 64 MiB on
  /// Limits per student in the archive of a class; a student's files are below one entry of the first two
  /// levels. Further entries are not listed, and further selected files count as too large, so that one
  /// student's files cannot stop the grading of others. 0: no limit.
  std::uint64_t entries_each = 0, selected_bytes_each = 0;
};

/// `descriptor` must be at the start of a regular file. Calls `take` for each entry, in the archive's order.
/// Names that are not ASCII are passed unchanged only if LC_CTYPE is a UTF-8 locale.
ArchiveOutcome read_archive(int descriptor, const std::vector<SelectedFile>& selected,
                            const ArchiveLimits& limits, const std::function<void(ArchiveEntry)>& take);

}  // namespace grader
