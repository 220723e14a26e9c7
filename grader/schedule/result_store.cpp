#include "schedule/result_store.hpp"

#include <numeric>

#include <fmt/format.h>

#include "base/files.hpp"
#include "report/result_reader.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

}  // namespace

Expected<Publication, std::string> publish_result(const fs::path& dir, const WorkItem& item,
                                                  const Result& graded) {
  Result result = graded;
  result.receipt = item.receipt;
  return publish(dir / result_path(item), result_json(result), dir / "attempts");
}

StoredResult load_result(const fs::path& dir, const RunSettings& settings, const WorkItem& item) {
  const fs::path file = dir / result_path(item);
  std::error_code error;
  // symlink_status does not follow links: a broken link is a damaged result, not a missing one.
  if (!fs::exists(fs::symlink_status(file, error))) return {};
  const auto text = read_file(file, kMaxResultBytes);
  if (!text) return {std::nullopt, "it " + text.error()};
  auto result = parse_result(*text);
  if (!result) return {std::nullopt, result.error()};
  if (std::string why = mismatch(settings, item, *result); !why.empty())
    return {std::nullopt, std::move(why), *std::move(result)};
  return {*std::move(result), ""};
}

std::vector<std::size_t> missing_items(const fs::path& dir, const Manifest& manifest,
                                       const std::vector<std::size_t>& items) {
  std::vector<std::size_t> missing;
  for (const std::size_t i : items)
    if (!load_result(dir, manifest.settings, manifest.items.at(i)).result) missing.push_back(i);
  return missing;
}

std::vector<std::size_t> all_items(const Manifest& manifest) {
  std::vector<std::size_t> items(manifest.items.size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  return items;
}

ClassSummary summarize(const fs::path& dir, const Manifest& manifest) {
  ClassSummary summary;
  for (const auto& [lab, rubric] : manifest.settings.rubrics) summary.labs.push_back(lab);
  summary.expected_rows = manifest.items.size();
  for (const WorkItem& item : manifest.items)
    if (const auto stored = load_result(dir, manifest.settings, item); stored.result)
      summary.rows.push_back(class_row(*stored.result, result_path(item).string()));
  summary.interrupted = summary.rows.size() < summary.expected_rows;
  return summary;
}

std::string next_history_number(const fs::path& dir) {
  std::error_code error;
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{:03}", number);
    if (!fs::exists(dir / "history" / name, error)) return name;
  }
}

Expected<bool, std::string> History::keep(const fs::path& path) {
  std::error_code error;
  if (folder_.empty()) folder_ = dir_ / "history" / next_history_number(dir_);
  if (!error) fs::create_directories((folder_ / path).parent_path(), error);
  if (!error) fs::rename(dir_ / path, folder_ / path, error);
  if (error) return Unexpected{error.message()};
  return true;
}

}  // namespace grader
