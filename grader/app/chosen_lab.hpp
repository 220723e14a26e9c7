// Which lab a command is about, and which file is the student's. `check`, `watch`, `profile`, `questions` and
// `handin` share these rules. Covered by e2e/own_files_test.cpp.
//
// Without LAB, it is the lab whose file the given file is by its name, else the lab of the current folder,
// else the only lab whose file is in the current folder.
//
// Without a file, the lab's folder is searched: the current folder itself, then LAB and labs/LAB in it, then
// the same in the folders above, up to the user's home or the root. The last place is the kit of the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/lab.hpp"
#include "runner/kit_paths.hpp"

namespace grader::app {

/// Of the option LAB, for --help.
inline constexpr const char* kLabOrHere =
    "the lab (default: the lab of the current folder, or the only lab whose file is in it)";
/// Of the option --source, for --help.
inline constexpr const char* kSourceOrOwn = "this file instead of the one in the lab's folder";

struct ChosenLab {
  Lab lab;
  std::filesystem::path source;  ///< the student's file; it can be missing
  std::string named_source;      ///< the file as the user named it; empty: it was searched for
  bool is_kits_own = false;      ///< no folder of the lab was found, so `source` is the kit's
};

/// All labs if none is named and none is in the current folder. If the last of `names` is a file, it is the
/// source of the lab before it. The name of a file that exactly one lab has is a name of that lab, too.
Expected<std::vector<ChosenLab>, Diagnostic> chosen_labs(const KitPaths& paths,
                                                         std::vector<std::string> names, std::string source);

/// The arguments of a command that needs one lab; all can be empty.
struct LabArguments {
  std::string lab, file;  ///< words; a file can also be the only word
  std::string source;     ///< of --source
};

/// `verb`: what the command does with the file, for --help.
void add_lab_arguments(Subcommand command, LabArguments& arguments, const std::string& verb);

/// The same for a command that needs one lab.
Expected<ChosenLab, Diagnostic> chosen_lab(const KitPaths& paths, const LabArguments& arguments);

/// Prints a line on stderr if the file was found outside the current folder: the user might mean another one.
void report_distant_file(const ChosenLab& chosen);

}  // namespace grader::app
