#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "similarity/report.hpp"

namespace grader::similarity {
namespace {

constexpr std::size_t kMaxFragments = 100;  // per pair; a copy has few long ones
constexpr std::uint32_t kMaxLines = 400;    // per fragment
constexpr std::size_t kMaxLineBytes = 400;  // per line

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Similarity of submissions</title>
<style>
:root { color-scheme: light dark; --line: #8886; --mark: #b3261e; --code: #8881; }
@media (prefers-color-scheme: dark) { :root { --mark: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line);
  max-width: 30rem; overflow-wrap: break-word; }
.table { overflow-x: auto; }
td.number, th.number { text-align: right; white-space: nowrap; }
.over { color: var(--mark); font-weight: 600; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .6rem 0; padding: .5rem .9rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .8rem; margin: .8rem 0; }
.sides h4 { margin: 0 0 .2rem; font-size: .9rem; overflow-wrap: anywhere; }
pre { margin: 0; padding: .5rem; background: var(--code); overflow-x: auto; font-size: .8rem; line-height: 1.4; }
@media (max-width: 50rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
</style>
</head>
<body>
<h1>Similarity of submissions</h1>
<p>The similarity of two submissions is the share of the smaller submission's fingerprints that the other
submission also has. Names, comments, blanks, literals and the code that was handed out do not count. A high
value is a reason to read both submissions, but it proves nothing.</p>
)";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string code(const std::vector<std::string_view>& lines, Lines range) {
  std::string html;
  const std::uint32_t last = std::min(range.last, range.first + kMaxLines - 1);
  for (std::uint32_t number = range.first; number <= last && number <= lines.size(); ++number) {
    std::string_view line = lines[number - 1].substr(0, kMaxLineBytes);
    if (line.ends_with('\r')) line.remove_suffix(1);
    html += fmt::format("{:>4}  {}\n", number, markup_text(line));
  }
  if (last < range.last) html += fmt::format("      … {} more lines\n", range.last - last);
  return html;
}

std::string side(const Document& document, const std::vector<std::string_view>& lines, Lines range) {
  return fmt::format("<div><h4>{}, lines {} to {}</h4><pre tabindex=\"0\">{}</pre></div>\n",
                     markup_text(document.name), range.first, range.last, code(lines, range));
}

std::string pair_details(const Comparison& lab, const Pair& pair, const std::string& id) {
  const Document& first = lab.documents[pair.first];
  const Document& second = lab.documents[pair.second];
  const auto first_lines = lines_of(first.text), second_lines = lines_of(second.text);
  std::string html = fmt::format("<details id=\"{}\"{}><summary>{} and {}: {}</summary>\n", id,
                                 pair.similarity >= lab.threshold ? " open" : "", markup_text(first.name),
                                 markup_text(second.name), percent(pair.similarity));
  const std::size_t shown = std::min(pair.fragments.size(), kMaxFragments);
  for (std::size_t i = 0; i < shown; ++i)
    html += "<div class=\"sides\">\n" + side(first, first_lines, pair.fragments[i].in_first) +
            side(second, second_lines, pair.fragments[i].in_second) + "</div>\n";
  if (shown < pair.fragments.size())
    html += fmt::format("<p>… {} more fragments</p>\n", pair.fragments.size() - shown);
  return html + "</details>\n";
}

std::string table_row(const Comparison& lab, const Pair& pair, const std::string& id) {
  const bool is_over = pair.similarity >= lab.threshold;
  return fmt::format(
      "<tr><td class=\"number{}\">{}{}</td><td class=\"number\">{} lines</td><td><a href=\"#{}\">{}</a></td>"
      "<td>{}</td></tr>\n",
      is_over ? " over" : "", is_over ? "! " : "", percent(pair.similarity), pair.longest_lines(), id,
      markup_text(lab.documents[pair.first].name), markup_text(lab.documents[pair.second].name));
}

std::string too_little(const Comparison& lab) {
  if (lab.too_little.empty()) return {};
  std::string html = "<p>Not compared, too little beyond what was handed out: ";
  for (const std::string& name : lab.too_little)
    html += (&name == lab.too_little.data() ? "" : ", ") + markup_text(name);
  return html + "</p>\n";
}

std::string section(const Comparison& lab) {
  std::string html =
      fmt::format("<h2>{}</h2>\n<p>{} submissions, {} pairs, {} from {} on.</p>\n", markup_text(lab.lab),
                  lab.documents.size(), lab.pairs_compared, lab.above_threshold, percent(lab.threshold));
  if (!lab.pairs.empty()) {
    html +=
        "<div class=\"table\"><table>\n<tr><th class=\"number\">similarity</th><th class=\"number\">longest "
        "match</th><th>first</th>"
        "<th>second</th></tr>\n";
    std::string details;
    for (std::size_t i = 0; i < lab.pairs.size(); ++i) {
      const std::string id = fmt::format("{}-{}", markup_text(lab.lab), i + 1);
      html += table_row(lab, lab.pairs[i], id);
      details += pair_details(lab, lab.pairs[i], id);
    }
    html += "</table></div>\n" + details;
  }
  return html + too_little(lab);
}

}  // namespace

std::string similarity_html(const std::vector<Comparison>& labs) {
  std::string html = kHead;
  for (const Comparison& lab : labs) html += section(lab);
  return html + "</body>\n</html>\n";
}

}  // namespace grader::similarity
