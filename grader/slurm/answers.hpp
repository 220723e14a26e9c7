// Parses the output of Slurm's tools. Uses plain formats that have not changed for ten years rather than
// JSON, whose structure differs between releases. Unknown lines (warnings on stderr) are skipped. Pure.
// Covered by slurm/answers_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader::slurm {

/// The job number of the array in the output of `sbatch --parsable`: "12", "12;cluster".
std::optional<std::string> read_job_id(std::string_view answer);

/// The controller's view of one task of an array.
struct TaskReport {
  enum class Life {
    waiting,
    running,
    stuck,  ///< known to the controller but not expected to continue: held, or being cleaned up for ever
    ended,
  };

  std::string job;        ///< job number of the array, for scancel
  std::size_t array = 0;  ///< this run's number of the array
  std::size_t index = 0;  ///< index of the task in the array
  Life life = Life::ended;
  std::string state;   ///< "RUNNING"
  std::string node;    ///< empty while the task waits
  std::string reason;  ///< "Priority", "None"; free text
};

/// The tasks of the arrays whose names consist of `prefix` and a number.
std::vector<TaskReport> read_tasks(std::string_view answer, std::string_view prefix);

/// Nodes that are down or drained.
struct OutOfService {
  std::string nodes;   ///< "n[1-3]"
  std::string reason;  ///< from Slurm or an administrator; free text
};
std::vector<OutOfService> read_out_of_service(std::string_view answer);

/// Slurm's default, if the configuration sets no other value.
inline constexpr std::size_t kDefaultMaxArraySize = 1001;

/// MaxArraySize from `scontrol show config`. Indices in an array are below it. 0: the site allows no arrays.
std::size_t read_max_array_size(std::string_view answer);

/// Kind of a command's failure.
enum class Trouble {
  unreachable,    ///< the controller does not answer; it might later
  refused,        ///< the controller refused the request
  misunderstood,  ///< the answer could not be parsed
};
/// Returns unreachable or refused.
Trouble trouble_of(std::string_view answer);

/// Slurm's own message: the text after "error:" in the first line that contains it; else the first line.
std::string complaint_of(std::string_view answer);

}  // namespace grader::slurm
