// `warpgrade grade-items DIR --items 0-4,9`: grades a part of a run from its manifest alone. The tasks of a
// cluster run this command; --help does not list it.

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/graders.hpp"
#include "app/interrupt.hpp"
#include "schedule/item_list.hpp"
#include "schedule/result_store.hpp"
#include "schedule/run_diagnostics.hpp"
#include "slurm/job_script.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

static_assert(kUnfit == slurm::kUnhealthyNode);

struct ItemsCommand {
  std::string dir, items;
  unsigned jobs = default_jobs();
};

SessionOptions session_options(const RunSettings& settings) {
  SessionOptions options;
  options.device = settings.device;
  options.front_end = settings.front_end;
  options.time_limit_s = settings.time_limit_s;
  options.gpus = "";  // all GPUs that Slurm makes visible to this task
  return options;
}

std::vector<std::string> lab_ids(const RunSettings& settings) {
  std::vector<std::string> ids;
  for (const auto& [lab, rubric] : settings.rubrics) ids.push_back(lab);
  return ids;
}

int grade(const fs::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
          const Graders& graders, unsigned jobs, const Console& console) {
  ItemsOptions options;
  options.jobs = jobs;
  options.stop = &stop_flag();
  if (const auto problem = grade_items(dir, manifest, items, graders, options))
    return complain(console, *problem, kFault);
  if (was_interrupted()) return kInterrupted;
  for (const std::size_t i : items) {
    const auto stored = load_result(dir, manifest.settings, manifest.items[i]);
    if (!stored.result || stored.result->score.status == ResultStatus::grader_fault) return kFault;
  }
  return kPassed;
}

int grade_items_command(const ItemsCommand& command, const Console& console) {
  const auto read = read_manifest(command.dir);
  if (!read) return complain(console, read.error(), kUsage);
  if (!*read)
    return complain(console,
                    manifest_unreadable(fs::path(command.dir) / "manifest.json", "the file does not exist"),
                    kUsage);
  const Manifest& manifest = **read;
  const auto items =
      command.items.empty() ? all_items(manifest) : parse_item_list(command.items, manifest.items.size());
  if (!items) return complain(console, usage_error(items.error(), "name items of DIR/manifest.json"), kUsage);

  auto session = open_session(session_options(manifest.settings), Isolation::required, 1);
  if (!session) return complain(console, session.error().reason, kUnfit);
  auto labs = labs_named(session->paths, lab_ids(manifest.settings));
  if (!labs) return complain(console, labs.error(), kUnfit);
  const auto graders = LabGraders::open(*session, *std::move(labs), manifest.seed_file_path);
  if (!graders) return complain(console, graders.error(), kUnfit);
  // All results of a class must come from the same compiler, rubrics and device; anything else would be
  // unfair.
  if (const auto found = differences(manifest.settings, graders->settings()); !found.empty())
    return complain(console, other_settings_here(found), kUnfit);
  const int code = grade(command.dir, manifest, *items, graders->graders(), command.jobs, console);
  report_lost_gpus(*session->runner);
  if (const auto& reason = session->runner->out_of_gpus(); reason && !was_interrupted())
    return complain(console, *reason, kUnfit);
  return code;
}

}  // namespace

void add_grade_items(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ItemsCommand>();
  Subcommand command = root.subcommand("grade-items", R"(Examples:
  warpgrade grade-items results --items 0-4,9

Grades a part of the run that `warpgrade grade --out DIR` prepared; a cluster's tasks run this command)");
  command.hide();
  command.option("DIR", options->dir, "a folder with manifest.json and sources/").required();
  command.option("--items", options->items, "items of the manifest, counted from 0 (default: all)")
      .type_name("LIST");
  command.option("--jobs", options->jobs, "files graded at the same time (default: CPUs + 1)")
      .range(1, 1024)
      .type_name("N");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return grade_items_command(*options, console); };
  });
}

}  // namespace grader::app
