// The command line as data: completions of shells and the manual page are made of it.
#pragma once

#include <string>
#include <vector>

namespace grader::usage {

struct OptionText {
  std::string name;                  ///< "--case"; of a positional argument its placeholder, "LAB"
  std::string short_name;            ///< "-h"; empty if there is none
  std::string placeholder;           ///< "FILE"; empty for a flag
  std::vector<std::string> choices;  ///< the permitted words; empty if others are permitted
  std::string help;

  bool is_positional() const { return !name.starts_with('-'); }
  bool is_flag() const { return placeholder.empty() && choices.empty(); }
};

struct CommandText {
  std::string name;
  std::string examples;  ///< lines, without indentation
  std::string help;      ///< what the command does
  std::vector<OptionText> options;
  std::vector<CommandText> commands;  ///< subcommands
};

}  // namespace grader::usage
