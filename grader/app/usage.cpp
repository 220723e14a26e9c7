#include "app/usage.hpp"

#include <algorithm>
#include <cctype>

#include "lab/spelling.hpp"
#include "report/terminal.hpp"

namespace grader::app {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The innermost command that was recognised.
const CLI::App& parsed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::string quoted(const std::string& word) { return "`" + printable(word) + "`"; }

std::string lower_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// Words that no command knows: options first, since they explain more.
std::string problem(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  std::vector<std::string> options = option_names(command);
  for (const std::string& name : option_names(app)) options.push_back(name);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (argument.starts_with("--") && name.size() > 2 &&
        std::find(options.begin(), options.end(), name) == options.end())
      return "unknown option " + quoted(name) + did_you_mean(name, options);
  }
  const std::vector<std::string> commands = command_names(command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !commands.empty()) {
    const auto word = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& argument) {
      return !argument.starts_with('-') && argument != command.get_name();
    });
    if (word != arguments.end()) return "unknown command " + quoted(*word) + did_you_mean(*word, commands);
  }
  return lower_first(printable(error.what()));
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments) {
  const CLI::App& command = parsed_command(app);
  return "warpgrade: " + problem(app, command, error, arguments) + "\nSee `" + full_name(command) +
         " --help`.";
}

}  // namespace grader::app
