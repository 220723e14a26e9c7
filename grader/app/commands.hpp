// The subcommands: each adds itself to the command line and leaves what is to be run in `chosen`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/output.hpp"

namespace grader::app {

struct CommandLine {
  std::string color = "auto";
  std::function<int(const Console&)> chosen;  ///< returns the exit code
};

void add_check(CLI::App& app, CommandLine& line);
void add_grade(CLI::App& app, CommandLine& line);
void add_export(CLI::App& app, CommandLine& line);
void add_similarity(CLI::App& app, CommandLine& line);
void add_grade_items(CLI::App& app, CommandLine& line);
void add_datasets(CLI::App& app, CommandLine& line);
void add_lint(CLI::App& app, CommandLine& line);
void add_calibrate(CLI::App& app, CommandLine& line);
void add_diff(CLI::App& app, CommandLine& line);
void add_explain(CLI::App& app, CommandLine& line);
void add_nvcc(CLI::App& app);
void add_run(CLI::App& app, CommandLine& line);
void add_doctor(CLI::App& app, CommandLine& line);

// Commands whose arguments are not ours to parse.
int run_nvcc(const std::vector<std::string>& arguments);  ///< returns only when nvcc was not started
int serve_device();                                       ///< of one program, at kServeDeviceDescriptor

/// What `warpgrade` alone prints: the next useful command.
int suggest_next(const Console& console);

}  // namespace grader::app
