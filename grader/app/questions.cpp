// `warpgrade questions LAB`: shows a lab's questions with the student's quantities, and grades the answers
// that need no run.
#include <filesystem>

#include <fmt/format.h>

#include "app/chosen_lab.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/own_answers.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "questions/grade_answers.hpp"
#include "report/questions_text.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct QuestionsOptions {
  std::string lab, name, answers;
  unsigned hints = 0;
  bool is_new = false;
};

Diagnostic no_name(const Lab& lab) {
  return usage_error(
      "each student has other numbers in the questions, so they need a name",
      fmt::format("warpgrade questions {} --name NAME, with the name of your submission", lab.id));
}

int write_blank(const Lab& lab, const fs::path& file, const std::string& name, const Console& console) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error)))
    return complain(console, usage_error(file.string() + " exists already", "edit it, or remove it first"),
                    kUsage);
  const auto written = write_file_atomically(file, blank_answers(lab, name));
  if (!written)
    return complain(console,
                    usage_error("cannot write " + file.string() + ": " + written.error(),
                                "name a file that can be written with --answers"),
                    kFault);
  print("wrote " + file.string() + ": replace each null by your answer\n");
  return kPassed;
}

int exit_code(const QuestionsOutcome& outcome) {
  const bool failed = !outcome.problem.empty() || outcome.count(AnswerStatus::wrong) > 0 ||
                      outcome.count(AnswerStatus::invalid) > 0;
  return failed ? kFailed : outcome.count(AnswerStatus::right) > 0 ? kPassed : kNothingGraded;
}

/// By default, next to the student's file.
fs::path answers_file(const ChosenLab& chosen, const QuestionsOptions& options) {
  return options.answers.empty() ? chosen.source.parent_path() / kAnswersFile : fs::path(options.answers);
}

int ask(const Lab& lab, const fs::path& file, const QuestionsOptions& options, const Console& console) {
  if (options.is_new) {
    if (options.name.empty()) return complain(console, no_name(lab), kUsage);
    return write_blank(lab, file, options.name, console);
  }
  const std::vector<std::string> names =
      options.name.empty() ? std::vector<std::string>{} : std::vector{options.name};
  const auto outcome = own_answers(lab, file, names, {});
  const std::string name = !options.name.empty() ? options.name : outcome ? outcome->name : "";
  if (name.empty() && outcome && !outcome->problem.empty())
    return complain(
        console, usage_error(printable(outcome->problem), "correct the file, or write a new one with --new"),
        kUsage);
  if (name.empty()) return complain(console, no_name(lab), kUsage);
  print(questions_text(lab, {name, options.hints}, outcome ? &*outcome : nullptr, console.out));
  if (!outcome)
    print(fmt::format("\nNext: warpgrade questions {} --name '{}' --new writes a file for your answers.\n",
                      lab.id, printable(name)));
  return outcome ? exit_code(*outcome) : kPassed;
}

int questions(const QuestionsOptions& options, const Console& console) {
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto chosen = chosen_lab(*paths, {.lab = options.lab});
  if (!chosen) return complain(console, chosen.error(), kUsage);
  if (chosen->lab.questions.empty()) {
    print("lab " + chosen->lab.id + " asks no questions\n");
    return kNothingGraded;
  }
  return ask(chosen->lab, answers_file(*chosen, options), options, console);
}

}  // namespace

void add_questions(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<QuestionsOptions>();
  Subcommand command = root.subcommand("questions", R"(Examples:
  warpgrade questions 02-tiled-matmul --name alice         show the questions
  warpgrade questions 02-tiled-matmul --name alice --new   write a file for the answers
  warpgrade questions 02-tiled-matmul --hints 2            grade the answers; show two hints per question

Shows a lab's questions with your numbers, and grades the answers in answers.json)");
  command.option("LAB", options->lab, kLabOrHere);
  command.option("--name", options->name, "your name, as in answers.json: the numbers depend on it")
      .type_name("NAME");
  command.option("--answers", options->answers, "your answers (default: answers.json in the lab's folder)")
      .type_name("FILE");
  command.option("--hints", options->hints, "hints to show for each question").type_name("N");
  command.flag("--new", options->is_new, "write a file for the answers");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return questions(*options, console); };
  });
}

}  // namespace grader::app
