// The file format in which the sandboxed program reports an archive's entries to the grader. Each record
// consists of a header of fixed size, a path, and the entry's bytes if they were selected; the last record
// contains the outcome. Writer and reader run on the same machine. The reader treats the file as hostile.
// Covered by packages/unpacking_test.cpp.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "packages/archive_entry.hpp"
#include "packages/file_tree.hpp"

namespace grader {

void write_entry(std::FILE* out, const ArchiveEntry& entry);
/// Writes the last record and flushes. False: a write failed.
bool write_end(std::FILE* out, const ArchiveOutcome& outcome);

struct IndexedEntries {
  std::vector<TreeEntry> entries;  ///< without bytes, which stay in the file
  ArchiveOutcome outcome;
};

/// The error describes the problem with the file: it is truncated, or not in the format of write_entry().
Expected<IndexedEntries, std::string> index_entries(int descriptor);

}  // namespace grader
