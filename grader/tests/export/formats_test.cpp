// Every format against its system's rules, with a class that attacks all of them.
#include "export/formats.hpp"

#include "catch.hpp"
#include "export/rules.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;
using Json = nlohmann::json;

namespace {

Exported made(const std::string& format, const ClassResults& all, const ExportOptions& options = {}) {
  const auto exported = find_format(format)->make(all, options);
  REQUIRE(exported.has_value());
  return *exported;
}

std::string file_of(const Exported& exported, const std::string& name) {
  for (const ExportedFile& file : exported.files)
    if (file.name == name) return file.bytes;
  FAIL("no file " + name);
  return {};
}

bool has_file(const Exported& exported, const std::string& name) {
  return std::any_of(exported.files.begin(), exported.files.end(),
                     [&](const ExportedFile& file) { return file.name == name; });
}

/// A class with two labs, the second without a grade for zoe only.
ClassResults two_labs() {
  ClassResults all = attacked_class();
  all.summary.labs.push_back("03-reduction-divergence");
  for (GradedSubmission& one : all.submissions) {
    Result second = all.submissions.at(1).results.front();
    second.submission = one.id;
    second.lab = "03-reduction-divergence";
    one.results.push_back(second);
    all.summary.rows.push_back(class_row(second, "results/" + one.file_name + "/" + second.lab + ".json"));
  }
  return all;
}

}  // namespace

TEST_CASE("with both devices, the text of each check ends with the device of its points") {
  ClassResults all = attacked_class();
  for (GradedSubmission& one : all.submissions)
    if (one.id == "alice") one.results = {both_devices_result()};
  const std::string text = file_of(made("gradescope", all), "alice");
  for (const char* line : {"measured on the real GPU", "checked on the virtual GPU",
                           "checked on the virtual GPU and on the real GPU"})
    CHECK_THAT(text, contains(line));
}

TEST_CASE("Gradescope: results.json follows the rules, and a submission without a grade has none") {
  const Exported exported = made("gradescope", attacked_class());
  CHECK(exported.files.size() == 4);
  for (const ExportedFile& file : exported.files) CHECK(gradescope_problems(file.bytes) == Problems{});
  REQUIRE(exported.left_out.size() == 1);
  CHECK(exported.left_out.front().submission == "zoe");
  CHECK(Json::parse(file_of(exported, "alice"))["score"] == 100);
  CHECK(Json::parse(file_of(exported, "carol"))["score"] == 0);
}

TEST_CASE("every format shows titles and words, no id of a check and no raw name of a counter") {
  for (const std::string format : {"gradescope", "prairielearn", "autolab", "junit"}) {
    INFO(format);
    const std::string bytes = file_of(made(format, attacked_class()), format == "junit" ? "" : "alice");
    CHECK_THAT(bytes, contains("Any shape: boundary checks / one") &&
                          contains("Traffic with global memory / global load requested B/flop (square-256)"));
    if (format != "junit") CHECK_THAT(bytes, !contains("global_load_requested"));  // there, in a command
  }
}

TEST_CASE("one mistake in several cases is shown once in full, with the names of the other cases") {
  ClassResults all = secret_class();
  all.submissions.front().results = {failing_result()};
  const Json tests = Json::parse(made("gradescope", all).files.front().bytes)["tests"];
  const auto output = [&](std::size_t check) { return tests.at(check)["output"].get<std::string>(); };
  CHECK_THAT(output(3), contains("try: store only where") && contains("the same mistake in: 31x1x257\n"));
  CHECK_THAT(output(4), contains("WG-M02: write of") &&
                            contains("the same mistake as in: Any shape: boundary checks / 17x33x65"));
  CHECK_THAT(output(4), !contains("try: ") && !contains("likely cause: "));
}

TEST_CASE("a visible check does not name hidden ones with its mistake") {
  ClassResults all = secret_class();
  all.submissions.front().results = {failing_result()};
  std::vector<Check>& checks = all.submissions.front().results.front().score.checks;
  checks.at(3).visibility = Visibility::hidden;
  const Json tests = Json::parse(made("gradescope", all).files.front().bytes)["tests"];
  CHECK_THAT(tests.at(4)["output"].get<std::string>(), contains("try: ") && !contains("17x33x65"));
}

