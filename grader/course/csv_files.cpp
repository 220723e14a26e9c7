#include "course/csv_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.hpp"
#include "base/spelling.hpp"
#include "report/csv.hpp"
#include "report/terminal.hpp"

namespace grader::course {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCsvBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxComment = 2000;
constexpr double kMaxPoints = 1e6;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A CSV file with a row of column names.
class CsvFile {
 public:
  static Expected<CsvFile, Diagnostic> read(const fs::path& file) {
    const SourceLocation top{file.string(), 0};
    const auto bytes = read_file(file, kMaxCsvBytes);
    if (!bytes) return Unexpected{wrong_row(top, "cannot be read: " + bytes.error())};
    auto rows = read_csv(*bytes);
    if (!rows) return Unexpected{wrong_row(top, rows.error())};
    if (rows->empty()) return Unexpected{wrong_row(top, "is empty")};
    return CsvFile(file, *std::move(rows));
  }

  /// The position of the first of these columns that the file has.
  std::optional<std::size_t> find(const std::vector<std::string>& names) const {
    for (const std::string& name : names)
      for (std::size_t i = 0; i < header().size(); ++i)
        if (lower(trimmed(header()[i])) == name) return i;
    return std::nullopt;
  }

  Diagnostic missing_column(const std::vector<std::string>& names) const {
    return wrong_row({file_.string(), 1},
                     printable(fmt::format("has no column `{}`; its columns are {}",
                                           fmt::join(names, "` or `"), fmt::join(header(), ", "))));
  }

  std::vector<CsvRow> rows() const { return {rows_.begin() + 1, rows_.end()}; }
  SourceLocation place(const CsvRow& row) const { return {file_.string(), static_cast<int>(row.line)}; }
  const std::vector<std::string>& header() const { return rows_.front().cells; }

 private:
  CsvFile(fs::path file, std::vector<CsvRow> rows) : file_(std::move(file)), rows_(std::move(rows)) {}

  fs::path file_;
  std::vector<CsvRow> rows_;
};

std::string cell(const CsvRow& row, std::optional<std::size_t> column) {
  return column && *column < row.cells.size() ? trimmed(row.cells[*column]) : "";
}

/// Columns that identify a student, the most specific first: names are not among them.
const std::vector<std::string> kStudentColumns = {
    "submission", "email",    "email address", "identifier", "sis login id", "login",   "sis user id",
    "sis_id",     "username", "id number",     "id_number",  "lms_id",       "user id", "id"};

NamedStudent student_of(const CsvFile& table, const CsvRow& row, std::size_t column) {
  constexpr std::string_view kParticipant = "Participant ";  // in Moodle's worksheets
  std::string text = cell(row, column);
  if (text.starts_with(kParticipant)) text.erase(0, kParticipant.size());
  return {std::move(text), table.place(row), ""};
}

/// The columns that both kinds of file have.
struct Keys {
  std::size_t student = 0;
  std::optional<std::size_t> lab;
};

Expected<Keys, Diagnostic> keys_of(const CsvFile& table, const std::string& lab) {
  const auto student = table.find(kStudentColumns);
  if (!student) return Unexpected{table.missing_column({"submission", "email"})};
  const auto column = table.find({"lab"});
  if (!column && lab.empty())
    return Unexpected{
        wrong_row({table.place(table.rows().empty() ? CsvRow{1, {}} : table.rows().front()).file, 1},
                  "has no column `lab`, and course.json does not name the file's lab")};
  return Keys{*student, column};
}

Expected<std::string, Diagnostic> lab_of(const CsvFile& table, const CsvRow& row, const Keys& keys,
                                         const std::string& lab, const Course& course) {
  if (!keys.lab) return lab;
  const std::string name = cell(row, keys.lab);
  std::vector<std::string> known;
  for (const CourseLab& one : course.labs) known.push_back(one.id);
  if (const auto found = completed(name, known)) return *found;
  return Unexpected{
      wrong_row(table.place(row), fmt::format("names the lab \"{}\", which is not in course.json{}",
                                              printable(name), did_you_mean(name, known)))};
}

/// "-2.5", "+5", or "2,5" with a decimal comma.
std::optional<double> number_of(std::string text) {
  if (std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string::npos)
    text[text.find(',')] = '.';
  const std::size_t sign = text.starts_with('+') ? 1 : 0;
  if (text.size() == sign || (sign == 1 && text[1] == '-')) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + sign, end, value, std::chars_format::fixed);
  const bool is_number = read.ec == std::errc() && read.ptr == end && std::isfinite(value);
  return is_number && std::fabs(value) <= kMaxPoints ? std::optional(value) : std::nullopt;
}

