#include "report/line_counters.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schema_check.hpp"

namespace line_counters_test {

using namespace grader;
using namespace testing;
using Json = nlohmann::ordered_json;

FileLineCounters some_counters() {
  FileLineCounters counters{"tiled_matmul.cu", std::string(64, 'a'), "square-256", {}};
  counters.lines.push_back({12, 62.5, 31.25, PerRequest{32, 4}, PerRequest{1, 1}, 50.0});
  counters.lines.push_back({13, 0, std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  return counters;
}

/// The file with another value at a path such as "/lines/0/line".
std::string with(const std::string& pointer, const Json& value) {
  Json json = Json::parse(line_counters_json(some_counters()));
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

TEST_CASE("line counters fit their schema and read back") {
  const std::string text = line_counters_json(some_counters());
  CHECK(SchemaCheck::of("line-counters.schema.json").problems(nlohmann::json::parse(text)).empty());
  const auto read = parse_line_counters(text);
  REQUIRE(read);
  CHECK(*read == some_counters());
}

TEST_CASE("line counters with values that no profile has are refused, and the message names the place") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "not JSON"},
      {std::string(5000, '['), ""},
      {"[]", ""},
      {with("/schema", "warpgrade.line-counters/2"), "schema"},
      {with("/file", "a\x1b[2J"), "file"},
      {with("/source_sha256", "AA"), "source_sha256"},
      {with("/case", "<script>"), "case"},
      {with("/more", 1), "more"},
      {with("/lines/0/line", 0), "lines[0].line"},
      {with("/lines/0/line", 13), "lines[1].line"},
      {with("/lines/0/warp_instructions_percent", -1), "lines[0].warp_instructions_percent"},
      {with("/lines/0/warp_instructions_percent", nullptr), "lines[0].warp_instructions_percent"},
      {with("/lines/0/active_lanes", 33), "lines[0].active_lanes"},
      {with("/lines/0/global_sectors/per_request", 1e300), "lines[0].global_sectors.per_request"},
      {with("/lines/0/shared_passes", Json::object()), "lines[0].shared_passes"},
      {with("/lines/1/divergent_branches_percent", "<b>"), "lines[1].divergent_branches_percent"},
      {with("/lines", std::vector<Json>(kMaxCountedLines + 1, Json::object())), "too many"},
  };
  for (const auto& [text, place] : bad) {
    INFO(text.substr(0, 200));
    const auto read = parse_line_counters(text);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error(), contains(place));
  }
}

TEST_CASE("the largest file of line counters can be read") {
  FileLineCounters counters = some_counters();
  counters.lines.clear();
  for (std::uint32_t i = 0; i < kMaxCountedLines; ++i)
    counters.lines.push_back({0x70000000 + i, 100.0 / 3, 100.0 / 3.3, PerRequest{100.0 / 3, 100.0 / 7},
                              PerRequest{100.0 / 3, 100.0 / 7}, 200.0 / 3});
  const std::string text = line_counters_json(counters);
  CHECK(text.size() < kMaxLineCountersBytes);
  const auto read = parse_line_counters(text);
  REQUIRE(read);
  CHECK(*read == counters);
}

}  // namespace line_counters_test
