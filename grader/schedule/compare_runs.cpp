#include "schedule/compare_runs.hpp"

#include <array>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "schedule/journal.hpp"
#include "schedule/result_store.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Applying has four steps: 1. Copy the whole new run to DIR/staged. 2. Create DIR/apply.json, which is the
// point of no return. 3. Move each part of DIR to the history and the staged part into its place. 4. Remove
// apply.json. A process that finds apply.json repeats steps 3 and 4: a part that is still in DIR/staged has
// not been moved yet.
constexpr std::array kParts = {"manifest.json", "sources", "results", "gradebook.csv", "summary.json"};
constexpr const char* kDecision = "apply.json";
constexpr const char* kStaged = "staged";

Expected<Manifest, Diagnostic> manifest_of(const fs::path& dir) {
  auto manifest = read_manifest(dir);
  if (!manifest) return Unexpected{manifest.error()};
  if (!*manifest) return Unexpected{manifest_unreadable(dir / "manifest.json", "the file does not exist")};
  return **std::move(manifest);
}

std::map<fs::path, Result> results_of(const fs::path& dir, const Manifest& manifest) {
  std::map<fs::path, Result> results;
  for (const WorkItem& item : manifest.items)
    if (auto stored = load_result(dir, manifest.settings, item); stored.result)
      results[result_path(item)] = *std::move(stored.result);
  return results;
}

Change only_in_one(const Result& result, const fs::path& file, bool before) {
  Change change{result.submission, result.lab, {}, {}, {"not in both"}};
  (before ? change.before : change.now) = class_row(result, file.string());
  return change;
}

/// Why `now` cannot replace `before`; empty if it can.
std::string incomplete(const fs::path& now, const Manifest& now_manifest, const Manifest& before_manifest) {
  std::map<fs::path, bool> has;
  for (const WorkItem& item : now_manifest.items) has[result_path(item)] = true;
  for (const WorkItem& item : before_manifest.items)
    if (!has.contains(result_path(item)))
      return fmt::format("it has no result for {} of {}", item.lab, item.submission);
  const auto missing = missing_items(now, now_manifest, all_items(now_manifest));
  return missing.empty() ? "" : fmt::format("{} of its results are missing", missing.size());
}

/// The message of the error_code, if it is an error.
Expected<bool, std::string> outcome(const std::error_code& error) {
  if (error) return Unexpected{error.message()};
  return true;
}

void flush_to_disk(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) ::syncfs(descriptor.get());
}

Expected<bool, std::string> stage(const fs::path& before, const fs::path& now) {
  std::error_code error;
  fs::remove_all(before / kStaged, error);  // left by a process that was killed before step 2
  if (!error) fs::create_directory(before / kStaged, error);
  for (const char* part : kParts)
    if (!error && fs::exists(now / part))
      fs::copy(now / part, before / kStaged / part, fs::copy_options::recursive, error);
  flush_to_disk(before);
  return outcome(error);
}

/// Writes the file in the staging folder, which the next process removes, and then moves it out in one step.
Expected<bool, std::string> decide(const fs::path& dir, const std::string& history_number) {
  const fs::path written = dir / kStaged / kDecision;
  auto done = write_file_atomically(written, json_text(Json{{"history", history_number}}) + "\n");
  if (!done) return done;
  std::error_code error;
  fs::rename(written, dir / kDecision, error);
  flush_to_disk(dir);
  return outcome(error);
}

/// Moves one part; does nothing if the part was moved already.
std::error_code move_part(const fs::path& dir, const fs::path& history, const char* part) {
  std::error_code error;
  const fs::path staged = dir / kStaged / part;
  if (!fs::exists(staged, error)) return error;
  if (fs::exists(dir / part, error)) fs::rename(dir / part, history / part, error);
  if (!error) fs::rename(staged, dir / part, error);
  return error;
}

std::optional<Diagnostic> refused(const fs::path& file, const Expected<bool, std::string>& done) {
  return done ? std::nullopt : std::optional(output_unwritable(file, done.error()));
}

}  // namespace

Expected<Comparison, Diagnostic> compare_runs(const fs::path& before, const fs::path& now) {
  const auto old_manifest = manifest_of(before), new_manifest = manifest_of(now);
  if (!old_manifest) return Unexpected{old_manifest.error()};
  if (!new_manifest) return Unexpected{new_manifest.error()};
  const auto old_results = results_of(before, *old_manifest), new_results = results_of(now, *new_manifest);
  Comparison comparison;
  for (const auto& [file, result] : old_results) {
    const auto other = new_results.find(file);
    if (other == new_results.end())
      comparison.changes.push_back(only_in_one(result, file, true));
    else if (auto change = change_between(result, other->second, file.string()))
      comparison.changes.push_back(*std::move(change));
    else
      ++comparison.same;
  }
  for (const auto& [file, result] : new_results)
    if (!old_results.contains(file)) comparison.changes.push_back(only_in_one(result, file, false));
  std::stable_sort(comparison.changes.begin(), comparison.changes.end(),
                   [](const Change& one, const Change& other) {
                     return std::tie(one.submission, one.lab) < std::tie(other.submission, other.lab);
                   });
  return comparison;
}

Expected<bool, std::string> finish_apply(const fs::path& dir) {
  constexpr std::size_t kMaxBytes = 4096;
  std::error_code error;
  if (!fs::exists(dir / kDecision, error)) return true;
  const auto text = read_file(dir / kDecision, kMaxBytes);
  if (!text) return Unexpected{text.error()};
  const Json decision = json_from(*text);
  if (!decision.is_object() || !decision.contains("history") || !decision["history"].is_string())
    return Unexpected{std::string(kDecision) + " is damaged"};
  const fs::path history = dir / "history" / fs::path(decision["history"].get<std::string>()).filename();
  fs::create_directories(history, error);
  for (const char* part : kParts)
    if (!error) error = move_part(dir, history, part);
  if (!error) fs::remove_all(dir / kCourseFolder, error);  // computed from the earlier results
  if (!error) flush_to_disk(dir);
  if (!error) fs::remove(dir / kDecision, error);
  if (!error) fs::remove_all(dir / kStaged, error);
  return outcome(error);
}

std::optional<Diagnostic> apply_run(const fs::path& before, const fs::path& now) {
  std::error_code ignored;
  if (fs::equivalent(before, now, ignored))
    return cannot_apply(now, "it is the same folder as the one to change");
  // Open both journals, so that no other process grades into either folder meanwhile.
  auto journal = Journal::open(before / "journal.jsonl");
  if (!journal) return journal.error();
  const auto other = Journal::open(now / "journal.jsonl");
  if (!other) return other.error();
  if (auto problem = refused(before, finish_apply(before))) return problem;
  const auto old_manifest = manifest_of(before), new_manifest = manifest_of(now);
  if (!old_manifest) return old_manifest.error();
  if (!new_manifest) return new_manifest.error();
  if (const std::string why = incomplete(now, *new_manifest, *old_manifest); !why.empty())
    return cannot_apply(now, why);

  if (auto problem = refused(before / kStaged, stage(before, now))) return problem;
  const std::string number = next_history_number(before);
  if (auto problem = refused(before / kDecision, decide(before, number))) return problem;
  if (auto problem = refused(before, finish_apply(before))) return problem;
  const auto recorded = journal->append(
      json_text(Json{{"event", "applied"}, {"from", fs::absolute(now).string()}, {"history", number}}));
  return recorded ? std::nullopt : std::optional(recorded.error());
}

}  // namespace grader
