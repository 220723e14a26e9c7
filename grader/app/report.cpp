#include "pages/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "base/files.hpp"
#include "pages/report_files.hpp"
#include "schedule/compare_runs.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct ReportCommand {
  std::string folder, out, similarity, before, pictures;
  std::vector<std::string> labs;
  bool for_students = false, force = false;
};

Expected<pages::ReportInput, Diagnostic> read_input(const ReportCommand& command) {
  auto all = read_class(command.folder);
  if (all) all = selected(*std::move(all), {}, command.labs);
  if (!all) return Unexpected{all.error()};
  pages::ReportInput input;
  input.all = *std::move(all);
  input.sources = pages::read_sources(command.folder, input.all);
  if (!command.pictures.empty()) input.pictures = pages::read_pictures(command.pictures, input.all);
  if (!command.similarity.empty()) {
    auto pairs = pages::read_similarity(command.similarity);
    if (!pairs) return Unexpected{pairs.error()};
    input.similar = *std::move(pairs);
  }
  auto grades = course::read_grades(command.folder);
  if (!grades) return Unexpected{grades.error()};
  input.course = *std::move(grades);
  if (!command.before.empty()) {
    auto changes = compare_runs(command.before, command.folder);
    if (!changes) return Unexpected{changes.error()};
    input.changes = *std::move(changes);
  }
  return input;
}

/// Pages of an earlier report, which could be mistaken for new ones. Other files are kept.
void remove_old_pages(const fs::path& out) {
  std::error_code error;
  std::vector<fs::path> files = {out / "index.html"};
  for (fs::directory_iterator entry(out / "submissions", error), end; !error && entry != end;
       entry.increment(error))
    files.push_back(entry->path());
  constexpr std::size_t kMaxPageBytes = std::size_t{256} << 20U;
  for (const fs::path& file : files)
    if (const auto bytes = read_file(file, kMaxPageBytes);
        bytes && bytes->substr(0, 4096).find("content=\"warpgrade report\"") != std::string::npos)
      fs::remove(file, error);
}

std::optional<Diagnostic> write_pages(const fs::path& out, const std::vector<pages::Page>& all) {
  for (const pages::Page& page : all) {
    const fs::path file = out / page.path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return output_unwritable(file, error.message());
    if (const auto written = write_file_atomically(file, page.html); !written)
      return output_unwritable(file, written.error());
  }
  return std::nullopt;
}

int report_class(const ReportCommand& command, const Console& console) {
  const auto input = read_input(command);
  if (!input) return complain(console, input.error(), kUsage);
  if (input->all.submissions.empty()) {
    say("nothing to report: the class has no results");
    return kNothingGraded;
  }
  std::error_code error;
  if (!command.force && fs::exists(command.out, error) && !fs::is_empty(command.out, error))
    return complain(console,
                    diagnose("WG-G56", command.out + " exists already",
                             "choose another folder, or replace the report with --force"),
                    kUsage);
  remove_old_pages(command.out);
  const auto all = pages::make_pages(
      *input, command.for_students ? pages::Audience::student : pages::Audience::instructor);
  if (const auto problem = write_pages(command.out, all)) return complain(console, *problem, kFault);
  print(command.for_students ? fmt::format("{} pages in {}/submissions\n", all.size(), command.out)
                             : fmt::format("{} pages; open {}/index.html\n", all.size(), command.out));
  return kPassed;
}

}  // namespace

void add_report(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ReportCommand>();
  Subcommand command = root.subcommand("report", R"(Examples:
  warpgrade report results --out pages
  warpgrade report results --out pages --similarity similar --before results-of-monday
  warpgrade report results --out for-students --for-students

Writes a graded class as HTML pages: one for the class, one for each submission. The pages work offline)");
  command.option("RESULTS", options->folder, "the folder that `warpgrade grade --out` wrote").required();
  command.option("--out", options->out, "folder for the pages").required().type_name("DIR");
  command.option("--lab", options->labs, "only this lab; may be repeated").type_name("LAB");
  command
      .option("--similarity", options->similarity,
              "the folder that `warpgrade similarity --out` wrote: adds its pairs")
      .type_name("DIR");
  command
      .option("--before", options->before,
              "an earlier grading of the class: adds what has changed since, and why")
      .type_name("DIR");
  command
      .option("--pictures", options->pictures,
              "adds the pictures DIR/<submission>/<lab>/*.png and *.svg to the submissions' pages")
      .type_name("DIR");
  command.flag("--for-students", options->for_students,
               "only the submissions' pages, without hidden checks and secret values");
  command.flag("--force", options->force, "replace the pages of an earlier report");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return report_class(*options, console); };
  });
}

}  // namespace grader::app
