#include "report/csv.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/terminal.hpp"

namespace grader {
namespace {

/// Quoted cells can contain separators, but column names rarely do, so counting all separators is sufficient.
char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of("\r\n"));
  char best = ',';
  for (const char candidate : {',', ';', '\t'})
    if (std::count(first.begin(), first.end(), candidate) > std::count(first.begin(), first.end(), best))
      best = candidate;
  return best;
}

/// Reads rows from the front of a text.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text), separator_(separator_of(text)) {}

  bool at_end() const { return rest_.empty(); }

  /// False: a quote is not closed, or other text follows the closing quote.
  bool take_row(CsvRow& row) {
    row = {line_, {""}};
    while (!rest_.empty()) {
      if (rest_.front() == '"' && row.cells.back().empty()) {
        if (!take_quoted(row.cells.back())) return false;
        continue;
      }
      const char c = take();
      if (c == separator_)
        row.cells.emplace_back();
      else if (c == '\n')
        return true;
      else if (c != '\r' || (!rest_.empty() && rest_.front() != '\n'))
        row.cells.back() += c;
    }
    return true;
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\n') ++line_;
    return c;
  }

  bool take_quoted(std::string& cell) {
    take();
    while (!rest_.empty()) {
      const char c = take();
      if (c != '"') {
        cell += c;
      } else if (!rest_.empty() && rest_.front() == '"') {
        cell += take();
      } else {
        return rest_.empty() || rest_.front() == separator_ || rest_.front() == '\r' || rest_.front() == '\n';
      }
    }
    return false;
  }

  std::string_view rest_;
  char separator_;
  std::size_t line_ = 1;
};

}  // namespace

bool starts_formula(std::string_view text) {
  constexpr std::array<std::string_view, 11> kStarts = {"=",  "+",  "-",  "@",  "\t", "\r",
                                                        "\n", "＝", "＋", "－", "＠"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

std::string csv_cell(std::string_view text) {
  std::string safe = printable(text);
  if (starts_formula(text)) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",;\"'") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_row(const std::vector<std::string>& cells) {
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

Expected<std::vector<CsvRow>, std::string> read_csv(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<CsvRow> rows;
  for (CsvReader reader(text); !reader.at_end();) {
    CsvRow row;
    if (!reader.take_row(row))
      return Unexpected{
          fmt::format("the row that starts in line {} has a quote that is not closed", row.line)};
    const bool is_empty =
        std::all_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) { return cell.empty(); });
    if (!is_empty) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace grader
