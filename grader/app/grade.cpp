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
#include "report/progress.hpp"
#include "schedule/class_run.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct GradeOptions {
  SessionOptions session;
  std::string submissions, out, seed_file, format = "text";
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

int grade(const GradeOptions& options, const Console& console) {
  const auto list = find_submissions(options.submissions);
  if (!list) return complain(console, list.error(), kUsage);
  for (const std::string& name : list->ignored)
    say("note: ignored " + printable(name, console.err.unicode) + ": neither a folder nor an archive");
  auto session = open_session(options.session, Isolation::required, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  auto labs = labs_named(session->paths, options.labs);
  if (!labs) return complain(console, labs.error(), kUsage);
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

Grades a folder of submissions in sandboxes: SUBMISSIONS/<id>/<lab>/<file> or SUBMISSIONS/<id>/<file>)");
  command->add_option("SUBMISSIONS", options->submissions, "folder with one folder for each submission")
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
  command->add_flag("--unsafe-no-sandbox", options->session.unsafe_no_sandbox,
                    "run submissions without any isolation; recorded in every result");
  add_session_options(*command, options->session);
  command->callback([options, &line] {
    line.chosen = [options](const Console& console) { return grade(*options, console); };
  });
}

}  // namespace grader::app
