// The subcommands. Each add_ function adds one to the command line; parsing the command stores the function
// to run in `chosen`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/output.hpp"
#include "runner/kit_paths.hpp"

namespace grader::app {

struct CommandLine {
  std::string color = "auto";
  std::function<int(const Console&)> chosen;  ///< returns the exit code
};

void add_check(Subcommand root, CommandLine& line);
void add_questions(Subcommand root, CommandLine& line);
void add_handin(Subcommand root, CommandLine& line);
void add_watch(Subcommand root, CommandLine& line);
void add_profile(Subcommand root, CommandLine& line);
void add_replay(Subcommand root, CommandLine& line);
void add_grade(Subcommand root, CommandLine& line);
void add_export(Subcommand root, CommandLine& line);
void add_report(Subcommand root, CommandLine& line);
void add_pictures(Subcommand root, CommandLine& line);
void add_similarity(Subcommand root, CommandLine& line);
void add_attempts(Subcommand root, CommandLine& line);
void add_grade_items(Subcommand root, CommandLine& line);
void add_datasets(Subcommand root, CommandLine& line);
void add_release(Subcommand root, CommandLine& line);
void add_lab_test(Subcommand root, CommandLine& line);
void add_lint(Subcommand root, CommandLine& line);
void add_calibrate(Subcommand root, CommandLine& line);
void add_diff(Subcommand root, CommandLine& line);
void add_explain(Subcommand root, CommandLine& line);
/// `text`: describes the whole command line; called when it is complete.
void add_completion(Subcommand root, CommandLine& line, const std::function<usage::CommandText()>& text);
void add_nvcc(Subcommand root);
void add_run(Subcommand root, CommandLine& line);
void add_doctor(Subcommand root, CommandLine& line);

/// The commands for instructors. A program that is built for students (WARPGRADE_INSTRUCTORS=OFF) refuses
/// them.
void add_instructors_commands(Subcommand root, CommandLine& line);
extern const char* const kInstructorsExamples;  ///< lines of `warpgrade --help`

// Commands that parse their own arguments.
int run_nvcc(const std::vector<std::string>& arguments);  ///< returns only if nvcc cannot be started
int serve_device();                                       ///< serves one program over kServeDeviceDescriptor

/// What `explain` knows of the kit: codes of diagnostics, and counters.
std::vector<std::string> known_codes(const KitPaths& paths);
/// Prints the page of a code or a counter, as `warpgrade explain` does. Returns the exit code.
int explain_word(const std::string& word, const Console& console);
/// Prints the next useful command; this is what `warpgrade` without arguments does.
int suggest_next(const Console& console);

}  // namespace grader::app
