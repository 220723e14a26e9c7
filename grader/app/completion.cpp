// `warpgrade completion` and `warpgrade man`: the command line, as scripts that complete it in a shell and as
// a manual page.
#include "usage/completion.hpp"

#include <memory>
#include <utility>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "usage/man_page.hpp"

namespace grader::app {
namespace {

/// One word per line; nothing without a kit, because a shell does not show messages while it completes a
/// line.
int print_words(const std::string& kind) {
  const auto paths = find_kit();
  if (!paths) return kFault;
  if (kind == "codes") {
    for (const std::string& code : known_codes(*paths)) print(code + "\n");
    return kPassed;
  }
  const auto labs = labs_named(*paths, {});
  if (!labs) return kFault;
  for (const Lab& lab : *labs) print(lab.id + "\n");
  return kPassed;
}

int print_completion(const std::string& shell, const usage::CommandText& program) {
  if (shell == "bash") print(usage::bash_completion(program));
  if (shell == "zsh") print(usage::zsh_completion(program));
  if (shell == "fish") print(usage::fish_completion(program));
  return kPassed;
}

}  // namespace

void add_completion(Subcommand root, CommandLine& line, const std::function<usage::CommandText()>& text) {
  Subcommand completion = root.subcommand("completion", R"(Examples:
  warpgrade completion bash > ~/.local/share/bash-completion/completions/warpgrade
  warpgrade completion zsh > ~/.zfunc/_warpgrade     with fpath+=~/.zfunc in ~/.zshrc, before compinit
  warpgrade completion fish > ~/.config/fish/completions/warpgrade.fish

Prints a script with which a shell completes commands, options, labs and codes)");
  auto shell = std::make_shared<std::string>();
  auto words = std::make_shared<std::string>();
  completion.option("SHELL", *shell, "bash, zsh or fish").one_of({"bash", "zsh", "fish"});
  completion.option("--words", *words, "prints only the words of one kind, one per line; scripts call this")
      .one_of({"labs", "codes"})
      .type_name("KIND");
  completion.callback([=, &line] {
    line.chosen = [=](const Console&) {
      if (!words->empty()) return print_words(*words);
      if (!shell->empty()) return print_completion(*shell, text());
      say("warpgrade: name a shell: `warpgrade completion bash`, zsh or fish");
      return static_cast<int>(kUsage);
    };
  });

  Subcommand man = root.subcommand("man", R"(Example:
  warpgrade man | man -l -

Prints the manual page)");
  man.callback([=, &line] {
    line.chosen = [=](const Console&) {
      print(usage::man_page(text(), version_text()));
      return static_cast<int>(kPassed);
    };
  });
}

}  // namespace grader::app
