#include "export/rules.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "schema_check.hpp"

namespace testing {
namespace {

using Json = nlohmann::json;

Json visibility() { return {{"enum", {"hidden", "after_due_date", "after_published", "visible"}}}; }
Json text_format() { return {{"enum", {"text", "html", "simple_format", "md", "ansi"}}}; }

void check(Problems& problems, bool holds, const std::string& what) {
  if (!holds) problems.push_back(what);
}

bool is_decimal(const std::string& text) {
  const std::size_t point = text.find('.');
  return point != std::string::npos && point + 3 == text.size() && point > 0 &&
         text.find_first_not_of("0123456789.") == std::string::npos;
}

bool could_be_formula(const std::string& cell) {
  return !cell.empty() && cell != "-" && std::string("=+-@\t\r").find(cell.front()) != std::string::npos;
}

void check_cells(Problems& problems, const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    check(problems, row.size() == rows.front().size(), "a row has " + std::to_string(row.size()) + " cells");
    for (const std::string& cell : row) check(problems, !could_be_formula(cell), "formula: " + cell);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

}  // namespace

Problems gradescope_problems(const std::string& file) {
  const Json test = {{"type", "object"},
                     {"additionalProperties", false},
                     {"properties",
                      {{"score", {{"type", "number"}}},
                       {"max_score", {{"type", "number"}}},
                       {"status", {{"enum", {"passed", "failed"}}}},
                       {"name", {{"type", "string"}}},
                       {"name_format", text_format()},
                       {"number", {{"type", "string"}}},
                       {"output", {{"type", "string"}}},
                       {"output_format", text_format()},
                       {"tags", {{"type", "array"}}},
                       {"visibility", visibility()},
                       {"extra_data", {{"type", "object"}}}}}};
  const Json top = {{"type", "object"},
                    {"additionalProperties", false},
                    {"properties",
                     {{"score", {{"type", "number"}}},
                      {"execution_time", {{"type", "number"}}},
                      {"output", {{"type", "string"}}},
                      {"output_format", text_format()},
                      {"test_output_format", text_format()},
                      {"test_name_format", text_format()},
                      {"visibility", visibility()},
                      {"stdout_visibility", visibility()},
                      {"extra_data", {{"type", "object"}}},
                      {"tests", {{"type", "array"}, {"items", test}}},
                      {"leaderboard", {{"type", "array"}}}}}};
  const Json json = Json::parse(file);
  Problems problems = SchemaCheck(top).problems(json);
  const bool all_tests_scored = std::all_of(json.at("tests").begin(), json.at("tests").end(),
                                            [](const Json& one) { return one.contains("score"); });
  check(problems, json.contains("score") || all_tests_scored, "no score");
  check(problems, file.find("\\r") == std::string::npos, "a line end that is not \\n");
  return problems;
}

Problems prairielearn_problems(const std::string& file) {
  Problems problems;
  check(problems, file.size() < 1'000'000, "more than 1 MB");
  check(problems, file.find("\\u0000") == std::string::npos, "NUL");
  check(problems, file.find("\\u001b") == std::string::npos, "an escape sequence of a student's");
  const Json json = Json::parse(file);
  if (!json.value("gradable", true)) {
    check(problems, json.contains("format_errors"), "not gradable and does not say why");
    check(problems, !json.contains("score"), "not gradable and has a score");
    return problems;
  }
  const bool has_score = json.contains("score") && json["score"].is_number();
  check(problems, has_score && json["score"] >= 0.0 && json["score"] <= 1.0, "score is not in [0, 1]");
  for (const Json& test : json.value("tests", Json::array())) {
    check(problems, test.contains("points") && test.contains("max_points"),
          "a test without points hides all points");
    for (const char* key : {"name", "message", "output"})
      check(problems, !test.contains(key) || test[key].is_string(), std::string(key) + " is no text");
  }
  return problems;
}

Problems autolab_problems(const std::string& output, const std::vector<std::string>& problem_names) {
  Problems problems;
  std::vector<std::string> lines = lines_of(output);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() < 2) return {"no output"};
  const std::string& last = lines.back();
  // Autolab: autoresult.gsub(/([a-zA-Z0-9]+):/, '"\1":')
  for (std::size_t at = last.find(':'); at != std::string::npos; at = last.find(':', at + 1))
    check(problems, std::isalnum(static_cast<unsigned char>(last[at - 1])) == 0,
          "Autolab would quote a word before ':'");
  const Json scores = Json::parse(last).at("scores");
  check(problems, !scores.empty(), "no scores");
  for (const auto& [name, score] : scores.items()) {
    check(problems, score.is_number(), name + " has no number");
    check(problems, std::find(problem_names.begin(), problem_names.end(), name) != problem_names.end(),
          "unknown problem " + name);
  }
  const Json table = Json::parse(lines[lines.size() - 2]);
  check(problems, table.at("_presentation") == "semantic", "no semantic table");
  for (const Json& stage : table.at("stages"))
    check(problems, table.contains(stage.get<std::string>()), "no stage");
  return problems;
}

nlohmann::json decoded_base64_json(const std::string& output) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char c : output) {
    if (c == '=' || c == '\n') continue;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string::npos) throw std::runtime_error("no base64");
    bits = bits << 6U | static_cast<unsigned>(digit);
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 0xFFU);
  }
  return Json::parse(bytes);
}

