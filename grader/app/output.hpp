// Output of the commands: results go to stdout, everything else to stderr.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "report/terminal.hpp"

namespace grader::app {

struct Console {
  Terminal out, err;
};
Console open_console(ColorChoice choice);

void print(std::string_view text);  ///< to stdout
void say(std::string_view text);    ///< to stderr, with a newline
void write_to_stderr(std::string_view text);
/// Prints the diagnostic to stderr and returns `exit_code`.
int complain(const Console& console, const Diagnostic& diagnostic, int exit_code);

/// Flushes stdout. If the output cannot be written (a full disk), prints the reason to stderr and returns
/// false. A reader that closed the pipe is not an error.
bool finish_output();

/// The word as a shell reads it back, in quotes if that is necessary.
std::string shell_word(const std::string& word);

/// The path relative to the current folder, if that is shorter.
std::string shown_path(const std::filesystem::path& path);

/// Reads "auto", "always", "never".
ColorChoice color_choice(const std::string& word);

}  // namespace grader::app
