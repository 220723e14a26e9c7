#include "app/lint_mutants.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "base/files.hpp"
#include "mutants/equivalents.hpp"
#include "mutants/mutants.hpp"
#include "schedule/mutation.hpp"
#include "schedule/pool.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;
using mutants::Equivalent;

/// At most one mutant in fifty may survive without a proof that it is equivalent.
constexpr double kLeastMutationScore = 0.98;

struct NamedMutant {
  std::string name;  ///< "02-tiled-matmul/tiled_matmul.cu:33:constant:2"
  std::string file;  ///< relative to the lab's solutions
  std::string text;
  mutants::Change change;
};

struct Tally {
  std::string lab;
  std::size_t all = 0;  ///< mutants of the lab; `mutants` of them were graded
  std::size_t mutants = 0, not_built = 0, killed = 0, equivalent = 0, survived = 0, problems = 0;
  double seconds = 0;

  double score() const {
    return mutants == 0 ? 1 : 1 - static_cast<double>(survived) / static_cast<double>(mutants);
  }
};

std::vector<std::string> right_answers(const Lab& lab, const fs::path& folder) {
  std::vector<std::string> files = {lab.sources.front()};
  std::error_code error;
  for (fs::directory_iterator entry(folder / "accepted", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".cu") files.push_back("accepted/" + entry->path().filename().string());
  std::sort(files.begin() + 1, files.end());
  return files;
}

/// The cases that find a mistake in the solution find it in a variant, too. For the same reason, a change
/// that two files share is made in the first one only.
Expected<std::vector<NamedMutant>, std::string> mutants_of_lab(const Lab& lab, const fs::path& folder) {
  std::vector<NamedMutant> all;
  std::map<std::pair<std::string, std::string>, std::string> seen;  // change → file
  for (const std::string& file : right_answers(lab, folder)) {
    const auto source = read_file(folder / file, kMaxSourceBytes);
    if (!source) return Unexpected{(folder / file).string() + " " + source.error()};
    const auto slips = file == lab.sources.front() ? mutants::Slips::one_per_line : mutants::Slips::none;
    for (const mutants::Mutant& one : mutants::mutants_of(*source, slips)) {
      const mutants::Change change = mutants::change_of(*source, one);
      if (seen.try_emplace({change.before, change.after}, file).first->second != file) continue;
      all.push_back({lab.id + "/" + file + ":" + one.name(), file, mutants::mutated(*source, one), change});
    }
  }
  return all;
}

/// Every `count`-th mutant, from number `index`, counted from 1.
struct Part {
  std::size_t index = 1, count = 1;
};

/// Reads "2/5"; nullopt if there is no such part.
std::optional<Part> part_of(std::string_view text) {
  if (text.empty()) return Part{};
  Part part;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, part.index);
  if (index.ec != std::errc() || index.ptr == end || *index.ptr != '/') return std::nullopt;
  const auto count = std::from_chars(index.ptr + 1, end, part.count);
  if (count.ec != std::errc() || count.ptr != end || part.index < 1 || part.index > part.count)
    return std::nullopt;
  return part;
}

/// Every mutant that `options` asks for. A sample is spread over the whole list.
std::vector<NamedMutant> chosen(std::vector<NamedMutant> all, const MutantOptions& options) {
  std::vector<NamedMutant> wanted;
  const std::size_t count = options.sample == 0 || options.sample > all.size() ? all.size() : options.sample;
  if (!options.names.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), [&](const NamedMutant& one) {
      return std::count(options.names.begin(), options.names.end(), one.name) > 0;
    });
    return wanted;
  }
  const Part part = part_of(options.part).value_or(Part{});
  for (std::size_t i = part.index - 1; i < count; i += part.count)
    wanted.push_back(std::move(all[i * all.size() / count]));
  return wanted;
}

Expected<std::vector<Equivalent>, std::string> equivalents_of(const fs::path& folder) {
  const fs::path file = folder / "equivalent.json";
  std::error_code error;
  if (!fs::exists(file, error)) return std::vector<Equivalent>{};
  const auto text = read_file(file, kMaxSourceBytes);
  if (!text) return Unexpected{file.string() + " " + text.error()};
  auto entries = mutants::parse_equivalents(*text);
  if (!entries) return Unexpected{file.string() + ": " + entries.error()};
  return entries;
}

std::string diff_text(const NamedMutant& mutant, const Console& console) {
  return fmt::format("        - {}\n        + {}\n", printable(mutant.change.before, console.out.unicode),
                     printable(mutant.change.after, console.out.unicode));
}

/// Grades the mutants of one lab. Prints as it goes; the lines of parallel jobs come in any order.
class LabMutants {
 public:
  LabMutants(const Lab& lab, const Session& session, const MutantOptions& options, const Console& console)
      : lab_(lab),
        folder_(session.paths.root / "solutions" / lab.id),
        options_(options),
        console_(console),
        run_(lab, *session.runner) {
    tally_.lab = lab.id;
  }

  Tally run() {
    const auto started = std::chrono::steady_clock::now();
    auto all = mutants_of_lab(lab_, folder_);
    auto entries = equivalents_of(folder_);
    if (!all) report_problem(all.error());
    if (!entries) report_problem(entries.error());
    if (!all || !entries) return tally_;
    equivalents_ = *std::move(entries);
    check_entries(*all);
    tally_.all = all->size();
    const std::vector<NamedMutant> wanted = chosen(*std::move(all), options_);
    run_jobs(options_.jobs, wanted.size(), stop_flag(), [&](std::size_t i) { grade(wanted[i]); });
    tally_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return tally_;
  }

