#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/course_option.hpp"
#include "app/exit_codes.hpp"
#include "app/grade_slurm.hpp"
#include "app/graders.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "report/class_text.hpp"
#include "report/hand_in_text.hpp"
#include "report/progress.hpp"
#include "report/result_reader.hpp"
#include "schedule/class_run.hpp"
#include "schedule/promises.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct GradeOptions {
  SessionOptions session;
  std::string submissions, out, seed_file, only, gpus, layout = "auto", executor = "local", format = "text",
                                                       course;
  SlurmCommandOptions slurm;
  bool resume = false;
  std::vector<std::string> labs;
  unsigned jobs = default_jobs();

  Earlier earlier() const {
    if (only == "changed") return Earlier::only_changed;
    if (only == "failed") return Earlier::only_failed;
    return resume ? Earlier::resume : Earlier::refuse;
  }
};

/// The id of the result's first failed check that is a case's; empty if there is none.
std::string failed_case(const std::string& file) {
  const auto text = read_file(file, kMaxResultBytes);
  if (!text) return {};
  const auto result = parse_result(*text);
  const Check* failed = result ? leading_check(result->score) : nullptr;
  return failed == nullptr || failed->id.find('/') == std::string::npos ? "" : failed->id;
}

/// Runs the case that explains a submission's first lost points. The folder of an unusual id is a digest, so
/// submissions whose folder has their id come first. Empty if no case failed.
std::string replay_command(const ClassSummary& summary, const GradeOptions& options) {
  for (const bool is_readable : {true, false})
    for (const ClassRow& row : summary.rows) {
      const bool has_own_name = row.file.find("/" + row.submission + "/") != std::string::npos;
      if (row.status != ResultStatus::graded || row.score >= row.max_score || has_own_name != is_readable)
        continue;
      const std::string file = options.out + "/" + row.file;
      const std::string name = failed_case(file);
      if (name.empty()) continue;
      return fmt::format("warpgrade replay {} {}{}", shell_word(file), shell_word(name),
                         options.seed_file.empty() ? "" : " --seed-file " + shell_word(options.seed_file));
    }
  return {};
}

void show(const ClassOutcome& outcome, const GradeOptions& options, const Console& console) {
  if (options.format == "json") return print(summary_json(outcome.summary));
  print(class_text(outcome.summary, console.out));
  print(hand_in_text(outcome.summary.hand_ins, console.out));
  print(fmt::format(
      "Results: {0}/results/<submission>/<lab>.json\nAll in one file: {0}/summary.json; as a table: "
      "{0}/gradebook.csv\n",
      options.out));
  if (const std::string command = replay_command(outcome.summary, options); !command.empty())
    print("Run a failed case again, for instance:\n  " + command + "\n");
  print(fmt::format("Next: warpgrade report {} --out pages\n", shell_word(options.out)));
}

/// True if the output folder's contents do not allow these options.
bool is_refusal(const Diagnostic& fault) {
  return fault.code == "WG-G33" || fault.code == "WG-G34" || fault.code == "WG-G35" || fault.code == "WG-G61";
}

/// The grades of a course that an earlier run with --course wrote. Results that change make them outdated, so
/// grade_class() removes them.
class EarlierCourse {
 public:
  explicit EarlierCourse(const std::string& out)
      : folder_(fs::path(out) / kCourseFolder), existed_(exists()) {}

  void report_if_removed() const {
    if (existed_ && !exists())
      say(fmt::format("note: removed {}; run again with --course FILE", folder_.string()));
  }

 private:
  bool exists() const {
    std::error_code ignored;
    return fs::exists(folder_, ignored);
  }

  fs::path folder_;
  bool existed_;
};

int exit_code(const ClassOutcome& outcome, const Console& console) {
  if (outcome.fault) return complain(console, *outcome.fault, is_refusal(*outcome.fault) ? kUsage : kFault);
  if (was_interrupted()) {
    say(fmt::format("interrupted: {} of {} results are finished and kept; continue with --resume",
                    outcome.summary.rows.size(), outcome.summary.expected_rows));
    return kInterrupted;
  }
  for (const ClassRow& row : outcome.summary.rows)
    if (row.status == ResultStatus::grader_fault) return kFault;
  return kPassed;
}

/// The labs to grade without --lab: those with at least one submission, or all labs if none has a submission.
std::vector<Lab> labs_to_grade(std::vector<Lab> labs, const std::vector<Submission>& submissions) {
  std::vector<Lab> selected;
  std::vector<std::string> left_out;
  for (const Lab& lab : labs) {
    if (is_handed_in(submissions, lab))
      selected.push_back(lab);
    else
      left_out.push_back(lab.id);
  }
  if (selected.empty()) return labs;
  if (!left_out.empty())
    say(fmt::format("note: no submission contains {}; name a lab with --lab to grade it anyway",
                    fmt::join(left_out, ", ")));
  return selected;
}

