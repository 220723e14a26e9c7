// The entries of an archive or folder, and how reading an archive ended. Pure data.
#pragma once

#include <cstdint>
#include <string>

namespace grader {

enum class EntryKind : std::uint8_t { file, folder, symbolic_link, hard_link, special };

/// Whether an entry's bytes are available.
enum class Contents : std::uint8_t { present, not_selected, too_large, encrypted, damaged };

struct ArchiveEntry {
  std::string path;  ///< as stored in the archive: any bytes
  EntryKind kind = EntryKind::file;
  Contents contents = Contents::not_selected;
  std::uint64_t size = 0;  ///< the declared size; if the contents are present, the actual size
  std::string bytes;       ///< empty unless `contents` is `present`
};

/// How reading an archive ended.
enum class ArchiveEnd : std::uint8_t {
  complete,
  not_an_archive,  ///< none of the supported formats
  damaged,         ///< truncated or corrupt
  encrypted,       ///< the names are encrypted too
  too_many_entries,
  too_large,      ///< when unpacked
  bomb,           ///< expands more than any legitimate file
  contradictory,  ///< a zip whose central directory names other files than its entries
};

struct ArchiveOutcome {
  ArchiveEnd end = ArchiveEnd::complete;
  std::string detail;  ///< libarchive's message; can quote the archive
};

}  // namespace grader
