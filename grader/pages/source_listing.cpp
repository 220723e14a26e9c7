#include "pages/source_listing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "pages/html.hpp"
#include "pages/report.hpp"
#include "report/numbers.hpp"

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

/// A cell of the block of counters, right-aligned. Meaning does not depend on colour alone: a bad value has a
/// mark, for which good values have a blank.
std::string counter_cell(const std::string& value, std::size_t width, bool is_bad = false) {
  const std::string cell = fmt::format("{:>{}}{}", value, width, is_bad ? "!" : " ");
  return is_bad ? "<span class=\"bad\">" + cell + "</span>" : cell;
}

/// At most two decimals, and at most 6 characters.
std::string short_number(double value) { return value_text(std::round(100 * value) / 100); }

std::string number_text(const std::optional<double>& value) { return value ? short_number(*value) : ""; }

std::string per_request_cell(const std::optional<PerRequest>& one, std::size_t width) {
  if (!one) return counter_cell("", width);
  return counter_cell(short_number(one->cost) + "/" + short_number(one->ideal), width, !one->is_ideal());
}

// The headings of the columns set their widths.
constexpr std::string_view kShare = " share", kLanes = " lanes", kSectors = " sectors/ideal",
                           kPasses = " wavefr./ideal", kDiverging = " div. %";

/// The block before a line, of a fixed width that the style knows.
std::string counters_block(const LineCounters* counters) {
  if (counters == nullptr) return "<span class=\"counters\"></span>";
  return "<span class=\"counters\">" +
         counter_cell(fmt::format("{:.1f}", counters->share_percent), kShare.size()) +
         counter_cell(number_text(counters->active_lanes), kLanes.size()) +
         per_request_cell(counters->global_sectors, kSectors.size()) +
         per_request_cell(counters->shared_passes, kPasses.size()) +
         counter_cell(number_text(counters->divergent_percent), kDiverging.size(),
                      counters->divergent_percent.value_or(0) > 0) +
         "</span>";
}

/// The headings above the blocks.
std::string counters_heading() {
  std::string html = "<p class=\"source heading\"><span class=\"counters\">";
  for (const std::string_view heading : {kShare, kLanes, kSectors, kPasses, kDiverging})
    html += counter_cell(std::string(heading), heading.size());
  return html + "</span></p>\n";
}

std::string counters_legend(const FileLineCounters& counters) {
  return fmt::format(
      "<p>The numbers before a line are its counters in case <code>{}</code> on the virtual GPU: the share "
      "of "
      "all warp instructions in %, the active lanes per instruction, the sectors of global memory and the "
      "wavefronts (wavefr.) of shared memory per request with their ideal values, and the branches that "
      "diverge in %; "
      "<span class=\"bad\">!</span> marks values above the ideal.</p>\n",
      text(counters.case_name));
}

std::string listed_line(std::string_view line, const std::string& id, const std::vector<Finding>& findings,
                        const std::string& block) {
  std::string html =
      fmt::format("<li id=\"{}\"{}>{}<code>{}</code>", id, findings.empty() ? "" : " class=\"found\"", block,
                  text(line, kMaxListedBytes));
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
    if (number == diagnostic.where->line) return trimmed(line) == trimmed(diagnostic.source_line);
  }
  return false;
}

std::string source_listing(std::string_view source, const std::string& lab,
                           const std::vector<Finding>& findings, const FileLineCounters* counters) {
  std::map<int, std::vector<Finding>> by_line;
  for (const Finding& one : findings) by_line[one.diagnostic->where->line].push_back(one);
  std::map<std::size_t, const LineCounters*> counted;
  if (counters != nullptr)
    for (const LineCounters& one : counters->lines) counted[one.line] = &one;
  std::string html = counters == nullptr ? "" : counters_legend(*counters);
  html += "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Source\">";
  if (counters != nullptr) html += counters_heading();
  html += "<ol class=\"source\">\n";
  std::size_t number = 0;
  while (!source.empty() && number < kMaxListedLines) {
    const std::string_view line = take_line(source);
    const int place = static_cast<int>(++number);
    const auto here = by_line.find(place);
    const auto numbers = counted.find(number);
    html += listed_line(
        line, line_anchor(lab, place), here == by_line.end() ? std::vector<Finding>{} : here->second,
        counters == nullptr ? "" : counters_block(numbers == counted.end() ? nullptr : numbers->second));
  }
  html += "</ol></div>\n";
  const auto left_out = std::count(source.begin(), source.end(), '\n') + (source.ends_with('\n') ? 0 : 1);
  if (!source.empty()) html += fmt::format("<p>… {} more lines</p>\n", left_out);
  return html;
}

}  // namespace grader::pages
