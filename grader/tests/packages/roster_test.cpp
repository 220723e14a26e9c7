#include "packages/roster.hpp"

#include "catch.hpp"

namespace roster_test {

using namespace grader;
using testing::contains;

namespace {

// As Gradescope writes it: Ruby's symbols, results of an autograder with what programs printed.
constexpr const char* kExport = R"(---
submission_11:
  :submitters:
  - :name: Jane Doe
    :sid: '00123'
    :email: jane@example.edu
  - :name: "Ben: \"B\" O\u00ef"
    :sid: '124'
    :email: ben@example.edu
  :created_at: 2021-02-03 04:05:06.000000000 Z
  :score: 10.0
  :status: processed
  :results:
    tests:
    - name: t
      output: |
        submission_99:
          :submitters:
          - :name: Mallory
  :history:
  - :id: 10
    :created_at: 2021-02-01 00:00:00.000000000 Z
submission_12:
  :submitters: []
)";

}  // namespace

TEST_CASE("a roster names the authors of each folder, and contains no output of programs") {
  const auto roster = parse_roster(kExport);
  REQUIRE(roster);
  REQUIRE(roster->contains("submission_11"));
  CHECK_FALSE(roster->contains("submission_99"));
  const RosterEntry& entry = roster->at("submission_11");
  REQUIRE(entry.people.size() == 2);
  CHECK(entry.people[0] == Identity{.name = "Jane Doe", .email = "jane@example.edu", .sis_id = "00123"});
  CHECK(entry.people[1].name == "Ben: \"B\" Oï");
  CHECK(entry.submitted_at == "2021-02-03 04:05:06.000000000 Z");
}

TEST_CASE("a roster is unchanged by its JSON form") {
  const auto roster = parse_roster(kExport);
  REQUIRE(roster);
  const auto back = read_roster_json(roster_json(*roster));
  REQUIRE(back);
  CHECK(back->at("submission_11").people == roster->at("submission_11").people);
  CHECK(back->at("submission_11").submitted_at == roster->at("submission_11").submitted_at);
}

TEST_CASE("a file that is not a roster gives an error or an empty roster") {
  CHECK_FALSE(parse_roster("a: [1, 2"));
  CHECK_FALSE(parse_roster(std::string("a: \x01")));
  CHECK_FALSE(parse_roster(std::string(3000, '[')));
  CHECK(parse_roster("")->empty());
  CHECK(parse_roster("- just\n- a list\n")->empty());
  CHECK(parse_roster("a: &x [1]\nb: *x\n")->empty());
  for (const char* json : {"", "[]", "{", R"({"a": 1})", R"({"a": {"people": 1}})"})
    CHECK_FALSE(read_roster_json(json));
}

TEST_CASE("aliases are not expanded") {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  CHECK(parse_roster(bomb)->empty());
}

}  // namespace roster_test
