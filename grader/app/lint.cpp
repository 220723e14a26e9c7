#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/lint_mutants.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "lab/counter_names.hpp"
#include "lab/datasets.hpp"
#include "questions/check_questions.hpp"
#include "report/hints.hpp"
#include "report/numbers.hpp"
#include "schedule/pool.hpp"
#include "schedule/promises.hpp"
#include "schedule/quoted_values.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxProgramBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxKeptPrograms = 2048;  // several times the files of all labs

struct LintOptions {
  SessionOptions session;
  std::vector<std::string> labs;
  unsigned jobs = default_jobs();
  MutantOptions mutants;
};

/// Prints one line per check and counts the failed ones. Thread-safe.
class Findings {
 public:
  explicit Findings(const Console& console) : console_(console) {}

  void add(const std::string& what, const std::vector<std::string>& problems) {
    const std::lock_guard lock(mutex_);
    ++checks_;
    if (problems.empty()) return print("  " + paint(console_.out, Ink::good, "ok  ") + "  " + what + "\n");
    ++bad_;
    print("  " + paint(console_.out, Ink::bad, "FAIL") + "  " + what + "\n");
    for (const std::string& problem : problems)
      print("          " + printable(problem, console_.out.unicode) + "\n");
  }
  void expect(const std::string& what, bool good, const std::string& problem) {
    add(what, good ? std::vector<std::string>{} : std::vector{problem});
  }
  int checks() const { return checks_; }
  int bad() const { return bad_; }

 private:
  const Console& console_;
  std::mutex mutex_;
  int checks_ = 0, bad_ = 0;
};

/// Paths of the .cu files below `folder`, relative to it, without challenge/: its files define one function
/// each, and bench-solutions checks them.
std::set<std::string> cuda_files(const fs::path& folder) {
  std::set<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path file = entry->path().lexically_relative(folder);
    if (file.extension() == ".cu" && *file.begin() != "challenge") files.insert(file.string());
  }
  return files;
}

std::vector<std::string> differences(const std::set<std::string>& files, const Promises& promises) {
  std::vector<std::string> problems;
  for (const std::string& file : files)
    if (!promises.files.contains(file)) problems.push_back(file + " is not in expected.json");
  for (const auto& [file, promise] : promises.files)
    if (!files.contains(file)) problems.push_back(file + " is in expected.json but does not exist");
  return problems;
}

/// Problems with the expected scores: a correct solution must be expected to get full marks, a wrong one must
/// not.
std::vector<std::string> odd_promises(const Lab& lab, const Promises& promises) {
  std::vector<std::string> problems;
  for (const auto& [file, promise] : promises.files) {
    const bool full = promise.verdict == "accepted" && promise.score == lab.max_points() + lab.bonus_points();
    if (file.starts_with("wrong/") == full)
      problems.push_back(file + (full ? ": a wrong solution is expected to get full marks"
                                      : ": a correct solution is not expected to get full marks"));
  }
  return problems;
}

/// Objectives that a useless extra kernel could improve. Each of them needs another objective in the same
/// case that limits a total, because a useless kernel only increases totals.
std::vector<std::string> diluted_objectives(const Lab& lab) {
  std::vector<std::string> problems;
  for (const Task& task : lab.tasks)
    for (const Objective& one : task.objectives) {
      const auto limits_total = [&](const Objective& other) {
        return other.case_name == one.case_name && other.limits_total();
      };
      if (is_dilutable(one.counter) &&
          std::none_of(task.objectives.begin(), task.objectives.end(), limits_total))
        problems.push_back(fmt::format("task {}: {} in case {} has no limit on a total in the same case",
                                       task.id, one.counter, one.case_name));
    }
  return problems;
}

/// A page without hints that `watch` can show, and tasks whose section does not exist.
std::vector<std::string> missing_hints(const Lab& lab) {
  const auto text = read_file(lab.folder / "hints.md", kMaxSourceBytes);
  if (!text) return {"hints.md: " + text.error()};
  const std::vector<Hint> hints = hints_of(*text);
  if (hints.empty()) return {"hints.md contains no <details><summary>…</summary>…</details>"};
  std::vector<std::string> problems;
  for (const Task& task : lab.tasks)
    if (!first_hint_of(hints, task.hints))
      problems.push_back(
          fmt::format("task {}: no section of hints.md begins with \"{}\"", task.id, task.hints));
  return problems;
}

void lint_files(const Lab& lab, Findings& findings) {
  findings.expect(lab.id + ": points without bonus sum to 100", lab.max_points() == 100,
                  "they sum to " + points_text(lab.max_points()));
  findings.add(lab.id + ": ratios are judged together with totals", diluted_objectives(lab));
  if (!lab.questions.empty())
    findings.add(lab.id + ": every student gets questions with answers of their own", question_problems(lab));
  std::vector<std::string> missing;
  std::error_code error;
  for (const std::string& name : {lab.sources.front(), std::string("README.md"), std::string("hints.md")})
    if (!fs::is_regular_file(lab.folder / name, error))
      missing.push_back("labs/" + lab.id + "/" + name + " is missing");
  findings.add(lab.id + ": skeleton, page and hints exist", missing);
  if (missing.empty()) findings.add(lab.id + ": each task has hints", missing_hints(lab));
}