 private:
  void report_problem(const std::string& problem) {
    ++tally_.problems;
    print("  " + paint(console_.out, Ink::bad, "FAIL") + "  " + printable(problem, console_.out.unicode) +
          "\n");
  }

  /// An entry must still describe a mutant: otherwise its proof is about other code.
  void check_entries(const std::vector<NamedMutant>& all) {
    for (const Equivalent& entry : equivalents_)
      for (const std::string& after : entry.becomes)
        if (std::none_of(all.begin(), all.end(), [&](const NamedMutant& one) {
              return one.file == entry.file && one.change.before == entry.line && one.change.after == after;
            }))
          report_problem(
              fmt::format("{}/equivalent.json: {} has no mutant `{}`: remove the entry or correct it",
                          lab_.id, entry.file, after));
  }

  void grade(const NamedMutant& mutant) {
    const auto fate = run_.fate_of(mutant.text);
    const std::lock_guard lock(mutex_);
    if (was_interrupted()) return;
    if (!fate) return report_problem(mutant.name + ": " + fate.error());
    ++tally_.mutants;
    const Equivalent* listed = mutants::find_equivalent(equivalents_, mutant.file, mutant.change);
    if (*fate == Fate::not_built) ++tally_.not_built;
    if (*fate == Fate::survived) ++(listed != nullptr ? tally_.equivalent : tally_.survived);
    if (*fate == Fate::killed) ++tally_.killed;
    report(mutant, *fate, listed);
  }

  void report(const NamedMutant& mutant, Fate fate, const Equivalent* listed) {
    if (listed != nullptr && fate != Fate::survived)
      return report_problem(
          fmt::format("{} is listed as equivalent but loses points: remove the entry (`{}`)", mutant.name,
                      mutant.change.after));
    const bool is_survivor = fate == Fate::survived && listed == nullptr;
    if (!is_survivor && options_.names.empty()) return;
    const char* what = fate == Fate::not_built ? "not built" : fate == Fate::killed ? "killed" : "survived";
    print(fmt::format("  {}  {}\n{}", paint(console_.out, is_survivor ? Ink::bad : Ink::good, what),
                      mutant.name, diff_text(mutant, console_)));
    std::fflush(stdout);  // a run takes an hour: show what it has found
    if (listed != nullptr)
      print("        equivalent: " + printable(listed->why, console_.out.unicode) + "\n");
  }

  const Lab& lab_;
  const fs::path folder_;
  const MutantOptions& options_;
  const Console& console_;
  const MutationRun run_;
  std::vector<Equivalent> equivalents_;
  std::mutex mutex_;
  Tally tally_;
};

std::string row(const Tally& tally) {
  return fmt::format("{:<26} {:>12} {:>9} {:>7} {:>10} {:>9} {:>6.3f} {:>8.0f}\n", tally.lab,
                     fmt::format("{} of {}", tally.mutants, tally.all), tally.not_built, tally.killed,
                     tally.equivalent, tally.survived, tally.score(), tally.seconds);
}

void print_table(const std::vector<Tally>& tallies) {
  print(fmt::format("\n{:<26} {:>12} {:>9} {:>7} {:>10} {:>9} {:>6} {:>8}\n", "lab", "mutants", "not built",
                    "killed", "equivalent", "survivors", "score", "seconds"));
  Tally sum;
  sum.lab = "all";
  for (const Tally& one : tallies) {
    print(row(one));
    sum.all += one.all;
    sum.mutants += one.mutants;
    sum.not_built += one.not_built;
    sum.killed += one.killed;
    sum.equivalent += one.equivalent;
    sum.survived += one.survived;
    sum.seconds += one.seconds;
  }
  if (tallies.size() > 1) print(row(sum));
}

/// The names that no lab has a mutant for, one message each.
std::vector<std::string> unknown_names(const Session& session, const std::vector<Lab>& labs,
                                       const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const Lab& lab : labs)
    if (const auto all = mutants_of_lab(lab, session.paths.root / "solutions" / lab.id))
      for (const NamedMutant& one : *all) known.insert(one.name);
  std::vector<std::string> unknown;
  for (const std::string& name : names)
    if (!known.contains(name)) unknown.push_back(name);
  return unknown;
}

bool is_wanted(const Lab& lab, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const auto& name) { return name.starts_with(lab.id + "/"); });
}

}  // namespace

int lint_mutants(const Session& session, const std::vector<Lab>& labs, const MutantOptions& options,
                 const Console& console) {
  if (const auto unknown = unknown_names(session, labs, options.names); !unknown.empty())
    return complain(
        console,
        usage_error("there is no mutant `" + printable(unknown.front()) + "`",
                    "names look like 00-warm-up/saxpy.cu:11:boundary:1, and change with the file's "
                    "lines: take them from `warpgrade lint --mutants`"),
        kUsage);
  if (!part_of(options.part))
    return complain(console,
                    usage_error("there is no part `" + printable(options.part) + "`",
                                "write `--part 2/5` for the second of five parts"),
                    kUsage);
  std::vector<Tally> tallies;
  for (const Lab& lab : labs)
    if (!was_interrupted() && is_wanted(lab, options.names))
      tallies.push_back(LabMutants(lab, session, options, console).run());
  print_table(tallies);
  if (was_interrupted()) return kInterrupted;
  const bool good = std::all_of(tallies.begin(), tallies.end(), [](const Tally& one) {
    return one.problems == 0 && one.score() >= kLeastMutationScore;
  });
  return good ? kPassed : kFailed;
}

}  // namespace grader::app
