// DIR/slurm/array-0001/ …: the items that each task of each array grades, and the tasks' files. All knowledge
// about jobs is in these folders and in the scheduler, so that a later run can continue a killed one. Not
// thread-safe. Covered by slurm/array_folders_test.cpp.
//
//   tasks             the manifest's fingerprint, then one line per task with its items: "0-4,9"
//   <task>.log        output of the task and its graders, from all of its starts
//   <task>.unhealthy  the node's name, if the task found that the node cannot grade
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
  /// The run that the lists belong to. Indices refer to its manifest.
  struct Run {
    std::string fingerprint;  ///< of the manifest; without spaces
    std::size_t items = 0;    ///< number of items in the manifest
  };

  /// Creates the folder, or reads the arrays of earlier sessions. Arrays of other runs, and those whose list
  /// is missing or damaged, count as empty. Error: WG-G21.
  static Expected<ArrayFolders, Diagnostic> open(const std::filesystem::path& folder, Run run);

  /// Writes the list of a new array and returns its number, which is larger than all earlier ones. Error:
  /// WG-G21.
  Expected<std::size_t, Diagnostic> add(const std::vector<Items>& tasks);
  /// Removes an array that was not submitted.
  void remove(std::size_t array);

  std::filesystem::path folder(std::size_t array) const;
  /// Empty for an unknown task.
  const Items& items(const TaskName& task) const;
  /// The task of the latest array that contains the item.
  std::optional<TaskName> last_task(std::size_t item) const;

  bool has_log(const TaskName& task) const;
  /// The last lines of a task's log; empty if it has none.
  std::string log_tail(const TaskName& task) const;
  /// The node that the task reported as unhealthy, if any.
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
