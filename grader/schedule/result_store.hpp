// The results of a run, in DIR/results/<submission>/<lab>.json. A result counts if its file is complete and
// its provenance agrees with the manifest; any other file counts as missing. The functions keep no state, so
// several processes on several machines may use one DIR. Covered by schedule/class_run_test.cpp.
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

/// Publishes the item's result, with the item's receipt, unless another process published one first. The
/// error is the reason why it cannot be written.
Expected<Publication, std::string> publish_result(const std::filesystem::path& dir, const WorkItem& item,
                                                  const Result& graded);

/// The file in the place of an item's result.
struct StoredResult {
  std::optional<Result> result;      ///< if it counts
  std::string problem;               ///< why the file does not count; empty if there is no file
  std::optional<Result> other = {};  ///< if the file is complete, but from another run
};
StoredResult load_result(const std::filesystem::path& dir, const RunSettings& settings, const WorkItem& item);

/// Those of `items` (indices into manifest.items) whose result does not exist or does not count, in order.
/// Reads every existing file: when polling, pass only the items that were missing before.
std::vector<std::size_t> missing_items(const std::filesystem::path& dir, const Manifest& manifest,
                                       const std::vector<std::size_t>& items);
std::vector<std::size_t> all_items(const Manifest& manifest);

/// The summary of a class, from its result files alone. Missing results have no row.
ClassSummary summarize(const std::filesystem::path& dir, const Manifest& manifest);

/// The first number without a folder in DIR/history, as in "001".
std::string next_history_number(const std::filesystem::path& dir);

/// Moves files out of the way, to DIR/history/<number>/<path>.
class History {
 public:
  explicit History(std::filesystem::path dir) : dir_(std::move(dir)) {}

  /// Moves DIR/`path`. Each History has its own number, which it takes at the first move. The error is the
  /// reason of a failure.
  Expected<bool, std::string> keep(const std::filesystem::path& path);

 private:
  std::filesystem::path dir_, folder_;
};

}  // namespace grader
