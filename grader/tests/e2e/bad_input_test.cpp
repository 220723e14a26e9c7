// Bad submissions: each gets its verdict and a clear diagnostic, and none touches the others' results.
#include <set>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"

using namespace testing;
using Json = nlohmann::json;

namespace {

struct Bad {
  std::string name, verdict;
  std::set<std::string> codes;
};

const std::vector<Bad> kBad = {
    {"missing", "rejected", {"WG-S10"}},
    {"empty", "compile_error", {"WG-C08"}},
    {"binary", "compile_error", {"WG-C07"}},
    {"does_not_compile", "compile_error", {"WG-C01"}},
    {"endless_kernel", "time_limit", {"WG-H04"}},
    {"endless_host_loop", "time_limit", {"WG-H03"}},
    {"host_crash", "runtime_error", {"WG-H01"}},
    {"out_of_bounds", "runtime_error", {"WG-M02"}},
    {"divergent_barrier", "runtime_error", {"WG-B01", "WG-B02"}},
    {"fork_bomb", "time_limit", {"WG-H03"}},
    {"memory_hog", "memory_limit", {"WG-H05"}},
    {"output_flood", "output_limit", {"WG-H06"}},
    {"exit_in_constructor", "runtime_error", {"WG-H02"}},
    {"fake_json", "wrong_answer", {"WG-H12", "WG-V02"}},
    {"fake_answer", "runtime_error", {"WG-H09"}},
};

void add(const ClassFixture& fixture, const Bad& bad) {
  if (bad.name == "missing")
    write(fixture.submissions() / bad.name / "notes.txt", "the file was forgotten");
  else if (bad.name == "binary")
    write(fixture.submissions() / bad.name / "tiled_matmul.cu", std::string("\x7f"
                                                                            "ELF\0\1\2\3",
                                                                            8));
  else
    fixture.add(bad.name, bad_input(bad.name));
}

}  // namespace

TEST_CASE("every bad submission gets its verdict and no points, the good one among them full marks",
          "[slow]") {
  const ClassFixture fixture;
  for (const Bad& bad : kBad) add(fixture, bad);
  fixture.add("good", solution());
  const Ended ended = fixture.grade({});
  INFO(ended.out);
  INFO(ended.err);
  CHECK(ended.code == 0);

  const Json summary = Json::parse(text_of(fixture.out() / "summary.json"));
  REQUIRE(summary["results"].size() == kBad.size() + 1);
  std::map<std::string, Json> rows;
  for (const Json& row : summary["results"]) rows[row["submission"]] = row;
  for (const Bad& bad : kBad) {
    INFO(bad.name << ": " << rows[bad.name].dump());
    CHECK(rows[bad.name]["verdict"] == bad.verdict);
    CHECK(rows[bad.name]["score"] == 0);
    CHECK((rows[bad.name]["code"].is_string() && bad.codes.contains(rows[bad.name]["code"])));
  }
  CHECK(rows["good"]["score"] == 100);
}

TEST_CASE("a result among bad submissions is the one it gets alone", "[slow]") {
  const ClassFixture alone, together;
  alone.add("good", solution());
  together.add("good", solution());
  for (const char* name : {"host_crash", "fake_answer", "exit_in_constructor"})
    together.add(name, bad_input(name));
  CHECK(alone.grade({}).code == 0);
  CHECK(together.grade({"--jobs", "2", "--time-limit", "5"}).code == 0);
  const auto file = std::filesystem::path("results") / "good" / "02-tiled-matmul.json";
  CHECK(without_provenance(alone.out() / file) == without_provenance(together.out() / file));
}
