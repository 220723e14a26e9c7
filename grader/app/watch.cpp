// `warpgrade watch`: checks a lab again whenever its file is saved.

#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "app/check_page.hpp"
#include "app/chosen_lab.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/file_watch.hpp"
#include "app/interrupt.hpp"
#include "app/key_input.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "report/diagnostic_text.hpp"
#include "report/hints.hpp"
#include "report/numbers.hpp"
#include "report/progress.hpp"
#include "report/progress_since.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct WatchOptions {
  SessionOptions session;
  LabArguments lab;
  bool plain = false;
};

constexpr int kPoll_ms = 500;   // checks the file, if inotify reports nothing
constexpr int kSettle_ms = 50;  // an editor can write a file in several steps

/// Prints immediately, because the reader waits for it.
void show(const std::string& text) {
  print(text);
  std::fflush(stdout);
}

/// Watches one lab until the user leaves it. Runs on one thread, except for the observer's calls.
class LabWatch {
 public:
  LabWatch(const Session& session, const Console& console, const ChosenLab& chosen, const KeyInput* keys)
      : session_(session),
        console_(console),
        lab_(chosen.lab),
        keys_(keys),
        cache_(BuildCache::default_folder()),
        given_(chosen.source),
        named_source_(chosen.named_source),
        grading_(lab_, session.runners(), with_cache(cache_)),
        file_(given_) {
    if (const auto text = read_file(lab_.folder / "hints.md", kMaxSourceBytes)) hints_ = hints_of(*text);
  }

  enum class Wish { quit, next_lab };

  Wish run() {
    // Baseline and first check can use two cores.
    std::jthread baseline([this] { grading_.prepare(); });
    check();
    while (!stop_flag()) {
      wait();
      while (const auto key = keys_ == nullptr ? std::nullopt : keys_->take())
        if (const auto wish = on_key(*key)) return *wish;
      if (file_.has_changed()) check();
    }
    return Wish::quit;
  }

  /// The exit code of the last check.
  int code() const { return code_; }

 private:
  static GradingOptions with_cache(const BuildCache& cache) {
    GradingOptions options = grading_options();
    options.cache = &cache;
    options.case_threads = std::max(1U, std::thread::hardware_concurrency());
    return options;
  }

  void wait() const {
    pollfd sources[] = {{.fd = keys_ == nullptr ? -1 : STDIN_FILENO, .events = POLLIN, .revents = 0},
                        {.fd = file_.descriptor(), .events = POLLIN, .revents = 0}};
    ::poll(sources, 2, kPoll_ms);
    if (sources[1].revents != 0) std::this_thread::sleep_for(std::chrono::milliseconds(kSettle_ms));
  }

  std::optional<Result> grade() {
    limits_.clear();
    std::error_code error;
    const fs::path source = fs::canonical(given_, error);
    ProgressLine progress(console_.err, write_to_stderr);
    const GradingObserver observer{
        [&](std::string_view stage) { progress.show(lab_.id + ": " + std::string(stage)); },
        [&](DeviceKind, const CaseRun& run, const CaseVerdict& verdict) {
          if (const auto limits = timed_limits(lab_, run, verdict.case_name))
            limits_[verdict.case_name] = *limits;
        }};
    return grading_.grade("local", error ? given_ : source, observer);
  }

  void check() {
    auto now = grade();
    if (keys_ != nullptr) keys_->ignore_pending();  // keys that were pressed while the check ran
    if (!now) return;
    if (keys_ == nullptr)
      show_plainly(*now);
    else
      show_page(*now);
    code_ = now->score.status == ResultStatus::grader_fault ? kFault
            : has_all_points(now->score)                    ? kPassed
                                                            : kFailed;
    before_ = std::move(now);
  }

  void show_page(const Result& now) const {
    CheckPage page = check_page(session_.paths, lab_, given_, named_source_);
    for (const auto& [case_name, limits] : limits_) page.limits.push_back(limits);
    std::string text = "\n" + check_text(lab_, now, page, console_.out);
    if (before_) text += "\n" + progress_since_text(lab_, *before_, now, console_.out);
    show(text + prompt());
  }

  /// One line per check, then one per change.
  void show_plainly(const Result& now) const {
    const Diagnostic* first = first_diagnostic(now.score);
    std::string text = fmt::format("{}: {}/{} points{}\n", lab_.id, points_text(now.score.score),
                                   points_text(now.score.max_score),
                                   first == nullptr ? "" : ", first " + printable(short_place(*first)));
    for (const std::string& change :
         before_ ? changes_since(lab_, *before_, now) : std::vector<std::string>{})
      text += spelled(printable(change), console_.out) + "\n";
    show(text);
  }

