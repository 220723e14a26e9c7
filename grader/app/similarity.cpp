#include <algorithm>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/process.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "schedule/promises.hpp"
#include "schedule/run_diagnostics.hpp"
#include "schedule/submissions.hpp"
#include "similarity/compare.hpp"
#include "similarity/handover.hpp"
#include "similarity/report.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct SimilarityCommand {
  std::string submissions, out, jplag, dolos, format = "text";
  std::vector<std::string> labs;
  double threshold_percent = 60;
  std::size_t top = 20;
};

/// True if the lab's file in labs/ was changed after it was handed out: a solution in its place would hide
/// every similarity. A kit without solutions does not know what was handed out.
bool is_edited(const KitPaths& paths, const Lab& lab, const std::string& text) {
  const auto promises = read_promises(paths.root / "solutions" / lab.id);
  if (!promises || promises->skeleton_sha256.empty()) return false;
  const auto& known = promises->skeleton_sha256;
  return std::find(known.begin(), known.end(), sha256_hex(text)) == known.end();
}

/// The code that every student received: the skeleton and the headers of the kit.
Expected<std::vector<std::string>, Diagnostic> handed_out(const KitPaths& paths, const Lab& lab) {
  std::vector<fs::path> files = {lab.folder / lab.sources.front()};
  std::error_code error;
  for (fs::directory_iterator entry(paths.student_include / "lab", error), end; !error && entry != end;
       entry.increment(error))
    files.push_back(entry->path());
  std::sort(files.begin() + 1, files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    auto text = read_file(file, kMaxSourceBytes);
    if (!text)
      return Unexpected{diagnose_file("WG-G60", file.string(),
                                      "cannot read the code that was handed out: " + text.error(),
                                      "complete the kit's checkout, or set WARPGRADE_HOME")};
    texts.push_back(*std::move(text));
  }
  if (is_edited(paths, lab, texts.front()))
    return Unexpected{
        diagnose_file("WG-G60", files.front().string(), "is not the skeleton that was handed out",
                      "restore it (`git checkout -- labs`), or use another checkout of the kit")};
  return texts;
}

/// The sources of a lab. Submissions without a readable source are reported on stderr and left out.
similarity::Handover sources_of(const Lab& lab, const std::vector<Submission>& submissions,
                                std::string skeleton, const Console& console) {
  similarity::Handover sources{lab.id, lab.sources.front(), {}, {}, std::move(skeleton)};
  for (const Submission& one : submissions) {
    const auto file = find_source(one, lab);
    const auto text = file ? read_file(*file, kMaxSourceBytes) : Unexpected{file.error().what};
    if (!text) {
      say(printable(fmt::format("left out: {} for {}: {}", one.id, lab.id, text.error()),
                    console.err.unicode));
      continue;
    }
    sources.documents.push_back({one.id, *text});
    sources.file_names.push_back(one.result_folder);
  }
  return sources;
}

std::optional<Diagnostic> write_files(const fs::path& folder,
                                      const std::vector<similarity::HandedOverFile>& files) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return diagnose("WG-G56", folder.string() + " exists already",
                    "choose another folder, or empty it first");
  for (const similarity::HandedOverFile& file : files) {
    const fs::path path = folder / file.path;
    fs::create_directories(path.parent_path(), error);
    if (error) return output_unwritable(path, error.message());
    if (const auto written = write_file_atomically(path, file.bytes); !written)
      return output_unwritable(path, written.error());
  }
  return std::nullopt;
}

std::optional<Diagnostic> write_report(const fs::path& folder,
                                       const std::vector<similarity::Comparison>& labs) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return output_unwritable(folder, error.message());
  for (const auto& [name, bytes] : {std::pair{"similarity.html", similarity::similarity_html(labs)},
                                    std::pair{"similarity.json", similarity::similarity_json(labs)}})
    if (const auto written = write_file_atomically(folder / name, bytes); !written)
      return output_unwritable(folder / name, written.error());
  return std::nullopt;
}

