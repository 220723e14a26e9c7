// What is wrong with a command line, in words that help.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace grader::app {

/// "warpgrade: unknown command `chek`; did you mean `check`?" and where to read on.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments);

}  // namespace grader::app