/// SHA-256 of the skeletons that were handed out, by lab. A kit without solutions does not know them.
std::map<std::string, std::vector<std::string>> handed_out(const KitPaths& paths,
                                                           const std::vector<Lab>& labs) {
  std::map<std::string, std::vector<std::string>> skeletons;
  for (const Lab& lab : labs)
    if (auto promises = read_promises(paths.root / "solutions" / lab.id))
      skeletons[lab.id] = std::move(promises->skeleton_sha256);
  return skeletons;
}

/// Reports how many submissions get no result for a lab that others have handed in.
void report_not_owed(const std::vector<Lab>& labs, const std::vector<Submission>& submissions) {
  const auto lacks_some = [&](const Submission& one) {
    const auto count = static_cast<std::size_t>(std::count_if(
        labs.begin(), labs.end(), [&](const Lab& lab) { return one.sources.contains(lab.id); }));
    return count > 0 && count < labs.size();
  };
  const auto some = std::count_if(submissions.begin(), submissions.end(), lacks_some);
  if (some > 0)
    say(fmt::format(
        "note: {} {} only some of the labs and {} no result for the others; name a lab with --lab to "
        "give every submission a result for it",
        some, some == 1 ? "submission contains" : "submissions contain", some == 1 ? "gets" : "get"));
}

Layout layout_named(const std::string& word) {
  static const std::map<std::string, Layout> kLayouts = {{"plain", Layout::plain},
                                                         {"canvas", Layout::canvas},
                                                         {"moodle", Layout::moodle},
                                                         {"gradescope", Layout::gradescope}};
  const auto found = kLayouts.find(word);
  return found != kLayouts.end() ? found->second : Layout::automatic;
}

/// The exit code when the submissions cannot be read: kFault for a fault of the machine, kUsage for a problem
/// with the command or the submissions.
int unfound(const Diagnostic& reason, const Console& console) {
  if (was_interrupted()) {
    say("interrupted: nothing was graded");
    return kInterrupted;
  }
  const bool is_fault =
      reason.code.starts_with("WG-S0") || reason.code == "WG-G21" || reason.code == "WG-G23";
  return complain(console, reason, is_fault ? kFault : kUsage);
}

/// An executor that grades in this process.
Executor here(const LabGraders& graders, unsigned jobs) {
  return
      [&graders, jobs](const fs::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
                       const std::function<void(const ItemDone&)>& done) {
        ItemsOptions options;
        options.jobs = jobs;
        options.stop = &stop_flag();
        options.done = done;
        return grade_items(dir, manifest, items, graders.graders(), options);
      };
}

ClassOptions class_options(const GradeOptions& options, const LabGraders& graders, ProgressLine& progress) {
  ClassOptions made;
  made.out = options.out;
  made.earlier = options.earlier();
  made.owed = options.labs.empty() ? Owed::handed_in : Owed::every_lab;
  made.settings = settings_on_nodes(graders.settings(), options.session.device, options.slurm);
  made.rescore = [&graders](const Result& stored) { return graders.rescore(stored); };
  made.answers = graders.answer_grader();
  if (!options.seed_file.empty()) made.seed_file_path = fs::absolute(options.seed_file).string();
  made.stop = &stop_flag();
  made.progress = [&progress](std::size_t done, std::size_t total, const std::string& latest) {
    progress.show(done, total, latest);
  };
  return made;
}

/// True if `folder` is `outer` or below it. The next run would take results among the submissions for a
/// submission.
bool lies_within(const fs::path& folder, const fs::path& outer) {
  std::error_code ignored;
  const fs::path inside = fs::weakly_canonical(folder, ignored);
  const fs::path around = fs::weakly_canonical(outer, ignored);
  return std::mismatch(around.begin(), around.end(), inside.begin(), inside.end()).first == around.end();
}

