// What a lab is: lab.json as values. Reading checks everything (schema, points, names, cycles), so that the
// rest of the kit may rely on it.
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
#include "policy/policy.hpp"
#include "toolchain/front_end.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

/// When a student may see how a case went. Only exports act on it (grader/export/); points always count.
enum class Visibility { visible, hidden, after_due_date, after_published };
std::string_view to_string(Visibility visibility);
inline constexpr std::array kVisibilities = {Visibility::visible, Visibility::hidden,
                                             Visibility::after_due_date, Visibility::after_published};

/// One set of inputs for one function of the student.
struct Case {
  std::string name;
  std::string entry;                             ///< the student's function
  std::map<std::string, std::int64_t> workload;  ///< m, k, n
  std::string distribution = "uniform";          ///< of the input values (lab/distribution.hpp)
  std::uint64_t seed = 0;
  std::map<std::string, std::int64_t> device;   ///< limits below the profile's; a real GPU keeps its own
  std::optional<DeviceKind> only_on;            ///< a size that only one kind of device can use well
  bool is_public = false;                       ///< keeps its seed when the class is graded with a secret one
  Visibility visibility = Visibility::visible;  ///< of its checks, in exports to other systems
  bool has_secret_seed = false;                 ///< `seed` must not be shown (lab/secret_seeds.hpp)

  bool runs_on(DeviceKind kind) const { return !only_on || *only_on == kind; }
};

/// A counter that is shown, not graded, with what the naive kernel and the solution have.
struct ShownCounter {
  std::string counter;
  double naive = 0, solution = 0;
};

/// A counter held against limits; a reader sees the limit's meaning from the two values beside it.
struct Objective {
  std::string counter;
  std::string case_name;
  std::optional<double> at_most, at_least;
  double naive = 0;                  ///< misses the limits
  double solution = 0;               ///< meets them
  std::string hint;                  ///< what to try when it is missed; may be empty
  std::vector<ShownCounter> beside;  ///< of the same case, shown below it

  bool met_by(double value) const {
    return !(at_most && !(value <= *at_most)) && !(at_least && !(value >= *at_least));
  }
};

struct SpeedThreshold {
  double full = 0;                 ///< speed-up that earns all points
  double half = 0;                 ///< speed-up that earns half; linear in between, none below
  std::optional<double> solution;  ///< what the taught solution reaches; the naive kernel's is 1
};

struct Speedup {
  std::string virtual_case, cuda_case;  ///< often the same case
  std::string over;                     ///< "naive": the lab's baseline kernel
  SpeedThreshold on_virtual, on_cuda;
  std::string hint;  ///< what to try when it is missed; may be empty

  const std::string& case_on(DeviceKind kind) const {
    return kind == DeviceKind::cuda ? cuda_case : virtual_case;
  }
  const SpeedThreshold& threshold_on(DeviceKind kind) const {
    return kind == DeviceKind::cuda ? on_cuda : on_virtual;
  }
};

struct Task {
  std::string id;
  std::string title;
  double points = 0;
  std::vector<std::string> needs;  ///< tasks that must pass first; they stand before this one
  std::vector<std::string> cases;
  std::vector<Objective> objectives;  ///< checked on the virtual GPU only
  std::optional<Speedup> speedup;
};

struct Lab {
  std::string id;
  std::string title;
  std::filesystem::path folder;      ///< labs/02-tiled-matmul
  std::string workload;              ///< which workload, oracle, baseline and harness adapter: "tiled_matmul"
  std::vector<std::string> sources;  ///< files a student hands in; exactly one for now
  std::vector<Task> tasks;
  std::vector<Case> cases;  ///< in the order of the file
  policy::Rules rules;      ///< what submissions may use

  const Case* find_case(const std::string& name) const;
  const Task* find_task(const std::string& id) const;
  double max_points() const;
  /// Names of all counters that its objectives look at or show, each once.
  std::vector<std::string> counters() const;
};

/// Reads `folder`/lab.json. Errors: WG-G01 not JSON (line and column), WG-G02 a value is not what it should
/// be (JSON path), WG-G04 no such file.
Expected<Lab, Diagnostic> load_lab(const std::filesystem::path& folder);

/// All labs below `labs_folder`, by id: the folders that hold a lab.json.
Expected<std::vector<Lab>, Diagnostic> load_labs(const std::filesystem::path& labs_folder);

/// The lab of that id, or WG-G03 with the id that was probably meant. The pointer is into `labs`.
Expected<const Lab*, Diagnostic> find_lab(const std::vector<Lab>& labs, const std::string& id);

/// The profile a case runs on: the lecture GPU with the case's limits.
vgpu::Profile profile_for(const Case& one_case, const vgpu::Profile& base);

/// The limits that a case may lower, with the values allowed.
struct DeviceLimit {
  std::string name;
  std::int64_t least = 0, most = 0;
};
const std::vector<DeviceLimit>& device_limits();

}  // namespace grader
