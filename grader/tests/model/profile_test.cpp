// Device profiles: the files that come with the program, and the errors for invalid files.
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schema_check.hpp"
#include "vgpu/model/profile_fields.hpp"

using vgpu::find_profile;
using vgpu::lecture_profile;
using vgpu::parse_profile;

namespace {

nlohmann::json lecture_json() {
  std::ifstream file(WARPGRADE_SOURCE_DIR "/grader/vgpu/model/lecture.json");
  return nlohmann::json::parse(file);
}

std::string error_with(const std::string& key, const nlohmann::json& value) {
  auto document = lecture_json();
  document[key] = value;
  const auto profile = parse_profile(document.dump());
  return profile ? "no error" : profile.error();
}

}  // namespace

TEST_CASE("lecture.json is the default profile: 1,500 GFLOP/s and 200 GB/s") {
  const auto parsed = parse_profile(lecture_json().dump());
  REQUIRE(parsed);
  CHECK((*parsed == lecture_profile()));
  const auto& p = *parsed;
  CHECK(2 * p.lanes_per_sm * p.sm_count * p.clock_hz == Approx(1500e9).epsilon(0.001));
  CHECK(p.dram_bytes_per_s == 200e9);
}

TEST_CASE("the error for an invalid profile names the key and the permitted values") {
  CHECK(error_with("sm_count", 0) == "\"sm_count\" is 0 but should be a whole number from 1 to 4294967295");
  CHECK(error_with("sm_count", -3) == "\"sm_count\" is -3 but should be a whole number from 1 to 4294967295");
  CHECK(error_with("sm_count", 1.5) ==
        "\"sm_count\" is 1.5 but should be a whole number from 1 to 4294967295");
  CHECK(error_with("clock_hz", "fast") == "\"clock_hz\" is \"fast\" but should be a number above 0");
  CHECK(error_with("max_threads_per_block", 2048) ==
        "\"max_threads_per_block\" is 2048 but should be a whole number from 1 to 1024");
  CHECK(error_with("colour", "red") == "\"colour\" is not a key of a profile");
  CHECK(error_with("schema", "warpgrade.lab/1") ==
        "\"schema\" is \"warpgrade.lab/1\" but should be \"warpgrade.profile/1\"");
  auto missing = lecture_json();
  missing.erase("sm_count");
  CHECK(parse_profile(missing.dump()).error() == "\"sm_count\" is missing");
  CHECK(parse_profile("{").error() == "the profile is not valid JSON");
  CHECK(parse_profile("[]").error() == "the profile should be a JSON object");
}

TEST_CASE("the other rates of a profile can be zero or absent, which disables them") {
  CHECK(error_with("kernel_launch_s", 0) == "no error");
  CHECK(error_with("kernel_launch_s", -1) ==
        "\"kernel_launch_s\" is -1 but should be a number of at least 0");
  CHECK(error_with("link_is_full_duplex", 1) == "\"link_is_full_duplex\" is 1 but should be true or false");
  CHECK(error_with("sources", "a book") == "\"sources\" is \"a book\" but should be a list of strings");
  auto small = lecture_json();
  for (const auto& field : vgpu::profile_fields())
    if (!field.required) small.erase(field.key);
  REQUIRE(parse_profile(small.dump()));
  CHECK(parse_profile(small.dump())->kernel_launch_s == 0);
}

TEST_CASE("a profile is found by name or as a file") {
  CHECK(vgpu::profile_names() == std::vector<std::string>{"lecture", "h200"});
  REQUIRE(find_profile("h200"));
  CHECK(find_profile("h200")->sm_count == 132);
  const auto file = find_profile(WARPGRADE_SOURCE_DIR "/grader/vgpu/model/h200.json");
  REQUIRE(file);
  CHECK((*file == *find_profile("h200")));
  CHECK(find_profile("h300").error() ==
        "there is no device profile and no file \"h300\"; give one of lecture, h200, or a JSON file");
  CHECK(find_profile(WARPGRADE_SOURCE_DIR "/grader/CMakeLists.txt").error() == WARPGRADE_SOURCE_DIR
        "/grader/CMakeLists.txt: the profile is not valid JSON");
}

TEST_CASE("the schema has exactly the keys of the table, and every profile is valid") {
  const auto schema = testing::SchemaCheck::of("profile.schema.json");
  std::set<std::string> keys{"schema"};
  for (const auto& field : vgpu::profile_fields()) {
    keys.insert(field.key);
    INFO(field.key);
    CHECK(schema.is_optional(field.key) == !field.required);
  }
  std::set<std::string> properties;
  for (const auto& [key, rule] : schema.schema()["properties"].items()) properties.insert(key);
  CHECK(properties == keys);
  for (const std::string& name : vgpu::profile_names()) {
    std::ifstream file(WARPGRADE_SOURCE_DIR "/grader/vgpu/model/" + name + ".json");
    CHECK(schema.problems(nlohmann::json::parse(file)).empty());
  }
}
