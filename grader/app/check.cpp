#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "app/case_profile.hpp"
#include "app/check_page.hpp"
#include "app/chosen_lab.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/own_answers.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "report/check_text.hpp"
#include "report/progress.hpp"
#include "report/questions_text.hpp"
#include "report/result_json.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  SessionOptions session;
  std::vector<std::string> labs;
  std::string source, case_name, task, format = "text", build_cache, pictures;
  bool build_only = false;
};

/// The part of the lab that the options name.
Expected<Lab, Diagnostic> part_of(const Lab& whole, const CheckOptions& options) {
  if (!options.case_name.empty()) {
    auto part = only_check(whole, options.case_name);
    if (!part) return Unexpected{no_such_case(whole, options.case_name)};
    return *std::move(part);
  }
  if (!options.task.empty()) {
    if (whole.find_task(options.task) == nullptr) return Unexpected{no_such_task(whole, options.task)};
    return only_task(whole, options.task);
  }
  Lab lab = whole;
  if (options.build_only) lab.tasks.clear();
  return lab;
}

/// The first case that runs on none of `devices` among those that the lab's tasks check themselves.
const Case* case_for_another(Devices devices, const Lab& lab) {
  for (const Task& task : lab.tasks)
    for (const std::string& name : task.cases)
      if (const Case* one = lab.find_case(name); one->only_on && !includes(devices, *one->only_on))
        return one;
  return nullptr;
}

/// The program's own output. It is shown because `check` runs the student's own file.
std::string printed_text(const std::map<std::string, std::string>& printed, const Terminal& terminal) {
  constexpr int kMaxLines = 20;
  std::string text;
  for (const auto& [case_name, output] : printed) {
    text += "\nyour program printed in " + case_name + ":\n";
    std::istringstream lines(output);
    int count = 0;
    for (std::string line; count < kMaxLines && std::getline(lines, line); ++count)
      text += "  | " + cut(printable(line, terminal.unicode), terminal.width - 4, terminal) + "\n";
    if (lines.peek() != std::istringstream::traits_type::eof()) text += "  | (more was printed)\n";
  }
  return text;
}

/// Checks one lab, from the options to the printed text. Runs on one thread, except for the observer's calls.
class CheckRun {
 public:
  CheckRun(const CheckOptions& options, const Session& session, const Console& console)
      : options_(options),
        session_(session),
        console_(console),
        cache_(options.build_cache.empty() ? BuildCache::default_folder() : fs::path(options.build_cache)) {}

  int check(const ChosenLab& chosen) {
    const Lab& whole = chosen.lab;
    const fs::path& source = chosen.source;
    const auto lab = part_of(whole, options_);
    if (!lab) return complain(console_, lab.error(), kUsage);
    report_distant_file(chosen);
    std::error_code error;
    // A link is followed here, because it is the student's own. A class's submissions must not contain links.
    const fs::path file = fs::canonical(source, error);
    if (error)
      return complain(
          console_,
          usage_error(fmt::format("cannot read {}: {}", printable(source.string()), error.message()),
                      "name your file with --source FILE"),
          kUsage);
    if (const Case* one = case_for_another(devices(), *lab); !options_.case_name.empty() && one != nullptr)
      return complain(
          console_,
          usage_error("case " + one->name + " does not run on this kind of device", "leave out --case"),
          kNothingGraded);

    auto result = grade(*lab, file);
    if (!result) return kInterrupted;
    if (asks_questions())
      result->questions = own_answers(whole, source.parent_path() / kAnswersFile, {}, result->score.counters);
    show(*lab, *result, chosen);
    return exit_code(*result);
  }

 private:
  /// Only a check of the whole lab has all the counters that answers can depend on.
  bool asks_questions() const {
    return options_.case_name.empty() && options_.task.empty() && !options_.build_only;
  }

