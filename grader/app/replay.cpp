// `warpgrade replay`: runs one case of a stored result again, with the seed of the result.

#include <filesystem>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "app/session.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/spelling.hpp"
#include "lab/facts.hpp"
#include "lab/secret_seeds.hpp"
#include "report/check_text.hpp"
#include "report/result_json.hpp"
#include "report/result_reader.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  SessionOptions session;
  std::string result, case_name, source, seed_file, format = "text";
};

/// The case of a check: of "speed/square-512" and "traffic/<counter>@square-512", the last part.
std::string case_of(const std::string& check) {
  return check.substr(std::max(check.rfind('@') + 1, check.find('/') + 1));  // npos + 1 is 0
}

std::vector<std::string> failed_checks(const Result& stored) {
  std::vector<std::string> names;
  for (const Check& check : stored.score.checks)
    if (check.status == CheckStatus::fail && check.id.find('/') != std::string::npos)
      names.push_back(check.id);
  return names;
}

/// The stored check that `name` means: its id, or the id's part after the task.
const Check* find_check(const Result& stored, const std::string& name) {
  for (const bool whole : {true, false})
    for (const Check& check : stored.score.checks)
      if (name == (whole ? check.id : check.id.substr(check.id.find('/') + 1))) return &check;
  return nullptr;
}

Diagnostic no_such_check(const Result& stored, const ReplayOptions& options) {
  std::vector<std::string> known;
  for (const Check& check : stored.score.checks)
    if (check.id.find('/') != std::string::npos) known.push_back(check.id);
  const std::vector<std::string> failed = failed_checks(stored);
  return usage_error(fmt::format("{} has no case `{}`{}", printable(options.result),
                                 printable(options.case_name), did_you_mean(options.case_name, known)),
                     failed.empty() ? "no case of this result failed"
                                    : fmt::format("failed cases: {}", fmt::join(failed, ", ")));
}

/// The file that the result was made from: the copy of `grade` in DIR/sources, or the student's own file if
/// that has not changed.
Expected<fs::path, Diagnostic> find_source(const Result& stored, const Lab& lab,
                                           const ReplayOptions& options) {
  const std::string& wanted = stored.provenance.source_sha256;
  if (!options.source.empty()) {
    const auto bytes = read_file(options.source, kMaxSourceBytes);
    if (!bytes)
      return Unexpected{usage_error("cannot read " + printable(options.source) + ": " + bytes.error(),
                                    "name the submission's file with --source FILE")};
    if (sha256_hex(*bytes) != wanted)
      say("note: " + printable(options.source) + " is not the file that the result was made from");
    return fs::path(options.source);
  }
  std::error_code error;
  // DIR/results/<submission>/<lab>.json
  const fs::path run = fs::weakly_canonical(options.result, error).parent_path().parent_path().parent_path();
  for (const fs::path& file : {run / "sources" / wanted, lab.folder / lab.sources.front()}) {
    const auto bytes = wanted.empty() ? Expected<std::string, std::string>(Unexpected<std::string>{""})
                                      : read_file(file, kMaxSourceBytes);
    if (bytes && sha256_hex(*bytes) == wanted) return file;
  }
  if (const std::string& own = lab.sources.front();
      !fs::exists(run / "sources", error) && fs::exists(lab.folder / own, error))
    return Unexpected{usage_error(
        own + " has changed since the result was made",
        fmt::format(
            "check the file as it is now with `warpgrade check {} --case {}`, or name the earlier file "
            "with --source FILE",
            lab.id, printable(options.case_name)))};
  return Unexpected{usage_error("the file that the result was made from is not stored next to the result",
                                "name the submission's file with --source FILE")};
}

/// The run keeps files by their digests; the page names them as they were handed in.
std::string shown_source(const Result& stored, const Lab& lab, const fs::path& source) {
  if (source.filename() != stored.provenance.source_sha256) return shown_path(source);
  say("file: " + shown_path(source));
  return stored.submission + "/" + lab.id + "/" + lab.sources.front();
}

/// The lab with the case's seed as in the result. A secret seed comes from the seed file of the run.
Expected<Lab, Diagnostic> with_stored_seed(Lab lab, const Result& stored, const std::string& case_name,
                                           const ReplayOptions& options) {
  const auto input = stored.provenance.inputs.find(case_name);
  if (input == stored.provenance.inputs.end()) {
    say("note: the result does not contain a run of case " + printable(case_name) +
        "; its public inputs are used");
    return lab;
  }
  if (!input->second.seed) {
    const std::string refusal = fmt::format("the inputs of case {} are secret", case_name);
    if (options.seed_file.empty())
      return Unexpected{usage_error(refusal, "graders name the run's seed file with --seed-file FILE")};
    const auto seeds = read_secret_seeds(options.seed_file);
    if (!seeds) return Unexpected{seeds.error()};
    if (seeds->fingerprint() != stored.provenance.seed_file)
      return Unexpected{
          usage_error(fmt::format("{}, and {} is another seed file than that of the run ({})", refusal,
                                  printable(options.seed_file), stored.provenance.seed_file),
                      "name the seed file with which the class was graded")};
    return seeds->applied_to(std::move(lab));
  }
  for (Case& one : lab.cases) {
    if (one.name != case_name) continue;
    if (facts_sha256(one) != input->second.facts_sha256)
      say("note: case " + case_name + " has changed in lab.json since the result was made");
    one.seed = *input->second.seed;
  }
  return lab;
}

