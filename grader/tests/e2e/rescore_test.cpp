// A new lab.json applied to existing results gives exactly the bytes of a fresh run, without running
// submissions.
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/class_fixture.hpp"

namespace rescore_test {

using namespace testing;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLab = "02-tiled-matmul";

/// The real kit with its own copy of one lab.
class Kit {
 public:
  Kit() : folder_("kit") {
    for (const char* part : {"grader", "solutions", "handout", "datasets"})
      fs::create_directory_symlink(source_folder() / part, folder_.path() / part);
    fs::copy(source_folder() / "labs", folder_.path() / "labs", fs::copy_options::recursive);
  }
  void change(const std::function<void(Json& lab)>& how) const {
    Json lab = Json::parse(text_of(source_folder() / "labs" / kLab / "lab.json"));
    how(lab);
    write(folder_.path() / "labs" / kLab / "lab.json", lab.dump(1));
  }
  Setting setting() const { return {.environment = {{"WARPGRADE_HOME", folder_.path().string()}}}; }

 private:
  grader::TemporaryFolder folder_;
};

/// Correct, wrong in one task, without the required tiles, not built.
void hand_in(const ClassFixture& fixture) {
  const fs::path wrong = source_folder() / "solutions" / kLab / "wrong";
  for (const char* name : {"no_load_guard", "not_tiled"})
    fixture.add(name, wrong / (std::string(name) + ".cu"));
  fixture.add("does_not_compile", bad_input("does_not_compile"));
  fixture.add("right", solution());
}

std::map<std::string, std::string> results(const fs::path& out) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(out / "results")) {
    if (!entry.is_regular_file()) continue;
    Json result = Json::parse(text_of(entry.path()));
    result["provenance"].erase("started");
    result["provenance"].erase("finished");
    found[entry.path().lexically_relative(out).string()] = result.dump(1);
  }
  for (const char* file : {"manifest.json", "summary.json", "gradebook.csv"})
    found[file] = text_of(out / file);
  return found;
}

/// Checks file by file, so that a failure shows which one differs and its first other line.
void check_same(const std::map<std::string, std::string>& now,
                const std::map<std::string, std::string>& fresh) {
  REQUIRE(now.size() == fresh.size());
  for (const auto& [file, text] : fresh) {
    INFO(file);
    REQUIRE(now.contains(file));
    std::istringstream lines(now.at(file)), expected(text);
    std::string line, other;
    while (line == other && (lines || expected)) {
      std::getline(lines, line);
      std::getline(expected, other);
    }
    CHECK(line == other);
  }
}

Json& task(Json& lab, const std::string& id) {
  for (Json& one : lab["tasks"])
    if (one["id"] == id) return one;
  throw std::invalid_argument(id);
}

void drop(Json& lab, const std::string& id) {
  Json kept = Json::array();
  for (const Json& one : lab["tasks"])
    if (one["id"] != id) kept.push_back(one);
  lab["tasks"] = kept;
}

}  // namespace

TEST_CASE("a new rubric on stored results gives the same results as running all again", "[slow]") {
  struct Rubric {
    const char* name;
    std::function<void(Json& lab)> change;
    bool is_all_known;  ///< nothing has to be run
  };
  // Each rubric costs two runs of the class, so it combines changes that do not hide each other.
  const std::vector<Rubric> rubrics = {
      {"points; hidden, in another order; a dropped task; a new need; strict gates",
       [](Json& lab) {
         task(lab, "boundary")["points"] = 37;
         lab["cases"]["one"]["visibility"] = "hidden";
         Json& cases = task(lab, "boundary")["cases"];
         std::reverse(cases.begin(), cases.end());
         for (const Json& name : Json(task(lab, "dynamic")["cases"]))
           lab["cases"].erase(name.get<std::string>());
         for (const Json& objective : Json(task(lab, "dynamic")["objectives"]))
           lab["cases"].erase(objective["case"].get<std::string>());
         drop(lab, "dynamic");
         task(lab, "speed")["needs"] = {"boundary", "traffic"};
         lab["gates"] = "all";
       },
       true},
      {"objective, counter, speed; a need that is gone",
       [](Json& lab) {
         Json& objective = task(lab, "traffic")["objectives"][0];
         objective["at_most"] = 0.2;  // the line of a newly missed objective is not stored
         objective["solution"] = 0.19;
         task(lab, "traffic")["objectives"].push_back({{"counter", "barriers_per_output"},
                                                       {"case", "square-256"},
                                                       {"at_most", 0.001},
                                                       {"naive", 1},
                                                       {"solution", 0.0005},
                                                       {"hint", "fewer"}});
         task(lab, "speed")["speedup"]["virtual"] = {{"full", 4}, {"half", 3}};
         task(lab, "boundary").erase("needs");
       },
       false},
      {"new inputs, larger case",
       [](Json& lab) {
         lab["cases"]["square-64"]["seed"] = 99;
         lab["cases"]["square-32"]["workload"]["m"] = 48;
       },
       false},
  };
  const Kit kit;
  const ClassFixture before;
  hand_in(before);
  // A speed-up that is not measured, because its need is not met, would always be graded again.
  const auto with_speed = [](Json& lab) { task(lab, "speed")["needs"] = {"boundary"}; };
  kit.change(with_speed);
  REQUIRE(before.grade({}, kit.setting()).code == 0);
  for (const Rubric& rubric : rubrics) {
    INFO(rubric.name);
    const ClassFixture fresh, anew;
    hand_in(fresh);
    hand_in(anew);
    fs::copy(before.out(), anew.out(), fs::copy_options::recursive);
    kit.change([&](Json& lab) {
      with_speed(lab);
      rubric.change(lab);
    });
    const Ended whole = fresh.grade({}, kit.setting());
    INFO(whole.err);
    REQUIRE(whole.code == 0);
    const Ended scored = anew.grade({"--only", "changed"}, kit.setting());
    INFO(scored.err);
    REQUIRE(scored.code == 0);
    check_same(results(anew.out()), results(fresh.out()));
    CHECK_THAT(scored.err, contains("were rescored"));
    // Of a program that misses a limit in another case, not all counters are kept: it may be graded again.
    const bool none = scored.err.find("; 0 are graded again") != std::string::npos;
    const bool one = scored.err.find("; 1 are graded again") != std::string::npos;
    CHECK((rubric.is_all_known ? none || one : !none));
    CHECK_THAT(warpgrade({"diff", before.out().string(), anew.out().string()}).out,
               !contains("unknown") && (contains("rubric") || contains("no score differs")));
  }
}

}  // namespace rescore_test
