// Diagnostics about submissions and their archives (WG-S10 to WG-S16, WG-G20, WG-G23).
#pragma once

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "packages/archive_entry.hpp"

namespace grader {

/// `hint` describes what was found instead; can be empty.
Diagnostic missing_source(const std::string& name, const std::string& lab,
                          const std::string& hint);                              // WG-S10
Diagnostic unusable_source(const std::string& name, const std::string& why);     // WG-S11
Diagnostic archive_unreadable(const std::string& name, const std::string& why);  // WG-S11
Diagnostic hostile_archive(const std::string& name, const std::string& what);    // WG-S12
Diagnostic archive_too_large(const std::string& name, const std::string& why);   // WG-S13
Diagnostic ambiguous_source(const std::string& source, const std::string& first,
                            const std::string& second);                                   // WG-S14
Diagnostic encrypted_archive(const std::string& name);                                    // WG-S15
Diagnostic layout_unclear(const std::string& what, const std::string& next_step);         // WG-S16
Diagnostic class_unreadable(const std::filesystem::path& place, const std::string& why);  // WG-G20
Diagnostic unpacking_failed(const std::string& what);                                     // WG-G23

/// The reason why an archive is not accepted. Requires: `outcome` is not `complete`.
Diagnostic archive_refused(const std::string& name, const ArchiveOutcome& outcome);

}  // namespace grader
