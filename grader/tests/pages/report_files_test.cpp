#include "pages/report_files.hpp"

#include <fstream>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"
#include "pages/sample_report.hpp"
#include "report/sample.hpp"

namespace report_files_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;
namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

ClassResults class_with(const std::vector<std::string>& sources) {
  ReportInput input;
  for (const std::string& source : sources) add_submission(input, "s" + source, accepted_result(), source);
  return input.all;
}

TEST_CASE("sources are read if they have the digest of the result and are regular files") {
  const TemporaryFolder folder("sources");
  const auto path = [&](const std::string& source) { return folder.path() / "sources" / sha256_hex(source); };
  write(path("right"), "right");
  write(path("changed"), "other bytes");
  fs::create_symlink(path("right"), path("link"));
  auto all = class_with({"right", "changed", "link", "missing"});
  all.submissions[3].results[0].provenance.source_sha256 = "../../etc/passwd";
  const auto sources = read_sources(folder.path(), all);
  REQUIRE(sources.size() == 1);
  CHECK(sources.begin()->second == "right");
}

TEST_CASE("similar pairs are read with their longest match") {
  const TemporaryFolder folder("similar");
  const auto complaint = [&](const std::string& json) {
    write(folder.path() / "similarity.json", json);
    const auto read = read_similarity(folder.path());
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == "WG-G55");
    return read.error().what;
  };
  const std::string start =
      R"({"schema": "warpgrade.similarity/1", "labs": [{"lab": "02", "threshold": 0.6, "pairs": [)";
  write(folder.path() / "similarity.json",
        start + R"({"first": "a", "second": "<b>", "similarity": 0.7, "shared_fingerprints": 3, "fragments": [
          {"first": [1, 3], "second": [5, 7], "tokens": 9}, {"first": [10, 30], "second": [11, 31], "tokens": 9}]},
          {"first": "a", "second": "c", "similarity": 0.5, "shared_fingerprints": 3, "fragments": []}]}]})");
  const auto pairs = read_similarity(folder.path());
  REQUIRE(pairs.has_value());
  REQUIRE(pairs->size() == 2);
  CHECK(pairs->at(0).second == "<b>");
  CHECK(pairs->at(0).is_marked);
  CHECK(pairs->at(0).longest->lines == 21);
  CHECK(pairs->at(0).longest->second_line == 11);
  CHECK_FALSE(pairs->at(1).is_marked);
  CHECK_FALSE(pairs->at(1).longest);
  CHECK_THAT(complaint("{"), contains("truncated or damaged"));
  CHECK_THAT(complaint(start + R"({"first": 1}]}]})"), contains("labs[0].pairs[0].first"));
  CHECK_THAT(complaint(R"({"schema": "warpgrade.similarity/9", "labs": []})"), contains("schema"));
}

TEST_CASE("only regular files that are PNG or SVG count as pictures") {
  const TemporaryFolder folder("pictures");
  const auto all = class_with({"x"});
  const fs::path place = folder.path() / all.submissions[0].file_name / "02-tiled-matmul";
  write(place / "b.png", "\x89PNG\r\n\x1a\n");
  write(place / "a.svg", "<svg></svg>");
  write(place / "fake.png", "GIF89a");
  write(place / "page.html", "<svg></svg>");
  write(folder.path() / "large", "\x89PNG\r\n" + std::string(3U << 20U, 'x'));
  fs::copy_file(folder.path() / "large", place / "large.png");
  fs::create_symlink(place / "b.png", place / "link.png");
  const auto pictures = read_pictures(folder.path(), all);
  REQUIRE(pictures.size() == 1);
  REQUIRE(pictures.begin()->second.files.size() == 2);
  CHECK(pictures.begin()->second.files[0].name == "a.svg");
  CHECK(pictures.begin()->second.files[1].name == "b.png");
  CHECK_FALSE(pictures.begin()->second.lines);
  CHECK(pictures.begin()->second.lines_problem.empty());
}

TEST_CASE("counters of lines are read next to the pictures, and a bad file is a reported problem") {
  const TemporaryFolder folder("counters");
  const auto all = class_with({"x"});
  const fs::path file =
      folder.path() / all.submissions[0].file_name / "02-tiled-matmul" / "line-counters.json";
  const auto read = [&] { return read_pictures(folder.path(), all).begin()->second; };
  const FileLineCounters counters{"tiled_matmul.cu", sha256_hex("x"), "one", {{1, 100, 32.0, {}, {}, {}}}};
  write(file, line_counters_json(counters));
  CHECK(read().lines == counters);
  write(file, "{}");
  CHECK_FALSE(read().lines);
  CHECK_THAT(read().lines_problem, contains("schema"));
  write(file, std::string(kMaxLineCountersBytes + 1, ' '));
  CHECK_THAT(read().lines_problem, contains("bytes"));
  fs::rename(file, folder.path() / "elsewhere.json");
  fs::create_symlink(folder.path() / "elsewhere.json", file);
  CHECK_THAT(read().lines_problem, contains("link"));
}

}  // namespace report_files_test
