// The subcommands: each adds itself to the command line and leaves what is to be run in `chosen`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/output.hpp"

namespace grader::app {

struct CommandLine {
  std::string color = "auto";
  std::function<int(const Console&)> chosen;  ///< returns the exit code
};

void add_check(Subcommand root, CommandLine& line);
void add_grade(Subcommand root, CommandLine& line);
void add_export(Subcommand root, CommandLine& line);
void add_similarity(Subcommand root, CommandLine& line);
void add_grade_items(Subcommand root, CommandLine& line);
void add_datasets(Subcommand root, CommandLine& line);
void add_lint(Subcommand root, CommandLine& line);
void add_calibrate(Subcommand root, CommandLine& line);
void add_diff(Subcommand root, CommandLine& line);
void add_explain(Subcommand root, CommandLine& line);
void add_nvcc(Subcommand root);
void add_run(Subcommand root, CommandLine& line);
void add_doctor(Subcommand root, CommandLine& line);

// Commands whose arguments are not ours to parse.
int run_nvcc(const std::vector<std::string>& arguments);  ///< returns only when nvcc was not started
int serve_device();                                       ///< of one program, at kServeDeviceDescriptor

/// What `warpgrade` alone prints: the next useful command.
int suggest_next(const Console& console);

}  // namespace grader::app
