// The command line, as the subcommands see it. Only command.cpp includes CLI11, because its headers take
// longer to compile than any others in the kit. Option and Subcommand are handles: copying a handle does not
// copy the option or the command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "usage/command_text.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace grader::app {

/// An option of a command. Every member function returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  /// The placeholder that --help shows for the value.
  Option type_name(const std::string& name);
  Option one_of(const std::vector<std::string>& values);
  Option range(int lowest, int highest);
  Option range(double lowest, double highest);
  /// The command line is an error if it has both options.
  Option excludes(const std::string& other);
  /// --help lists the option under `heading`. The option is an error unless `other` is given too.
  Option only_with(Option other, const std::string& heading);
  /// A list option takes one value each time it is given.
  Option one_value_at_a_time();

 private:
  CLI::Option* option_;
};

class Subcommand {
 public:
  explicit Subcommand(CLI::App* command) : command_(command) {}

  Subcommand subcommand(const std::string& name, const std::string& description);

  Option option(const std::string& name, std::string& value, const std::string& help);
  Option option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Option option(const std::string& name, std::vector<std::string>& value, const std::string& help);
  Option option(const std::string& name, int& value, const std::string& help);
  Option option(const std::string& name, unsigned& value, const std::string& help);
  Option option(const std::string& name, std::uint64_t& value, const std::string& help);
  Option option(const std::string& name, double& value, const std::string& help);
  Option flag(const std::string& name, bool& value, const std::string& help);
  Option flag(const std::string& name, std::function<void()> when_given, const std::string& help);
  void remove_option(const std::string& name);

  /// Calls `run` when the command was given and its arguments are valid.
  void callback(std::function<void()> run);
  void require_subcommand();
  /// Leaves the command out of the list in --help.
  void hide();
  /// In --help, the subcommands that were added since the last call are listed under this heading.
  void list_under(const std::string& heading);
  /// Arguments that are no options of this command are not errors.
  void allow_extras();
  /// Options end at the first argument that is not an option; rest() returns that argument and all after it,
  /// which belong to another program.
  void ends_at_first_word();
  std::vector<std::string> rest() const;

 private:
  CLI::App* command_;
};

/// The whole command line of the program.
class CommandParser {
 public:
  CommandParser(const std::string& description, const std::string& program, const std::string& version);
  ~CommandParser();

  Subcommand root();
  /// Calls the chosen command's callback and returns nothing. Returns an exit code if no command is to be
  /// run: after --help and --version, and after an error in the arguments, which is reported on stderr.
  std::optional<int> parse(int argc, char** argv);
  /// All commands that --help lists.
  usage::CommandText text() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace grader::app
