// Grades right programs with unusual ideas as one class: every one gets full marks, with every front end.
// nvcc_only.json lists those that use what clang does not have, by the name of the function
// (handout/student/virtual-gpu.md, "With clang").
#include <set>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "toolchain/front_end.hpp"

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace accepted_test {
namespace {

fs::path corpus() { return source_folder() / "grader" / "tests" / "accepted"; }

struct Right {
  std::string lab, name;
  std::string id() const { return lab.substr(0, 2) + "-" + name; }
};

std::vector<Right> programs() {
  std::vector<Right> all;
  for (const auto& entry : fs::recursive_directory_iterator(corpus()))
    if (entry.path().extension() == ".cu")
      all.push_back({entry.path().parent_path().filename(), entry.path().stem()});
  std::sort(all.begin(), all.end(),
            [](const Right& one, const Right& other) { return one.id() < other.id(); });
  return all;
}

std::vector<Right> part_of_programs() {
  std::vector<Right> part;
  std::size_t number = 0;
  for (Right& one : programs())
    if (is_in_corpus_part(number++)) part.push_back(std::move(one));
  return part;
}

Json nvcc_only() { return Json::parse(text_of(corpus() / "nvcc_only.json")).at("files"); }

/// The result of each submission, after one run over all of them.
std::map<std::string, Json> grade(const std::vector<Right>& all, const std::string& front_end) {
  const grader::TemporaryFolder folder("accepted");
  for (const Right& one : all) {
    const Json lab = Json::parse(text_of(source_folder() / "labs" / one.lab / "lab.json"));
    const std::string source = lab.at("sources").at(0);
    write(folder.path() / "class" / one.id() / one.lab / source,
          text_of(corpus() / one.lab / (one.name + ".cu")));
  }
  const fs::path out = folder.path() / "out";
  const Ended ended =
      warpgrade({"grade", (folder.path() / "class").string(), "--out", out.string(), "--device", "virtual",
                 "--jobs", "2", "--time-limit", "60", "--front-end", front_end});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  std::map<std::string, Json> results;
  const Json summary = Json::parse(text_of(out / "summary.json"));
  for (const Json& row : summary.at("results"))
    results[row.at("submission")] = Json::parse(text_of(out / row.at("file").get<std::string>()));
  return results;
}

/// The codes and headlines of what did not pass.
std::string failures(const Json& result) {
  std::string text;
  for (const Json& check : result.at("checks"))
    for (const Json& diagnostic : check.at("diagnostics"))
      text += check.at("id").get<std::string>() + ": " + diagnostic.at("code").get<std::string>() + " " +
              diagnostic.at("what").get<std::string>() + "\n";
  return text;
}

void check_all(grader::FrontEndKind kind, const std::string& name) {
  if (!grader::find_front_end(kind)) {
    WARN("skipped: " << name << " is not installed");
    return;
  }
  const std::vector<Right> all = part_of_programs();
  const auto results = grade(all, name);
  const Json missing_in_clang = nvcc_only();
  for (const Right& one : all) {
    INFO(one.id() << " of " << results.size() << " results");
    REQUIRE(results.contains(one.id()));
    const Json& result = results.at(one.id());
    INFO(one.lab << "/" << one.name << " with " << name << "\n" << failures(result));
    const std::string file = one.lab + "/" + one.name;
    if (kind == grader::FrontEndKind::clang && missing_in_clang.contains(file)) {
      CHECK(result.at("verdict") == "compile_error");
      CHECK(failures(result).find(missing_in_clang.at(file).get<std::string>()) != std::string::npos);
      continue;
    }
    CHECK(result.at("verdict") == "accepted");
    CHECK(result.at("score") == result.at("max_score"));
  }
}

}  // namespace

TEST_CASE("there are many right programs, six or more for each lab, and each states its idea") {
  std::map<std::string, int> by_lab;
  for (const Right& one : programs()) {
    ++by_lab[one.lab];
    INFO(one.id());
    CHECK(text_of(corpus() / one.lab / (one.name + ".cu")).starts_with("// Idea: "));
  }
  CHECK(programs().size() >= 40);
  for (const auto& entry : fs::directory_iterator(source_folder() / "labs"))
    if (fs::exists(entry.path() / "lab.json")) CHECK(by_lab[entry.path().filename()] >= 6);
  const Json only = nvcc_only();
  for (const auto& [file, _] : only.items()) CHECK(fs::exists(corpus() / (file + ".cu")));
}

TEST_CASE("right programs get full marks with nvcc", "[corpus]") {
  check_all(grader::FrontEndKind::nvcc, "nvcc");
}

TEST_CASE("right programs get full marks with clang", "[corpus]") {
  check_all(grader::FrontEndKind::clang, "clang");
}

}  // namespace accepted_test