Problems classroom_problems(const std::string& output) {
  Problems problems;
  check(problems, output.find('\n') + 1 == output.size(), "not one line");
  const Json json = decoded_base64_json(output);
  const auto is_status = [](const Json& word) { return word == "pass" || word == "fail" || word == "error"; };
  check(problems, json.at("version").is_number_integer() && json.at("max_score").is_number(),
        "version or max_score");
  check(problems, is_status(json.at("status")), "status");
  for (const Json& test : json.at("tests")) {
    check(problems,
          test.at("name").is_string() && is_status(test.at("status")) && test.at("score").is_number(),
          "test");
    check(problems, test.at("message").is_null() || test.at("message").is_string(), "message");
    check(problems, test.at("line_no").is_null() || test.at("line_no").is_number_integer(), "line_no");
    if (!test.at("message").is_string()) continue;
    const auto text = test.at("message").get<std::string>();
    check(problems, text.find("##[") == std::string::npos, "a command of the first kind");
    for (const std::string& line : lines_of(text)) {
      const std::size_t start = line.find_first_not_of(" \t\r");
      check(problems, start == std::string::npos || line.substr(start, 2) != "::", "a command: " + line);
    }
  }
  return problems;
}

Problems canvas_problems(const std::string& csv) {
  Problems problems;
  const auto rows = csv_cells(csv);
  if (rows.size() < 2 || rows[0].size() < 6) return {"no header, points or assignments"};
  const auto& header = rows[0];
  check(problems, header[0].find("Student") != std::string::npos && header[1].find("ID") != std::string::npos,
        "header");
  check(problems, header[2] == "SIS User ID" && header[3] == "SIS Login ID", "header");
  check(problems, header[4].find("Section") != std::string::npos, "the last student column is not Section");
  check(problems, std::set(header.begin(), header.end()).size() == header.size(), "a column twice");
  check(problems, rows[1][0].find("Points Possible") != std::string::npos, "no points");
  check_cells(problems, rows);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t j = 5; j < rows[i].size(); ++j)
      check(problems, rows[i][j].empty() || is_decimal(rows[i][j]), "score: " + rows[i][j]);
    if (i > 1)
      check(problems, !rows[i][1].empty() || !rows[i][2].empty() || !rows[i][3].empty(), "matched by name");
  }
  return problems;
}

Problems moodle_gradebook_problems(const std::string& csv) {
  Problems problems;
  const auto rows = csv_cells(csv);
  check_cells(problems, rows);
  std::set<std::string> people;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    check(problems, !rows[i][0].empty() && people.insert(rows[i][0]).second,
          "no student, or a student twice");
    for (std::size_t j = 1; j < rows[i].size(); j += 2) {
      const std::string& grade = rows[i][j];
      check(problems, grade == "-" || (is_decimal(grade) && std::stod(grade) <= 100), "badgrade: " + grade);
    }
  }
  return problems;
}

Problems moodle_worksheet_problems(const std::string& csv) {
  Problems problems;
  const auto rows = csv_cells(csv);
  check_cells(problems, rows);
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  const std::size_t id = column("Identifier"), grade = column("Grade");
  if (id >= rows[0].size() || grade >= rows[0].size() || column("Last modified (grade)") >= rows[0].size())
    return {"a column is missing"};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    check(problems, rows[i][id].starts_with("Participant "), "identifier: " + rows[i][id]);
    check(problems, rows[i][grade] == "-" || is_decimal(rows[i][grade]), "grade: " + rows[i][grade]);
  }
  return problems;
}

std::vector<std::vector<std::string>> csv_cells(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < csv.size();) {
    rows.emplace_back(1);
    for (bool row_goes_on = true; row_goes_on;) {
      std::string& cell = rows.back().back();
      if (at < csv.size() && csv[at] == '"') {
        for (++at; at < csv.size() && (csv[at] != '"' || csv.substr(at, 2) == "\"\""); ++at) {
          if (csv[at] == '"') ++at;
          cell += csv[at];
        }
        ++at;
      } else {
        while (at < csv.size() && csv[at] != ',' && csv[at] != '\r') cell += csv[at++];
      }
      if (csv.substr(at, 1) == ",") {
        rows.back().emplace_back();
        ++at;
      } else if (csv.substr(at, 2) == "\r\n") {
        at += 2;
        row_goes_on = false;
      } else {
        throw std::runtime_error("not RFC 4180 at byte " + std::to_string(at));
      }
    }
  }
  return rows;
}

Problems junit_problems(const std::string& xml) {
  static const std::set<std::string> kElements = {"testsuites", "testsuite", "testcase",  "failure",
                                                  "error",      "skipped",   "system-out"};
  Problems problems;
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return {"a tag is not closed"};
    std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/' ? 1U : 0U));
    check(problems, kElements.contains(name), "element " + name);
    check(problems, std::count(tag.begin(), tag.end(), '"') % 2 == 0, "quotes in " + tag);
    if (tag.front() == '/') {
      check(problems, !open.empty() && open.back() == name, "closes " + name);
      if (!open.empty()) open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  check(problems, open.empty(), "an element is not closed");
  check(problems,
        std::none_of(xml.begin(), xml.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }),
        "a character that XML forbids");
  for (at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1))
    check(problems, xml.find(';', at) < at + 7, "a bare &");
  return problems;
}

}  // namespace testing
