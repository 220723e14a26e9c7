#include "pages/report_files.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "lab/json_reader.hpp"

namespace grader::pages {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSimilarityBytes = std::size_t{64} << 20U;

bool is_digest(const std::string& name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::pair<int, int> read_lines(const JsonNode& node) {
  const auto ends = node.elements();
  if (ends.size() != 2) node.refuse("does not have two line numbers");
  return {static_cast<int>(ends[0].integer(1, INT32_MAX)), static_cast<int>(ends[1].integer(1, INT32_MAX))};
}

SimilarPair read_pair(const JsonNode& node, const std::string& lab, double threshold) {
  SimilarPair pair;
  pair.lab = lab;
  pair.first = node.at("first").any_text();
  pair.second = node.at("second").any_text();
  pair.similarity = node.at("similarity").number();
  pair.is_marked = pair.similarity >= threshold;
  for (const JsonNode& fragment : node.at("fragments").elements()) {
    const auto first = read_lines(fragment.at("first")), second = read_lines(fragment.at("second"));
    const int lines = first.second - first.first + 1;
    if (!pair.longest || lines > pair.longest->lines)
      pair.longest = SimilarPair::Fragment{first.first, second.first, lines};
  }
  return pair;
}

std::vector<SimilarPair> read_pairs(const JsonNode& file) {
  file.at("schema").one_of({"warpgrade.similarity/1"});
  std::vector<SimilarPair> pairs;
  for (const JsonNode& lab : file.at("labs").elements())
    for (const JsonNode& pair : lab.at("pairs").elements())
      pairs.push_back(read_pair(pair, lab.at("lab").any_text(), lab.at("threshold").number()));
  return pairs;
}

bool is_picture(const std::string& name, const std::string& bytes) {
  if (name.ends_with(".png")) return bytes.starts_with("\x89PNG\r\n");
  return name.ends_with(".svg") && bytes.find("<svg") != std::string::npos;
}

std::vector<StoredPicture> pictures_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  std::vector<StoredPicture> pictures;
  for (const std::string& name : names) {
    if (pictures.size() == kMaxPictures) break;
    if (!name.ends_with(".png") && !name.ends_with(".svg")) continue;
    const auto bytes = read_file(folder / name, kMaxPictureBytes);
    if (bytes && is_picture(name, *bytes)) pictures.push_back({name, *bytes});
  }
  return pictures;
}

/// Without a regular file of that name, nothing is read.
void read_line_counters(const fs::path& file, LabPictures& to) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return;
  const auto bytes = read_file(file, kMaxLineCountersBytes);
  auto read = bytes ? parse_line_counters(*bytes) : Unexpected<std::string>{bytes.error()};
  if (read)
    to.lines = *std::move(read);
  else
    to.lines_problem = read.error();
}

}  // namespace

std::map<std::string, std::string> read_sources(const fs::path& dir, const ClassResults& all) {
  std::map<std::string, std::string> sources;
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results) {
      const std::string& digest = result.provenance.source_sha256;
      if (!is_digest(digest) || sources.contains(digest)) continue;
      const auto bytes = read_file(dir / "sources" / digest, kMaxSourceBytes);
      if (bytes && sha256_hex(*bytes) == digest) sources[digest] = *bytes;
    }
  return sources;
}

Expected<std::vector<SimilarPair>, Diagnostic> read_similarity(const fs::path& folder) {
  const fs::path file = folder / "similarity.json";
  const auto unreadable = [&](const std::string& what) {
    return Unexpected{diagnose_file("WG-G55", file.string(), what,
                                    "pass the folder that `warpgrade similarity --out` wrote")};
  };
  const auto bytes = read_file(file, kMaxSimilarityBytes);
  if (!bytes) return unreadable(bytes.error());
  try {
    const auto json = parse_json(*bytes);
    if (!json) return unreadable("is truncated or damaged: " + json.error().what);
    return read_pairs(JsonNode(*json));
  } catch (const JsonProblem& problem) {
    return unreadable(problem.what());
  }
}

std::map<std::pair<std::string, std::string>, LabPictures> read_pictures(const fs::path& folder,
                                                                         const ClassResults& all) {
  std::map<std::pair<std::string, std::string>, LabPictures> pictures;
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results) {
      const fs::path place = folder / one.file_name / result.lab;
      LabPictures found{pictures_in(place)};
      read_line_counters(place / kLineCountersFile, found);
      if (!found.files.empty() || found.lines || !found.lines_problem.empty())
        pictures[{one.file_name, result.lab}] = std::move(found);
    }
  return pictures;
}

}  // namespace grader::pages