  std::string prompt() const {
    return "\n" + paint(console_.out, Ink::quiet, "h hint  e explain  n next lab  r check again  q quit") +
           "\n";
  }

  std::optional<Wish> on_key(char key) {
    switch (key) {
      case 'q':
      case KeyInput::kEnd:
        return Wish::quit;
      case 'n':
        if (!lab_after(session_.paths, lab_.id).empty() && named_source_.empty()) return Wish::next_lab;
        show(named_source_.empty() ? "this is the last lab\n" : "with --source there is no next lab\n");
        break;
      case 'h':
        show_hint();
        break;
      case 'e':
        explain();
        break;
      case 'r':
        check();
        break;
      case '\n':
        break;
      default:
        show(prompt());
    }
    return std::nullopt;
  }

  /// The next one, or the first one for the task to work on if that is another task than before.
  void show_hint() {
    const Check* leading = before_ ? leading_check(before_->score) : nullptr;
    if (before_ && leading == nullptr) return show("all checks passed: there is nothing to hint at\n");
    const Task* task = leading == nullptr ? nullptr : lab_.find_task(leading->task);
    if (task != nullptr && task->id != hinted_task_) {
      hinted_task_ = task->id;
      if (const auto first = first_hint_of(hints_, task->hints)) next_hint_ = *first;
    }
    show("\n" + hint_text(hints_, next_hint_, console_.out));
    next_hint_ = std::min(next_hint_ + 1, hints_.size());
  }

  void explain() const {
    const Diagnostic* first = before_ ? first_diagnostic(before_->score) : nullptr;
    if (first == nullptr || first->code.empty()) return show("there is no diagnostic to explain\n");
    print("\n");
    explain_word(first->code, console_);
    show(prompt());
  }

  const Session& session_;
  const Console& console_;
  const Lab lab_;
  const KeyInput* keys_;  ///< nullptr: plain lines
  BuildCache cache_;
  fs::path given_;
  std::string named_source_;  ///< empty: not given
  Grading grading_;
  FileWatch file_;
  std::vector<Hint> hints_;
  std::size_t next_hint_ = 0;
  std::string hinted_task_;                    ///< the task that hints were last shown for
  std::map<std::string, std::string> limits_;  ///< of the timed cases, by case
  std::optional<Result> before_;
  int code_ = kNothingGraded;
};

std::optional<Diagnostic> unreadable(const fs::path& source) {
  std::error_code error;
  if (fs::is_regular_file(source, error)) return std::nullopt;
  return usage_error("cannot watch " + printable(source.string()) + ": it is not a file",
                     "name your file with --source FILE");
}

int watch(const WatchOptions& options, const Console& console) {
  const auto session =
      open_session(options.session, Isolation::preferred, std::max(1U, std::thread::hardware_concurrency()));
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  int code = kNothingGraded;
  auto chosen = chosen_lab(session->paths, options.lab);
  for (bool is_wanted = true; is_wanted;) {
    if (!chosen) return complain(console, chosen.error(), kUsage);
    if (const auto problem = unreadable(chosen->source)) return complain(console, *problem, kUsage);
    report_distant_file(*chosen);
    std::optional<KeyInput> keys;
    if (!options.plain && console.out.interactive) keys.emplace();
    const bool has_keys = keys && keys->is_active();
    const std::string id = chosen->lab.id;
    say(fmt::format("watching {}; {}", id,
                    has_keys ? "save your file to check it again" : "end with Ctrl-C"));
    LabWatch lab(*session, console, *chosen, has_keys ? &*keys : nullptr);
    is_wanted = lab.run() == LabWatch::Wish::next_lab;
    if (is_wanted) chosen = chosen_lab(session->paths, {.lab = lab_after(session->paths, id)});
    code = was_interrupted() ? int{kInterrupted} : lab.code();
  }
  return code;
}

}  // namespace

void add_watch(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<WatchOptions>();
  Subcommand command = root.subcommand("watch", R"(Examples:
  warpgrade watch 02-tiled-matmul
  warpgrade watch 02 --source mine.cu --no-tui

Checks your file now and whenever you save it, and reports what improved and what got worse. On a terminal,
single keys show a hint, explain the first diagnostic, go to the next lab, check again, or quit)");
  add_lab_arguments(command, options->lab, "watch");
  command.flag("--no-tui", options->plain, "no keys: one line for each check and each change");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return watch(*options, console); };
  });
}

}  // namespace grader::app
