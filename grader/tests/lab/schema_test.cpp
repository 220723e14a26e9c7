#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "lab/distribution.hpp"
#include "lab/lab_fixture.hpp"
#include "schema_check.hpp"

namespace schema_test {

namespace {

namespace fs = std::filesystem;
using testing::Json;
using testing::SchemaCheck;
using testing::small_lab;

const SchemaCheck& lab_schema() {
  static const SchemaCheck schema = SchemaCheck::of("lab.schema.json");
  return schema;
}

bool is_valid(const Json& lab) { return lab_schema().problems(nlohmann::json(lab)).empty(); }

bool loads(const Json& lab) {
  const testing::LabFolder folder(lab);
  return grader::load_lab(folder.path()).has_value();
}

/// The keys that the loader lists if there is an unknown key at `pointer`.
std::set<std::string> keys_of_loader(const std::string& pointer) {
  Json lab = small_lab();
  lab[Json::json_pointer(pointer)]["zzzzzzzz"] = 1;
  const testing::LabFolder folder(lab);
  std::string what = grader::load_lab(folder.path()).error().what;
  what = what.substr(what.find("known: ") + 7);
  what.pop_back();
  std::set<std::string> keys;
  for (std::size_t start = 0; start < what.size();) {
    const std::size_t end = std::min(what.find(", ", start), what.size());
    keys.insert(what.substr(start, end - start));
    start = end + 2;
  }
  return keys;
}

std::set<std::string> keys_of_schema(const std::string& pointer) {
  std::set<std::string> keys;
  const auto& object = lab_schema().schema().at(nlohmann::json::json_pointer(pointer));
  for (const auto& [key, value] : object.at("properties").items()) keys.insert(key);
  return keys;
}

TEST_CASE("the loader and the schema of lab.json know the same keys") {
  CHECK(keys_of_loader("") == keys_of_schema(""));
  CHECK(keys_of_loader("/questions/0") == keys_of_schema("/$defs/question"));
  CHECK(keys_of_loader("/tasks/0") == keys_of_schema("/$defs/task"));
  CHECK(keys_of_loader("/tasks/1/objectives/0") == keys_of_schema("/$defs/objective"));
  CHECK(keys_of_loader("/tasks/2/speedup") == keys_of_schema("/$defs/speedup"));
  CHECK(keys_of_loader("/tasks/2/speedup/case") == keys_of_schema("/$defs/speedup/properties/case/oneOf/1"));
  CHECK(keys_of_loader("/tasks/2/speedup/cuda") == keys_of_schema("/$defs/threshold"));
  CHECK(keys_of_loader("/cases/odd") == keys_of_schema("/$defs/case"));
  CHECK(keys_of_loader("/cases/odd/device") == keys_of_schema("/$defs/case/properties/device"));
}

TEST_CASE("the loader and the schema allow the same words and limits") {
  const auto& one_case = lab_schema().schema()["$defs"]["case"]["properties"];
  CHECK(one_case["distribution"]["enum"] == grader::distributions());
  const SchemaCheck datasets = SchemaCheck::of("datasets.schema.json");
  CHECK(datasets.schema()["$defs"]["array"]["properties"]["distribution"]["enum"] == grader::distributions());
  for (const grader::DeviceLimit& limit : grader::device_limits()) {
    CHECK(one_case["device"]["properties"][limit.name]["minimum"] == limit.least);
    CHECK(one_case["device"]["properties"][limit.name]["maximum"] == limit.most);
  }
}

TEST_CASE("the loader refuses everything that the schema refuses") {
  REQUIRE(is_valid(small_lab()));
  REQUIRE(loads(small_lab()));
  const std::vector<std::pair<std::string, Json>> mistakes{{"/schema", "x"},
                                                           {"/id", "A B"},
                                                           {"/title", ""},
                                                           {"/sources/0", "a/b.cu"},
                                                           {"/tasks/0/points", -1},
                                                           {"/tasks/0/cases", {"odd", "odd"}},
                                                           {"/tasks/1/objectives/0/naive", "none"},
                                                           {"/tasks/2/speedup/case", 3},
                                                           {"/tasks/2/speedup/virtual/full", 0},
                                                           {"/cases/odd/seed", 0.5},
                                                           {"/cases/odd/workload/m", "three"},
                                                           {"/cases/odd/device/max_threads_per_block", 0},
                                                           {"/cases/Odd", small_lab()["cases"]["odd"]}};
  for (const auto& [pointer, value] : mistakes) {
    Json lab = small_lab();
    lab[Json::json_pointer(pointer)] = value;
    INFO(pointer);
    CHECK_FALSE(is_valid(lab));
    CHECK_FALSE(loads(lab));
  }
}

TEST_CASE("every lab.json of the kit conforms to the schema") {
  for (const auto& entry : fs::directory_iterator(fs::path(WARPGRADE_SOURCE_DIR) / "labs")) {
    std::ifstream file(entry.path() / "lab.json");
    if (!file) continue;
    for (const std::string& problem : lab_schema().problems(nlohmann::json::parse(file))) FAIL_CHECK(problem);
  }
}

TEST_CASE("the schemas use only keywords that the validator knows, and the validator is strict") {
  for (const auto& entry : fs::directory_iterator(fs::path(WARPGRADE_SOURCE_DIR) / "grader/schema")) {
    const SchemaCheck schema = SchemaCheck::of(entry.path().filename().string());
    CHECK_FALSE(schema.problems(nlohmann::json::object()).empty());
  }
  const nlohmann::json unknown{{"maxProperties", 3}};
  CHECK_THROWS(SchemaCheck(unknown).problems(nlohmann::json::object()));
}

}  // namespace

}  // namespace schema_test
