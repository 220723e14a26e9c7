// The results of a run, in DIR/results/<submission>/<lab>.json. A result counts when its file is whole and
// its provenance agrees with the manifest; any other file is as good as none. Holds no state: several
// processes, on several machines, may use one DIR. Covered by schedule/result_store_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "schedule/manifest.hpp"
#include "schedule/publish.hpp"

namespace grader {

/// Publishes the item's result, unless somebody else was first. The error says why it cannot be written.
Expected<Publication, std::string> publish_result(const std::filesystem::path& dir, const WorkItem& item,
                                                  const Result& result);

/// What lies where an item's result belongs.
struct StoredResult {
  std::optional<Result> result;      ///< when it counts
  std::string problem;               ///< why the file there does not count; empty when there is none
  std::optional<Result> other = {};  ///< when the file is whole, but of another run
};
StoredResult load_result(const std::filesystem::path& dir, const RunSettings& settings, const WorkItem& item);

/// Those of `items` (indices into manifest.items) whose result does not count or is not there, in order.
/// Reads every file that is there: when you poll, ask again only for those that were missing.
std::vector<std::size_t> missing_items(const std::filesystem::path& dir, const Manifest& manifest,
                                       const std::vector<std::size_t>& items);
std::vector<std::size_t> all_items(const Manifest& manifest);

/// The class as its result files tell it: the same for every way in which they came about. What is missing
/// has no row.
ClassSummary summarize(const std::filesystem::path& dir, const Manifest& manifest);

/// The first number that DIR/history has no folder for: "001".
std::string next_history_number(const std::filesystem::path& dir);

/// Takes files out of the way and keeps them: DIR/history/<number>/<path>.
class History {
 public:
  explicit History(std::filesystem::path dir) : dir_(std::move(dir)) {}

  /// Moves DIR/`path`; a number of its own for each History, taken at the first move. The error says why not.
  Expected<bool, std::string> keep(const std::filesystem::path& path);

 private:
  std::filesystem::path dir_, folder_;
};

}  // namespace grader
