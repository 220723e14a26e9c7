// How the boxed program tells the grader what an archive holds: records in a file, each a header of fixed
// size, a path, and the bytes that were asked for; the last record says how it ended. Both ends run on one
// machine. The reading end treats what it reads as hostile. Covered by packages/entry_stream_test.cpp.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "packages/archive_entry.hpp"
#include "packages/file_tree.hpp"

namespace grader {

void write_entry(std::FILE* out, const ArchiveEntry& entry);
/// Last of all; then flushes. False: something could not be written.
bool write_end(std::FILE* out, const ArchiveOutcome& outcome);

struct IndexedEntries {
  std::vector<TreeEntry> entries;  ///< their bytes stay in the file
  ArchiveOutcome outcome;
};

/// The error says what is wrong with the file: it is cut off, or not what write_entry() writes.
Expected<IndexedEntries, std::string> index_entries(int descriptor);

}  // namespace grader
