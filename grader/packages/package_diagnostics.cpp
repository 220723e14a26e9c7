#include "packages/package_diagnostics.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "packages/entry_path.hpp"

namespace grader {
namespace {

constexpr const char* kPackAgain = "pack the source files alone, without links and data, as zip or tar.gz";

}  // namespace

Diagnostic missing_source(const std::string& name, const std::string& lab, const std::string& hint) {
  return diagnose("WG-S10", fmt::format("{} is missing{}{}", name, hint.empty() ? "" : "; ", hint),
                  fmt::format("hand in {1}/{0}, or {0} at the top of the submission", name, lab));
}

Diagnostic unusable_source(const std::string& name, const std::string& why) {
  return diagnose_file("WG-S11", name, fmt::format("{} cannot be accepted: it {}", name, why),
                       fmt::format("hand in a regular file of at most {} bytes", kMaxSourceBytes));
}

Diagnostic archive_unreadable(const std::string& name, const std::string& why) {
  return diagnose(
      "WG-S11", fmt::format("{} cannot be unpacked: {}", shown_name(name), why),
      "pack the source files again as zip or tar.gz, check that the archive opens, and hand it in");
}

Diagnostic hostile_archive(const std::string& name, const std::string& what) {
  return diagnose("WG-S12", fmt::format("{} is refused: {}", shown_name(name), what), kPackAgain);
}

Diagnostic archive_too_large(const std::string& name, const std::string& why) {
  return diagnose("WG-S13", fmt::format("{} is refused: it {}", shown_name(name), why), kPackAgain);
}

Diagnostic ambiguous_source(const std::string& source, const std::string& first, const std::string& second) {
  return diagnose(
      "WG-S14",
      fmt::format("{} was handed in twice: {} and {}", source, shown_name(first), shown_name(second)),
      "hand in only one of them; the grader does not guess which one counts");
}

Diagnostic encrypted_archive(const std::string& name) {
  return diagnose("WG-S15", fmt::format("{} is encrypted", shown_name(name)),
                  "pack it again without a password");
}

Diagnostic layout_unclear(const std::string& what, const std::string& next_step) {
  return diagnose("WG-S16", what, next_step);
}

Diagnostic class_unreadable(const std::filesystem::path& place, const std::string& why) {
  return diagnose("WG-G20", fmt::format("cannot read the submissions in {}: {}", place.string(), why),
                  "pass a folder that contains one folder per submission, or an archive of such a folder");
}

Diagnostic unpacking_failed(const std::string& what) {
  return diagnose(
      "WG-G23", "the grader failed: " + what,
      "run the command again; if the problem persists, `warpgrade doctor` shows what is missing here");
}

Diagnostic archive_refused(const std::string& name, const ArchiveOutcome& outcome) {
  switch (outcome.end) {
    case ArchiveEnd::too_many_entries:
      return archive_too_large(name, "has too many entries");
    case ArchiveEnd::too_large:
      return archive_too_large(name, "is too large when unpacked");
    case ArchiveEnd::bomb:
      return archive_too_large(name, "expands more than a hundredfold, as decompression bombs do");
    case ArchiveEnd::encrypted:
      return encrypted_archive(name);
    case ArchiveEnd::contradictory:
      return hostile_archive(name, "its directory does not match the files that it contains");
    case ArchiveEnd::not_an_archive:
      return archive_unreadable(name, "it is not a zip, tar, tar.gz, tar.xz or 7z file");
    case ArchiveEnd::damaged:
    case ArchiveEnd::complete:
      break;
  }
  return archive_unreadable(name, "it is truncated or damaged (" + shown_name(outcome.detail) + ")");
}

}  // namespace grader
