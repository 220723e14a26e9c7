// `warpgrade pictures`: runs the submissions of a graded class again, for pictures and counters per source
// line, which `warpgrade report` shows.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/case_profile.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "export/class_results.hpp"
#include "export/shown.hpp"
#include "pages/report_files.hpp"
#include "profile/line_ratios.hpp"
#include "report/progress.hpp"
#include "schedule/pool.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct PicturesCommand {
  SessionOptions session;
  std::string folder, out;
  std::vector<std::string> labs;
  unsigned jobs = default_jobs();
};

using FilesByName = std::map<std::string, std::string>;

/// One file that was handed in for a lab, by one submission or more.
struct PicturedSource {
  const Lab* lab = nullptr;
  std::string name;           ///< "ada.l, 02-tiled-matmul", for messages; printable
  fs::path source;            ///< the class's copy
  std::string sha256;         ///< of the copy
  std::vector<fs::path> out;  ///< DIR/<submission>/<lab>
  /// The cases to draw, the profiled one first, with the seeds that the class was graded with.
  std::vector<Case> cases;
};

/// What the class contains, and what is left out for which reason.
struct PicturePlan {
  std::vector<PicturedSource> sources;
  std::map<std::string, std::size_t> left_out;  ///< reason → files
};

/// The first failed case of each task, in the order of the result.
std::vector<std::string> first_failed_cases(const Result& stored) {
  std::set<std::string> tasks;
  std::vector<std::string> names;
  for (const Check& check : stored.score.checks)
    if (check.status == CheckStatus::fail && tasks.insert(check.task).second)
      names.push_back(grader::case_of(check));
  return names;
}

/// Adds the cases to draw for a stored result. A failed case is drawn only with inputs that are no secret;
/// the profiled case then has the inputs that lab.json gives to everyone.
void add_cases(PicturedSource& to, const Result& stored, PicturePlan& plan) {
  const auto add = [&](const std::string& name, bool is_profiled) {
    const Case* known = to.lab->find_case(name);
    const bool is_added =
        std::any_of(to.cases.begin(), to.cases.end(), [&](const Case& one) { return one.name == name; });
    if (known == nullptr || is_added || !known->runs_on(DeviceKind::virtual_gpu)) return;
    const auto input = stored.provenance.inputs.find(name);
    const bool was_run = input != stored.provenance.inputs.end();
    if (!is_profiled && !was_run) return;
    Case drawn = *known;
    if (was_run && input->second.seed) drawn.seed = *input->second.seed;
    if (is_profiled || input->second.seed)
      to.cases.push_back(std::move(drawn));
    else
      ++plan.left_out[fmt::format("{}: case {} has secret inputs and is not drawn", to.lab->id, name)];
  };
  add(default_case(*to.lab), true);
  for (const std::string& name : first_failed_cases(stored)) add(name, false);
}

PicturePlan plan_of(const PicturesCommand& command, const ClassResults& all, const std::vector<Lab>& labs) {
  const auto stored_sources = pages::read_sources(command.folder, all);
  PicturePlan plan;
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // lab and digest → index
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results) {
      const std::string& digest = result.provenance.source_sha256;
      const auto lab =
          std::find_if(labs.begin(), labs.end(), [&](const Lab& each) { return each.id == result.lab; });
      if (digest.empty() || one.file_name.empty() || lab == labs.end()) continue;
      const bool is_stored = stored_sources.contains(digest);
      const auto [place, is_new] = known.try_emplace({lab->id, digest}, plan.sources.size());
      if (!is_stored && is_new)
        ++plan.left_out[fmt::format("{}: the submitted file is not in {}/sources, or was changed there",
                                    lab->id, printable(command.folder))];
      if (!is_stored) continue;
      if (is_new) {
        PicturedSource made{&*lab,
                            printable(one.id) + ", " + lab->id,
                            fs::path(command.folder) / "sources" / digest,
                            digest,
                            {},
                            {}};
        add_cases(made, result, plan);
        plan.sources.push_back(std::move(made));
      }
      plan.sources[place->second].out.push_back(fs::path(command.out) / one.file_name / lab->id);
    }
  return plan;
}

bool is_written_here(const std::string& name) {
  return name.ends_with(".png") || name.ends_with(".svg") || name == pages::kLineCountersFile;
}

/// Removes the files of an earlier run, which could belong to another version of the submission, and writes
/// the new ones. Other files are kept.
std::optional<Diagnostic> replace_files(const fs::path& folder, const FilesByName& files) {
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::error_code ignored; entry->symlink_status(ignored).type() == fs::file_type::regular &&
                                 is_written_here(entry->path().filename().string()))
      old.push_back(entry->path());
  for (const fs::path& file : old)
    if (!fs::remove(file, error) && error) return output_unwritable(file, error.message());
  if (files.empty()) return std::nullopt;
  fs::create_directories(folder, error);
  if (error) return output_unwritable(folder, error.message());
  for (const auto& [name, bytes] : files)
    if (const auto written = write_file_atomically(folder / name, bytes); !written)
      return output_unwritable(folder / name, written.error());
  return std::nullopt;
}

