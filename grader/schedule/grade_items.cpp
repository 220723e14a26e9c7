#include "schedule/grade_items.hpp"

#include <map>
#include <mutex>
#include <thread>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "schedule/pool.hpp"
#include "schedule/result_store.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

using Group = std::vector<std::size_t>;  ///< items with the same lab and source

/// Groups, ordered by their first items. Each refused item is a group by itself.
std::vector<Group> groups_of(const Manifest& manifest, const std::vector<std::size_t>& items) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> by_source;
  for (const std::size_t i : items) {
    const WorkItem& item = manifest.items.at(i);
    if (!item.refused) {
      const auto [entry, is_new] = by_source.try_emplace({item.lab, item.source_sha256}, groups.size());
      if (!is_new) {
        groups[entry->second].push_back(i);
        continue;
      }
    }
    groups.push_back({i});
  }
  return groups;
}

/// The state that the threads of one call share.
class ItemsRun {
 public:
  ItemsRun(const fs::path& dir, const Manifest& manifest, const Graders& graders, const ItemsOptions& options,
           std::atomic<bool>& stop)
      : dir_(dir), manifest_(manifest), graders_(graders), options_(options), stop_(stop) {}

  void run(Group group) {
    std::erase_if(group, [&](std::size_t i) { return is_published(i); });
    for (int attempt = 1; !group.empty() && !stop_; ++attempt) {
      if (attempt > 1) std::this_thread::sleep_for(options_.pause);
      group = try_once(group, attempt);
    }
  }

  const std::optional<Diagnostic>& problem() const { return problem_; }

 private:
  const WorkItem& item(std::size_t i) const { return manifest_.items.at(i); }

  bool is_published(std::size_t i) const {
    std::error_code error;
    return fs::exists(fs::symlink_status(dir_ / result_path(item(i)), error));
  }

  /// The items that ended in a fault and can be graded again.
  Group try_once(const Group& group, int attempt) {
    Group again;
    const auto sink = [&](std::size_t which, Result result) {
      result.provenance.attempts = attempt;
      result.provenance.source_sha256 = item(group.at(which)).source_sha256;  // checked by damage()
      if (result.score.status == ResultStatus::grader_fault && attempt < options_.attempts)
        again.push_back(group.at(which));
      else
        publish(group.at(which), result);
    };
    const WorkItem& first = item(group.front());
    if (first.refused)
      sink(0, without_grade(first, Verdict::rejected, *first.refused));
    else if (const std::string why = damage(first); !why.empty())
      for (const std::size_t i : group)
        publish(
            i, without_grade(item(i), Verdict::grader_fault, source_damaged(dir_ / source_path(first), why)));
    else
      graders_.grade(first.lab, dir_ / source_path(first), submissions(group), sink);
    return again;
  }

  Result without_grade(const WorkItem& of, Verdict verdict, const Diagnostic& reason) const {
    Result result = graders_.without_grade(of.lab, of.submission, verdict, reason);
    result.provenance.source_sha256 = of.source_sha256;
    return result;
  }

  /// Why the copy of the source differs from the file that was handed in; empty if it does not.
  std::string damage(const WorkItem& of) const {
    const auto bytes = read_file(dir_ / source_path(of), kMaxSourceBytes);
    if (!bytes) return bytes.error();
    return sha256_hex(*bytes) == of.source_sha256 ? "" : "its SHA-256 differs from its name";
  }

  std::vector<std::string> submissions(const Group& group) const {
    std::vector<std::string> names;
    for (const std::size_t i : group) names.push_back(item(i).submission);
    return names;
  }

  void publish(std::size_t i, Result result) {
    grade_item_answers(dir_, item(i), graders_.answers, result);
    const auto published = publish_result(dir_, item(i), result);
    const std::lock_guard lock(mutex_);
    if (published) {
      if (options_.done) options_.done({i, result, *published});
      return;
    }
    if (!problem_) problem_ = output_unwritable(dir_ / result_path(item(i)), published.error());
    stop_ = true;
  }

  const fs::path& dir_;
  const Manifest& manifest_;
  const Graders& graders_;
  const ItemsOptions& options_;
  std::atomic<bool>& stop_;
  std::mutex mutex_;  ///< guards the members below and calls of options_.done
  std::optional<Diagnostic> problem_;
};

}  // namespace

std::optional<Diagnostic> grade_items(const fs::path& dir, const Manifest& manifest,
                                      const std::vector<std::size_t>& items, const Graders& graders,
                                      const ItemsOptions& options) {
  std::atomic<bool> never{false};
  std::atomic<bool>& stop = options.stop != nullptr ? *options.stop : never;
  ItemsRun run(dir, manifest, graders, options, stop);
  const std::vector<Group> groups = groups_of(manifest, items);
  run_jobs(options.jobs, groups.size(), stop, [&](std::size_t i) { run.run(groups[i]); });
  return run.problem();
}

}  // namespace grader