int grade(const GradeOptions& options, const Console& console) {
  if (const auto problem = only_in_whole_kit("grade")) return complain(console, *problem, kUsage);
  if (lies_within(options.out, options.submissions))
    return complain(
        console,
        diagnose("WG-G62", fmt::format("the results in {} would be among the submissions", options.out),
                 "choose a folder for --out that is not below " + options.submissions),
        kUsage);
  const auto course = course_named(options.course);
  if (!course) return complain(console, course.error(), kUsage);
  SessionOptions here_options = options.session;
  here_options.gpus = options.gpus;
  look_for_no_gpu(here_options, options.slurm);
  auto session = open_session(here_options, Isolation::required, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  auto labs = labs_named(session->paths, options.labs);
  if (!labs) return complain(console, labs.error(), kUsage);
  const auto list = find_submissions(
      options.submissions, *labs, session->runner->sandbox(),
      {layout_named(options.layout), options.jobs, &stop_flag(), handed_out(session->paths, *labs)});
  if (!list) return unfound(list.error(), console);
  for (const std::string& name : list->ignored)
    say("note: ignored " + printable(name, console.err.unicode) + ": not a submission");
  if (*course)
    if (const auto problem = mismatch(**course, options.course, session->paths, list->submissions))
      return complain(console, *problem, kUsage);
  if (options.labs.empty()) {
    labs = labs_to_grade(*std::move(labs), list->submissions);
    report_not_owed(*labs, list->submissions);
  }
  if (list->submissions.empty() || labs->empty()) {
    say("nothing to grade: " + options.submissions + " holds no submissions\n" +
        "try: pass a folder with one folder or archive per submission, such as " + options.submissions +
        "/ada.l/02-tiled-matmul/tiled_matmul.cu");
    return kNothingGraded;
  }
  auto graders = LabGraders::open(*session, *labs, options.seed_file);
  if (!graders) return complain(console, graders.error(), kUsage);
  const EarlierCourse earlier_course(options.out);
  ClassOutcome outcome;
  {
    ProgressLine progress(console.err, write_to_stderr);
    const auto executor = options.executor == "slurm"
                              ? slurm_executor(options.slurm, graders->graders(), console, progress)
                              : here(*graders, options.jobs);
    if (!executor) return complain(console, executor.error(), kUsage);
    outcome = grade_class(*labs, list->submissions, *executor, class_options(options, *graders, progress));
  }
  for (const std::string& note : outcome.notes) say("note: " + note);
  report_lost_gpus(*session->runner);
  if (!outcome.summary.rows.empty()) show(outcome, options, console);
  if (*course && !outcome.fault && !outcome.summary.rows.empty())
    if (const auto code = grade_course(options.out, **course, options.format == "text", console))
      return *code;
  earlier_course.report_if_removed();
  if (const auto& reason = session->runner->out_of_gpus(); reason && !was_interrupted())
    return complain(console, *reason, kFault);
  return exit_code(outcome, console);
}

}  // namespace

void add_grade(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<GradeOptions>();
  Subcommand command = root.subcommand("grade", R"(Examples:
  warpgrade grade submissions --out results
  warpgrade grade submissions --out results --lab 02-tiled-matmul --jobs 8
  warpgrade grade submissions --out results --resume        after a crash, a kill or Ctrl-C
  warpgrade grade submissions --out results --only changed  after late files or a new lab.json
  warpgrade grade submissions --out results --executor slurm --slurm-option partition=gpu
  warpgrade grade submissions --out results --course course.json   with the rules of a course

Grades submissions in sandboxes: SUBMISSIONS/<id>/<lab>/<file>, SUBMISSIONS/<id>/<file>, SUBMISSIONS/<id>.zip
(.tar.gz, .tar, .tar.xz, .7z), or a download from Canvas, Moodle or Gradescope, packed or unpacked)");
  command
      .option("SUBMISSIONS", options->submissions,
              "folder with one folder or archive per submission, or an archive of such a folder")
      .required();
  command.option("--out", options->out, "folder for results, gradebook.csv, summary.json")
      .required()
      .type_name("DIR");
  command
      .option(
          "--lab", options->labs,
          "only this lab, and for every submission; may be repeated (default: the labs that each submission "
          "contains)")
      .type_name("LAB");
  command.option("--jobs", options->jobs, "submissions graded at the same time (default: CPUs + 1)")
      .range(1, 1024)
      .type_name("N");
  command
      .option("--gpus", options->gpus,
              "real GPUs to use: indices or UUIDs, separated by commas (default: CUDA_VISIBLE_DEVICES, or "
              "all healthy GPUs of one model)")
      .type_name("LIST");
  command
      .option("--seed-file", options->seed_file,
              "file of secret bytes that change the inputs of every case that is not public")
      .type_name("FILE");
  command.flag(
      "--resume", options->resume,
      "continue a run that was killed or interrupted; the results are the same as without the interruption");
  command
      .option(
          "--only", options->only,
          "grade a part of the results in DIR again; changed: those whose file, lab.json or settings "
          "have changed; failed: those without a grade because of a fault of the grader or the machine (not "
          "those that failed checks)")
      .one_of({"changed", "failed"})
      .type_name("changed|failed")
      .excludes("--resume");
  Option executor = command
                        .option("--executor", options->executor,
                                "where to grade; local: in this process; slurm: on the nodes of a cluster, "
                                "which share DIR and the kit")
                        .one_of({"local", "slurm"})
                        .type_name("WHERE");
  add_slurm_options(command, executor, options->slurm);
  command.option("--format", options->format, "text, or json: summary.json on stdout")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  command
      .option("--layout", options->layout,
              "naming scheme of SUBMISSIONS: plain, canvas, moodle, gradescope (default: recognised from the "
              "names)")
      .one_of({"auto", "plain", "canvas", "moodle", "gradescope"})
      .type_name("LAYOUT");
  add_course_option(command, options->course);
  command.flag("--unsafe-no-sandbox", options->session.unsafe_no_sandbox,
               "run submissions without any isolation; every result records this");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return grade(*options, console); };
  });
}

}  // namespace grader::app