/// Why a case that did not run to its end is not drawn.
std::string undrawn(const CaseVerdict& verdict) {
  std::string text = fmt::format("case {} is not drawn", verdict.case_name);
  if (!verdict.diagnostics.empty())
    text += fmt::format(": {}: {}", verdict.diagnostics.front().code,
                        printable(verdict.diagnostics.front().what));
  return text;
}

/// The files of one source.
struct Drawing {
  FilesByName files;
  std::size_t left_out = 0;
  std::vector<std::string> notes;

  /// A report shows no more and no larger pictures.
  void add(const std::string& name, const std::string& bytes) {
    if (bytes.size() > pages::kMaxPictureBytes || files.size() >= pages::kMaxPictures)
      ++left_out;
    else
      files[name] = bytes;
  }
};

/// Draws the sources of a class, several at the same time.
class PictureRun {
 public:
  PictureRun(const Session& session, const PicturePlan& plan, ProgressLine& progress)
      : session_(session), plan_(plan), progress_(progress), drawings_(plan.sources.size()) {}

  void run(unsigned jobs) {
    progress_.show(0, plan_.sources.size(), "");
    run_jobs(jobs, plan_.sources.size(), stop_flag(), [&](std::size_t i) {
      if (draw(plan_.sources[i], drawings_[i])) publish(plan_.sources[i], drawings_[i]);
    });
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < drawings_.size(); ++i)
      for (const std::string& note : drawings_[i].notes) all.push_back(plan_.sources[i].name + ": " + note);
    return all;
  }
  std::size_t done() const { return done_; }
  std::size_t drawn() const { return drawn_; }  ///< submissions and labs with at least one file
  bool has_fault() const { return has_fault_; }
  const std::optional<Diagnostic>& problem() const { return problem_; }

 private:
  /// False: stopped.
  bool draw(const PicturedSource& one, Drawing& to) {
    if (one.cases.empty()) {
      to.notes.emplace_back("no pictures: the lab has no case for the virtual GPU");
      return true;
    }
    Lab lab = only_cases(*one.lab, names_of(one.cases));
    for (Case& each : lab.cases)
      for (const Case& drawn : one.cases)
        if (each.name == drawn.name) each = drawn;
    std::optional<CaseRun> profiled;
    const GradingObserver observer{
        {}, [&](DeviceKind, const CaseRun& run, const CaseVerdict& verdict) {
          if (run.end == CaseRun::End::stopped) return;
          if (run.end != CaseRun::End::finished) return to.notes.push_back(undrawn(verdict));
          for (const Picture& picture : case_images(lab, *lab.find_case(verdict.case_name), run))
            to.add(verdict.case_name + "-" + picture.name, picture.bytes);
          if (verdict.case_name == one.cases.front().name) profiled = run;
        }};
    const auto result =
        Grading(lab, *session_.runner, grading_options()).grade(one.name, one.source, observer);
    if (!result) return false;
    if (result->score.status == ResultStatus::grader_fault) has_fault_ = true;
    if (profiled)
      add_profile(to, lab, one,
                  case_profile(lab, one.cases.front(), *result, std::move(profiled->session), one.source,
                               runs_on_h200(lab, one)));
    else if (const Diagnostic* reason = first_diagnostic(result->score);
             reason != nullptr && to.notes.empty())
      to.notes.push_back(fmt::format("no pictures: {}: {}", reason->code, printable(reason->what)));
    if (to.left_out > 0)
      to.notes.push_back(fmt::format("{} pictures are left out: a report shows {} of at most {} MiB each",
                                     to.left_out, pages::kMaxPictures, pages::kMaxPictureBytes >> 20U));
    return true;
  }

  /// The profiled case on the profile of an H200, for its roofline; empty if it did not run to its end there.
  std::vector<DeviceRun> runs_on_h200(Lab lab, const PicturedSource& one) const {
    const Case& drawn = one.cases.front();
    std::erase_if(lab.tasks.front().cases, [&](const std::string& name) { return name != drawn.name; });
    lab.tasks.front().objectives.clear();  // their counters would need further runs
    GradingOptions options = grading_options();
    options.profile = *vgpu::find_profile("h200");
    std::vector<DeviceRun> runs;
    const GradingObserver observer{{}, [&](DeviceKind, const CaseRun& run, const CaseVerdict&) {
                                     if (run.end == CaseRun::End::finished)
                                       runs = {{profile_for(drawn, options.profile), {run.session}}};
                                   }};
    Grading(lab, *session_.runner, options).grade(one.name, one.source, observer);
    return runs;
  }

  static std::vector<std::string> names_of(const std::vector<Case>& cases) {
    std::vector<std::string> names;
    for (const Case& one : cases) names.push_back(one.name);
    return names;
  }

  static void add_profile(Drawing& to, const Lab& lab, const PicturedSource& one, const RunProfile& profile) {
    for (const auto& [name, document] : profile_pictures(profile)) to.add(name, document);
    const std::string& file = lab.sources.front();
    FileLineCounters counters{file, one.sha256, one.cases.front().name, lines_of_file(profile.kernels, file)};
    if (!counters.lines.empty()) to.files[pages::kLineCountersFile] = line_counters_json(counters);
  }

  /// Writes the files, and then forgets them.
  void publish(const PicturedSource& one, Drawing& drawing) {
    const FilesByName files = std::exchange(drawing.files, {});
    for (const fs::path& folder : one.out) {
      const auto problem = replace_files(folder, files);
      if (!problem) continue;
      const std::lock_guard lock(mutex_);
      if (!problem_) problem_ = problem;
      stop_flag() = true;
      return;
    }
    if (!files.empty()) drawn_ += one.out.size();
    progress_.show(++done_, plan_.sources.size(), one.name);
  }

  const Session& session_;
  const PicturePlan& plan_;
  ProgressLine& progress_;
  std::vector<Drawing> drawings_;  ///< of each source
  std::atomic<std::size_t> done_{0}, drawn_{0};
  std::atomic<bool> has_fault_{false};
  std::mutex mutex_;  ///< guards `problem_`
  std::optional<Diagnostic> problem_;
};

