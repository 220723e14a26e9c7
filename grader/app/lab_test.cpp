// `warpgrade lab-test`: the students' tests in ctest, which are made from one `check` of the whole lab. The
// command is not listed by --help; grader/cmake/WarpgradeLabs.cmake runs it in three forms:
//
// - `lab-test LAB --folder DIR` checks the lab and writes DIR/LAB.json. It succeeds if the lab was graded.
// - `lab-test LAB --folder DIR --check CHECK` reports one check, or all checks of a task, from DIR/LAB.json.
// - `lab-test --folder DIR`, after all tests, prints the first mistake of every lab that was tested.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "report/check_text.hpp"
#include "report/result_json.hpp"
#include "report/result_reader.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct LabTestOptions {
  SessionOptions session;
  std::string lab, check, folder, build_cache;

  fs::path result_file() const { return fs::path(folder) / (lab + ".json"); }
  /// Contains an empty file <task>/<case> for every failed check that was reported.
  fs::path failed_folder() const { return fs::path(folder) / (lab + ".failed"); }
};

CheckPage page_of(const Lab& lab) {
  return {(lab.folder / lab.sources.front()).string(), (lab.folder / "hints.md").string()};
}

int check_whole_lab(const LabTestOptions& options, const Console& console) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const auto session = open_session(options.session, Isolation::preferred, threads);
  if (!session) return complain(console, session.error().reason, kFault);
  const auto labs = labs_named(session->paths, {options.lab});
  if (!labs) return complain(console, labs.error(), kUsage);
  const Lab& lab = labs->front();
  std::error_code error;
  fs::remove_all(options.failed_folder(), error);
  fs::create_directories(options.folder, error);

  BuildCache cache(options.build_cache);
  GradingOptions grading = grading_options();
  grading.cache = &cache;
  grading.case_threads = threads;
  const auto result = Grading(lab, session->runners(), grading)
                          .grade("local", fs::weakly_canonical(lab.folder / lab.sources.front(), error));
  if (!result) return kInterrupted;
  const auto written = write_file_atomically(options.result_file(), result_json(*result));
  if (!written) return complain(console, output_unwritable(options.result_file(), written.error()), kFault);
  print(check_text(lab, *result, page_of(lab), console.out));
  return result->score.status == ResultStatus::grader_fault ? kFault : kPassed;
}

/// The part of the result that consists of the checks that `is_wanted` accepts.
Result part_of(Result result, const std::function<bool(const Check&)>& is_wanted) {
  std::erase_if(result.score.checks, [&](const Check& check) { return !is_wanted(check); });
  return result;
}

Expected<Result, std::string> stored_result(const LabTestOptions& options) {
  const auto text = read_file(options.result_file(), kMaxResultBytes);
  if (!text) return Unexpected{text.error()};
  return parse_result(*text);
}

/// Keeps the check's name for the command after all tests.
void remember_failed(const LabTestOptions& options, const Check& check) {
  const fs::path file = options.failed_folder() / check.id;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) write_file_atomically(file, "");
}

int report_check(const LabTestOptions& options, const Lab& lab, const Console& console) {
  auto stored = stored_result(options);
  if (!stored) {
    say(options.result_file().string() + ": " + stored.error() + "; run the test " + options.lab +
        "/check first");
    return kFault;
  }
  const Result part = part_of(*std::move(stored), [&](const Check& check) {
    return check.id == options.check || check.task == options.check;
  });
  if (part.score.checks.empty() &&
      options.check != "build") {  // a program that compiles has no check "build"
    say("the result has no check " + options.check + "; configure the build folder again");
    return kFault;
  }
  bool failed = false, passed = part.score.checks.empty();
  for (const Check& check : part.score.checks) {
    if (check.status == CheckStatus::fail) remember_failed(options, check);
    failed |= check.status == CheckStatus::fail;
    passed |= check.status == CheckStatus::pass;
    if (check.status == CheckStatus::skip) print("skipped: " + check.skip_reason + "\n");
  }
  if (failed) print(failure_text(lab, part, page_of(lab), console.out));
  return failed ? kFailed : passed ? kPassed : kNothingGraded;
}

/// Prints what to fix first in the lab, if a check that was reported has failed, and forgets the result.
void report_first_mistake(const LabTestOptions& options, const Lab& lab, const Console& console) {
  std::error_code error;
  if (auto stored = stored_result(options)) {
    const Result part = part_of(*std::move(stored), [&](const Check& check) {
      return fs::exists(options.failed_folder() / check.id, error);
    });
    if (const std::string text = failure_text(lab, part, page_of(lab), console.out); !text.empty())
      print("\n" + lab.id + ": first mistake\n\n" + text);
  }
  fs::remove(options.result_file(), error);
  fs::remove_all(options.failed_folder(), error);
}

/// The labs with a result, in order.
std::vector<std::string> tested_labs(const fs::path& folder) {
  std::vector<std::string> labs;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") labs.push_back(entry->path().stem().string());
  std::sort(labs.begin(), labs.end());
  return labs;
}

int lab_test(LabTestOptions options, const Console& console) {
  if (!options.lab.empty() && options.check.empty()) return check_whole_lab(options, console);
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const bool all = options.lab.empty();
  for (const std::string& name : all ? tested_labs(options.folder) : std::vector{options.lab}) {
    const auto labs = labs_named(*paths, {name});
    if (!labs) return complain(console, labs.error(), kUsage);
    options.lab = name;
    if (!all) return report_check(options, labs->front(), console);
    report_first_mistake(options, labs->front(), console);
  }
  return kPassed;
}

}  // namespace

void add_lab_test(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<LabTestOptions>();
  Subcommand command =
      root.subcommand("lab-test", "Runs and reports the students' tests of a lab, for ctest");
  command.hide();
  command.option("LAB", options->lab, "the lab; without it, the first mistake of every tested lab");
  command.option("--check", options->check, "report this check or task").type_name("NAME");
  command.option("--folder", options->folder, "folder for results").required().type_name("DIR");
  command.option("--build-cache", options->build_cache, "folder for built files").type_name("DIR");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return lab_test(*options, console); };
  });
}

}  // namespace grader::app
