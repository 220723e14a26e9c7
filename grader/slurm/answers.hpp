// What Slurm's tools print, read with tolerance: plain formats that have not changed for ten years rather
// than JSON, whose shape differs between releases; lines that are not ours (warnings on stderr) are passed
// over. Pure. Covered by slurm/answers_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader::slurm {

/// The number of the array that `sbatch --parsable` answers with: "12", "12;cluster".
std::optional<std::string> read_job_id(std::string_view answer);

/// One task of an array as the controller sees it.
struct TaskReport {
  enum class Life {
    waiting,
    running,
    stuck,  ///< known to the controller, but not expected to go on: it is held, or cleared away for ever
    ended,
  };

  std::string job;        ///< of the array, for scancel
  std::size_t array = 0;  ///< our number of it
  std::size_t index = 0;  ///< in the array
  Life life = Life::ended;
  std::string state;   ///< "RUNNING"
  std::string node;    ///< empty while it waits
  std::string reason;  ///< "Priority", "None"; free text
};

/// The tasks of arrays whose names are `prefix` and a number.
std::vector<TaskReport> read_tasks(std::string_view answer, std::string_view prefix);

/// Nodes that are down or drained.
struct OutOfService {
  std::string nodes;   ///< "n[1-3]"
  std::string reason;  ///< Slurm's, or an administrator's; free text
};
std::vector<OutOfService> read_out_of_service(std::string_view answer);

/// Slurm's default, where the configuration does not say otherwise.
inline constexpr std::size_t kDefaultMaxArraySize = 1001;

/// MaxArraySize of `scontrol show config`: indices of arrays lie below it. 0: the site allows no arrays.
std::size_t read_max_array_size(std::string_view answer);

/// Why a command failed.
enum class Trouble {
  unreachable,    ///< the controller does not answer; it may later
  refused,        ///< it said no
  misunderstood,  ///< it said what nobody here understands
};
/// unreachable or refused.
Trouble trouble_of(std::string_view answer);

/// Slurm's own sentence: the first line that says "error:", without what stands before; else the first line.
std::string complaint_of(std::string_view answer);

}  // namespace grader::slurm
