// The description of a lab, lab.json, as values. Reading checks everything (schema, points, names, cycles),
// so that the rest of the kit can rely on it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/question.hpp"
#include "policy/policy.hpp"
#include "toolchain/front_end.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

/// When a student is allowed to see the result of a case. Only exports use it (grader/export/); points always
/// count.
enum class Visibility { visible, hidden, after_due_date, after_published };
std::string_view to_string(Visibility visibility);
inline constexpr std::array kVisibilities = {Visibility::visible, Visibility::hidden,
                                             Visibility::after_due_date, Visibility::after_published};

/// One set of inputs for one of the student's functions.
struct Case {
  std::string name;
  std::string entry;                             ///< the student's function
  std::map<std::string, std::int64_t> workload;  ///< m, k, n
  std::string distribution = "uniform";          ///< of the input values (lab/distribution.hpp)
  std::uint64_t seed = 0;
  /// Calls in the same process before the one whose results are checked: the parameters that differ.
  std::vector<std::map<std::string, std::int64_t>> earlier_calls;
  /// A function with the same parameters that the process calls between two calls of `entry`: what functions
  /// share must not change the result. Empty: none.
  std::string other_function;
  /// So many calls more in one process, each with inputs that are rotated by another number of elements: for
  /// results that depend on few elements, such as a maximum. On the virtual GPU; 0: none.
  std::int64_t rotations = 0;
  /// The device has too little memory, or fails: a program that reports the error by ending is right, too.
  bool may_fail = false;
  std::map<std::string, std::int64_t> device;   ///< limits below the profile's; no effect on a real GPU
  std::optional<DeviceKind> only_on;            ///< set if the size suits only one kind of device
  bool is_public = false;                       ///< keeps its seed when a class is graded with secret seeds
  Visibility visibility = Visibility::visible;  ///< of its checks, in exports to other systems
  bool has_secret_seed = false;                 ///< `seed` must not be shown (lab/secret_seeds.hpp)

  bool runs_on(DeviceKind kind) const { return !only_on || *only_on == kind; }
};

/// Whether the value is within the limits that exist.
inline bool is_within(double value, const std::optional<double>& at_most,
                      const std::optional<double>& at_least) {
  return !(at_most && !(value <= *at_most)) && !(at_least && !(value >= *at_least));
}

/// A counter that is shown below an objective, with the values of the naive kernel and the solution. If it
/// has limits, the objective is met only within them.
struct ShownCounter {
  std::string counter;
  double naive = 0, solution = 0;
  std::optional<double> at_most = {}, at_least = {};

  bool met_by(double value) const { return is_within(value, at_most, at_least); }
};

/// Limits of an objective's counter in other cases of the same function: looser limits, because the sizes
/// differ. Without them, a program could meet the objective by recognising the sizes of its case.
struct Elsewhere {
  std::vector<std::string> cases;
  std::optional<double> at_most = {}, at_least = {};
  /// Of the cases' values, those that are closest to the limits.
  double naive = 0, solution = 0;

  bool met_by(double value) const { return is_within(value, at_most, at_least); }
};

/// A counter with limits. The values of the naive kernel and the solution show readers what the limits mean.
struct Objective {
  std::string counter;
  std::string case_name;
  std::optional<double> at_most, at_least;
  double naive = 0;                   ///< the naive kernel's value, which misses the limits unless required
  double solution = 0;                ///< the solution's value, which meets the limits
  std::string hint;                   ///< advice if a limit is missed; can be empty
  std::vector<ShownCounter> related;  ///< counters of the same case, shown below this one
  std::vector<Elsewhere> elsewhere;   ///< the objective is met only within these limits, too
  /// It shows that the function works in the way that the task asks for: a task that misses it has no points.
  bool is_required = false;

  /// Without the limits of the counters next to it.
  bool met_by(double value) const { return is_within(value, at_most, at_least); }

  /// True if useless work makes the limits harder to meet. Other objectives of the task that have the same
  /// case count only together with it if their counter is_dilutable().
  bool limits_total() const;
};

struct SpeedThreshold {
  double full = 0;                 ///< speed-up that earns all points
  double half = 0;                 ///< speed-up that earns half; linear in between, none below
  std::optional<double> solution;  ///< speed-up of the taught solution; the naive kernel's is 1
};

struct Speedup {
  std::string virtual_case, cuda_case;  ///< often the same case
  std::string over;                     ///< "naive": the lab's baseline kernel
  SpeedThreshold on_virtual, on_cuda;
  std::string hint;  ///< advice if the speed-up is too low; can be empty

  const std::string& case_on(DeviceKind kind) const {
    return kind == DeviceKind::cuda ? cuda_case : virtual_case;
  }
  const SpeedThreshold& threshold_on(DeviceKind kind) const {
    return kind == DeviceKind::cuda ? on_cuda : on_virtual;
  }
};

/// What a task is worth when a task that it needs lost points.
enum class Gates {
  share,  ///< at most the share of its points that the weakest needed task earned
  all     ///< nothing
};

struct Task {
  std::string id;
  std::string title;
  double points = 0;
  bool is_bonus = false;           ///< its points come on top of the lab's maximum; such tasks are the last
  std::string hints;               ///< the section of hints.md, as its heading begins; can be empty
  std::vector<std::string> needs;  ///< tasks that limit its worth; they precede this one in lab.json
  std::vector<std::string> cases;
  std::vector<Objective> objectives;  ///< checked on the virtual GPU only
  std::optional<Speedup> speedup;
};

struct Lab {
  std::string id;
  std::string title;
  std::filesystem::path folder;  ///< labs/02-tiled-matmul
  std::string workload;  ///< name of the workload, oracle, baseline and harness adapter: "tiled_matmul"
  std::vector<std::string> sources;  ///< files a student hands in; exactly one for now
  std::vector<Task> tasks;
  Gates gates = Gates::share;
  std::vector<Case> cases;  ///< in the order of the file
  policy::Rules rules;      ///< what submissions are allowed to use
  std::vector<Question> questions;

  const Case* find_case(const std::string& name) const;
  const Task* find_task(const std::string& id) const;
  const Question* find_question(const std::string& name) const;
  /// Of all tasks but the bonus tasks.
  double max_points() const;
  double bonus_points() const;
  /// Names of all counters that its objectives use or show, without duplicates.
  std::vector<std::string> counters() const;
};

/// Reads `folder`/lab.json. Errors: WG-G01 not JSON (line and column), WG-G02 an invalid value (JSON path),
/// WG-G04 no such file.
Expected<Lab, Diagnostic> load_lab(const std::filesystem::path& folder);

/// All labs in `labs_folder`, sorted by id: the folders that contain a lab.json.
Expected<std::vector<Lab>, Diagnostic> load_labs(const std::filesystem::path& labs_folder);

/// The profile for a case: `base` with the case's limits.
vgpu::Profile profile_for(const Case& one_case, const vgpu::Profile& base);

/// A limit that a case can lower, with the range of allowed values.
struct DeviceLimit {
  std::string name;
  std::int64_t least = 0, most = 0;
};
const std::vector<DeviceLimit>& device_limits();

}  // namespace grader
