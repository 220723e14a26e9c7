// Grades the corpus as one class together with honest submissions. Every hostile submission must get the result of
// expected.json, in bounded time and space, and leave no process or file; the honest ones must get exactly the
// results that they get without the others.
#include <cerrno>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "report/terminal.hpp"
#include "tests/hostile/corpus.hpp"

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::uintmax_t kMaxResultBytes = 512 << 10;  ///< of one submission: all cases and their output

/// Names of the honest submissions; file systems, terminals and spreadsheets could misinterpret them.
const std::vector<std::string> kHonest = {"an honest one", "=HYPERLINK(\"http:x\")", "zz\x1b[31m $(touch PWNED)"};

/// A class below a folder that all programs also use for temporary files.
class Class {
 public:
  explicit Class(const std::vector<Hostile>& corpus) : folder_("hostile") {
    fs::create_directories(temporary());
    for (const Hostile& one : corpus) hand_in(one, submissions(), id_of(one));
    for (const std::string& id : kHonest)
      write(submissions() / id / "02-tiled-matmul" / "tiled_matmul.cu", text_of(solution()));
  }

  static std::string id_of(const Hostile& one) {
    std::string id = one.name;
    return id.replace(id.find('/'), 1, "-");
  }
  fs::path submissions() const { return folder_.path() / "submissions"; }
  fs::path temporary() const { return folder_.path() / "tmp"; }
  fs::path out() const { return folder_.path() / "out"; }

  Ended grade(const std::set<std::string>& labs) const {
    std::vector<std::string> command = {"grade", submissions().string(), "--out", out().string(), "--device", "virtual",
                                        "--jobs", "2",          "--time-limit", "6"};
    for (const std::string& lab : labs) command.insert(command.end(), {"--lab", lab});
    return warpgrade(command, {.environment = {{"TMPDIR", temporary().string()}}});
  }

  /// The result files by submission and lab.
  std::map<std::pair<std::string, std::string>, Json> results() const {
    std::map<std::pair<std::string, std::string>, Json> all;
    const Json summary = Json::parse(text_of(out() / "summary.json"));
    for (const Json& row : summary.at("results")) {
      const fs::path file = out() / row.at("file").get<std::string>();
      CHECK(fs::file_size(file) < kMaxResultBytes);
      all[{row.at("submission"), row.at("lab")}] = Json::parse(text_of(file));
    }
    return all;
  }

 private:
  grader::TemporaryFolder folder_;
};

std::set<std::string> labs_of(const std::vector<Hostile>& corpus) {
  std::set<std::string> labs = {"02-tiled-matmul"};
  for (const Hostile& one : corpus) labs.insert(one.lab);
  return labs;
}

/// The first diagnostic of the first check that did not pass.
std::optional<Json> first_diagnostic(const Json& result) {
  for (const Json& check : result.at("checks"))
    if (check.at("status") != "pass" && !check.at("diagnostics").empty()) return check.at("diagnostics").at(0);
  return std::nullopt;
}

/// True for diagnostics that the examination of sources and objects emits: they must name a line.
bool names_a_line(const Json& diagnostic) {
  return diagnostic.at("where").is_object() && diagnostic.at("where").at("line") > 0;
}

std::time_t moment(const Json& text) {
  std::tm parts{};
  ::strptime(text.get<std::string>().c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return ::timegm(&parts);
}

void check_promise(const Hostile& one, const Json& result) {
  const auto diagnostic = first_diagnostic(result);
  const std::string code = diagnostic ? diagnostic->at("code").get<std::string>() : "";
  INFO(one.name << " got " << result.at("verdict") << " " << code << ": " << result.at("checks").dump().substr(0, 1500));
  CHECK(result.at("verdict") == one.verdict);
  CHECK((one.codes.empty() ? code.empty() : one.codes.contains(code)));
  if (code >= "WG-S20" && code <= "WG-S25") CHECK(names_a_line(*diagnostic));
  if (one.verdict != "accepted") CHECK(result.at("score") < result.at("max_score"));
  if (one.score_at_most) CHECK(result.at("score") <= *one.score_at_most);
  // A busy machine takes longer; only the existence of a bound is tested.
  constexpr int kBusy = 6;
  const Json& how = result.at("provenance");
  CHECK(moment(how.at("finished")) - moment(how.at("started")) <= kBusy * one.seconds);
}

Json without_provenance(Json result) {
  result.erase("provenance");
  return result;
}

/// Makes this process the parent of orphans, so that it can detect them.
void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

std::vector<fs::path> contents(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) all.push_back(entry.path());
  return all;
}

void grade_and_check(const std::vector<Hostile>& corpus) {
  adopt_orphans();
  const Class alone(std::vector<Hostile>{}), together(corpus);
  REQUIRE(alone.grade({"02-tiled-matmul"}).code == 0);
  const Ended ended = together.grade(labs_of(corpus));
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_FALSE(has_children());
  CHECK(contents(together.temporary()).empty());
  CHECK_FALSE(fs::exists("PWNED"));

  const auto results = together.results(), calm = alone.results();
  for (const Hostile& one : corpus) {
    const auto result = results.find({Class::id_of(one), one.lab});
    INFO(one.name << " of " << results.size() << " results");
    CHECK((result != results.end()));
    if (result != results.end()) check_promise(one, result->second);
  }
  for (const std::string& name : kHonest) {
    const std::string id = grader::distinct(name);
    const Json& result = results.at({id, "02-tiled-matmul"});
    CHECK(result.at("score") == 100);
    CHECK(without_provenance(result).dump() == without_provenance(calm.at({id, "02-tiled-matmul"})).dump());
  }
}

}  // namespace

TEST_CASE("every hostile submission is in the list, and the list is long") {
  const auto corpus = hostile_corpus();
  std::set<std::string> listed;
  for (const Hostile& one : corpus) listed.insert(one.name);
  CHECK(listed.size() >= 90);
  for (const auto& entry : fs::recursive_directory_iterator(corpus_folder()))
    if (entry.path().extension() == ".cu" && entry.path().string().find("/cuda/") == std::string::npos) {
      const std::string name = entry.path().lexically_relative(corpus_folder()).replace_extension();
      INFO(name);
      CHECK(listed.contains(name));
    }
}

TEST_CASE("hostile submissions get the expected results and affect no others: a selection") {
  std::vector<Hostile> corpus = hostile_corpus();
  std::erase_if(corpus, [](const Hostile& one) { return !one.is_fast; });
  grade_and_check(corpus);
}

TEST_CASE("hostile submissions get the expected results and affect no others: all of them", "[corpus]") {
  std::vector<Hostile> part;
  std::size_t number = 0;
  for (Hostile& one : hostile_corpus())
    if (is_in_corpus_part(number++)) part.push_back(std::move(one));
  grade_and_check(part);
}
