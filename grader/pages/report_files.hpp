// Reads what a report shows in addition to the results: submitted files, similar pairs, pictures, line
// counters. Files can be damaged or hostile: links are not followed, sizes are limited. Covered by
// pages/report_files_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "pages/report.hpp"

namespace grader::pages {

/// The copies in DIR/sources that the results name. Files that are missing or have other bytes are left out.
std::map<std::string, std::string> read_sources(const std::filesystem::path& dir, const ClassResults& all);

/// The pairs in FOLDER/similarity.json, which `warpgrade similarity --out` wrote. Error WG-G55.
Expected<std::vector<SimilarPair>, Diagnostic> read_similarity(const std::filesystem::path& folder);

inline constexpr std::size_t kMaxPictureBytes = std::size_t{2} << 20U;
inline constexpr std::size_t kMaxPictures = 40;  ///< of one submission and lab
inline constexpr const char* kLineCountersFile = "line-counters.json";

/// The files FOLDER/<submission>/<lab>/*.png and *.svg, by name, and the counters in line-counters.json;
/// <submission> is the folder's name below results/. Other files, larger pictures and more pictures are left
/// out.
std::map<std::pair<std::string, std::string>, LabPictures> read_pictures(const std::filesystem::path& folder,
                                                                         const ClassResults& all);

}  // namespace grader::pages
