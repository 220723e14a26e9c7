#include "usage/man_page.hpp"

#include <string_view>

#include <fmt/format.h>

namespace grader::usage {
namespace {

/// Text for roff: a backslash starts an escape, a minus sign is a hyphen unless it is escaped, and a dot or
/// an apostrophe at the start of a line makes it a request.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool starts_line = i == 0 || text[i - 1] == '\n';
    if (starts_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string option_names(const OptionText& option) {
  std::string names;
  if (!option.short_name.empty()) names = fmt::format("\\fB{}\\fR, ", escaped(option.short_name));
  names += fmt::format("\\fB{}\\fR", escaped(option.name));
  if (!option.choices.empty())
    names += fmt::format(" {}", escaped(fmt::format("{}", fmt::join(option.choices, "|"))));
  else if (!option.placeholder.empty())
    names += fmt::format(" \\fI{}\\fR", escaped(option.placeholder));
  return names;
}

std::string described(const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& one : options) {
    const std::string name =
        one.is_positional() ? fmt::format("\\fI{}\\fR", escaped(one.name)) : option_names(one);
    text += fmt::format(".TP\n{}\n{}\n", name, escaped(one.help));
  }
  return text;
}

std::string command_text(const CommandText& command, const std::string& path) {
  std::string text = fmt::format(".SS {}\n{}\n", escaped(path), escaped(command.help));
  text += described(command.options);
  if (!command.examples.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.examples));
  for (const CommandText& one : command.commands) text += command_text(one, path + " " + one.name);
  return text;
}

}  // namespace

std::string man_page(const CommandText& program, const std::string& version) {
  std::string commands;
  for (const CommandText& one : program.commands)
    commands += command_text(one, program.name + " " + one.name);
  return fmt::format(R"(.\" Printed by `{0} man`.
.TH {1} 1 "" "{0} {2}" "User Commands"
.SH NAME
{0} \- a CUDA course kit that grades itself
.SH SYNOPSIS
\fB{0}\fR \fICOMMAND\fR [\fIOPTION\fR ...] [\fIARGUMENT\fR ...]
.SH DESCRIPTION
Builds, runs, checks, times, explains and scores solutions of CUDA labs. No GPU is needed: without a GPU, kernels
run on a virtual GPU, which executes the code that the CUDA compiler generated, checks every memory access and
barrier, and counts exactly what a profiler counts.
.SH OPTIONS
{3}.SH COMMANDS
{4}.SH EXIT STATUS
.TP
0
All required checks passed; for \fBgrade\fR: every submission has a result.
.TP
1
Graded, and at least one required check failed, or the source does not compile.
.TP
2
The command line or a lab definition is wrong.
.TP
3
A fault of the grader or of the machine: no grade was given.
.TP
4
There was nothing to grade.
.TP
130
Interrupted; finished results are kept.
.SH ENVIRONMENT
.TP
.B WARPGRADE_HOME
The folder that contains the labs, if it is not above the program.
.TP
.B NO_COLOR
Output without colours, if it is set and not empty.
.TP
.B TMPDIR
The folder for temporary files.
.TP
.B XDG_CACHE_HOME
Built files are kept in the folder \fI{0}\fR below it; \fI~/.cache\fR if it is not set.
.SH SEE ALSO
.BR nvcc (1),
.BR clang (1),
.BR bwrap (1)
)",
                     program.name, "WARPGRADE", escaped(version), described(program.options), commands);
}

}  // namespace grader::usage
