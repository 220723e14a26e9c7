#include "pages/html.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "pages/assets.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "score/check_words.hpp"

namespace grader::pages {
namespace {

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// A source of a content security policy: "'sha256-…'".
std::string digest_source(std::string_view content) {
  return fmt::format("'sha256-{}'", base64(sha256(content)));
}

std::string policy(std::string_view style, const std::vector<std::string>& scripts) {
  std::string permitted = scripts.empty() ? " 'none'" : "";
  for (const std::string& script : scripts) permitted += " " + digest_source(script);
  return fmt::format(
      "default-src 'none'; style-src {}; script-src{}; img-src data:; base-uri 'none'; form-action 'none'",
      digest_source(style), permitted);
}

}  // namespace

std::string document(std::string_view title, std::string_view main_html, Scripts scripts) {
  std::string style(kPageCss);
  std::vector<std::string> bodies;
  if (scripts == Scripts::tables_and_charts) {
    style = fmt::format("{}\n{}", kUplotCss, kPageCss);
    bodies = {fmt::format("/* uPlot:\n{}\n*/\n{}", kUplotLicense, kUplotJs), std::string(kTablesJs),
              std::string(kChartsJs)};
  }
  std::string page = fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="warpgrade report">
<title>{}</title>
<style>{}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<main id="main">
{}</main>
)",
      policy(style, bodies), text(title), style, main_html);
  for (const std::string& script : bodies) page += fmt::format("<script>{}</script>\n", script);
  return page + "</body>\n</html>\n";
}

std::string text(std::string_view untrusted, std::size_t max_bytes) {
  if (untrusted.size() <= max_bytes) return markup_text(untrusted);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(untrusted[end]) & 0xC0U) == 0x80U) --end;  // whole characters
  return markup_text(untrusted.substr(0, end)) + "…";
}

std::string anchor(std::string_view untrusted) {
  std::string id;
  for (const char c : untrusted) id += is_ascii_word(c) ? c : '_';
  return id;
}

std::string file_address(std::string_view name) {
  std::string address;
  for (const char c : name)
    address += is_ascii_word(c) || c == '.' ? std::string(1, c)
                                            : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return address;
}

std::string link_html(std::string_view address, std::string_view untrusted) {
  return fmt::format("<a href=\"{}\">{}</a>", address, text(untrusted));
}

std::string section(std::string_view id, std::string_view heading, std::string_view html) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n", id,
      text(heading), html);
}

std::string table(std::string_view caption, const std::vector<Column>& columns, std::string_view rows_html,
                  std::string_view attributes) {
  std::string head;
  for (const Column& column : columns)
    head += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                        text(column.heading));
  return fmt::format(
      "<div class=\"table\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table{1}{2}>\n<caption>{0}</caption>\n"
      "<thead><tr>{3}</tr></thead>\n<tbody>\n{4}</tbody></table></div>\n",
      text(caption), attributes.empty() ? "" : " ", attributes, head, rows_html);
}

std::string closed(std::string_view heading, std::string_view html) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", text(heading), html);
}

std::string cell(std::string_view html) { return fmt::format("<td>{}</td>", html); }

std::string row_heading(std::string_view html) { return fmt::format("<th scope=\"row\">{}</th>", html); }

std::string number_cell(double value, std::string_view html) {
  return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, html);
}

std::string empty_cell() { return "<td class=\"number\">–</td>"; }

std::string code_html(std::string_view code) {
  return fmt::format("<span class=\"code\">{}</span>", text(code));
}

std::string status_html(const Check& check) {
  switch (outcome_of(check.status, check.points, check.max_points)) {
    case CheckOutcome::pass:
      return "<span class=\"good\">✓ pass</span>";
    case CheckOutcome::part:
      return "<span class=\"warning\">! part</span>";
    case CheckOutcome::fail:
      return "<span class=\"bad\">✗ FAIL</span>";
    case CheckOutcome::skip:
      break;
  }
  return "<span class=\"quiet\">– skip</span>";
}

std::string verdict_html(Verdict verdict) {
  if (verdict == Verdict::accepted) return "<span class=\"good\">✓ accepted</span>";
  return fmt::format("<span class=\"bad\">✗ {}</span>", text(verdict_words(verdict)));
}

std::string points_html(double points, double max_points) {
  return fmt::format("{} <span class=\"of\">/ {}</span>", points_text(points), points_text(max_points));
}

}  // namespace grader::pages