/// Writes the result to stdout and to the folders named by options.
int deliver(const SimilarityCommand& command, const std::vector<similarity::Comparison>& labs,
            const std::vector<similarity::Handover>& sources, const Console& console) {
  std::optional<Diagnostic> problem;
  if (!command.out.empty()) problem = write_report(command.out, labs);
  if (!problem && !command.jplag.empty())
    problem = write_files(command.jplag, similarity::for_jplag(sources));
  if (!problem && !command.dolos.empty())
    problem = write_files(command.dolos, similarity::for_dolos(sources));
  if (problem) return complain(console, *problem, kFault);
  if (command.format == "json")
    print(similarity::similarity_json(labs));
  else if (command.format == "html")
    print(similarity::similarity_html(labs));
  else
    print(similarity::similarity_text(labs, console.out));
  if (command.format == "text" && !command.out.empty())
    print(fmt::format("\nSide by side: {}/similarity.html\n", command.out));
  return kPassed;
}

std::string why_without_sources(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "summary.json", ignored))
    return "contains results of `warpgrade grade`, not submissions\ntry: pass the folder of the submissions, "
           "the first argument of `warpgrade grade`";
  return "contains no sources of a lab";
}

int find_similar(const SimilarityCommand& command, const Console& console) {
  if (const auto problem = prepare_process()) return complain(console, *problem, kFault);
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto labs = labs_named(*paths, command.labs);
  if (!labs) return complain(console, labs.error(), kUsage);
  const auto sandbox = Sandbox::open();  // archives are unpacked in it
  if (!sandbox) return complain(console, sandbox.error(), kFault);
  const auto list = find_submissions(command.submissions, *labs, *sandbox, {});
  if (!list) return complain(console, list.error(), kUsage);

  std::vector<similarity::Comparison> comparisons;
  std::vector<similarity::Handover> all_sources;
  for (const Lab& lab : *labs) {
    if (command.labs.empty() && !is_handed_in(list->submissions, lab)) continue;
    const auto base = handed_out(*paths, lab);
    if (!base) return complain(console, base.error(), kFault);
    all_sources.push_back(sources_of(lab, list->submissions, base->front(), console));
    comparisons.push_back(similarity::compare(lab.id, all_sources.back().documents, *base,
                                              {command.threshold_percent / 100, command.top}));
  }
  const bool nothing = std::all_of(all_sources.begin(), all_sources.end(),
                                   [](const similarity::Handover& lab) { return lab.documents.empty(); });
  if (nothing) {
    say("nothing to compare: " + command.submissions + " " + why_without_sources(command.submissions));
    return kNothingGraded;
  }
  return deliver(command, comparisons, all_sources, console);
}

}  // namespace

void add_similarity(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<SimilarityCommand>();
  Subcommand command = root.subcommand("similarity", R"(Examples:
  warpgrade similarity submissions
  warpgrade similarity submissions --out report --threshold 80
  warpgrade similarity submissions --lab 02-tiled-matmul --jplag for-jplag --dolos for-dolos

Finds similar submissions and their similar parts. Ignores names, comments and code that was handed out)");
  command.option("SUBMISSIONS", options->submissions, "folder as for `warpgrade grade`").required();
  command
      .option("--lab", options->labs,
              "only this lab; may be repeated (default: all labs that have submissions)")
      .type_name("LAB");
  command.option("--out", options->out, "folder for similarity.html and similarity.json").type_name("DIR");
  command
      .option("--threshold", options->threshold_percent,
              "similarity in percent from which a pair is marked (default: 60)")
      .range(1, 100)
      .type_name("PERCENT");
  command.option("--top", options->top, "number of pairs listed per lab (default: 20)")
      .range(1, 1000)
      .type_name("N");
  command.option("--jplag", options->jplag, "new folder for the sources, as JPlag reads them")
      .type_name("DIR");
  command.option("--dolos", options->dolos, "new folder for the sources, as Dolos reads them")
      .type_name("DIR");
  command.option("--format", options->format, "format of the output on stdout: text, json, html")
      .one_of({"text", "json", "html"})
      .type_name("FORMAT");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return find_similar(*options, console); };
  });
}

}  // namespace grader::app
