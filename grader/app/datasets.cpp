#include "lab/datasets.hpp"

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kit_paths.hpp"
#include "app/session.hpp"
#include "report/numbers.hpp"

namespace grader::app {
namespace {

enum class Action { generate, verify };

struct DatasetOptions {
  std::string folder;
  bool all = false;
};

int generate(const std::vector<Lab>& labs, const std::string& folder, bool all, const Console& console) {
  const auto done = generate_datasets(labs, folder, all ? DatasetFiles::all : DatasetFiles::committed);
  if (!done) return complain(console, done.error(), kFault);
  print(fmt::format("{}: {} arrays in the manifest, {} files written ({} bytes)\n", folder, done->arrays,
                    done->files, count_text(done->bytes)));
  return kPassed;
}

int verify(const std::vector<Lab>& labs, const std::string& folder, const Console& console) {
  const auto problems = verify_datasets(labs, folder);
  for (const Diagnostic& problem : problems) complain(console, problem, kFailed);
  if (problems.empty()) print(folder + ": every array is what its manifest says\n");
  return problems.empty() ? kPassed : kFailed;
}

int run(Action action, const DatasetOptions& options, const Console& console) {
  const auto paths = find_kit();
  if (!paths) return complain(console, paths.error(), kFault);
  const auto labs = labs_named(*paths, {});
  if (!labs) return complain(console, labs.error(), kUsage);
  const std::string folder = options.folder.empty() ? (paths->root / "datasets").string() : options.folder;
  return action == Action::generate ? generate(*labs, folder, options.all, console)
                                    : verify(*labs, folder, console);
}

}  // namespace

void add_datasets(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<DatasetOptions>();
  CLI::App* command = app.add_subcommand("datasets", R"(Examples:
  warpgrade datasets verify
  warpgrade datasets generate --all --folder /tmp/datasets

The labs' inputs as files, and proof that they are what they should be)");
  command->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& what, Action action) {
    CLI::App* sub = command->add_subcommand(name, what);
    sub->add_option("--folder", options->folder, "default: datasets/ of the kit")->type_name("DIR");
    if (action == Action::generate)
      sub->add_flag("--all", options->all, "large arrays too, which are not kept in the repository");
    sub->callback([options, action, &line] {
      line.chosen = [options, action](const Console& console) { return run(action, *options, console); };
    });
  };
  add("generate", "write the manifest and the arrays", Action::generate);
  add("verify", "make all inputs again and compare", Action::verify);
}

}  // namespace grader::app
