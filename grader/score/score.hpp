// Computes points from verdicts and counters. Pure. The structure follows result.json
// (schema/result.schema.json).
//
// A task's points are divided evenly among its checks (cases, objectives, speed-up) that the device can
// perform. The other checks count 0 of 0, so max_score is lower on a real GPU, which has no counters. An
// objective or a speed-up requires that its case was accepted. With both devices (score/both_devices.hpp),
// all checks are performed: objectives on the virtual GPU, the speed-up on the real one, and a case has to be
// accepted by every device that can run it.
//
// A task is worth at most the share of its points that the weakest task it needs earned: every check's points
// are multiplied by that share, the check's cap. The share of a task includes its own cap, so caps pass along
// a chain of needs. With Gates::all, the share of a task that did not earn all of its points counts as 0. A
// task with cap 0 is skipped. A check passes if it would have its full points without the cap.
//
// Speed: all points at `full` or above, half of them at `half`, linear in between, none below. The virtual
// GPU gives one exact sample. A real GPU gives pairs of samples: the speed-up is the median of their ratios,
// and its interval covers the true median with a confidence of 95 %. If a threshold is inside the interval,
// the verdict is too_close, and the points are at least those of the threshold (credited_speedup()).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/clues.hpp"
#include "judge/inexact_kernels.hpp"
#include "judge/judge.hpp"
#include "judge/producers.hpp"
#include "lab/devices.hpp"
#include "lab/lab.hpp"
#include "runner/gpu_record.hpp"

namespace grader {

enum class CheckStatus { pass, fail, skip };
enum class SpeedVerdict { pass, fail, too_close, invalid };
std::string_view to_string(CheckStatus status);
std::string_view to_string(SpeedVerdict verdict);

/// The part of its points that a check can earn, because a task that its task needs lost points.
struct Cap {
  double share = 0;  ///< above 0, below 1
  std::string task;  ///< the weakest needed task, which earned this share of its points
};

/// One line of a report: a case, an objective or a speed-up of a task.
struct Check {
  std::string id;    ///< "boundary/17x33x65", "traffic/<counter>@square-256", "speed/square-512"; "build"
  std::string task;  ///< empty for "build"
  std::string task_title;  ///< empty in results of earlier versions, too
  CheckStatus status = CheckStatus::skip;
  double points = 0, max_points = 0;
  bool is_bonus = false;                        ///< max_points is no part of Score::max_score
  std::optional<Cap> cap;                       ///< set if `points` would be higher without it
  std::optional<Verdict> verdict;               ///< none if skipped
  std::vector<Diagnostic> diagnostics;          ///< only warnings if the check passed
  Visibility visibility = Visibility::visible;  ///< that of its case
  std::string skip_reason;  ///< "needs: tiling", "counters exist on the virtual GPU only", "not run"
  std::optional<Devices> devices = {};  ///< with both devices: those that the outcome comes from
};

struct Performance {
  std::string case_name;
  double baseline_s = 0, student_s = 0;  ///< medians
  std::optional<double> reference_s;
  double speedup = 0;
  SpeedThreshold threshold;
  std::optional<std::pair<double, double>> interval;  ///< of the speed-up; on a real GPU only
  SpeedVerdict verdict = SpeedVerdict::invalid;       ///< invalid: a sample is not a positive number
  std::optional<GpuRecord> gpu = {};                  ///< the real GPU meanwhile, if NVML is installed
};

/// Times in seconds that the runner measured for one speed-up. One sample each on the virtual GPU; on a real
/// GPU, baseline_s[i] and student_s[i] were taken one after the other, unless the baseline made fewer calls.
struct SpeedSamples {
  std::vector<double> baseline_s, student_s;
  /// Real GPU: the submission's median time by the grader's clock divided by that by its own events; at
  /// least 1.
  double clock_ratio = 1;
  std::optional<GpuRecord> gpu = {};  ///< the real GPU meanwhile
};

/// Everything that score() needs, by case name. A case that was not run is absent.
struct Evidence {
  std::map<std::string, CaseVerdict> verdicts;
  std::map<std::string, std::map<std::string, double>>
      counters;                               ///< case → counter → value; empty on a real GPU
  std::map<std::string, SpeedSamples> speed;  ///< by case
  std::map<std::string, Clue> clues;          ///< of missed checks (score/missed.hpp), by clue_id()
  Devices devices = Devices::virtual_gpu;
  std::map<std::string, Devices> ran_on;  ///< with both devices: those that have run the case
  /// On the virtual GPU: kernels with approximate functions. nullopt: no launch was analysed.
  std::optional<std::vector<InexactKernel>> inexact;
  std::vector<Diagnostic> build_diagnostics;  ///< if not empty, nothing was run
  std::optional<Verdict> build_verdict;
  std::string hung_case;  ///< its host program reached the time limit, so nothing was run after it
};

enum class ResultStatus { graded, rejected, grader_fault };
std::string_view to_string(ResultStatus status);

struct Score {
  ResultStatus status = ResultStatus::graded;
  /// Of the submission: the first that is not accepted. A bonus task counts only if it is rejected or if the
  /// grader failed.
  Verdict verdict = Verdict::accepted;
  /// Rounded to 0.01. `score` contains the points of bonus tasks. `max_score` does not: it is what full marks
  /// are. In result.json, max_score contains both.
  double score = 0, max_score = 0;
  /// Always the checks of all tasks, in the order of lab.json. If nothing could be run, "build" (0 of 0)
  /// comes first.
  std::vector<Check> checks;
  std::vector<Performance> performance;
  std::map<std::string, std::map<std::string, double>> counters;
  std::optional<std::vector<InexactKernel>> inexact = {};  ///< Evidence::inexact
};

Score score(const Lab& lab, const Evidence& evidence);

/// The part of the points that bonus tasks give.
struct BonusPoints {
  double points = 0, max_points = 0;  ///< rounded to 0.01
};
BonusPoints bonus_of(const Score& score);
/// Whether all core tasks passed, or bonus points make up for what they lost.
bool is_complete(const Score& score);
/// With those of the bonus tasks.
bool has_all_points(const Score& score);

/// The counters of one launch, or the sums of several launches, by name (vgpu/facts/counter_table.hpp).
std::map<std::string, double> named_counts(const vgpu::Counters& counters);

/// Names (lab/counter_names.hpp) and values of the counters of a whole run. `producers` are the launches
/// whose configuration counts.
std::map<std::string, double> named_counters(const vgpu::cudart::SessionReport& session,
                                             const Producers& producers);

/// Adds those of `names` that are ratios (parse_ratio()). `clock_hz` is the device's clock rate. A ratio with
/// divisor 0 is 0.
void add_ratios(std::map<std::string, double>& counters, const std::vector<std::string>& names,
                const std::map<std::string, double>& quantities, double clock_hz);

/// The cases that the task's checks use on this device, some of them perhaps twice.
std::vector<std::string> cases_of(const Lab& lab, const Task& task, DeviceKind device);
/// The cases to run next, in the order of the tasks: the cases without verdicts of tasks whose cap is not 0,
/// so that grading stops early. Call again with their verdicts; empty: done.
std::vector<std::string> next_cases(const Lab& lab, const Evidence& evidence);
/// With both devices: the cases that one of them is to run next. `merged` determines the caps, `own` has the
/// device's verdicts.
std::vector<std::string> next_cases(const Lab& lab, const Evidence& merged, const Evidence& own);

}  // namespace grader
