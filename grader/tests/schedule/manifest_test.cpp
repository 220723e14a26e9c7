#include "schedule/manifest.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "schedule/class_made_up.hpp"
#include "schema_check.hpp"

namespace manifest_test {

using namespace grader;
using namespace testing;

namespace {

const std::string kSha(64, 'a');

Manifest manifest() {
  Manifest made;
  made.settings = made_up_settings({made_up_lab()});
  made.settings.rubrics["02-tiled-matmul"] = kSha;
  made.items = {
      {"alice", "alice", "02-tiled-matmul", kSha, std::nullopt},
      {"cleo", "cleo", "02-tiled-matmul", kSha, std::nullopt, std::nullopt,
       ReceiptFacts{"", "2026-01-31T10:05:00Z", "0.1.0", 87.5, 100.0, true}},
      {"dan", "dan", "02-tiled-matmul", kSha, std::nullopt, std::nullopt, ReceiptFacts{"is not JSON"}},
      {"bob \"x\"", "_bob-1", "02-tiled-matmul", "", diagnose("WG-S10", "it is missing", "hand it in")}};
  return made;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("a manifest fits its schema and reads back to the same bytes") {
  const std::string text = manifest_json(manifest());
  CHECK(SchemaCheck::of("manifest.schema.json").problems(nlohmann::json::parse(text)).empty());
  const auto read = parse_manifest(text);
  REQUIRE(read);
  CHECK(manifest_json(*read) == text);
  CHECK(read->items == manifest().items);
  CHECK(read->settings == manifest().settings);
}

TEST_CASE("answers to questions are part of the items that have them, and of what a result is for") {
  Manifest made = manifest();
  made.items[0].answers = {kSha, "", {"alice", "u17"}};
  made.items[1].answers = {"", "answers.json is a symbolic link", {"bob"}};
  const std::string text = manifest_json(made);
  CHECK(SchemaCheck::of("manifest.schema.json").problems(nlohmann::json::parse(text)).empty());
  CHECK(parse_manifest(text)->items == made.items);
  CHECK_FALSE(parse_manifest(replaced(text, "\"sha256\": \"" + kSha, "\"sha256\": \"../x")));

  Result result{"alice", "02-tiled-matmul", {}, {}};
  result.provenance.source_sha256 = kSha;
  CHECK_THAT(mismatch(made.settings, made.items[0], result), contains("other answers"));
  result.questions.emplace().answers_sha256 = kSha;
  CHECK_THAT(mismatch(made.settings, made.items[0], result), !contains("answers"));
  result.questions->answers_sha256 = std::string(64, 'b');
  CHECK_THAT(mismatch(made.settings, made.items[0], result), contains("other answers"));
}

TEST_CASE("a manifest that is truncated, of another schema, or leads out of its folder is not read") {
  const std::string text = manifest_json(manifest());
  CHECK_FALSE(parse_manifest(text.substr(0, text.size() / 2)));
  CHECK_FALSE(parse_manifest(replaced(text, "manifest/1", "manifest/2")));
  for (const char* name : {"../alice", "a/b", ".", "", "/etc"})
    CHECK_FALSE(
        parse_manifest(replaced(text, "\"folder\": \"alice\"", std::string("\"folder\": \"") + name + "\"")));
  CHECK_FALSE(
      parse_manifest(replaced(text, "\"source_sha256\": \"" + kSha + "\"", "\"source_sha256\": null")));
}

TEST_CASE("a folder without a manifest has none, a broken one is a WG-G35") {
  const TemporaryFolder folder("manifest");
  const auto none = read_manifest(folder.path());
  REQUIRE(none);
  CHECK_FALSE(*none);
  REQUIRE(write_file_atomically(folder.path() / "manifest.json", "{"));
  const auto broken = read_manifest(folder.path());
  REQUIRE_FALSE(broken);
  CHECK(broken.error().code == "WG-G35");
}

TEST_CASE("a result by a grader that was built from other sources does not count for the run") {
  RunSettings settings;
  settings.grader_version = "0.1.0+3f2a9c1d04b7";
  Result result;
  result.submission = "ada";
  result.lab = "00-warm-up";
  result.provenance.grader_version = settings.grader_version;
  const WorkItem item{"ada", "ada", "00-warm-up", "", {}};
  settings.rubrics["00-warm-up"] = result.provenance.rubric_sha256;
  CHECK(mismatch(settings, item, result).empty());
  result.provenance.grader_version = "0.1.0+000000000000";
  CHECK(mismatch(settings, item, result) ==
        "the grader's version is 0.1.0+000000000000 but was 0.1.0+3f2a9c1d04b7");
}

TEST_CASE("a run on both devices names the real GPU, other runs have no such key") {
  CHECK(manifest_json(manifest()).find("\"gpu\"") == std::string::npos);
  Manifest both = manifest();
  both.settings.device = "both";
  both.settings.gpu = "NVIDIA H200";
  const auto read = parse_manifest(manifest_json(both));
  REQUIRE(read);
  CHECK(read->settings == both.settings);
  Manifest now = both;
  now.settings.gpu = "NVIDIA H100";
  CHECK(differences(both, now) ==
        std::vector<std::string>{"the real GPU is NVIDIA H100 but was NVIDIA H200"});
}

TEST_CASE("differences between two manifests are reported by name") {
  Manifest now = manifest();
  CHECK(differences(manifest(), now).empty());
  now.settings.device = "cuda";
  now.settings.rubrics["02-tiled-matmul"] = std::string(64, 'b');
  now.items.front().source_sha256 = std::string(64, 'c');
  now.items.pop_back();
  CHECK(differences(manifest(), now) ==
        std::vector<std::string>{"the device is cuda but was virtual",
                                 "lab.json of 02-tiled-matmul has changed",
                                 "alice's file for 02-tiled-matmul has changed",
                                 "bob \"x\"'s file for 02-tiled-matmul is not graded any more"});
}

}  // namespace manifest_test
