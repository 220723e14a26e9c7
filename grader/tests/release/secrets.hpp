// What a student must not find in the archive.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace testing {

/// The lines of all files below these folders that are long enough to recognise, without blanks at their
/// ends.
std::set<std::string> lines_below(const std::vector<std::filesystem::path>& folders);

/// Calls for every line of printable characters in `bytes`: of a text, or of what `strings` shows of a
/// program.
std::vector<std::string> secrets_in(std::string_view bytes, const std::set<std::string>& secrets);

}  // namespace testing