TEST_CASE("the rounded points of a lab's checks add up to its score") {
  ClassResults all = attacked_class();
  Score& score = all.submissions.at(1).results.front().score;
  for (std::size_t i = 0; i < score.checks.size(); ++i) {
    score.checks[i].max_points = 100.0 / 6;
    score.checks[i].points = i == 1 ? 100.0 / 7 : i == 2 ? 0 : 100.0 / 6;
  }
  score.score = 64.29;
  score.max_score = 83.33;
  const Json tests = Json::parse(file_of(made("gradescope", all), "alice"))["tests"];
  double points = 0, max_points = 0;
  for (const Json& test : tests) {
    points += test["score"].get<double>();
    max_points += test["max_score"].get<double>();
    CHECK(test["score"] <= test["max_score"]);
  }
  CHECK(points == Approx(score.score));
  CHECK(max_points == Approx(score.max_score));
  CHECK(tests.at(0)["score"] == tests.at(0)["max_score"]);
}

TEST_CASE("Gradescope: hidden checks are marked, expected values of secret inputs are not shown") {
  const Json json = Json::parse(made("gradescope", secret_class()).files.front().bytes);
  std::size_t hidden = 0;
  for (const Json& test : json["tests"]) hidden += test["visibility"] == "hidden" ? 1U : 0U;
  CHECK(hidden == 1);
  CHECK_THAT(json.dump(), !contains("98.75") && !contains("0123456789abcdef") && contains("WG-V05"));
}

TEST_CASE("a failed visible case has the line that runs it again, a case with secret inputs has not") {
  const std::string line = "run it again: warpgrade check ";
  CHECK_THAT(Json::parse(file_of(made("gradescope", attacked_class()), "_bob-0123456789abcdef")).dump(),
             contains(line));
  const Json json = Json::parse(made("gradescope", secret_class()).files.front().bytes);
  for (const Json& test : json["tests"])
    if (test["visibility"] == "hidden" || test.dump().find("100x100x100") != std::string::npos)
      CHECK_THAT(test.dump(), !contains(line));
}

TEST_CASE("Gradescope: the visible text has no total if a check is hidden") {
  const auto output = [](const Exported& exported) {
    return Json::parse(exported.files.front().bytes)["output"].get<std::string>();
  };
  CHECK_THAT(output(made("gradescope", attacked_class())), contains(" points"));
  CHECK_THAT(output(made("gradescope", secret_class())), !contains(" points") && contains("shown later"));
}

TEST_CASE("no other format shows more of a hidden check than its points") {
  for (const std::string format : {"prairielearn", "autolab", "junit"}) {
    const std::string bytes = made(format, secret_class()).files.front().bytes;
    CHECK_THAT(bytes, contains("hidden checks (1)") && !contains("17x33x65") && !contains("98.75"));
  }
  const Json classroom = decoded_base64_json(made("github-classroom", secret_class()).files.front().bytes);
  CHECK_THAT(classroom.dump(), contains("hidden checks (1)") && !contains("17x33x65") && !contains("98.75"));
}

TEST_CASE("a check with limited points has passed, and its text shows the limit") {
  ClassResults all = secret_class();
  all.submissions.front().results = {limited_result()};
  for (const std::string format : {"gradescope", "prairielearn", "autolab", "junit"})
    CHECK_THAT(made(format, all).files.front().bytes, contains("limited to 25 % by boundary"));
  CHECK_THAT(made("autolab", all).files.front().bytes, contains("part  Speed-up over the naive kernel"));
  const Json tests = Json::parse(made("gradescope", all).files.front().bytes)["tests"];
  CHECK(tests.back()["status"] == "passed");
  CHECK(tests.back()["score"] == 5);
  CHECK_THAT(decoded_base64_json(made("github-classroom", all).files.front().bytes).dump(),
             contains("limited to 25 % by boundary"));
}

