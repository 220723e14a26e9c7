// Reads an archive: zip, tar (plain, gzip, xz), 7z. The bytes are hostile, so this runs in a box
// (unpack.cpp); the grader itself never links it. Nothing is written to disk, no name is used for anything.
//
// Refused before or while it is read: too many entries, too many bytes when unpacked, an expansion that only
// bombs have, a zip whose two directories name different files. Covered by packages/archive_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packages/archive_entry.hpp"

namespace grader {

/// Files with this ending, in capital letters or not, are read, up to a size.
struct WantedFile {
  std::string ending;
  std::uint64_t max_bytes = 0;
};

struct ArchiveLimits {
  std::uint64_t entries = 20'000;
  std::uint64_t unpacked_bytes = std::uint64_t{256} << 20U;  ///< of all files, wanted or not
  std::uint64_t wanted_bytes = std::uint64_t{64} << 20U;     ///< of wanted files
  std::uint64_t bomb_ratio = 100;  ///< of unpacked to packed bytes; looked at from 64 MiB on
  /// For an archive of many people's files: what one of them, an entry of the first two levels, may have.
  /// Further entries are not listed, further wanted files count as too large, so that one stops nobody else.
  /// 0: no limit.
  std::uint64_t entries_each = 0, wanted_bytes_each = 0;
};

/// `descriptor` is at the start of a regular file. Calls `take` for each entry, in the archive's order. Names
/// that are not ASCII come as the archive has them where LC_CTYPE is a UTF-8 locale.
ArchiveOutcome read_archive(int descriptor, const std::vector<WantedFile>& wanted,
                            const ArchiveLimits& limits, const std::function<void(ArchiveEntry)>& take);

}  // namespace grader
