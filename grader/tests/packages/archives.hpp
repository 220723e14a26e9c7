// Archives for tests, made by libarchive or by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "packages/archive.hpp"

namespace testing {

enum class Type { file, folder, symbolic_link, hard_link, device, fifo };

struct Member {
  std::string path;
  std::string text = "// a source\n";
  Type type = Type::file;
  std::string target = "/etc/passwd";  ///< of links
};

enum class Format { zip, tar, tar_gz, tar_xz, seven_zip, encrypted_zip };

std::string make_archive(Format format, const std::vector<Member>& members);
/// Consecutive members, each with its own header and no trailer; declared sizes can be wrong.
std::string tar_header(const std::string& name, std::uint64_t size, char type = '0');
/// The bytes, compressed with gzip `times` times.
std::string gzipped(std::string bytes, int times);
/// Every byte of `from` at its `nth` occurrence (from 0) becomes `to`, of the same length.
std::string with_replaced(std::string bytes, const std::string& from, const std::string& to, int nth);

struct ReadBack {
  grader::ArchiveOutcome outcome;
  std::vector<grader::ArchiveEntry> entries;

  /// nullptr: no such entry.
  const grader::ArchiveEntry* find(const std::string& path) const;
};

/// Reads it in this process, with .cu files up to 1 MiB.
ReadBack read_back(const std::string& archive, const grader::ArchiveLimits& limits = {});

}  // namespace testing