TEST_CASE("without a course, every feedback has the answers to questions as information") {
  ClassResults all = with_identities(secret_class());
  Result& alice = all.submissions.front().results.front();
  const Exported unanswered = made("gradescope", all);
  alice.questions = some_answers();
  const std::string tally = "2 of 4 right, 1 open";
  for (const std::string format : {"gradescope", "prairielearn", "autolab", "moodle"}) {
    INFO(format);
    CHECK_THAT(made(format, all).files.front().bytes, contains("Questions: " + tally));
  }
  for (const std::string format : {"gradescope", "autolab", "junit"})
    CHECK_THAT(made(format, all).files.front().bytes,
               contains("own-blocks: open") && contains("memory: wrong"));
  const std::string gradescope = made("gradescope", all).files.front().bytes;
  CHECK(gradescope_problems(gradescope) == Problems{});
  const Json before = Json::parse(unanswered.files.front().bytes), json = Json::parse(gradescope);
  CHECK(json["score"] == before["score"]);
  REQUIRE(json["tests"].size() == before["tests"].size() + 1);
  const Json& test = json["tests"].back();
  CHECK(test["name"] == "questions");
  CHECK(test["visibility"] == "visible");
  CHECK_FALSE((test.contains("score") || test.contains("status")));
}

TEST_CASE("answers to questions change neither points nor verdicts without a course") {
  ClassResults all = attacked_class();
  all.submissions.resize(2);
  all.submissions.front().results.front().questions = some_answers();
  all.submissions.back().results.front().questions = some_answers();
  for (const ExportedFile& file : made("gradescope", all).files)
    CHECK(gradescope_problems(file.bytes) == Problems{});
  const Exported prairielearn = made("prairielearn", all), autolab = made("autolab", all);
  for (const ExportedFile& file : prairielearn.files) CHECK(prairielearn_problems(file.bytes) == Problems{});
  for (const ExportedFile& file : autolab.files)
    CHECK(autolab_problems(file.bytes, {"02-tiled-matmul"}) == Problems{});
  CHECK_THAT(file_of(autolab, "alice"), contains("info  questions") && !contains("\"questions\""));
  const Json classroom = decoded_base64_json(file_of(made("github-classroom", all), "alice"));
  CHECK(classroom["status"] == "pass");
  CHECK(classroom["tests"].back()["max_score"] == 0);
  const std::string xml = made("junit", all).files.front().bytes;
  CHECK(junit_problems(xml) == Problems{});
  CHECK_THAT(xml, contains("<system-out>2 of 4 right, 1 open\n"));
}

TEST_CASE("PrairieLearn: scores from 0 to 1, and ungradable submissions cost no attempt") {
  const Exported exported = made("prairielearn", attacked_class());
  CHECK(exported.files.size() == 5);
  for (const ExportedFile& file : exported.files) CHECK(prairielearn_problems(file.bytes) == Problems{});
  CHECK(Json::parse(file_of(exported, "alice"))["score"] == 1);
  for (const std::string name : {"carol", "dora", "zoe"})
    CHECK(Json::parse(file_of(exported, name))["gradable"] == false);
  CHECK_THAT(file_of(exported, "carol"), contains("expected a ';'"));
  CHECK_THAT(file_of(exported, "zoe"), contains("not your submission"));
}

