#include "app/command.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <CLI/CLI.hpp>

#include "app/exit_codes.hpp"
#include "app/help_text.hpp"
#include "app/output.hpp"
#include "base/spelling.hpp"
#include "report/terminal.hpp"

namespace grader::app {
namespace {

constexpr const char* kNoHeading = "Subcommands";  // CLI11's own

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

/// The innermost subcommand that was recognised.
const CLI::App& parsed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::string in_backticks(const std::string& word) { return "`" + printable(word) + "`"; }

/// Not of a name in capitals, as in "LAB is required".
std::string lower_first(std::string text) {
  const bool is_name = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[1])) != 0;
  if (!text.empty() && !is_name)
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// The description of an unknown argument. Options come first, because they explain more.
std::string problem(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  std::vector<std::string> options = option_names(command);
  for (const std::string& name : option_names(app)) options.push_back(name);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (argument.starts_with("--") && name.size() > 2 &&
        std::find(options.begin(), options.end(), name) == options.end())
      return "unknown option " + in_backticks(name) + did_you_mean(name, options);
  }
  const std::vector<std::string> commands = command_names(command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !commands.empty()) {
    const auto word = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& argument) {
      return !argument.starts_with('-') && argument != command.get_name();
    });
    if (word != arguments.end())
      return "unknown command " + in_backticks(*word) + did_you_mean(*word, commands);
  }
  return lower_first(printable(error.what()));
}

/// "warpgrade: unknown command `chek`; did you mean `check`?" and a pointer to --help.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments) {
  const CLI::App& command = parsed_command(app);
  return "warpgrade: " + problem(app, command, error, arguments) + "\nSee `" + full_name(command) +
         " --help`.";
}

template <class Value>
Option add(CLI::App& command, const std::string& name, Value& value, const std::string& help) {
  return Option(command.add_option(name, value, help));
}

/// "WHEN:{auto,always,never}" is a placeholder and the permitted words; "N:INT in [1 - 256]" a placeholder
/// and a range.
void read_type(const std::string& type, usage::OptionText& text) {
  text.placeholder = type.substr(0, type.find(':'));
  const std::size_t first = type.find('{'), last = type.rfind('}');
  if (first == std::string::npos || last == std::string::npos) return;
  std::istringstream words(type.substr(first + 1, last - first - 1));
  for (std::string word; std::getline(words, word, ',');) text.choices.push_back(word);
}

usage::OptionText text_of(const CLI::Option& option) {
  usage::OptionText text;
  text.help = option.get_description();
  if (option.get_positional()) {
    text.name = option.get_single_name();
    read_type(option.get_type_name(), text);
    text.placeholder = text.name;
    return text;
  }
  text.name = "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) text.short_name = "-" + option.get_snames().front();
  if (option.get_items_expected_max() != 0) read_type(option.get_type_name(), text);
  return text;
}

/// Help lists a command with one sentence; its own --help has the rest.
std::string first_sentence(const std::string& description) {
  const std::size_t blank = description.find("\n\n");
  const bool has_examples = description.starts_with("Example") && blank != std::string::npos;
  const std::string text = has_examples ? description.substr(blank + 2) : description;
  std::string sentence = text.substr(0, std::min(text.find(". "), text.find(".\n")));
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return sentence;
}

class OneLinePerCommand : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override {
    constexpr std::size_t kNameWidth = 14;
    std::ostringstream line;
    CLI::detail::format_help(line, command->get_name(), first_sentence(command->get_description()),
                             kNameWidth);
    return line.str();
  }
};

usage::CommandText text_of(const CLI::App& command) {
  usage::CommandText text{command.get_name(), "", command.get_description(), {}, {}};
  const std::size_t blank = text.help.find("\n\n");
  if (text.help.starts_with("Example") && blank != std::string::npos) {
    const std::size_t first = text.help.find('\n') + 1;
    std::istringstream lines(text.help.substr(first, blank - first));
    for (std::string line; std::getline(lines, line);)
      text.examples +=
          (text.examples.empty() ? "" : "\n") + line.substr(std::min<std::size_t>(2, line.size()));
    text.help.erase(0, blank + 2);
  }
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) text.options.push_back(text_of(*option));
  // The rest of the line belongs to another program.
  if (command.get_prefix_command() || command.get_allow_extras())
    text.options.push_back({"PROGRAM", "", "FILE", {}, "the program or file, and its arguments"});
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!one->get_group().empty()) text.commands.push_back(text_of(*one));
  return text;
}

