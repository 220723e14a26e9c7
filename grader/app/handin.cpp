#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "app/chosen_lab.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "base/utc.hpp"
#include "packages/receipt.hpp"
#include "packing/hand_in_package.hpp"
#include "packing/pack_diagnostics.hpp"
#include "packing/skeletons.hpp"
#include "questions/grade_answers.hpp"
#include "report/packed_text.hpp"
#include "report/progress.hpp"
#include "report/questions_text.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct HandInOptions {
  SessionOptions session;
  LabArguments lab;
  std::string out, format = "text", build_cache;
  bool no_check = false, force = false;
};

struct NoHandIn {
  Diagnostic reason;
  int exit_code = kUsage;
};

/// The lab's result for the student's file. No result: interrupted.
Expected<std::optional<Result>, NoHandIn> check(const Lab& lab, const fs::path& source,
                                                const HandInOptions& options, const Console& console) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  auto session = open_session(options.session, Isolation::preferred, threads);
  if (!session) return Unexpected{NoHandIn{session.error().reason, session.error().exit_code}};
  const BuildCache cache(options.build_cache.empty() ? BuildCache::default_folder()
                                                     : fs::path(options.build_cache));
  GradingOptions grading_options = app::grading_options();
  grading_options.cache = &cache;
  grading_options.case_threads = threads;
  const Grading grading(lab, session->runners(), grading_options);
  ProgressLine progress(console.err, write_to_stderr);
  auto result =
      grading.grade("local", source,
                    {[&](std::string_view stage) { progress.show(lab.id + ": " + std::string(stage)); }, {}});
  if (result && result->score.status == ResultStatus::grader_fault) {
    const Diagnostic* first = first_diagnostic(result->score);
    return Unexpected{NoHandIn{no_hand_in(first != nullptr ? "the check failed: " + first->what
                                                           : "the check failed because of this machine",
                                          "pack without a check: add --no-check"),
                               kFault}};
  }
  return result;
}

/// How the packed answers are graded with the counters of the check; `checked` is nullptr if there was none.
/// Empty if the lab asks nothing.
std::string questions_summary(const Lab& lab, const HandInFiles& files, const Score* checked) {
  if (lab.questions.empty()) return {};
  if (!files.answers)
    return fmt::format("none of {} answered: there is no {} next to the source", lab.questions.size(),
                       kAnswersFile);
  const auto outcome =
      grade_answers(lab, *files.answers, {}, checked != nullptr ? checked->counters : CounterValues{});
  const std::size_t open = outcome.count(AnswerStatus::open), missing = outcome.count(AnswerStatus::missing);
  if (checked != nullptr || open == 0)
    return printable(tally_text(outcome) +
                     (missing > 0 && !outcome.is_refused() ? fmt::format("; {} not answered", missing) : ""));
  const QuestionsTally tally = outcome.tally();
  return fmt::format("{} of {} right; {} {} a check", tally.right, tally.count, open,
                     open == 1 ? "needs" : "need");
}

/// Packs the files and prints the receipt. Returns the exit code.
int pack(const Lab& lab, const HandInFiles& files, const Receipt& receipt, PackedPage page,
         const HandInOptions& options, const Console& console) {
  page.package = options.out.empty() ? lab.id + ".zip" : options.out;
  const auto bytes = write_archive(hand_in_package(lab, files, receipt), *archive_format(page.package));
  const auto written = bytes ? write_file_atomically(page.package, *bytes) : Unexpected{bytes.error()};
  if (!written)
    return complain(console,
                    no_hand_in(fmt::format("{} cannot be written: {}", page.package, written.error()),
                               "choose another place with --out"),
                    kFault);
  print(options.format == "json" ? receipt_json(receipt) : packed_text(receipt, page, console.out));
  return kPassed;
}

int hand_in(const HandInOptions& options, const Console& console) {
  if (!options.out.empty() && !archive_format(options.out))
    return complain(console,
                    usage_error(fmt::format("--out is {}", printable(options.out)),
                                "choose a name that ends with .zip or .tar.gz"),
                    kUsage);
  const auto kit = find_kit();
  if (!kit) return complain(console, kit.error(), kFault);
  const auto chosen = chosen_lab(*kit, options.lab);
  if (!chosen) return complain(console, chosen.error(), kUsage);
  const Lab& lab = chosen->lab;
  const fs::path& source = chosen->source;
  report_distant_file(*chosen);
  std::error_code error;
  PackedPage page;
  page.source = fs::absolute(source, error).lexically_normal().string();
  if (!fs::exists(source, error))
    return complain(console,
                    usage_error("there is no file " + printable(source.string()),
                                "name your file with --source FILE, or copy the skeleton from the archive"),
                    kUsage);
  const auto files = read_hand_in(source);
  if (!files) return complain(console, files.error(), kUsage);
  if (!options.force && is_skeleton(*kit, lab, files->source))
    return complain(console,
                    no_hand_in(printable(page.source) + " is the unchanged skeleton",
                               "name your file with --source FILE, or run the command in your lab's folder; "
                               "to pack the skeleton, add --force"),
                    kUsage);
  Receipt receipt = receipt_of(lab, *files);
  if (!options.no_check) {
    // A copy is checked, so that the score is that of the packed bytes.
    const TemporaryFolder folder("warpgrade-handin");
    const fs::path copy = folder.path() / lab.sources.front();
    if (const auto written = write_file_atomically(copy, files->source); !written)
      return complain(
          console, no_hand_in("a temporary file cannot be written: " + written.error(), "make room"), kFault);
    const auto result = check(lab, copy, options, console);
    if (!result) return complain(console, result.error().reason, result.error().exit_code);
    if (!*result || was_interrupted()) return kInterrupted;
    receipt.score = (*result)->score.score;
    receipt.max_score = (*result)->score.max_score;
    page.questions = questions_summary(lab, *files, &(*result)->score);
  } else {
    page.questions = questions_summary(lab, *files, nullptr);
  }
  receipt.packed_at = local_now();
  receipt.version = version_text();
  return pack(lab, *files, receipt, std::move(page), options, console);
}

}  // namespace

void add_handin(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<HandInOptions>();
  Subcommand command = root.subcommand("handin", R"(Examples:
  warpgrade handin 02-tiled-matmul
  warpgrade handin 02-tiled-matmul --source my_copy.cu --out lab2.tar.gz
  warpgrade handin 02-tiled-matmul --no-check

Checks your file, packs it for handing in, and prints a receipt. answers.json in the file's folder is packed too)");
  add_lab_arguments(command, options->lab, "pack");
  command
      .option("--out", options->out, "the package, .zip or .tar.gz (default: LAB.zip in the current folder)")
      .type_name("FILE");
  command.flag("--no-check", options->no_check, "pack without a check; the receipt then has no score");
  command.flag("--force", options->force, "pack an unchanged skeleton, too");
  command.option("--format", options->format, "text, or json: the receipt as in the package")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  command
      .option("--build-cache", options->build_cache,
              "folder for built files (default: the user's cache folder)")
      .type_name("DIR");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return hand_in(*options, console); };
  });
}

}  // namespace grader::app
