#include "export/roster.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.hpp"
#include "report/csv.hpp"
#include "report/terminal.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxRosterBytes = std::size_t{16} << 20U;

Diagnostic unusable(const std::filesystem::path& file, std::string what, std::size_t line = 0) {
  Diagnostic problem = diagnose_file("WG-G57", file.string(), std::move(what),
                                     "pass a CSV file with a row of column names and one row per person; "
                                     "--match names the column that contains the submissions' ids");
  problem.where->line = static_cast<int>(line);
  return problem;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The field of Identity for a column, by its name in Canvas, Moodle or this kit.
std::optional<std::string Identity::*> meaning(const std::string& column) {
  static const std::map<std::string, std::string Identity::*> kKnown = {
      {"name", &Identity::name},           {"student", &Identity::name},
      {"full name", &Identity::name},      {"email", &Identity::email},
      {"email address", &Identity::email}, {"id", &Identity::lms_id},
      {"lms_id", &Identity::lms_id},       {"user id", &Identity::lms_id},
      {"identifier", &Identity::lms_id},   {"sis user id", &Identity::sis_id},
      {"sis_id", &Identity::sis_id},       {"sis login id", &Identity::login},
      {"login", &Identity::login},         {"username", &Identity::login},
      {"id number", &Identity::id_number}, {"id_number", &Identity::id_number},
      {"section", &Identity::section}};
  const auto found = kKnown.find(lower(column));
  return found == kKnown.end() ? std::nullopt : std::optional(found->second);
}

/// Moodle's worksheets contain "Participant 123" for the number 123.
std::string value_of(const std::string& cell) {
  constexpr std::string_view kParticipant = "Participant ";
  return cell.starts_with(kParticipant) ? cell.substr(kParticipant.size()) : cell;
}

Identity identity_of(const std::vector<std::string>& header, const CsvRow& row) {
  Identity identity;
  for (std::size_t i = 0; i < std::min(header.size(), row.cells.size()); ++i)
    if (const auto part = meaning(header[i]); part && (identity.**part).empty())
      identity.** part = value_of(row.cells[i]);
  return identity;
}

/// False for the second row of Canvas' gradebooks, which contains the possible points.
bool is_person(const CsvRow& row) { return row.cells.front().find("Points Possible") == std::string::npos; }

std::optional<std::size_t> position(const std::vector<std::string>& header, const std::string& column) {
  const auto found = std::find_if(header.begin(), header.end(),
                                  [&](const std::string& name) { return lower(name) == lower(column); });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

}  // namespace

Expected<Roster, Diagnostic> read_roster(const std::filesystem::path& file, const std::string& column) {
  const auto bytes = read_file(file, kMaxRosterBytes);
  if (!bytes) return Unexpected{unusable(file, bytes.error())};
  const auto rows = read_csv(*bytes);
  if (!rows) return Unexpected{unusable(file, rows.error())};
  if (rows->empty()) return Unexpected{unusable(file, "is empty")};
  const std::vector<std::string>& header = rows->front().cells;
  const auto key = position(header, column);
  if (!key)
    return Unexpected{unusable(
        file,
        printable(fmt::format("has no column \"{}\"; its columns are {}", column, fmt::join(header, ", "))),
        1)};
  Roster roster;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    if (!is_person(row) || *key >= row.cells.size() || row.cells[*key].empty()) continue;
    const std::string id = value_of(row.cells[*key]);
    if (!roster.emplace(id, identity_of(header, row)).second)
      return Unexpected{unusable(file, printable(fmt::format("contains \"{}\" twice", id)), row.line)};
  }
  return roster;
}

std::vector<std::string> apply_roster(ClassResults& results, const Roster& roster) {
  std::vector<std::string> unknown;
  for (GradedSubmission& one : results.submissions) {
    const auto found = roster.find(one.id);
    if (found == roster.end()) {
      unknown.push_back(one.id);
      continue;
    }
    for (std::string Identity::*part :
         {&Identity::name, &Identity::email, &Identity::lms_id, &Identity::sis_id, &Identity::login,
          &Identity::id_number, &Identity::section})
      if (!(found->second.*part).empty()) one.identity.*part = found->second.*part;
    if (!found->second.lms_id.empty()) one.lms.clear();
  }
  return unknown;
}

}  // namespace grader
