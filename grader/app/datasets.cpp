#include "lab/datasets.hpp"

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/output.hpp"
#include "app/session.hpp"
#include "report/numbers.hpp"
#include "report/progress.hpp"

namespace grader::app {
namespace {

enum class Action { generate, verify };

struct DatasetOptions {
  std::string folder;
  bool all = false;
};

/// The folders for arrays: datasets/ and, for arrays too large for the repository, the build tree; or one
/// folder for all arrays.
DatasetFolders folders_of(const DatasetOptions& options, const KitPaths& paths) {
  if (!options.folder.empty()) return {options.folder, options.folder};
  return {paths.root / "datasets", paths.binaries / "datasets"};
}

int generate(const std::vector<Lab>& labs, const DatasetFolders& folders, bool all, const Console& console) {
  ProgressLine line(console.err, write_to_stderr);
  const auto done = generate_datasets(labs, folders, all ? DatasetFiles::all : DatasetFiles::committed,
                                      [&](auto... progress) { line.show(progress...); });
  line.clear();
  if (!done) return complain(console, done.error(), kFault);
  print(fmt::format("{}: {} arrays in the manifest, {} files written ({} bytes), {} removed\n",
                    folders.committed.string(), done->arrays, done->files, count_text(done->bytes),
                    done->removed));
  if (all) print("large arrays: " + folders.large.string() + "\n");
  return kPassed;
}

int verify(const std::vector<Lab>& labs, const DatasetFolders& folders, const Console& console) {
  ProgressLine line(console.err, write_to_stderr);
  const auto problems = verify_datasets(labs, folders, [&](auto... progress) { line.show(progress...); });
  line.clear();
  for (const Diagnostic& problem : problems) complain(console, problem, kFailed);
  if (problems.empty()) print(folders.committed.string() + ": every array matches the manifest\n");
  return problems.empty() ? kPassed : kFailed;
}

int run(Action action, const DatasetOptions& options, const Console& console) {
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto labs = labs_named(*paths, {});
  if (!labs) return complain(console, labs.error(), kUsage);
  const DatasetFolders folders = folders_of(options, *paths);
  return action == Action::generate ? generate(*labs, folders, options.all, console)
                                    : verify(*labs, folders, console);
}

}  // namespace

void add_datasets(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<DatasetOptions>();
  Subcommand command = root.subcommand("datasets", R"(Examples:
  warpgrade datasets verify
  warpgrade datasets generate --all

Writes the labs' inputs to files, and verifies such files)");
  command.require_subcommand();
  const auto add = [&](const std::string& name, const std::string& what, Action action) {
    Subcommand sub = command.subcommand(name, what);
    sub.option("--folder", options->folder,
               "folder for all files (default: datasets/ of the kit, and the build folder for large arrays)")
        .type_name("DIR");
    if (action == Action::generate)
      sub.flag("--all", options->all,
               "write large arrays too; they go to the build folder, not to the repository");
    sub.callback([options, action, &line] {
      line.chosen = [options, action](const Console& console) { return run(action, *options, console); };
    });
  };
  add("generate", "write the manifest and the arrays", Action::generate);
  add("verify", "generate all inputs again and compare", Action::verify);
}

}  // namespace grader::app