std::string promise_text(const Promise& promise) {
  return promise.verdict +
         (promise.codes.empty() ? "" : fmt::format(", {}", fmt::join(promise.codes, " or ")));
}

std::vector<std::string> stopped_or(const std::optional<Result>& result, const Promise& promise) {
  return result ? broken_promises(promise, *result) : std::vector<std::string>{"stopped"};
}

/// Empty if the file in labs/ is one of the skeletons that expected.json knows.
std::vector<std::string> unknown_skeleton(const Lab& lab, const std::vector<std::string>& known) {
  const auto bytes = read_file(lab.folder / lab.sources.front(), kMaxSourceBytes);
  if (!bytes) return {lab.sources.front() + ": " + bytes.error()};
  const std::string sha256 = sha256_hex(*bytes);
  if (std::find(known.begin(), known.end(), sha256) != known.end()) return {};
  return {
      fmt::format("labs/{}/{} is not the skeleton that was handed out; restore it, or add \"{}\" to "
                  "skeleton_sha256 in expected.json",
                  lab.id, lab.sources.front(), sha256)};
}

void lint_skeleton(const Lab& lab, const Grading& grading, const Promise& promise, Findings& findings) {
  const auto result = grading.grade("skeleton", lab.folder / lab.sources.front());
  std::vector<std::string> problems = stopped_or(result, promise);
  if (result && result->score.verdict == Verdict::compile_error)
    problems.push_back("it does not compile: " + first_diagnostic(result->score)->what);
  if (result && result->score.score != 0) problems.push_back("it scores " + points_text(result->score.score));
  findings.add(lab.id + ": the skeleton compiles, scores 0 and is " + promise_text(promise), problems);
}

/// Checks the values quoted in lab.json. They are for nvcc's code: clang generates other instructions, so
/// that some counters differ.
void lint_quoted_values(const Lab& lab, const Session& session, Findings& findings) {
  const Grading grading(without_needs(lab), *session.runner, grading_options());
  const fs::path solution_folder = session.paths.root / "solutions" / lab.id;
  const auto naive = grading.grade("naive", session.paths.root / baseline_source(lab.workload));
  const auto solution = grading.grade("solution", solution_folder / lab.sources.front());
  findings.add(lab.id + ": the values quoted in lab.json are those of the naive program and the solution",
               naive && solution ? misquoted_values(lab, naive->score, solution->score)
                                 : std::vector<std::string>{"stopped"});
  findings.add(lab.id + ": limits hold at all sizes at which the naive program differs from the solution",
               naive && solution ? unlimited_cases(lab, naive->score, solution->score)
                                 : std::vector<std::string>{"stopped"});
}

/// Checks that grade a file. They run together for all labs, so that no CPU waits at the end of a lab.
using Jobs = std::vector<std::function<void()>>;

/// `lab` and `cache` must outlive the jobs.
void lint_solutions(const Lab& lab, const Session& session, const BuildCache& cache, Findings& findings,
                    Jobs& jobs) {
  const fs::path folder = session.paths.root / "solutions" / lab.id;
  const auto read = read_promises(folder);
  findings.expect(lab.id + ": expected.json is valid", read.has_value(), read ? "" : read.error());
  if (!read) return;
  findings.add(lab.id + ": expected.json has the SHA-256 of the skeleton",
               unknown_skeleton(lab, read->skeleton_sha256));
  findings.add(lab.id + ": expected.json lists every solution, and every listed file exists",
               differences(cuda_files(folder), *read));
  findings.add(lab.id + ": correct solutions are expected to get full marks, wrong ones are not",
               odd_promises(lab, *read));
  findings.add(lab.id + ": the messages of wrong solutions are expected to lead to the mistake",
               vague_promises(*read));

  if (session.runner->front_end().kind == FrontEndKind::nvcc)
    jobs.push_back([&] { lint_quoted_values(lab, session, findings); });
  // The last job of a lab frees the cases that its files share.
  GradingOptions options = grading_options();
  options.cache = &cache;
  const auto grading = std::make_shared<const Grading>(lab, *session.runner, options);
  jobs.push_back([&lab, &findings, grading, promise = read->skeleton] {
    lint_skeleton(lab, *grading, promise, findings);
  });
  for (const auto& [file, promise] : read->files)
    jobs.push_back([&lab, &findings, grading, folder, file = file, promise = promise] {
      const auto result = grading->grade(file, folder / file);
      findings.add(lab.id + "/" + file + ": " + promise_text(promise), stopped_or(result, promise));
    });
}

