#include "app/chosen_lab.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "app/output.hpp"
#include "app/session.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

/// The current folder and the folders above it, up to the user's home or the root.
std::vector<fs::path> folders_upwards() {
  std::error_code error;
  std::vector<fs::path> folders = {fs::current_path(error)};
  const char* home = std::getenv("HOME");
  const auto is_last = [&](const fs::path& folder) {
    return folder == folder.parent_path() || (home != nullptr && fs::equivalent(folder, home, error));
  };
  while (!is_last(folders.back())) folders.push_back(folders.back().parent_path());
  return folders;
}

/// True even if the source is a link to nothing, or if only lab.json is left: the message then names this
/// folder, and no other file is taken silently.
bool is_folder_of(const Lab& lab, const fs::path& folder) {
  std::error_code error;
  return fs::exists(fs::symlink_status(folder / lab.sources.front(), error)) ||
         (folder.filename() == lab.id && fs::exists(folder / "lab.json", error));
}

/// `names`: the words of the command line, which can be paths of folders.
ChosenLab with_own_file(const Lab& lab, const std::vector<std::string>& names) {
  const std::string& file = lab.sources.front();
  std::error_code error;
  for (const std::string& name : names)
    if (name.find('/') != std::string::npos && is_folder_of(lab, name))
      return {lab, fs::absolute(name, error).lexically_normal() / file};
  for (const fs::path& above : folders_upwards())
    for (const fs::path& folder : {above, above / lab.id, above / "labs" / lab.id})
      if (is_folder_of(lab, folder)) return {lab, folder / file};
  return {.lab = lab, .source = lab.folder / file, .named_source = "", .is_kits_own = true};
}

/// The id of the only lab for which `applies` is true; empty if there is none or several.
template <class Predicate>
std::string only_lab(const std::vector<Lab>& labs, Predicate applies) {
  const auto found = std::find_if(labs.begin(), labs.end(), applies);
  return found != labs.end() && std::find_if(found + 1, labs.end(), applies) == labs.end() ? found->id : "";
}

std::string lab_of_file(const std::vector<Lab>& labs, const std::string& file) {
  return only_lab(labs, [&](const Lab& lab) { return lab.sources.front() == file; });
}

/// Empty: the current folder is not that of a lab.
std::string lab_of_folder(const KitPaths& paths) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const bool is_lab =
      fs::exists(here / "lab.json", error) && fs::exists(paths.labs / here.filename() / "lab.json", error);
  return is_lab ? here.filename().string() : "";
}

/// What the command line means.
struct Meant {
  std::vector<std::string> names;  ///< of labs, or paths of their folders
  std::string source;
};

/// Replaces a source among the names: by --source if the file exists, else by its lab.
Expected<Meant, Diagnostic> without_source_as_name(const KitPaths& paths, Meant meant) {
  if (meant.names.empty() || !meant.names.back().ends_with(".cu")) return meant;
  std::error_code error;
  if (meant.source.empty() && fs::exists(meant.names.back(), error)) {
    meant.source = meant.names.back();
    meant.names.pop_back();
    return meant;
  }
  if (meant.source.empty() && meant.names.size() > 1)
    return Unexpected{usage_error("there is no file `" + printable(meant.names.back()) + "`",
                                  "name your file after the lab, or leave it out to use the one in the "
                                  "lab's folder")};
  const auto labs = labs_named(paths, {});
  if (!labs) return Unexpected{labs.error()};
  if (std::string lab = lab_of_file(*labs, meant.names.back()); !lab.empty()) meant.names.back() = lab;
  return meant;
}

/// The lab that is meant without a name; empty: none.
Expected<std::string, Diagnostic> unnamed_lab(const KitPaths& paths, const std::string& source) {
  const std::string here = lab_of_folder(paths);
  // No other lab is read then, so that a broken one causes no error.
  if (source.empty() && !here.empty()) return here;
  const auto labs = labs_named(paths, {});
  if (!labs) return Unexpected{labs.error()};
  if (std::string lab = lab_of_file(*labs, fs::path(source).filename()); !lab.empty()) return lab;
  if (!here.empty()) return here;
  return only_lab(*labs, [](const Lab& lab) {
    std::error_code error;
    return fs::exists(lab.sources.front(), error);
  });
}

}  // namespace

Expected<std::vector<ChosenLab>, Diagnostic> chosen_labs(const KitPaths& paths,
                                                         std::vector<std::string> names, std::string source) {
  auto meant = without_source_as_name(paths, {std::move(names), std::move(source)});
  if (!meant) return Unexpected{meant.error()};
  if (meant->names.empty()) {
    const auto lab = unnamed_lab(paths, meant->source);
    if (!lab) return Unexpected{lab.error()};
    if (!lab->empty()) meant->names = {*lab};
    if (lab->empty() && !meant->source.empty())
      return Unexpected{
          usage_error("no lab is named, and `" + printable(meant->source) + "` has no lab's file name",
                      "name the lab: warpgrade check LAB --source " + shell_word(meant->source))};
  }
  const auto labs = labs_named(paths, meant->names);
  if (!labs) return Unexpected{labs.error()};
  std::vector<ChosenLab> chosen;
  for (const Lab& lab : *labs)
    chosen.push_back(meant->source.empty() ? with_own_file(lab, meant->names)
                                           : ChosenLab{lab, meant->source, meant->source});
  return chosen;
}

void add_lab_arguments(Subcommand command, LabArguments& arguments, const std::string& verb) {
  command.option("LAB", arguments.lab, kLabOrHere);
  command.option("FILE", arguments.file, "your file, as with --source");
  command.option("--source", arguments.source, verb + " " + kSourceOrOwn).type_name("FILE");
}

Expected<ChosenLab, Diagnostic> chosen_lab(const KitPaths& paths, const LabArguments& arguments) {
  std::vector<std::string> names = {arguments.lab, arguments.file};
  std::erase(names, "");
  auto chosen = chosen_labs(paths, names, arguments.source);
  if (!chosen) return Unexpected{chosen.error()};
  if (chosen->size() == 1) return std::move(chosen->front());
  if (names.size() > 1)
    return Unexpected{usage_error("this command takes one lab, not " + std::to_string(chosen->size()),
                                  "name one lab, and then your file if it is not in the lab's folder")};
  return Unexpected{
      usage_error("no lab is named, and the current folder does not contain the file of exactly one lab",
                  "name the lab, for example 02-tiled-matmul; `warpgrade` alone lists the labs")};
}

void report_distant_file(const ChosenLab& chosen) {
  std::error_code error;
  const fs::path from_here = chosen.source.lexically_relative(fs::current_path(error));
  const bool is_below = !from_here.empty() && *from_here.begin() != "..";
  if (!chosen.named_source.empty() || is_below) return;
  say("file: " + printable(chosen.source.string()) +
      (chosen.is_kits_own ? " (no lab folder was found here)" : ""));
}

}  // namespace grader::app