/// `run --report FILE -- ./program` as `run --report FILE ./program`: CLI11 knows no `--` before a program's
/// name. A
/// `--` after that name is the program's own.
std::vector<std::string> without_separator(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  const auto commands = app.get_subcommands(
      [&](const CLI::App* one) { return one->get_name() == arguments.front() && one->get_prefix_command(); });
  if (commands.empty()) return arguments;
  for (std::size_t i = 1; i < arguments.size() && arguments[i].starts_with('-'); ++i) {
    if (arguments[i] == "--") {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    const CLI::Option* option = commands.front()->get_option_no_throw(arguments[i]);
    if (option != nullptr && option->get_items_expected_max() > 0) ++i;  // its value
  }
  return arguments;
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::range(int lowest, int highest) {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}

Option Option::range(double lowest, double highest) {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}

Option Option::excludes(const std::string& other) {
  option_->excludes(other);
  return *this;
}

Option Option::only_with(Option other, const std::string& heading) {
  option_->group(heading)->needs(other.option_);
  return *this;
}

Option Option::one_value_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Subcommand Subcommand::subcommand(const std::string& name, const std::string& description) {
  return Subcommand(command_->add_subcommand(name, description));
}

Option Subcommand::option(const std::string& name, std::string& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, std::optional<std::string>& value,
                          const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, std::vector<std::string>& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, int& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, unsigned& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, std::uint64_t& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::option(const std::string& name, double& value, const std::string& help) {
  return add(*command_, name, value, help);
}

Option Subcommand::flag(const std::string& name, bool& value, const std::string& help) {
  return Option(command_->add_flag(name, value, help));
}

Option Subcommand::flag(const std::string& name, std::function<void()> when_given, const std::string& help) {
  return Option(command_->add_flag_callback(name, std::move(when_given), help));
}

void Subcommand::remove_option(const std::string& name) {
  command_->remove_option(command_->get_option(name));
}

void Subcommand::callback(std::function<void()> run) { command_->callback(std::move(run)); }
void Subcommand::require_subcommand() { command_->require_subcommand(1); }
void Subcommand::hide() { command_->group(""); }

void Subcommand::list_under(const std::string& heading) {
  for (CLI::App* one : command_->get_subcommands([](const CLI::App*) { return true; }))
    if (one->get_group() == kNoHeading) one->group(heading);
}

void Subcommand::allow_extras() { command_->allow_extras(); }

void Subcommand::ends_at_first_word() {
  command_->fallthrough(false);
  command_->prefix_command();
}

std::vector<std::string> Subcommand::rest() const { return command_->remaining(); }

CommandParser::CommandParser(const std::string& description, const std::string& program,
                             const std::string& version)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->formatter(std::make_shared<OneLinePerCommand>());
  app_->set_version_flag("--version", version);
  app_->fallthrough();  // options of the program can follow the subcommand
  app_->require_subcommand(0, 1);
}

CommandParser::~CommandParser() = default;

usage::CommandText CommandParser::text() const { return text_of(*app_); }

Subcommand CommandParser::root() { return Subcommand(app_.get()); }

std::optional<int> CommandParser::parse(int argc, char** argv) {
  const std::vector<std::string> arguments = without_separator(*app_, {argv + 1, argv + argc});
  try {
    app_->parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants the last one first
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text, ignored;
      const int code = app_->exit(error, text, ignored);
      print(wrapped_help(text.str(), open_console(ColorChoice::never).out.width));
      return code == 0 ? kPassed : kUsage;
    }
    say(usage_message(*app_, error, arguments));
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace grader::app
