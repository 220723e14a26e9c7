#include "usage/completion.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

namespace grader::usage {
namespace {

/// What a shell completes in the place of an option's value.
enum class Words { none, choices, files, folders, labs, codes };

Words words_of(const OptionText& option) {
  if (!option.choices.empty()) return Words::choices;
  const auto is_any_of = [&](std::initializer_list<std::string_view> placeholders) {
    return std::find(placeholders.begin(), placeholders.end(), option.placeholder) != placeholders.end();
  };
  if (is_any_of({"LAB"})) return Words::labs;
  if (is_any_of({"CODE"})) return Words::codes;
  if (is_any_of({"DIR", "OLD", "NEW"})) return Words::folders;
  return is_any_of({"FILE", "NAME|FILE", "PATH", "SUBMISSIONS"}) ? Words::files : Words::none;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// A word of a script in single quotes, which take everything literally but themselves.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += R"('\'')";
    else
      result += c;
  }
  return result + "'";
}

/// The first sentence or line: shells show one line for each word.
std::string summary(const std::string& help) {
  const std::size_t end = std::min(help.find('\n'), help.find(". "));
  return help.substr(0, end);
}

std::vector<std::string> names_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& one : commands) names.push_back(one.name);
  return names;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& one : command.options)
    if (!one.is_positional()) names.push_back(one.name);
  return names;
}

/// Calls `visit` for the command and all of its subcommands, with the names that lead to each.
void for_each(const CommandText& command, const std::string& path,
              const std::function<void(const std::string& path, const CommandText& command)>& visit) {
  visit(path, command);
  for (const CommandText& one : command.commands) for_each(one, path + " " + one.name, visit);
}

/// The options of the program itself can follow every command.
std::vector<OptionText> common_options(const CommandText& program) {
  std::vector<OptionText> common;
  for (const OptionText& one : program.options)
    if (one.name == "--color") common.push_back(one);
  return common;
}

std::string bash_words(const OptionText& option) {
  switch (words_of(option)) {
    case Words::choices:
      return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", in_quotes(joined(option.choices)));
    case Words::files:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
    case Words::folders:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
    case Words::labs:
      return R"~(COMPREPLY=($(compgen -W "$(warpgrade completion --words labs 2>/dev/null)" -- "$word")))~";
    case Words::codes:
      return R"~(COMPREPLY=($(compgen -W "$(warpgrade completion --words codes 2>/dev/null)" -- "$word")))~";
    case Words::none:
      break;
  }
  return ":";
}

std::string zsh_action(const OptionText& option) {
  switch (words_of(option)) {
    case Words::choices:
      return "(" + joined(option.choices) + ")";
    case Words::files:
      return "_files";
    case Words::folders:
      return "_files -/";
    case Words::labs:
      return "_warpgrade_labs";
    case Words::codes:
      return "_warpgrade_codes";
    case Words::none:
      break;
  }
  return " ";
}

/// Text inside a specification of _arguments: brackets and colons have a meaning there.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : summary(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_option(const OptionText& option) {
  const std::string description = zsh_text(option.help);
  if (option.is_positional())
    return in_quotes(fmt::format("*:{}:{}", zsh_text(option.name), zsh_action(option)));
  const std::string value =
      option.is_flag() ? "" : fmt::format(":{}:{}", zsh_text(option.placeholder), zsh_action(option));
  return in_quotes(fmt::format("{}[{}]{}", option.name, description, value));
}

std::string zsh_function(const std::string& path) {
  std::string name = "_" + path;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

constexpr std::string_view kZshHead = R"~(#compdef warpgrade
# Completes the command line of warpgrade in zsh; printed by `warpgrade completion zsh`.

_warpgrade_labs() {
  local -a labs=(${(f)"$(warpgrade completion --words labs 2>/dev/null)"})
  _describe lab labs
}

_warpgrade_codes() {
  local -a codes=(${(f)"$(warpgrade completion --words codes 2>/dev/null)"})
  _describe code codes
}

)~";

/// The words that fish offers.
std::string fish_words(const OptionText& option) {
  switch (words_of(option)) {
    case Words::choices:
      return fmt::format(" -a {}", in_quotes(joined(option.choices)));
    case Words::files:
      return " -F";
    case Words::folders:
      return " -a '(__fish_complete_directories)'";
    case Words::labs:
      return " -a '(warpgrade completion --words labs 2>/dev/null)'";
    case Words::codes:
      return " -a '(warpgrade completion --words codes 2>/dev/null)'";
    case Words::none:
      break;
  }
  return "";
}

/// An option and what its value can be: files (-r), only the given words (-x), or nothing for a flag.
std::string fish_option(const OptionText& option) {
  const char* takes = option.is_flag() ? "" : words_of(option) == Words::files ? " -r" : " -x";
  return fmt::format(" -l {}{}{}", option.name.substr(2), takes, fish_words(option));
}

