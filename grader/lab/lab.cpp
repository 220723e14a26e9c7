#include "lab/lab.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.hpp"
#include "lab/counter_names.hpp"

namespace grader {
namespace {

Diagnostic unreadable_folder(const std::filesystem::path& folder, const std::string& reason) {
  return diagnose_file("WG-G04", folder.string(), "the folder of the labs cannot be read: " + reason,
                       "run from the checkout, or specify its folder");
}

}  // namespace

std::string_view to_string(Visibility visibility) {
  switch (visibility) {
    case Visibility::visible:
      return "visible";
    case Visibility::hidden:
      return "hidden";
    case Visibility::after_due_date:
      return "after_due_date";
    case Visibility::after_published:
      break;
  }
  return "after_published";
}

bool Objective::limits_total() const {
  const auto is_total = [](const auto& limited) {
    return limited.at_most && grows_with_work(limited.counter);
  };
  return is_total(*this) || std::any_of(related.begin(), related.end(), is_total);
}

const Case* Lab::find_case(const std::string& name) const {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const Case& one) { return one.name == name; });
  return found == cases.end() ? nullptr : &*found;
}

const Task* Lab::find_task(const std::string& task_id) const {
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& one) { return one.id == task_id; });
  return found == tasks.end() ? nullptr : &*found;
}

const Question* Lab::find_question(const std::string& name) const {
  const auto found =
      std::find_if(questions.begin(), questions.end(), [&](const Question& one) { return one.id == name; });
  return found == questions.end() ? nullptr : &*found;
}

namespace {

double points_of_tasks(const Lab& lab, bool is_bonus) {
  double sum = 0;
  for (const Task& task : lab.tasks)
    if (task.is_bonus == is_bonus) sum += task.points;
  return sum;
}

}  // namespace

double Lab::max_points() const { return points_of_tasks(*this, false); }

double Lab::bonus_points() const { return points_of_tasks(*this, true); }

Expected<std::vector<Lab>, Diagnostic> load_labs(const std::filesystem::path& labs_folder) {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  std::filesystem::directory_iterator entries(labs_folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
    if (std::error_code ignored; std::filesystem::exists(entries->path() / "lab.json", ignored))
      folders.push_back(entries->path());
  if (error) return Unexpected{unreadable_folder(labs_folder, error.message())};

  std::sort(folders.begin(), folders.end());
  std::vector<Lab> labs;
  for (const std::filesystem::path& folder : folders) {
    auto lab = load_lab(folder);
    if (!lab) return Unexpected{lab.error()};
    labs.push_back(*std::move(lab));
  }
  return labs;
}

std::vector<std::string> Lab::counters() const {
  std::set<std::string> names;
  for (const Task& task : tasks)
    for (const Objective& objective : task.objectives) {
      names.insert(objective.counter);
      for (const ShownCounter& shown : objective.related) names.insert(shown.counter);
    }
  return {names.begin(), names.end()};
}

const std::vector<DeviceLimit>& device_limits() {
  static const std::vector<DeviceLimit> limits{{"max_threads_per_block", 1, 1024},
                                               {"shared_bytes_per_block", 1, 48 * 1024},
                                               {"global_bytes", 1 << 12, std::int64_t{1} << 40U},
                                               {"copy_engines", 0, 3},
                                               {"multiprocessors", 1, 192},
                                               {"compute_capability", 10, 990},
                                               {"operations_before_failure", 1, 1000}};
  return limits;
}

vgpu::Profile profile_for(const Case& one_case, const vgpu::Profile& base) {
  vgpu::Profile profile = base;
  for (const auto& [limit, value] : one_case.device) {
    if (limit == "max_threads_per_block") profile.max_threads_per_block = static_cast<std::uint32_t>(value);
    if (limit == "global_bytes") profile.global_bytes = static_cast<std::size_t>(value);
    if (limit == "multiprocessors") profile.sm_count = static_cast<std::uint32_t>(value);
    if (limit == "copy_engines") profile.async_engine_count = static_cast<int>(value);
    if (limit == "shared_bytes_per_block") profile.shared_bytes_per_block = static_cast<std::size_t>(value);
    if (limit == "compute_capability") {
      profile.compute_major = static_cast<int>(value / 10);
      profile.compute_minor = static_cast<int>(value % 10);
      profile.runs_later_code = false;
    }
    if (limit == "operations_before_failure")
      profile.operations_before_failure = static_cast<std::uint64_t>(value);
  }
  return profile;
}

}  // namespace grader
