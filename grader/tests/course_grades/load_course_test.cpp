#include <filesystem>

#include "catch.hpp"
#include "course_grades/course_fixture.hpp"
#include "schema_check.hpp"

namespace load_course_test {

using namespace testing;
using Json = nlohmann::ordered_json;

namespace {

/// The small course with one value changed.
Json with(const std::string& pointer, const Json& value) {
  Json course = small_course();
  course[Json::json_pointer(pointer)] = value;
  return course;
}

}  // namespace

TEST_CASE("a course is read with its defaults") {
  const auto course = CourseFolder().loaded(small_course());
  CHECK(course.title == "CUDA, autumn 2026");
  REQUIRE(course.labs.size() == 3);
  CHECK(course.labs[1].weight == 3);
  CHECK(course.zone.text(*course.labs[1].due) == "2026-11-20 23:59 +01:00");
  CHECK(course.labs[1].late.percent_per_day == 10);
  CHECK(course.labs[2].extra_credit == 5.0);
  CHECK_FALSE(course.labs[1].question_points.has_value());
  CHECK(course.drop_lowest == 0);
  const auto bare = CourseFolder().loaded(Json::parse(
      R"({"schema": "warpgrade.course/1", "labs": [{"lab": "00-warm-up", "due": "2026-11-20 23:59 +01:00"}]})"));
  CHECK(bare.labs[0].weight == 1);
  CHECK(bare.labs[0].late.percent_per_day == 0);
}

TEST_CASE("a lab can give points for its questions") {
  CHECK(CourseFolder().loaded(with("/labs/1/question_points", 7.5)).labs[1].question_points == 7.5);
}

TEST_CASE("a lab's own late policy replaces the course's") {
  const auto course = CourseFolder().loaded(with("/labs/1/late", {{"percent_per_day", 25}}));
  CHECK(course.labs[1].late.percent_per_day == 25);
  CHECK_FALSE(course.labs[1].late.hard_end_days.has_value());
  CHECK(course.labs[0].late.hard_end_days == 7);
}

TEST_CASE("a mistake in course.json is reported with its place") {
  const CourseFolder folder;
  const auto complaint = [&](const std::string& pointer, const Json& value) {
    return folder.complaint(with(pointer, value));
  };
  CHECK_THAT(
      complaint("/labs/1/due", "2026-11-31 10:00"),
      contains("WG-G74 course.json") && contains("`labs[1].due` is \"2026-11-31 10:00\" when it should be"));
  CHECK_THAT(complaint("/labs/1/due", "2026-11-20 23:59 +02:00"),
             contains("another offset than `time_zone`"));
  CHECK_THAT(complaint("/labs/1/lab", "06-min-plus"), contains("`labs[2].lab` repeats"));
  CHECK_THAT(complaint("/labs/2/weight", 1), contains("both \"weight\" and \"extra_credit\""));
  CHECK_THAT(complaint("/late/percent_per_dya", 1), contains("did you mean `percent_per_day`?"));
  CHECK_THAT(complaint("/late/percent_per_day", 101), contains("a number from 0 to 100"));
  CHECK_THAT(complaint("/labs/1/question_points", 0),
             contains("`labs[1].question_points` is 0 when it should be a number above 0") &&
                 contains("leave the key out"));
  CHECK_THAT(complaint("/time_zone", "Mars/Phobos"),
             contains("`time_zone` is \"Mars/Phobos\", which names no time"));
  CHECK_THAT(complaint("/drop_lowest", 2),
             contains("`drop_lowest`") && contains("at most 1, so that a lab counts"));
  CHECK_THAT(complaint("/extensions", {{{"student", "a"}, {"days", 2}, {"due", "2026-11-21 10:00"}}}),
             contains("one of the keys \"due\" and \"days\""));
  CHECK_THAT(complaint("/extensions", {{{"student", "a"}, {"due", "2026-11-21 10:00"}}}),
             contains("lacks the key \"lab\""));
  CHECK_THAT(complaint("/extensions", {{{"student", "a"}, {"lab", "02"}, {"due", "2026-11-19 10:00"}}}),
             contains("`extensions[0].due` is earlier than the lab's own"));
  CHECK_THAT(complaint("/extensions", {{{"student", "a"}, {"lab", "01"}, {"days", 1}}}),
             contains("no due time"));
  CHECK_THAT(complaint("/extensions", {{{"student", "a"}, {"lab", "09-x"}, {"days", 1}}}),
             contains("not in `labs`"));
  Json without_zone = small_course();
  without_zone.erase("time_zone");
  CHECK_THAT(folder.complaint(without_zone), contains("`labs[1].due` has no offset"));
  folder.write("broken.json", "{\n  \"schema\": \"warpgrade.course/1\",\n}");
  const auto broken = grader::course::load_course(folder.path() / "broken.json");
  CHECK(broken.error().where->line == 3);
  CHECK_THAT(grader::course::load_course("/dev/null/course.json").error().what, contains("cannot be read"));
}

TEST_CASE("a time that clocks skip is refused") {
  if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin")) return;
  Json course = with("/time_zone", "Europe/Berlin");
  course["labs"][1]["due"] = "2026-03-29 02:30";
  CHECK_THAT(CourseFolder().complaint(course), contains("a time that clocks skip"));
}

TEST_CASE("files that course.json names are relative to it, and their problems name them") {
  const CourseFolder folder;
  folder.write("marks.csv", "submission,lab,points\nada,02,5\n");
  CHECK(folder.loaded(with("/manual", {{{"file", "marks.csv"}}})).manual.size() == 1);
  CHECK_THAT(folder.complaint(with("/manual", {{{"file", "lost.csv"}}})), contains("WG-G75 lost.csv"));
  CHECK_THAT(folder.complaint(with("/handed_in", {{{"file", "marks.csv"}}})), contains("WG-G75 marks.csv:1"));
  CHECK_THAT(folder.complaint(with("/students", {{"file", "lost.csv"}})), contains("WG-G57 lost.csv"));
}

// ---- the schema

namespace {

const SchemaCheck& schema() {
  static const SchemaCheck read = SchemaCheck::of("course.schema.json");
  return read;
}

bool is_valid(const Json& course) { return schema().problems(nlohmann::json(course)).empty(); }

/// The keys that the reader lists if there is an unknown key at `pointer`.
std::set<std::string> keys_of_reader(const CourseFolder& folder, const Json& full,
                                     const std::string& pointer) {
  Json course = full;
  course[Json::json_pointer(pointer)]["zzzzzzzz"] = 1;
  std::string what = folder.complaint(course);
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
  for (const auto& [key, value] :
       schema().schema().at(nlohmann::json::json_pointer(pointer)).at("properties").items())
    keys.insert(key);
  return keys;
}

Json full_course() {
  Json course = small_course();
  course["drop_lowest"] = 1;
  course["extensions"] = {{{"student", "ada"}, {"lab", "02"}, {"days", 2}, {"reason", "sick note"}}};
  course["students"] = {{"file", "students.csv"}};
  course["manual"] = {{{"file", "marks.csv"}}};
  course["handed_in"] = {{{"file", "times.csv"}, {"lab", "02"}}};
  return course;
}

}  // namespace

TEST_CASE("the reader and the schema of course.json know the same keys") {
  const CourseFolder folder;
  folder.write("students.csv", "submission\nada\n");
  folder.write("marks.csv", "submission,lab,points\n");
  folder.write("times.csv", "submission,handed_in\n");
  const Json full = full_course();
  REQUIRE(is_valid(full));
  (void)folder.loaded(full);
  const auto same = [&](const std::string& pointer, const std::string& of_schema) {
    INFO(pointer);
    CHECK(keys_of_reader(folder, full, pointer) == keys_of_schema(of_schema));
  };
  same("", "");
  same("/labs/0", "/$defs/lab");
  same("/late", "/$defs/late");
  same("/extensions/0", "/$defs/extension");
  same("/students", "/properties/students");
  same("/manual/0", "/$defs/csv_file");
  same("/handed_in/0", "/$defs/csv_file");
}

TEST_CASE("the reader refuses everything that the schema of course.json refuses") {
  const std::vector<std::pair<std::string, Json>> mistakes = {
      {"/schema", "warpgrade.course/2"},
      {"/title", ""},
      {"/time_zone", 1},
      {"/labs", Json::array()},
      {"/labs/0/lab", "A B"},
      {"/labs/0/weight", 0},
      {"/labs/0/manual_points", -1},
      {"/labs/0/question_points", 0},
      {"/labs/0/question_points", 10001},
      {"/labs/0/question_points", "10"},
      {"/labs/1/due", "tomorrow"},
      {"/labs/2/extra_credit", 101},
      {"/late/percent_per_day", "10"},
      {"/late/grace_minutes", -1},
      {"/late/hard_end_days", 1.5},
      {"/drop_lowest", -1},
      {"/extensions", {{{"lab", "02-tiled-matmul"}}}},
      {"/extensions", {{{"student", "a"}, {"days", 0}}}},
      {"/manual", {{{"lab", "02-tiled-matmul"}}}},
      {"/manual", "marks.csv"},
      {"/students", "students.csv"}};
  for (const auto& [pointer, value] : mistakes) {
    INFO(pointer << " " << value);
    CHECK_FALSE(is_valid(with(pointer, value)));
    CHECK_FALSE(CourseFolder().load(with(pointer, value)).has_value());
  }
}

}  // namespace load_course_test