TEST_CASE("PrairieLearn: a file that would be too large loses text, not points") {
  ClassResults all = attacked_class();
  std::vector<Check>& checks = all.submissions.front().results.front().score.checks;
  Check large = checks.at(3);
  large.diagnostics.front().first = std::string(100'000, 'x');
  checks.resize(600, large);
  const std::string file = made("prairielearn", all).files.front().bytes;
  CHECK(prairielearn_problems(file) == Problems{});
  CHECK(Json::parse(file)["tests"].size() == 600);
}

TEST_CASE("Autolab: the last line has the scores, whatever a student wrote") {
  const Exported exported = made("autolab", attacked_class());
  CHECK(exported.files.size() == 4);
  for (const ExportedFile& file : exported.files)
    CHECK(autolab_problems(file.bytes, {"02-tiled-matmul"}) == Problems{});
  CHECK_THAT(file_of(exported, "alice"), contains("\n{\"scores\":{\"02-tiled-matmul\":100}}\n"));
}

TEST_CASE("Autolab: a lab without a grade keeps its score, a name with a colon is refused") {
  ExportOptions options;
  options.names["02-tiled-matmul"] = "Matrix product";
  const Exported exported = made("autolab", two_labs(), options);
  CHECK(autolab_problems(file_of(exported, "zoe"), {"03-reduction-divergence"}) == Problems{});
  CHECK(autolab_problems(file_of(exported, "alice"), {"Matrix product", "03-reduction-divergence"}) ==
        Problems{});
  CHECK(exported.left_out.size() == 1);
  options.names["02-tiled-matmul"] = "Lab 2: product";
  CHECK(export_autolab(two_labs(), options).error().code == "WG-G59");
}

TEST_CASE("GitHub Classroom: base64 of the reporter's JSON, without commands to the runner") {
  const Exported exported = made("github-classroom", attacked_class());
  CHECK(exported.files.size() == 4);
  for (const ExportedFile& file : exported.files) CHECK(classroom_problems(file.bytes) == Problems{});
  const Json json = decoded_base64_json(file_of(exported, "_bob-0123456789abcdef"));
  CHECK(json["status"] == "fail");
  double sum = 0;
  for (const Json& test : json["tests"]) sum += test["score"].get<double>();
  CHECK(sum == 37.5);
  CHECK_FALSE(has_file(exported, "zoe"));
}

TEST_CASE("Canvas: header, points and matching columns, and no student is matched by name") {
  ExportOptions options;
  options.names["02-tiled-matmul"] = "Lab 2 (12345)";
  ClassResults all = with_identities(attacked_class());
  all.submissions.at(3).identity = {.name = "Dora"};
  const Exported exported = made("canvas", all, options);
  CHECK(canvas_problems(exported.files.front().bytes) == Problems{});
  const auto rows = csv_cells(exported.files.front().bytes);
  CHECK(rows.size() == 2 + 3);
  CHECK(rows[0].back() == "Lab 2 (12345)");
  CHECK(rows[1].back() == "100.00");
  REQUIRE(exported.left_out.size() == 2);
  CHECK(exported.left_out[0].submission == "dora");
  CHECK(exported.left_out[1].submission == "zoe");
}

TEST_CASE("Canvas: a missing grade is an empty cell next to the others") {
  const auto rows = csv_cells(made("canvas", with_identities(two_labs())).files.front().bytes);
  CHECK(rows.back().at(5).empty());
  CHECK(rows.back().at(6) == "100.00");
}

TEST_CASE("Canvas: an identifier that a spreadsheet would run is reported, not changed") {
  ClassResults all = with_identities(attacked_class());
  all.submissions.at(1).identity.login = "=cmd";
  const Exported exported = made("canvas", all);
  CHECK(exported.left_out.front().submission == "alice");
  CHECK(canvas_problems(exported.files.front().bytes) == Problems{});
}

TEST_CASE("Moodle: one bad row would stop the import, so none is written") {
  ClassResults all = with_identities(attacked_class());
  all.submissions.at(1).identity.email.clear();
  all.submissions.at(3).identity.email = all.submissions.at(2).identity.email;
  const Exported exported = made("moodle", all);
  CHECK(moodle_gradebook_problems(exported.files.front().bytes) == Problems{});
  CHECK(csv_cells(exported.files.front().bytes).size() == 1 + 2);
  CHECK(exported.left_out.size() == 4);  // no address, twice the same address, no grade
}

TEST_CASE("Points of bonus tasks: the total is above full marks where a format can express that") {
  ClassResults all = with_identities(attacked_class());
  GradedSubmission& alice = all.submissions.at(1);
  Result& result = alice.results.front();
  result.score.score = result.score.max_score + 8;
  Check& bonus = result.score.checks.emplace_back(result.score.checks.front());
  bonus.is_bonus = true;
  bonus.task_title = "Any width";
  bonus.points = bonus.max_points = 8;
  const std::string id = alice.id;
  CHECK_THAT(file_of(made("gradescope", all), id),
             contains("\"score\": 108,") && contains("Any width (bonus)"));
  CHECK_THAT(file_of(made("prairielearn", all), id), contains("\"score\": 1,"));
  const std::string moodle = made("moodle", all).files.front().bytes;
  CHECK(moodle_gradebook_problems(moodle) == Problems{});
  CHECK_THAT(moodle, contains("100.00") && contains("108 of 100 points") && !contains("108.00"));
}

TEST_CASE("Moodle: every field that identifies people, and the grading worksheet") {
  const ClassResults all = with_identities(attacked_class());
  const std::vector<std::pair<MoodleIdentity, std::string>> columns = {
      {MoodleIdentity::email, "Email address"},
      {MoodleIdentity::username, "Username"},
      {MoodleIdentity::idnumber, "ID number"},
      {MoodleIdentity::userid, "User ID"}};
  for (const auto& [identity, column] : columns) {
    ExportOptions options;
    options.moodle_identity = identity;
    const std::string csv = made("moodle", all, options).files.front().bytes;
    CHECK(moodle_gradebook_problems(csv) == Problems{});
    CHECK(csv_cells(csv).front().front() == column);
  }
  ExportOptions worksheet;
  worksheet.moodle_identity = MoodleIdentity::participant;
  CHECK(moodle_worksheet_problems(made("moodle", all, worksheet).files.front().bytes) == Problems{});
  CHECK(export_moodle(two_labs(), worksheet).error().code == "WG-G59");
}

TEST_CASE("a number that one system gave is not used in another") {
  ClassResults all = with_identities(attacked_class());
  for (GradedSubmission& one : all.submissions) {
    one.identity = {.lms_id = "7" + one.id.substr(0, 1)};
    one.lms = "moodle";
  }
  CHECK(made("canvas", all).files.empty());
  all.submissions.at(1).identity.lms_id = "71";
  ExportOptions options;
  options.moodle_identity = MoodleIdentity::userid;
  CHECK(made("moodle", all, options).files.empty());
  options.moodle_identity = MoodleIdentity::participant;
  CHECK(csv_cells(made("moodle", all, options).files.front().bytes).size() == 2);
}

TEST_CASE("Moodle: the feedback is one line, with a mark between its parts") {
  ClassResults all = with_identities(attacked_class());
  all.submissions.at(1).adjustments["02-tiled-matmul"] = {-10, 0, {"10 % off for 1 day late"}, {}};
  const auto rows = csv_cells(made("moodle", all).files.front().bytes);
  CHECK_THAT(rows.at(2).back(), contains("points | 10 % off for 1 day late") && !contains("\n"));
  CHECK_FALSE(rows.at(2).back().ends_with(" "));
}

TEST_CASE("a file for the whole class is not written without rows") {
  ClassResults all = attacked_class();
  for (const std::string format : {"canvas", "moodle"}) {
    const Exported exported = made(format, all);
    CHECK(exported.files.empty());
    CHECK(exported.left_out.size() == all.submissions.size());
    CHECK_THAT(exported.left_out.front().why, contains("--roster FILE"));
  }
}

TEST_CASE("Moodle: feedback shows nothing hidden, more than 100 points are refused or become percentages") {
  CHECK_THAT(made("moodle", with_identities(secret_class())).files.front().bytes,
             !contains("98.75") && !contains("17x33x65"));
  ClassResults all = with_identities(attacked_class());
  for (GradedSubmission& one : all.submissions) one.results.front().score.max_score = 125;
  CHECK(export_moodle(all, {}).error().code == "WG-G59");
  CHECK_THAT(export_moodle(all, {}).error().next_step, contains("--percent"));
  ExportOptions percent;
  percent.percent = true;
  const std::string csv = made("moodle", all, percent).files.front().bytes;
  CHECK(moodle_gradebook_problems(csv) == Problems{});
  CHECK(csv_cells(csv).at(2).at(1) == "80.00");  // 100 of 125 points
  CHECK_THAT(csv_cells(csv).at(2).at(2), contains("100 of 125 points"));
  percent.moodle_identity = MoodleIdentity::participant;
  CHECK(csv_cells(made("moodle", all, percent).files.front().bytes).at(2).at(3) == "100.00");
}

TEST_CASE("JUnit: well-formed, with a fault as an error") {
  const std::string xml = made("junit", attacked_class()).files.front().bytes;
  CHECK(junit_problems(xml) == Problems{});
  CHECK_THAT(xml, contains("<error message=\"no grade") && !contains("<script>"));
}

TEST_CASE("every format gives the same bytes each time") {
  for (const ExportFormat& format : export_formats()) {
    const ClassResults all = with_identities(attacked_class());
    const Exported once = made(std::string(format.name), all), again = made(std::string(format.name), all);
    REQUIRE(once.files.size() == again.files.size());
    for (std::size_t i = 0; i < once.files.size(); ++i) CHECK(once.files[i].bytes == again.files[i].bytes);
  }
}

TEST_CASE("a lab's name is part of a check's only when there are several") {
  CHECK_THAT(made("junit", attacked_class()).files.front().bytes,
             contains("name=\"Tiled kernel on multiples of the tile / square-64\""));
  CHECK_THAT(made("gradescope", two_labs()).files.front().bytes,
             contains("02-tiled-matmul: Tiled kernel on multiples of the tile / square-64"));
}