/// Also prints what happened.
int exit_code_of(const PictureRun& run, const PicturePlan& plan, const PicturesCommand& command,
                 const Console& console) {
  for (const auto& [reason, count] : plan.left_out)
    say(fmt::format("note: {} ({} {})", reason, count, count == 1 ? "file" : "files"));
  for (const std::string& note : run.notes()) say("note: " + note);
  if (run.problem()) return complain(console, *run.problem(), kFault);
  if (was_interrupted()) {
    say(fmt::format("interrupted: {} of {} files are drawn; run the command again to draw all", run.done(),
                    plan.sources.size()));
    return kInterrupted;
  }
  print(fmt::format("pictures of {} {} in {}\nShow them: warpgrade report {} --out pages --pictures {}\n",
                    run.drawn(), run.drawn() == 1 ? "result" : "results", command.out,
                    shell_word(command.folder), shell_word(command.out)));
  return run.has_fault() ? kFault : kPassed;
}

int draw_class(PicturesCommand command, const Console& console) {
  if (const auto problem = only_in_whole_kit("pictures")) return complain(console, *problem, kUsage);
  auto all = read_class(command.folder);
  if (all) all = selected(*std::move(all), {}, command.labs);
  if (!all) return complain(console, all.error(), kUsage);
  std::vector<std::string> names;
  for (const GradedSubmission& one : all->submissions)
    for (const Result& result : one.results) {
      names.push_back(result.lab);
      if (command.session.front_end.empty() && result.provenance.front_end == "clang")
        command.session.front_end = "clang";
    }
  if (names.empty()) {
    say("nothing to draw: the class has no results");
    return kNothingGraded;
  }
  command.session.device = "virtual";
  command.session.records = true;
  const auto session = open_session(command.session, Isolation::required, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto labs = labs_named(session->paths, names);
  if (!labs) return complain(console, labs.error(), kUsage);
  const PicturePlan plan = plan_of(command, *all, *labs);
  ProgressLine progress(console.err, write_to_stderr);
  PictureRun run(*session, plan, progress);
  run.run(command.jobs);
  progress.clear();
  const int code = exit_code_of(run, plan, command, console);
  return code == kPassed && plan.sources.empty() ? int{kNothingGraded} : code;
}

}  // namespace

void add_pictures(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<PicturesCommand>();
  Subcommand command = root.subcommand("pictures", R"(Examples:
  warpgrade pictures results --out pictures
  warpgrade report results --out pages --pictures pictures

Runs the submissions of a graded class again on the virtual GPU, in sandboxes, and draws for each of them what
`check --pictures` and `profile --pictures` draw; adds the counters of its source lines)");
  command.option("RESULTS", options->folder, "the folder that `warpgrade grade --out` wrote").required();
  command
      .option("--out", options->out,
              "folder for DIR/<submission>/<lab>/; files of an earlier run are replaced")
      .required()
      .type_name("DIR");
  command.option("--lab", options->labs, "only this lab; may be repeated").type_name("LAB");
  command.option("--jobs", options->jobs, "submissions drawn at the same time (default: CPUs + 1)")
      .range(1, 1024)
      .type_name("N");
  command.flag("--unsafe-no-sandbox", options->session.unsafe_no_sandbox,
               "run submissions without any isolation");
  add_session_options(command, options->session);
  command.remove_option("--device");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return draw_class(*options, console); };
  });
}

}  // namespace grader::app
