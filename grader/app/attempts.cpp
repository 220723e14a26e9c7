#include "course/attempts.hpp"

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "base/files.hpp"
#include "report/numbers.hpp"

namespace grader::app {
namespace {

constexpr std::size_t kMaxMetadataBytes = std::size_t{64} << 20U;

struct AttemptsOptions {
  std::string file;
  course::AttemptPolicy policy;
};

/// Prints the points that count instead of those of this run, or nothing if this run can use hidden inputs.
int show_attempts(const AttemptsOptions& options, const Console& console) {
  const auto unusable = [&](const std::string& why) {
    return complain(console,
                    usage_error(fmt::format("{} {}", options.file, why),
                                "pass the submission_metadata.json that Gradescope writes for an autograder"),
                    kUsage);
  };
  const auto text = read_file(options.file, kMaxMetadataBytes);
  if (!text) return unusable(text.error());
  const auto record = course::read_gradescope_attempts(*text);
  if (!record) return unusable(record.error());
  const auto decision = course::decide(*record, options.policy);
  const std::string limit = fmt::format("{} of {} runs with hidden inputs within {} hours", decision.used,
                                        options.policy.hidden_runs, options.policy.hours);
  if (decision.is_hidden_run) {
    say(limit + " were used before this one");
    return kPassed;
  }
  say(fmt::format("{} are used up; the next is possible from {}", limit,
                  course::TimeZone().text(*decision.next_allowed)));
  print(points_text(*decision.points) + "\n");
  return kPassed;
}

}  // namespace

void add_attempts(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<AttemptsOptions>();
  Subcommand command = root.subcommand("attempts", R"(Example:
  warpgrade attempts submission_metadata.json --hidden-runs 3

For adapters: prints nothing if a submission to Gradescope can be run with hidden inputs. If its hidden runs are
used up, prints the points of the last one, which count then. A run in which the grader failed does not count)");
  command.option("FILE", options->file, "Gradescope's submission_metadata.json").required();
  command.option("--hidden-runs", options->policy.hidden_runs, "hidden runs within the hours (default: 1)")
      .range(1, 1000)
      .type_name("N");
  command.option("--hours", options->policy.hours, "length of the period before a submission (default: 24)")
      .range(1, 8760)
      .type_name("H");
  command.hide();
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return show_attempts(*options, console); };
  });
}

}  // namespace grader::app
