// Tests the schemas of the kit's output files with examples: each is valid, and each small change makes it
// invalid.
#include <fstream>

#include "catch.hpp"
#include "schema_check.hpp"

namespace schema_examples_test {

namespace {

using Json = nlohmann::json;
using testing::SchemaCheck;

const std::string kHash(64, 'a');

Json result() {
  return Json::parse(R"({
    "schema": "warpgrade.result/1", "submission": "alice", "lab": "02-tiled-matmul", "status": "graded",
    "verdict": "runtime_error", "score": 20, "max_score": 100,
    "checks": [
      {"id": "tiling/square-64", "task": "tiling", "status": "pass", "points": 4, "max_points": 4,
       "device": "virtual", "verdict": "accepted", "skip_reason": null, "diagnostics": []},
      {"id": "boundary/one", "task": "boundary", "status": "fail", "points": 0, "max_points": 3,
       "verdict": "runtime_error", "skip_reason": null, "diagnostics": [
         {"code": "WG-M01", "severity": "error", "what": "`k` reads past the end of `M`", "where": {"file": "a.cu", "line": 31},
          "source_line": "x = M[i];", "first": "index 1", "count": 16, "likely_cause": null, "try": "guard it"}]},
      {"id": "traffic/a@b", "task": "traffic", "status": "pass", "points": 1, "max_points": 4,
       "cap": {"share": 0.25, "task": "boundary"}, "verdict": "accepted", "skip_reason": null, "diagnostics": []},
      {"id": "speed/square-256", "task": "speed", "status": "skip", "points": 0, "max_points": 20,
       "verdict": null, "skip_reason": "needs: boundary", "diagnostics": []}],
    "performance": [
      {"case": "square-256", "baseline_s": 0.003, "student_s": 0.001, "reference_s": null, "speedup": 3,
       "threshold": {"full": 3.5, "half": 2}, "interval": [2.9, 3.1], "verdict": "fail"}],
    "counters": {"square-256": {"barriers": 256, "kernel_s": 0.001}},
    "provenance": {
      "grader_version": "0.1.0", "rubric_sha256": "HASH", "facts_sha256": "HASH", "source_sha256": null,
      "inputs": {"one": {"seed": 6, "sha256": "HASH", "facts_sha256": "HASH"}, "two": {"seed": null, "sha256": "HASH", "facts_sha256": "HASH"}},
      "seed_file": "0123456789abcdef", "front_end": "nvcc", "compiler": "nvcc 13.0.88",
      "device": "both", "profile": "lecture", "gpu": "NVIDIA H200", "clock_hz": 1465000000, "time_limit_s": 20, "sandbox": "bubblewrap 0.8.0",
      "attempts": 1, "hung_case": null,
      "started": "2026-01-01T10:00:00Z", "finished": "2026-01-01T10:00:01.250Z"}
  })");
}

Json with_hashes(Json document) {
  document["provenance"]["rubric_sha256"] = document["provenance"]["facts_sha256"] = kHash;
  for (auto& input : document["provenance"]["inputs"]) input["sha256"] = input["facts_sha256"] = kHash;
  return document;
}

Json summary() {
  return Json::parse(R"({
    "schema": "warpgrade.summary/1", "labs": ["02-tiled-matmul"], "interrupted": false, "expected": 2,
    "statuses": {"graded": 1, "rejected": 1, "grader_fault": 0}, "verdicts": {"accepted": 1, "rejected": 1},
    "results": [
      {"submission": "alice", "lab": "02-tiled-matmul", "status": "graded", "verdict": "accepted", "score": 100,
       "max_score": 100, "code": null, "what": null, "file": "results/alice/02-tiled-matmul.json"},
      {"submission": "bob", "lab": "02-tiled-matmul", "status": "rejected", "verdict": "rejected", "score": 0,
       "max_score": 100, "code": "WG-S01", "what": "no source", "file": "results/bob/02-tiled-matmul.json"}]
  })");
}

Json lecture_profile() {
  std::ifstream file(std::string(WARPGRADE_SOURCE_DIR) + "/grader/vgpu/model/lecture.json");
  return Json::parse(file);
}

struct Change {
  std::string pointer;
  Json value;
};

/// Every change makes the document invalid, and so does every missing or additional key at the top level.
void check_schema(const std::string& name, const Json& document, const std::vector<Change>& changes) {
  const SchemaCheck schema = SchemaCheck::of(name);
  for (const std::string& problem : schema.problems(document)) FAIL_CHECK(name << " " << problem);
  for (const auto& [pointer, value] : changes) {
    Json changed = document;
    changed[Json::json_pointer(pointer)] = value;
    INFO(name << " " << pointer << " " << value);
    CHECK_FALSE(schema.problems(changed).empty());
  }
  for (const auto& [key, value] : document.items()) {
    if (schema.is_optional(key)) continue;
    Json shorter = document;
    shorter.erase(key);
    INFO(name << " without " << key);
    CHECK_FALSE(schema.problems(shorter).empty());
  }
}

TEST_CASE("the schema of result.json accepts the example and refuses changes") {
  check_schema("result.schema.json", with_hashes(result()),
               {{"/schema", "warpgrade.result/2"},
                {"/extra", 1},
                {"/verdict", "fine"},
                {"/status", "done"},
                {"/score", -1},
                {"/score", "20"},
                {"/checks/0/status", "ok"},
                {"/checks/0/verdict", 3},
                {"/checks/0/extra", 1},
                {"/checks/2/cap", 0.25},
                {"/checks/2/cap/share", 1},
                {"/checks/2/cap/share", 0},
                {"/checks/2/cap/task", ""},
                {"/checks/1/diagnostics/0/code", "WG-X01"},
                {"/checks/1/diagnostics/0/code", "WG-M1"},
                {"/checks/1/diagnostics/0/where", "a.cu"},
                {"/checks/1/diagnostics/0/where/line", -1},
                {"/performance/0/interval", {1}},
                {"/performance/0/verdict", "skip"},
                {"/performance/0/threshold/full", 0},
                {"/counters/square-256/barriers", "many"},
                {"/checks/0/device", "gpu"},
                {"/provenance/device", "gpu"},
                {"/provenance/gpu", ""},
                {"/provenance/source_sha256", "abc"},
                {"/provenance/started", "yesterday"}});
}

TEST_CASE("the schema of answers.json accepts what is read, and refuses changes") {
  const Json answers = Json::parse(
      R"({"schema": "warpgrade.answers/1", "lab": "02-tiled-matmul", "name": "alice", "answers": {"a": 1, "b": "c", "d": null}})");
  check_schema("answers.schema.json", answers,
               {{"/schema", "warpgrade.answers/2"},
                {"/lab", "../x"},
                {"/name", ""},
                {"/answers/a", true},
                {"/answers/a", Json::array()},
                {"/more", 1}});
}

TEST_CASE("the schema of summary.json accepts the example and refuses changes") {
  check_schema("summary.schema.json", summary(),
               {{"/statuses/lost", 1},
                {"/verdicts/fine", 1},
                {"/results/0/score", nullptr},
                {"/results/1/code", "S01"}});
}

TEST_CASE("the schema of profiles accepts the lecture GPU and refuses changes") {
  check_schema(
      "profile.schema.json", lecture_profile(),
      {{"/clock_hz", 0}, {"/sm_count", 1.5}, {"/max_threads_per_block", 2048}, {"/colour", "green"}});
}

}  // namespace

}  // namespace schema_examples_test
