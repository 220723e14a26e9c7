// What an archive or folder says of its entries. Pure data.
#pragma once

#include <cstdint>
#include <string>

namespace grader {

enum class EntryKind : std::uint8_t { file, folder, symbolic_link, hard_link, special };

/// Whether an entry's bytes can be had.
enum class Contents : std::uint8_t { present, not_wanted, too_large, encrypted, damaged };

struct ArchiveEntry {
  std::string path;  ///< as it stands in the archive: any bytes
  EntryKind kind = EntryKind::file;
  Contents contents = Contents::not_wanted;
  std::uint64_t size = 0;  ///< as declared; of what is present, the true one
  std::string bytes;       ///< empty unless `contents` is `present`
};

/// How reading an archive ended.
enum class ArchiveEnd : std::uint8_t {
  complete,
  not_an_archive,  ///< none of the formats that are read
  damaged,         ///< cut off or broken
  encrypted,       ///< even the names
  too_many_entries,
  too_large,      ///< unpacked
  bomb,           ///< expands as no honest file does
  contradictory,  ///< a zip whose central directory names other files than its entries
};

struct ArchiveOutcome {
  ArchiveEnd end = ArchiveEnd::complete;
  std::string detail;  ///< libarchive's words; may quote the archive
};

}  // namespace grader
