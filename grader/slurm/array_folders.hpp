// DIR/slurm/array-0001/ …: which items each task of each array grades, and what its tasks leave there. All
// that is known about jobs lies in these folders and with the scheduler, so that a later run can go on where
// a killed one stopped. Not thread safe. Covered by slurm/array_folders_test.cpp.
//
//   tasks             the manifest's fingerprint, then a line for each task: its items, "0-4,9"
//   <task>.log        what the task and its graders said, all starts of it
//   <task>.unhealthy  the node's name, when the task found that the node cannot grade
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "slurm/chunks.hpp"

namespace grader::slurm {

struct TaskName {
  std::size_t array = 0, index = 0;

  friend bool operator==(const TaskName&, const TaskName&) = default;
  friend bool operator<(const TaskName& a, const TaskName& b) {
    return a.array != b.array ? a.array < b.array : a.index < b.index;
  }
};

class ArrayFolders {
 public:
  /// Of which run the lists are: the same indices mean other items in another manifest.
  struct Run {
    std::string fingerprint;  ///< of the manifest; one word
    std::size_t items = 0;    ///< in the manifest
  };

  /// Makes the folder, or reads what earlier sessions left. Arrays of other runs, and those whose list is
  /// missing or broken, count as empty. WG-G21.
  static Expected<ArrayFolders, Diagnostic> open(const std::filesystem::path& folder, Run run);

  /// Writes a new array's list; its number is larger than any before. WG-G21.
  Expected<std::size_t, Diagnostic> add(const std::vector<Items>& tasks);
  /// Forgets an array that was never submitted.
  void remove(std::size_t array);

  std::filesystem::path folder(std::size_t array) const;
  /// Empty for a task that is not there.
  const Items& items(const TaskName& task) const;
  /// The task of the latest array that was to grade it.
  std::optional<TaskName> last_task(std::size_t item) const;

  bool has_log(const TaskName& task) const;
  /// The last lines of a task's log; empty if it has none.
  std::string log_tail(const TaskName& task) const;
  /// The node that a task found unhealthy.
  std::optional<std::string> unhealthy_node(const TaskName& task) const;

 private:
  ArrayFolders(std::filesystem::path folder, Run run) : folder_(std::move(folder)), run_(std::move(run)) {}

  std::vector<Items> read_list(const std::filesystem::path& file) const;
  std::string list_text(const std::vector<Items>& tasks) const;

  std::filesystem::path file(const TaskName& task, const char* ending) const;

  std::filesystem::path folder_;
  Run run_;
  std::map<std::size_t, std::vector<Items>> arrays_;
  std::size_t last_number_ = 0;
};

}  // namespace grader::slurm