void note_differences(const Result& stored, const Result& now) {
  const auto compare = [](const char* what, const std::string& before, const std::string& after) {
    if (before != after)
      say(fmt::format("note: the result was made with {} {}, this run has {}", what, printable(before),
                      after));
  };
  compare("compiler", stored.provenance.compiler, now.provenance.compiler);
  compare("grader", stored.provenance.grader_version, now.provenance.grader_version);
  compare("device", stored.provenance.device, now.provenance.device);
}

/// "As in the result: FAIL WG-M02." The first diagnostic's code is enough to recognise a mistake.
std::string comparison_line(const Check& before, const Result& now) {
  const auto text = [](const Check& check) {
    std::string status = check.status == CheckStatus::fail ? "FAIL" : std::string(to_string(check.status));
    return status + (check.diagnostics.empty() ? "" : " " + printable(check.diagnostics.front().code));
  };
  const std::string was = text(before);
  const std::string is = now.score.checks.empty() ? "" : text(now.score.checks.front());
  return was == is ? fmt::format("\nAs in the result: {}.\n", was)
                   : fmt::format("\nThe result has {}; now {}.\n", was, is);
}

int replay_case(const Session& session, const Lab& lab, const Result& stored, const Check& check,
                const ReplayOptions& options, const Console& console) {
  const auto source = find_source(stored, lab, options);
  if (!source) return complain(console, source.error(), kUsage);
  const auto seeded = with_stored_seed(lab, stored, case_of(check.id), options);
  if (!seeded) return complain(console, seeded.error(), kUsage);
  const auto part = only_check(*seeded, check.id);
  if (!part)
    return complain(console,
                    usage_error("lab " + lab.id + " no longer has the check " + printable(check.id),
                                "replay with the version of the kit that made the result"),
                    kUsage);
  const BuildCache cache(BuildCache::default_folder());
  GradingOptions grading = grading_options();
  grading.cache = &cache;
  const auto now = Grading(*part, session.runners(), grading).grade("local", fs::absolute(*source));
  if (!now) return kInterrupted;
  note_differences(stored, *now);
  if (options.format == "json")
    print(result_json(*now));
  else
    print(case_text(*part, *now, {shown_source(stored, lab, *source), shown_path(lab.folder / "hints.md")},
                    console.out) +
          comparison_line(check, *now));
  if (now->score.status == ResultStatus::grader_fault) return kFault;
  bool ran = false;
  for (const Check& one : now->score.checks) {
    if (one.status == CheckStatus::fail) return kFailed;
    ran |= one.status == CheckStatus::pass;
  }
  return ran ? kPassed : kNothingGraded;
}

std::string stored_device(const Result& stored) {
  const std::string& device = stored.provenance.device;
  return device == "cuda" || device == "both" ? device : "virtual";
}

int replay(ReplayOptions options, const Console& console) {
  const auto text = read_file(options.result, kMaxResultBytes);
  const auto stored = text ? parse_result(*text) : Unexpected{text.error()};
  if (!stored)
    return complain(
        console,
        usage_error("cannot read the result " + printable(options.result) + ": " + printable(stored.error()),
                    "name a file that `check --format json` or `grade` wrote: "
                    "DIR/results/SUBMISSION/LAB.json"),
        kUsage);
  const Check* check = find_check(*stored, options.case_name);
  if (check == nullptr) return complain(console, no_such_check(*stored, options), kUsage);
  if (options.session.front_end.empty() && stored->provenance.front_end == "clang")
    options.session.front_end = "clang";
  if (options.session.device == "auto") options.session.device = stored_device(*stored);
  auto session = open_session(options.session, Isolation::preferred, 1);
  if (!session) return complain(console, session.error().reason, session.error().exit_code);
  const auto labs = labs_named(session->paths, {stored->lab});
  if (!labs) return complain(console, labs.error(), kUsage);
  return replay_case(*session, labs->front(), *stored, *check, options, console);
}

}  // namespace

void add_replay(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ReplayOptions>();
  Subcommand command = root.subcommand("replay", R"(Examples:
  warpgrade replay results/results/ada.l/02-tiled-matmul.json boundary/17x33x65
  warpgrade replay my-result.json one --source tiled_matmul.cu

Runs one case of a stored result again: the same file, the same inputs, the same kind of device)");
  command.option("RESULT", options->result, "file that `check --format json` or `grade` wrote").required();
  command.option("CASE", options->case_name, "a case of it, or a check, such as boundary/17x33x65")
      .required();
  command
      .option("--source", options->source,
              "the submission's file (default: the run's copy, or your file if it has not changed)")
      .type_name("FILE");
  command.option("--seed-file", options->seed_file, "the run's seed file, for cases with secret inputs")
      .type_name("FILE");
  command.option("--format", options->format, "text, or json").one_of({"text", "json"}).type_name("FORMAT");
  add_grading_options(command, options->session);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return replay(*options, console); };
  });
}

}  // namespace grader::app