/// True in fish where the words after the program's name begin with those of `path`.
std::string fish_condition(const std::string& path, const CommandText& command) {
  std::string condition;
  std::string_view rest = path;
  for (std::size_t at = rest.find(' '); at != std::string_view::npos; at = rest.find(' ')) {
    rest.remove_prefix(at + 1);
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             rest.substr(0, rest.find(' ')));
  }
  if (command.commands.empty()) return condition;
  return fmt::format("{}not __fish_seen_subcommand_from {}", condition.empty() ? "" : condition + "; and ",
                     joined(names_of(command.commands)));
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string commands, values, options, words;
  const std::vector<OptionText> common = common_options(program);
  for_each(program, program.name, [&](const std::string& path, const CommandText& command) {
    for (const CommandText& one : command.commands)
      commands += fmt::format("{}\"{} {}\"", commands.empty() ? "" : " | ", path, one.name);
    for (const OptionText& one : command.options) {
      if (one.is_positional())
        words += fmt::format("    \"{}\") {} ;;\n", path, bash_words(one));
      else if (!one.is_flag())
        values += fmt::format("    \"{} {}\") {}; return ;;\n", path, one.name, bash_words(one));
    }
    if (!command.commands.empty())
      words += fmt::format("    \"{}\") COMPREPLY=($(compgen -W {} -- \"$word\")) ;;\n", path,
                           in_quotes(joined(names_of(command.commands))));
    std::vector<std::string> names = option_names(command);
    if (&command != &program)
      for (const OptionText& one : common) names.push_back(one.name);
    options += fmt::format("      \"{}\") COMPREPLY=($(compgen -W {} -- \"$word\")) ;;\n", path,
                           in_quotes(joined(names)));
  });
  for (const OptionText& one : common)
    values += fmt::format("    *\" {}\") {}; return ;;\n", one.name, bash_words(one));
  return fmt::format(R"~(# Completes the command line of {0} in bash; printed by `{0} completion bash`.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD - 1]}} path={0} i
  # bash splits --option=value into three words.
  if [[ $word == "=" ]]; then word=""; elif [[ $last == "=" ]]; then last=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {1}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $last" in
{2}  esac
  if [[ $word == -* ]]; then
    case "$path" in
{3}    esac
    return
  fi
  case "$path" in
{4}  esac
}}
complete -F _{0} {0}
)~",
                     program.name, commands, values, options, words);
}

std::string zsh_completion(const CommandText& program) {
  std::string functions;
  const std::vector<OptionText> common = common_options(program);
  for_each(program, program.name, [&](const std::string& path, const CommandText& command) {
    std::string arguments;
    const auto add = [&](const std::string& one) { arguments += " \\\n    " + one; };
    for (const OptionText& one : command.options) add(zsh_option(one));
    if (&command != &program)
      for (const OptionText& one : common) add(zsh_option(one));
    if (command.commands.empty()) {
      functions += fmt::format("{}() {{\n  _arguments -s{}\n}}\n\n", zsh_function(path), arguments);
      return;
    }
    std::string names, calls;
    for (const CommandText& one : command.commands) {
      names += fmt::format("\n    {}", in_quotes(one.name + ":" + zsh_text(one.help)));
      calls += fmt::format("\n        {}) {} ;;", one.name, zsh_function(path + " " + one.name));
    }
    functions += fmt::format(R"~({}() {{
  local state line
  local -a commands=({}
  )
  _arguments -C -s{} \
    '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe command commands ;;
    arguments)
      case $line[1] in{}
      esac ;;
  esac
}}

)~",
                             zsh_function(path), names, arguments, calls);
  });
  return std::string(kZshHead) + functions + "_warpgrade \"$@\"\n";
}

std::string fish_completion(const CommandText& program) {
  std::string script = fmt::format(
      "# Completes the command line of {0} in fish; printed by `{0} completion fish`.\ncomplete -c {0} -f\n",
      program.name);
  const auto add = [&](const std::string& condition, const std::string& what, const std::string& help) {
    const std::string where = condition.empty() ? "" : " -n " + in_quotes(condition);
    script += fmt::format("complete -c {}{}{} -d {}\n", program.name, where, what, in_quotes(summary(help)));
  };
  for (const OptionText& one : common_options(program)) add("", fish_option(one), one.help);
  for_each(program, program.name, [&](const std::string& path, const CommandText& command) {
    const std::string condition = fish_condition(path, command);
    for (const CommandText& one : command.commands) add(condition, " -a " + one.name, one.help);
    for (const OptionText& one : command.options) {
      if (!one.is_positional()) {
        if (one.name != "--color") add(condition, fish_option(one), one.help);
      } else if (words_of(one) != Words::none) {
        add(condition, fish_words(one), one.help);
      }
    }
  });
  return script;
}

}  // namespace grader::usage