  void show_answers(const Lab& lab, const Result& result) const {
    if (!asks_questions() || lab.questions.empty()) return;
    if (result.questions)
      print("\n" + answers_text(lab, *result.questions, console_.out));
    else
      print(fmt::format("Questions: none of {} answered; see warpgrade questions {} --name NAME\n",
                        lab.questions.size(), lab.id));
  }

  Devices devices() const { return session_.runners().devices(); }

  /// Where both devices run a case, the reader sees the virtual GPU's run.
  bool shows_run_on(DeviceKind device, const Case& one) const {
    return device == DeviceKind::virtual_gpu || devices() == Devices::cuda || one.only_on == DeviceKind::cuda;
  }

  std::optional<Result> grade(const Lab& lab, const fs::path& source) {
    GradingOptions options = grading_options();
    options.cache = &cache_;
    options.case_threads = default_jobs();  // one more than processors: starting a case is mostly waiting
    const Grading grading(lab, session_.runners(), options);
    ProgressLine progress(console_.err, write_to_stderr);
    const GradingObserver observer{
        [&](std::string_view stage) { progress.show(lab.id + ": " + std::string(stage)); },
        [&](DeviceKind device, const CaseRun& run, const CaseVerdict& verdict) {
          const Case& one_case = *lab.find_case(verdict.case_name);
          if (!shows_run_on(device, one_case)) return;
          if (!run.printed.empty() && !options_.case_name.empty()) printed_[one_case.name] = run.printed;
          if (const auto limits = timed_limits(lab, run, one_case.name)) limits_[one_case.name] = *limits;
          if (!options_.pictures.empty()) draw(lab, run, one_case);
        }};
    const std::jthread baseline([&] { grading.prepare(); });
    return grading.grade("local", source, observer);
  }

  void show(const Lab& lab, const Result& result, const ChosenLab& chosen) const {
    if (options_.format == "json") {
      print(result_json(result));
      return report_pictures(lab);
    }
    if (options_.build_only && result.score.checks.empty())
      return print(shown_path(chosen.source) + " compiles\n");
    const CheckPage page = page_of(lab, chosen);
    print(options_.case_name.empty() ? check_text(lab, result, page, console_.out)
                                     : case_text(lab, result, page, console_.out));
    show_answers(lab, result);
    print(printed_text(printed_, console_.out));
    report_pictures(lab);
  }

  CheckPage page_of(const Lab& lab, const ChosenLab& chosen) const {
    CheckPage page = check_page(session_.paths, lab, chosen.source, chosen.named_source);
    for (const auto& [case_name, limits] : limits_) page.limits.push_back(limits);
    if (options_.task.empty()) return page;
    // With --task, some of the lab remains to be done.
    page.write_up_path.clear();
    page.hand_in.clear();
    page.next_lab.clear();
    return page;
  }

  /// Writes the files of one case: DIR/<lab>/<case>-<picture>.
  void draw(const Lab& lab, const CaseRun& run, const Case& one_case) {
    const fs::path folder = fs::path(options_.pictures) / lab.id;
    std::error_code error;
    fs::create_directories(folder, error);
    for (const Picture& picture : pictures_of(lab, run, one_case)) {
      const auto written =
          write_file_atomically(folder / (one_case.name + "-" + picture.name), picture.bytes);
      if (written)
        pictures_[one_case.name].push_back(picture.name);
      else
        say("cannot write a picture to " + folder.string() + ": " + written.error());
    }
  }

  /// One line per case, in a form that a shell expands: DIR/<lab>/<case>-{in.png,out.png}. A single file is
  /// printed without braces, because a shell would not expand them.
  void report_pictures(const Lab& lab) const {
    if (options_.pictures.empty()) return;
    std::string text = pictures_.empty() ? "\nno case that was run has a picture\n" : "\npictures:\n";
    for (const auto& [name, files] : pictures_) {
      const std::string some = fmt::format("{}", fmt::join(files, ","));
      text += fmt::format("  {}-{}\n", shown_path(fs::path(options_.pictures) / lab.id / name),
                          files.size() == 1 ? some : "{" + some + "}");
    }
    if (options_.format == "json")
      say(text.substr(1, text.size() - 2));
    else
      print(text);
  }

