#include <cstdio>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/session.hpp"
#include "lab/secret_seeds.hpp"
#include "report/class_text.hpp"
#include "report/hand_in_text.hpp"
#include "report/progress.hpp"
#include "schedule/class_run.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct GradeOptions {
  SessionOptions session;
  std::string submissions, out, seed_file, layout = "auto", format = "text";
  std::vector<std::string> labs;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

/// The labs with the inputs that are graded.
struct Inputs {
  std::vector<Lab> labs;
  std::string seed_file;  ///< fingerprint; empty: the seeds are lab.json's
};

Expected<Inputs, Diagnostic> inputs_of(std::vector<Lab> labs, const std::string& seed_file) {
  if (seed_file.empty()) return Inputs{std::move(labs), ""};
  const auto seeds = read_secret_seeds(seed_file);
  if (!seeds) return Unexpected{seeds.error()};
  for (Lab& lab : labs) lab = seeds->applied_to(std::move(lab));
  return Inputs{std::move(labs), seeds->fingerprint()};
}

/// One Grading for each lab; the taught solution is timed where the checkout has it.
std::map<std::string, std::unique_ptr<Grading>> gradings_of(const Session& session, const Inputs& inputs) {
  std::map<std::string, std::unique_ptr<Grading>> gradings;
  for (const Lab& lab : inputs.labs) {
    GradingOptions options = grading_options();
    options.seed_file = inputs.seed_file;
    const fs::path solution = session.paths.root / "solutions" / lab.id / lab.sources.front();
    std::error_code error;
    if (fs::exists(solution, error)) options.reference = solution;
    gradings[lab.id] = std::make_unique<Grading>(lab, *session.runner, options);
  }
  return gradings;
}

void show(const ClassOutcome& outcome, const GradeOptions& options, const Console& console) {
  if (options.format == "json") return print(summary_json(outcome.summary));
  print(class_text(outcome.summary, console.out));
  print(hand_in_text(outcome.summary.hand_ins, console.out));
  print(fmt::format(
      "JSON: {0}/results/<submission>/<lab>.json; table: {0}/gradebook.csv; all in one: {0}/summary.json\n",
      options.out));
}

int exit_code(const ClassOutcome& outcome, const Console& console) {
  if (outcome.fault) return complain(console, *outcome.fault, kFault);
  if (was_interrupted()) {
    say(fmt::format("interrupted: {} of {} results are finished and kept", outcome.summary.rows.size(),
                    outcome.summary.expected_rows));
    return kInterrupted;
  }
  for (const ClassRow& row : outcome.summary.rows)
    if (row.status == ResultStatus::grader_fault) return kFault;
  return kPassed;
}

/// When nobody names labs: those that somebody hands in, or all if nobody hands in any.
std::vector<Lab> labs_to_grade(std::vector<Lab> labs, const std::vector<Submission>& submissions) {
  std::vector<Lab> wanted;
  std::vector<std::string> left_out;
  for (const Lab& lab : labs) {
    if (is_handed_in(submissions, lab))
      wanted.push_back(lab);
    else
      left_out.push_back(lab.id);
  }
  if (wanted.empty()) return labs;
  if (!left_out.empty())
    say(fmt::format("note: nobody hands in {}; --lab grades a lab all the same", fmt::join(left_out, ", ")));
  return wanted;
}

Layout layout_named(const std::string& word) {
  static const std::map<std::string, Layout> kLayouts = {{"plain", Layout::plain},
                                                         {"canvas", Layout::canvas},
                                                         {"moodle", Layout::moodle},
                                                         {"gradescope", Layout::gradescope}};
  const auto found = kLayouts.find(word);
  return found != kLayouts.end() ? found->second : Layout::automatic;
}

/// Faults of the machine are told apart from what is wrong with the command or the submissions.
int unfound(const Diagnostic& reason, const Console& console) {
  if (was_interrupted()) {
    say("interrupted: nothing was graded");
    return kInterrupted;
  }
  const bool is_fault =
      reason.code.starts_with("WG-S0") || reason.code == "WG-G21" || reason.code == "WG-G23";
  return complain(console, reason, is_fault ? kFault : kUsage);
}

int grade(const GradeOptions& options, const Console& console) {
  auto session = open_session(options.session, Isolation::required, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  auto labs = labs_named(session->paths, options.labs);
  if (!labs) return complain(console, labs.error(), kUsage);
  const auto list = find_submissions(options.submissions, *labs, session->runner->sandbox(),
                                     {layout_named(options.layout), options.jobs, &stop_flag()});
  if (!list) return unfound(list.error(), console);
  for (const std::string& name : list->ignored)
    say("note: ignored " + printable(name, console.err.unicode) + ": not a submission");
  if (options.labs.empty()) *labs = labs_to_grade(*std::move(labs), list->submissions);
  if (list->submissions.empty() || labs->empty()) {
    say("nothing to grade: " + options.submissions + " holds no submissions");
    return kNothingGraded;
  }
  const auto inputs = inputs_of(*labs, options.seed_file);
  if (!inputs) return complain(console, inputs.error(), kUsage);

  const auto gradings = gradings_of(*session, *inputs);
  const GradeOne grade_one = [&](const Submission& submission, const Lab& lab) -> std::optional<Result> {
    const Grading& grading = *gradings.at(lab.id);
    const auto source = find_source(submission, lab);
    return source ? grading.grade(submission.id, *source) : grading.rejected(submission.id, source.error());
  };
  ClassOutcome outcome;
  {
    ProgressLine progress(console.err, write_to_stderr);
    const ClassOptions run{options.out, options.jobs, &stop_flag(),
                           [&](std::size_t done, std::size_t total, const std::string& latest) {
                             progress.show(done, total, latest);
                           }};
    progress.show(0, list->submissions.size() * labs->size(), "");
    outcome = grade_class(*labs, list->submissions, grade_one, run);
  }
  if (!outcome.summary.rows.empty()) show(outcome, options, console);
  return exit_code(outcome, console);
}

}  // namespace

void add_grade(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = app.add_subcommand("grade", R"(Examples:
  warpgrade grade submissions --out results
  warpgrade grade submissions --out results --lab 02-tiled-matmul --jobs 8

Grades submissions in sandboxes: SUBMISSIONS/<id>/<lab>/<file>, SUBMISSIONS/<id>/<file>, SUBMISSIONS/<id>.zip
(.tar.gz, .tar, .tar.xz, .7z), or what Canvas, Moodle or Gradescope lets graders download, unpacked or not)");
  command
      ->add_option("SUBMISSIONS", options->submissions,
                   "folder with one folder or archive for each submission, or an archive of such a folder")
      ->required();
  command->add_option("--out", options->out, "folder for results, gradebook.csv, summary.json")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--lab", options->labs,
                   "only this lab; may be repeated (default: all that somebody hands in)")
      ->type_name("LAB");
  command->add_option("--jobs", options->jobs, "submissions graded at the same time (default: one a CPU)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--seed-file", options->seed_file,
                   "secret bytes that change the inputs of every case that is not public")
      ->type_name("FILE");
  command->add_option("--format", options->format, "text, or json: summary.json on stdout")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command
      ->add_option(
          "--layout", options->layout,
          "how SUBMISSIONS names things: plain, canvas, moodle, gradescope (default: what the names tell)")
      ->check(CLI::IsMember({"auto", "plain", "canvas", "moodle", "gradescope"}))
      ->type_name("LAYOUT");
  add_session_options(*command, options->session);
  command->callback([options, &line] {
    line.chosen = [options](const Console& console) { return grade(*options, console); };
  });
}

}  // namespace grader::app
