// Writes an archive: zip, tar.gz or tar.xz. The same files give the same bytes on every machine: the order,
// times, owners and permissions do not depend on where the files came from. Covered by
// packing/archive_writer_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/expected.hpp"

namespace grader {

enum class ArchiveFormat { zip, tar_gz, tar_xz };

/// The format that the name's ending asks for: .zip, .tar.gz, .tgz, .tar.xz, .txz.
std::optional<ArchiveFormat> archive_format(const std::string& name);

struct PackedFile {
  enum class Kind { text, program, link };
  std::string bytes;  ///< of a link: its target
  Kind kind = Kind::text;
};

/// By path: relative, with '/' between its parts.
using PackedFiles = std::map<std::string, PackedFile>;

/// The archive's bytes. The error is libarchive's reason.
Expected<std::string, std::string> write_archive(const PackedFiles& files, ArchiveFormat format);

}  // namespace grader
