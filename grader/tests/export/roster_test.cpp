#include "export/roster.hpp"

#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"
#include "export/sample_class.hpp"

using namespace grader;
using namespace testing;

namespace {

class RosterFile {
 public:
  explicit RosterFile(const std::string& text) : folder_("roster") {
    std::ofstream(path(), std::ios::binary) << text;
  }
  std::filesystem::path path() const { return folder_.path() / "roster.csv"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a gradebook exported from Canvas is a roster") {
  const RosterFile file(
      "\xEF\xBB\xBFStudent,ID,SIS User ID,SIS Login ID,Section,Lab 2 (1)\r\n"
      "    Points Possible,,,,,100\r\n"
      "\"Doe, Alice\",7,S7,alice,A,\r\n");
  const auto roster = read_roster(file.path(), "sis login id");
  REQUIRE(roster.has_value());
  CHECK(*roster ==
        Roster{{"alice",
                {.name = "Doe, Alice", .lms_id = "7", .sis_id = "S7", .login = "alice", .section = "A"}}});
}

TEST_CASE("a worksheet of Moodle is a roster, also with semicolons") {
  const RosterFile file("Identifier;Full name;Email address\nParticipant 12;Alice;a@example.org\n");
  const auto roster = read_roster(file.path(), "Identifier");
  REQUIRE(roster.has_value());
  CHECK(roster->at("12") == Identity{.name = "Alice", .email = "a@example.org", .lms_id = "12"});
}

TEST_CASE("submissions that are not in the roster are reported and keep their identity") {
  const RosterFile file("submission,email\nalice,new@example.org\n");
  ClassResults all = with_identities(attacked_class());
  const auto unknown = apply_roster(all, *read_roster(file.path(), "submission"));
  CHECK(unknown.size() == 4);
  CHECK(all.submissions.at(1).identity.email == "new@example.org");
  CHECK(all.submissions.at(1).identity.login == "login102");
  CHECK(all.submissions.at(2).identity.email == "p103@example.org");
}

TEST_CASE("an unusable roster is reported with the reason") {
  const auto complaint = [](const std::string& text) {
    const RosterFile file(text);
    const auto roster = read_roster(file.path(), "submission");
    REQUIRE_FALSE(roster.has_value());
    CHECK(roster.error().code == "WG-G57");
    return roster.error().what;
  };
  CHECK_THAT(complaint(""), contains("is empty"));
  CHECK_THAT(complaint("id,email\n1,x\n"), contains("no column \"submission\"") && contains("id, email"));
  CHECK_THAT(complaint("submission\nalice\nalice\n"), contains("\"alice\" twice"));
  CHECK_THAT(complaint("submission\n\"alice\n"), contains("line 2") && contains("quote"));
  CHECK_THAT(read_roster("/nowhere/roster.csv", "submission").error().what, contains("No such file"));
}

TEST_CASE("the roster of the sample course has everybody in the sample class, for Canvas and for Moodle") {
  const std::filesystem::path folder = std::filesystem::path(WARPGRADE_SOURCE_DIR) / "handout" / "instructor";
  const auto roster = read_roster(folder / "sample-course" / "roster.csv", "submission");
  REQUIRE(roster.has_value());
  std::size_t people = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "sample-class")) {
    if (!entry.is_directory()) continue;
    ++people;
    INFO(entry.path());
    const auto person = roster->find(entry.path().filename().string());
    REQUIRE(person != roster->end());
    CHECK_FALSE((person->second.login.empty() || person->second.email.empty()));
  }
  CHECK(people > 5);
}