Expected<std::optional<ManualMark>, Diagnostic> mark_of(const CsvFile& table, const CsvRow& row,
                                                        const Keys& keys, const std::string& lab,
                                                        const Course& course) {
  const std::string points = cell(row, table.find({"points"}));
  ManualMark mark{student_of(table, row, keys.student), "", cell(row, table.find({"item"})), std::nullopt,
                  cell(row, table.find({"comment"}))};
  if (points.empty() && mark.comment.empty()) return std::optional<ManualMark>();  // not graded yet
  if (mark.student.text.empty()) return Unexpected{wrong_row(mark.student.where, "names no student")};
  if (!points.empty()) mark.points = number_of(points);
  if (!points.empty() && !mark.points)
    return Unexpected{wrong_row(mark.student.where,
                                fmt::format("has the points \"{}\", which is no number", printable(points)))};
  if (mark.comment.size() > kMaxComment)
    return Unexpected{
        wrong_row(mark.student.where, fmt::format("has a comment of more than {} bytes", kMaxComment))};
  auto named = lab_of(table, row, keys, lab, course);
  if (!named) return Unexpected{named.error()};
  mark.lab = *std::move(named);
  return std::optional(std::move(mark));
}

}  // namespace

Diagnostic wrong_row(const SourceLocation& where, std::string what) {
  Diagnostic problem = diagnose_file("WG-G75", where.file, std::move(what),
                                     "correct the file; handout/instructor/course.md describes its columns");
  problem.where = where;
  return problem;
}

Expected<std::vector<ManualMark>, Diagnostic> read_manual_marks(const fs::path& file, const std::string& lab,
                                                                const Course& course) {
  const auto table = CsvFile::read(file);
  if (!table) return Unexpected{table.error()};
  const auto keys = keys_of(*table, lab);
  if (!keys) return Unexpected{keys.error()};
  if (!table->find({"points", "comment"})) return Unexpected{table->missing_column({"points", "comment"})};
  std::vector<ManualMark> marks;
  for (const CsvRow& row : table->rows()) {
    auto mark = mark_of(*table, row, *keys, lab, course);
    if (!mark) return Unexpected{mark.error()};
    if (!*mark) continue;
    marks.push_back(**std::move(mark));
  }
  return marks;
}

Expected<std::vector<GivenTime>, Diagnostic> read_given_times(const fs::path& file, const std::string& lab,
                                                              const Course& course) {
  const std::string moodle = "last modified (submission)";
  const auto table = CsvFile::read(file);
  if (!table) return Unexpected{table.error()};
  const auto keys = keys_of(*table, lab);
  if (!keys) return Unexpected{keys.error()};
  const auto column = table->find({"handed_in", "submitted_at", moodle});
  if (!column) return Unexpected{table->missing_column({"handed_in", "Last modified (submission)"})};
  const bool of_moodle = lower(trimmed(table->header()[*column])) == moodle;
  std::vector<GivenTime> times;
  for (const CsvRow& row : table->rows()) {
    const std::string text = cell(row, column);
    if (text.empty() || text == "-") continue;  // Moodle: nothing handed in
    const auto written = read_time(text);
    const auto at = written ? written->in(course.zone) : std::nullopt;
    if (!at)
      return Unexpected{
          wrong_row(table->place(row), fmt::format("has the time \"{}\" when it should be one like "
                                                   "2026-11-20 23:59 or 2026-11-20 23:59 +01:00",
                                                   printable(text)))};
    auto named = lab_of(*table, row, *keys, lab, course);
    if (!named) return Unexpected{named.error()};
    GivenTime time{student_of(*table, row, keys->student), *std::move(named), *at,
                   of_moodle ? "Moodle" : "instructor's list"};
    if (time.student.text.empty()) return Unexpected{wrong_row(table->place(row), "names no student")};
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace grader::course
