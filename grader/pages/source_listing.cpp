#include "pages/source_listing.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "pages/html.hpp"
#include "pages/report.hpp"

namespace grader::pages {
namespace {

constexpr std::size_t kMaxListedLines = 4000;
constexpr std::size_t kMaxListedBytes = 400;  // of one line

/// Removes the first line from the text and returns it without its end.
std::string_view take_line(std::string_view& source) {
  const std::size_t end = std::min(source.find('\n'), source.size());
  std::string_view line = source.substr(0, end);
  source.remove_prefix(std::min(end + 1, source.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t start = line.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return line.substr(start, line.find_last_not_of(kBlanks) - start + 1);
}

std::string listed_line(std::string_view line, const std::string& id, const std::vector<Finding>& findings) {
  std::string html = fmt::format("<li id=\"{}\"{}><code>{}</code>", id,
                                 findings.empty() ? "" : " class=\"found\"", text(line, kMaxListedBytes));
  for (const Finding& one : findings)
    html += fmt::format("<p class=\"note {}\"><a href=\"#{}\">{}</a> {}</p>",
                        one.diagnostic->severity == Severity::error ? "bad" : "warning", one.id,
                        text(one.diagnostic->code), text(one.diagnostic->what));
  return html + "</li>\n";
}

}  // namespace

bool points_into(const Diagnostic& diagnostic, std::string_view source) {
  if (!diagnostic.where || diagnostic.where->line < 1 || diagnostic.source_line.empty()) return false;
  for (int number = 1; !source.empty(); ++number) {
    const std::string_view line = take_line(source);
    if (number == diagnostic.where->line)
      return without_blanks(line) == without_blanks(diagnostic.source_line);
  }
  return false;
}

std::string source_listing(std::string_view source, const std::string& lab,
                           const std::vector<Finding>& findings) {
  std::map<int, std::vector<Finding>> by_line;
  for (const Finding& one : findings) by_line[one.diagnostic->where->line].push_back(one);
  std::string html =
      "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Source\"><ol class=\"source\">\n";
  std::size_t number = 0;
  while (!source.empty() && number < kMaxListedLines) {
    const std::string_view line = take_line(source);
    const int place = static_cast<int>(++number);
    const auto here = by_line.find(place);
    html += listed_line(line, line_anchor(lab, place),
                        here == by_line.end() ? std::vector<Finding>{} : here->second);
  }
  html += "</ol></div>\n";
  const auto left_out = std::count(source.begin(), source.end(), '\n') + (source.ends_with('\n') ? 0 : 1);
  if (!source.empty()) html += fmt::format("<p>… {} more lines</p>\n", left_out);
  return html;
}

}  // namespace grader::pages
