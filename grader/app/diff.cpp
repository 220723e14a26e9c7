#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "schedule/compare_runs.hpp"

namespace grader::app {
namespace {

struct DiffOptions {
  std::string before, now, format = "text";
  bool apply = false;
};

int diff(const DiffOptions& options, const Console& console) {
  const auto comparison = compare_runs(options.before, options.now);
  if (!comparison) return complain(console, comparison.error(), kUsage);
  print(options.format == "json" ? comparison_json(*comparison) : comparison_text(*comparison, console.out));
  if (!options.apply) return kPassed;
  if (const auto problem = apply_run(options.before, options.now)) {
    const bool usage = problem->code == "WG-G38" || problem->code == "WG-G35";
    return complain(console, *problem, usage ? kUsage : kFault);
  }
  say(fmt::format("applied: {0} now contains the results of {1}; its earlier results are in {0}/history",
                  options.before, options.now));
  return kPassed;
}

}  // namespace

void add_diff(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<DiffOptions>();
  Subcommand command = root.subcommand("diff", R"(Examples:
  warpgrade diff results regraded            what changed, and why
  warpgrade diff results regraded --apply    replace the old results by the new ones

Compares two gradings of a class: lists every score that differs, and the reason)");
  command.option("OLD", options->before, "folder that `grade --out` wrote").required();
  command.option("NEW", options->now, "another such folder").required();
  command.flag("--apply", options->apply,
               "replace the results in OLD by all results of NEW; the old ones are kept in OLD/history");
  command.option("--format", options->format, "text, or json").one_of({"text", "json"}).type_name("FORMAT");
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return diff(*options, console); };
  });
}

}  // namespace grader::app
