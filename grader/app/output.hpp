// How commands talk: results to stdout, everything else to stderr.
#pragma once

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
void say(std::string_view text);    ///< to stderr, with a line end
void write_to_stderr(std::string_view text);
int complain(const Console& console, const Diagnostic& diagnostic, int exit_code);  ///< returns exit_code

/// Flushes stdout. False, and says why, when what was printed is lost (a full disk).
bool finish_output();

/// Reads "auto", "always", "never".
ColorChoice color_choice(const std::string& word);

}  // namespace grader::app
