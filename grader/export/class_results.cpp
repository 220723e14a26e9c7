#include "export/class_results.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.hpp"
#include "base/spelling.hpp"
#include "lab/json_reader.hpp"
#include "report/result_reader.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSummaryBytes = std::size_t{256} << 20U;

Diagnostic unreadable(const fs::path& file, std::string what) {
  return diagnose_file(
      "WG-G55", file.string(), std::move(what),
      "pass the folder that `warpgrade grade --out` wrote; if the file is damaged, grade again");
}

/// Parses the file as JSON and passes it to `read`. Every problem becomes a diagnostic that names the file.
template <class Read>
auto read_json(const fs::path& file, std::size_t max_bytes, Read read)
    -> Expected<decltype(read(std::declval<JsonNode>())), Diagnostic> {
  const auto bytes = read_file(file, max_bytes);
  if (!bytes) return Unexpected{unreadable(file, bytes.error())};
  try {
    const auto json = parse_json(*bytes);
    if (!json) {
      Diagnostic problem = unreadable(file, "is truncated or damaged: " + json.error().what);
      problem.where->line = static_cast<int>(std::min<std::size_t>(json.error().line, INT32_MAX));
      return Unexpected{std::move(problem)};
    }
    return read(JsonNode(*json));
  } catch (const JsonProblem& problem) {
    return Unexpected{unreadable(file, problem.what())};
  }
}

/// The students of a submission, as far as its package names them.
struct Owner {
  Identity identity;
  std::string lms;
};

Owner read_owner(const JsonNode& node) {
  const auto lms = node.find("lms");
  return {read_identity(node), lms && !lms->is_null() ? lms->any_text() : ""};
}

struct Summary {
  ClassSummary summary;
  std::map<std::string, Owner> owners;  ///< by submission
};

Summary read_whole_summary(const JsonNode& file) {
  Summary read{read_summary(file), {}};
  const auto rows = file.at("results").elements();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto identity = rows[i].find("identity"); identity && !identity->is_null())
      read.owners[read.summary.rows[i].submission] = read_owner(*identity);
  return read;
}

/// "results/<name>/<lab>.json" → <name>; empty if the path has another form.
std::string folder_of(const ClassRow& row) {
  const std::string start = "results/", end = "/" + row.lab + ".json";
  if (!row.file.starts_with(start) || !row.file.ends_with(end) ||
      row.file.size() <= start.size() + end.size())
    return {};
  std::string name = row.file.substr(start.size(), row.file.size() - start.size() - end.size());
  const bool is_plain = name.find('/') == std::string::npos && name != "." && name != "..";
  return is_plain ? name : "";
}

/// Why the summary contradicts itself; empty if it does not.
std::string contradiction(const ClassSummary& summary) {
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, std::string> owners;  // of folders
  for (const ClassRow& row : summary.rows) {
    const std::string of = fmt::format("the result of \"{}\" for {}", row.submission, row.lab);
    if (!seen.insert({row.submission, row.lab}).second) return of + " is listed twice";
    if (std::find(summary.labs.begin(), summary.labs.end(), row.lab) == summary.labs.end())
      return of + " belongs to none of the labs";
    const std::string folder = folder_of(row);
    if (folder.empty()) return of + " is not at results/<submission>/<lab>.json";
    if (owners.emplace(folder, row.submission).first->second != row.submission)
      return of + " is in the folder of another submission";
  }
  return {};
}

/// False for a result that was copied from elsewhere or is older than the summary.
bool belongs_to(const Result& result, const ClassRow& row) {
  return result.submission == row.submission && result.lab == row.lab && result.score.status == row.status &&
         result.score.score == row.score && result.score.max_score == row.max_score;
}

}  // namespace

const Result* GradedSubmission::find(const std::string& lab) const {
  const auto found =
      std::find_if(results.begin(), results.end(), [&](const Result& result) { return result.lab == lab; });
  return found == results.end() ? nullptr : &*found;
}

bool ClassResults::lacks_grade(const GradedSubmission& one) const {
  return std::any_of(summary.labs.begin(), summary.labs.end(), [&](const std::string& lab) {
    const Result* result = one.find(lab);
    return result == nullptr ? summary.interrupted : result->score.status == ResultStatus::grader_fault;
  });
}

Expected<ClassResults, Diagnostic> read_class(const fs::path& folder) {
  auto read = read_json(folder / "summary.json", kMaxSummaryBytes, read_whole_summary);
  if (!read) return Unexpected{read.error()};
  if (const std::string problem = contradiction(read->summary); !problem.empty())
    return Unexpected{unreadable(folder / "summary.json", problem)};

  std::map<std::string, GradedSubmission> submissions;
  for (const ClassRow& row : read->summary.rows) {
    auto result = read_json(folder / row.file, kMaxResultBytes, read_result);
    if (!result) return Unexpected{result.error()};
    if (!belongs_to(*result, row))
      return Unexpected{unreadable(folder / row.file, "is not the result that summary.json refers to")};
    GradedSubmission& one = submissions[row.submission];
    one.id = row.submission;
    one.file_name = folder_of(row);
    const Owner& owner = read->owners[row.submission];
    one.identity = owner.identity;
    one.lms = owner.lms;
    one.results.push_back(*std::move(result));
  }
  ClassResults results{std::move(read->summary), {}};
  for (auto& [id, one] : submissions) results.submissions.push_back(std::move(one));
  return results;
}

namespace {

Unexpected<Diagnostic> unknown_name(const std::string& kind, const std::string& name,
                                    const std::vector<std::string>& known) {
  return Unexpected{
      usage_error(fmt::format("the class has no {} `{}`{}", kind, name, did_you_mean(name, known)),
                  "`summary.json` in the folder lists the names")};
}

}  // namespace

Expected<ClassResults, Diagnostic> selected(ClassResults results, const std::vector<std::string>& submissions,
                                            const std::vector<std::string>& lab_names) {
  std::vector<std::string> ids;
  for (const GradedSubmission& one : results.submissions) ids.push_back(one.id);
  for (const std::string& name : submissions)
    if (std::find(ids.begin(), ids.end(), name) == ids.end()) return unknown_name("submission", name, ids);
  std::vector<std::string> labs;
  for (const std::string& name : lab_names) {
    const auto lab = completed(name, results.summary.labs);
    if (!lab) return unknown_name("lab", name, results.summary.labs);
    labs.push_back(*lab);
  }
  const auto left_out = [](const std::vector<std::string>& requested, const std::string& name) {
    return !requested.empty() && std::find(requested.begin(), requested.end(), name) == requested.end();
  };
  std::erase_if(results.summary.labs, [&](const std::string& lab) { return left_out(labs, lab); });
  std::erase_if(results.summary.rows, [&](const ClassRow& row) {
    return left_out(labs, row.lab) || left_out(submissions, row.submission);
  });
  std::erase_if(results.submissions,
                [&](const GradedSubmission& one) { return left_out(submissions, one.id); });
  for (GradedSubmission& one : results.submissions)
    std::erase_if(one.results, [&](const Result& result) { return left_out(labs, result.lab); });
  if (!results.summary.interrupted)
    std::erase_if(results.submissions, [](const GradedSubmission& one) { return one.results.empty(); });
  return results;
}

}  // namespace grader
