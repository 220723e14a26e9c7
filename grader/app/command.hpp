// The command line, as the subcommands see it. The only file that includes CLI11, whose headers are the most
// expensive of the kit's, is command.cpp. Handles are values: copying one does not copy the command or the
// option.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace grader::app {

/// An option of a command. Every function returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  /// What --help shows for the value.
  Option type_name(const std::string& name);
  Option one_of(const std::vector<std::string>& values);
  Option range(int lowest, int highest);
  Option range(double lowest, double highest);
  /// The two cannot be given together.
  Option excludes(const std::string& other);
  /// Listed under `heading` in --help, and refused unless `other` is given too.
  Option only_with(Option other, const std::string& heading);
  /// A list takes one value each time the option is given.
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

  /// Called when the command was given and all its words are valid.
  void callback(std::function<void()> run);
  void require_subcommand();
  /// Not among the commands that --help lists.
  void hide();
  /// Words that are no options of this command are not errors.
  void allow_extras();
  /// From the first word that is no option on, all words are another program's: rest() returns them.
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
  /// Calls the chosen command's callback. An exit code where nothing is left to do: --help and --version were
  /// answered, or a word was wrong and stderr says which.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace grader::app