/// The diagnostic codes in string literals of the grader's sources, without tests.
std::set<std::string> used_codes(const fs::path& grader) {
  static const std::regex kCode("\"(WG-[A-Z][0-9]{2})");
  std::set<std::string> codes;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(grader, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "tests") entry.disable_recursion_pending();
    if (entry->path().extension() != ".cpp") continue;
    const auto text = read_file(entry->path(), kMaxProgramBytes);
    if (!text) continue;
    for (std::sregex_iterator match(text->begin(), text->end(), kCode), last; match != last; ++match)
      codes.insert((*match)[1]);
  }
  return codes;
}

void lint_kit(const KitPaths& paths, const std::vector<Lab>& labs, Findings& findings) {
  std::vector<std::string> missing;
  std::error_code error;
  for (const std::string& code : used_codes(paths.root / "grader"))
    if (!fs::exists(paths.root / "handout" / "student" / "diagnostics" / (code + ".md"), error))
      missing.push_back(code + " has no page");
  findings.add("every diagnostic code has a page", missing);
  std::vector<std::string> problems;
  for (const Diagnostic& problem :
       verify_datasets(labs, {paths.root / "datasets", paths.binaries / "datasets"}))
    problems.push_back(problem.code + " " + problem.what);
  findings.add("the datasets match their manifest", problems);
}

/// One invalid definition does not keep the other labs from being checked.
std::vector<Lab> valid_labs(const KitPaths& paths, const std::vector<std::string>& ids, Findings& findings) {
  std::vector<Lab> labs;
  for (const std::string& id : ids) {
    auto lab = load_lab(paths.labs / id);
    findings.add(id + ": lab.json is valid",
                 lab ? std::vector<std::string>{}
                     : std::vector{lab.error().code + " " + lab.error().what, lab.error().next_step});
    if (lab) labs.push_back(*std::move(lab));
  }
  return labs;
}

int lint(const LintOptions& options, const Console& console) {
  if (const auto problem = only_in_whole_kit("lint")) return complain(console, *problem, kUsage);
  auto session = open_session(options.session, Isolation::preferred, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto ids = lab_ids_named(session->paths, options.labs);
  if (!ids) return complain(console, ids.error(), kUsage);
  if (options.mutants.all || !options.mutants.names.empty()) {
    const auto labs = labs_named(session->paths, *ids);
    if (!labs) return complain(console, labs.error(), kUsage);
    MutantOptions mutants = options.mutants;
    mutants.jobs = options.jobs;
    return lint_mutants(*session, *labs, mutants, console);
  }

  Findings findings(console);
  const std::vector<Lab> labs = valid_labs(session->paths, *ids, findings);
  // Without all labs, the manifest of datasets cannot be compared with what they need.
  if (options.labs.empty() && labs.size() == ids->size()) lint_kit(session->paths, labs, findings);
  const BuildCache cache(BuildCache::default_folder() += "-lint", kMaxKeptPrograms);
  Jobs jobs;
  for (const Lab& lab : labs) {
    lint_files(lab, findings);
    lint_solutions(lab, *session, cache, findings, jobs);
  }
  run_jobs(options.jobs, jobs.size(), stop_flag(), [&](std::size_t i) { std::exchange(jobs[i], {})(); });
  if (was_interrupted()) return kInterrupted;
  print(fmt::format("{} checks, {} failed ({}, {})\n", findings.checks(), findings.bad(),
                    session->device_name, session->runner->front_end().version));
  if (labs.size() < ids->size()) return kUsage;
  return findings.bad() == 0 ? kPassed : kFailed;
}

}  // namespace

void add_lint(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<LintOptions>();
  Subcommand command = root.subcommand("lint", R"(Examples:
  warpgrade lint
  warpgrade lint --front-end clang
  warpgrade lint --mutants --sample 20 02-tiled-matmul

Tests the kit itself: skeletons score 0, solutions get full marks, wrong ones the expected diagnostics)");
  command.option("LAB", options->labs, "only these labs (default: all, and the kit as a whole)");
  command.option("--jobs", options->jobs, "files graded at the same time (default: CPUs + 1)")
      .range(1, 1024)
      .type_name("N");
  command.flag("--mutants", options->mutants.all,
               "grade copies of the right answers with one mistake each, and print those with full marks");
  command.option("--sample", options->mutants.sample, "with --mutants: only N mutants per lab (default: all)")
      .range(1, 1'000'000)
      .type_name("N");
  command.option("--part", options->mutants.part, "with --mutants: the I-th of N parts, for several machines")
      .type_name("I/N");
  command.option("--mutant", options->mutants.names, "grade only this mutant and print its change")
      .one_value_at_a_time()
      .type_name("NAME");
  add_session_options(command, options->session);
  // The expected findings are those of the virtual GPU: a real GPU does not check memory or barriers.
  options->session.device = "virtual";
  command.remove_option("--device");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return lint(*options, console); };
  });
}

}  // namespace grader::app
