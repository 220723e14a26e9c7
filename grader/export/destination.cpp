#include "export/destination.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/files.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

Diagnostic exists_already(const fs::path& path) {
  return diagnose("WG-G56", path.string() + " exists already",
                  "choose another path, or replace it with --force");
}

Diagnostic unwritable(const fs::path& path, const std::string& why) {
  return diagnose("WG-G56", fmt::format("cannot write {}: {}", path.string(), why),
                  "free some disk space or allow writing there, or choose another path with --out");
}

bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

std::optional<Diagnostic> write_all(const fs::path& folder, const Exported& exported,
                                    std::string_view extension) {
  for (const ExportedFile& file : exported.files) {
    const fs::path path = folder / (file.name + std::string(extension));
    if (const auto written = write_file_atomically(path, file.bytes); !written)
      return unwritable(path, written.error());
  }
  return std::nullopt;
}

std::optional<Diagnostic> remove_stale(const fs::path& folder, const Exported& exported,
                                       std::string_view extension, const ClassResults& all) {
  std::set<std::string> written;
  for (const ExportedFile& file : exported.files) written.insert(file.name);
  for (const GradedSubmission& one : all.submissions) {
    if (one.file_name.empty() || written.contains(one.file_name)) continue;
    const fs::path stale = folder / (one.file_name + std::string(extension));
    std::error_code error;
    fs::remove(stale, error);
    if (error) return unwritable(stale, error.message());
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> write_one(const fs::path& path, const std::string& bytes, Existing existing) {
  std::error_code error;
  if (fs::is_directory(path, error)) return unwritable(path, "is a folder, but this format writes one file");
  if (existing == Existing::keep && is_taken(path)) return exists_already(path);
  const auto written = write_file_atomically(path, bytes);
  return written ? std::nullopt : std::optional(unwritable(path, written.error()));
}

std::optional<Diagnostic> write_folder(const fs::path& path, const Exported& exported,
                                       const ExportFormat& format, const ClassResults& all,
                                       Existing existing) {
  std::error_code error;
  if (existing == Existing::keep && is_taken(path) && !fs::is_empty(path, error)) return exists_already(path);
  fs::create_directories(path, error);
  if (error) return unwritable(path, error.message());
  // Remove outdated files first: if the export is interrupted, files are missing rather than wrong.
  if (auto problem = remove_stale(path, exported, format.extension, all)) return problem;
  return write_all(path, exported, format.extension);
}

}  // namespace grader