  static std::vector<Picture> pictures_of(const Lab& lab, const CaseRun& run, const Case& one_case) {
    const Workload& workload = *find_workload(lab.workload);
    std::vector<Picture> pictures = case_images(lab, one_case, run);
    const vgpu::Profile profile = profile_for(one_case, vgpu::lecture_profile());
    for (Picture& timeline : timeline_pictures(workload, run.session, profile))
      pictures.push_back(std::move(timeline));
    return pictures;
  }

  int exit_code(const Result& result) const {
    if (result.score.status == ResultStatus::grader_fault) return kFault;
    bool ran = options_.build_only;
    for (const Check& one : result.score.checks) {
      if (one.status == CheckStatus::fail) return kFailed;
      ran |= one.status == CheckStatus::pass;
    }
    return ran ? kPassed : kNothingGraded;
  }

  const CheckOptions& options_;
  const Session& session_;
  const Console& console_;
  BuildCache cache_;
  std::map<std::string, std::string> printed_;
  std::map<std::string, std::string> limits_;                 ///< of the timed cases, by case
  std::map<std::string, std::vector<std::string>> pictures_;  ///< by case: names of the files written
};

/// The exit code for several labs. Severity order: fault, failed, passed, nothing graded.
int graver(int one, int other) {
  const auto weight = [](int code) { return code == kNothingGraded ? -1 : code; };
  return weight(one) >= weight(other) ? one : other;
}

int check(const CheckOptions& options, const Console& console) {
  auto session =
      open_session(options.session, Isolation::preferred, std::max(1U, std::thread::hardware_concurrency()));
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto labs = chosen_labs(session->paths, options.labs, options.source);
  if (!labs) return complain(console, labs.error(), kUsage);
  const bool has_source = !labs->empty() && !labs->front().named_source.empty();
  const bool one_lab_only = has_source || !options.case_name.empty() || !options.task.empty();
  if (one_lab_only && labs->size() != 1)
    return complain(console,
                    usage_error("--source, --case and --task need exactly one lab",
                                "name the lab: warpgrade check LAB …"),
                    kUsage);

  int gravest = kNothingGraded;
  bool first = true;
  for (const ChosenLab& lab : *labs) {
    if (!std::exchange(first, false) && options.format == "text") print("\n");
    const int code = CheckRun(options, *session, console).check(lab);
    if (code == kInterrupted || code == kUsage || was_interrupted()) return code;
    gravest = graver(gravest, code);
  }
  return gravest;
}

}  // namespace

void add_check(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<CheckOptions>();
  Subcommand command = root.subcommand("check", R"(Examples:
  warpgrade check 02-tiled-matmul
  warpgrade check 02-tiled-matmul --case 17x33x65
  warpgrade check 02-tiled-matmul --source other.cu --format json
  warpgrade check 01-memory-types --pictures pictures

Builds your file, runs the lab's cases, reports errors and the score)");
  command.option(
      "LAB", options->labs,
      "labs to check (default: the lab of the current folder, or the only lab whose file is in it, else "
      "all); a file after the lab is its source");
  command.option("--source", options->source, std::string("check ") + kSourceOrOwn).type_name("FILE");
  command
      .option("--case", options->case_name,
              "only this case, for example one, or tiling/one as printed in a diagnostic")
      .type_name("NAME");
  command.option("--task", options->task, "only this task and the tasks that it needs").type_name("NAME");
  command.flag("--build-only", options->build_only, "only compile");
  command.option("--format", options->format, "text, or json: one document per lab")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  command
      .option("--build-cache", options->build_cache,
              "folder for built files (default: the user's cache folder)")
      .type_name("DIR");
  command
      .option(
          "--pictures", options->pictures,
          "folder for pictures of every case that is run: images (input, output, expected), maps of wrong "
          "elements, timelines")
      .type_name("DIR");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return check(*options, console); };
  });
}

}  // namespace grader::app
