#include <fmt/format.h>

#include "profile/access_picture.hpp"
#include "profile/divergence.hpp"
#include "profile/line_ratios.hpp"
#include "profile/run_profile.hpp"
#include "report/kernel_limits.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/timeline_svg.hpp"

namespace grader {
namespace {

// No script, no network: a page from a hostile program can show text and pictures only.
constexpr const char* kPageHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

constexpr const char* kPageStyle = R"(<style>
:root{--back:#fff;--text:#1f2328;--faint:#59636e;--line:#d1d9e0;--band:#f6f8fa;--bad:#9a4f00;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--faint:#9198a1;--line:#30363d;--band:#151b23;--bad:#f7c08a;--link:#79b8ff}}
body{margin:0 auto;max-width:1080px;padding:1.5rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.2rem 0 .3rem}
h1,h2,p{overflow-wrap:anywhere}p{margin:.4rem 0}.faint{color:var(--faint)}.bad{color:var(--bad);font-weight:600}a{color:var(--link)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--faint)}
th,td{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th{font-weight:600}th:first-child,td.text,th.text{text-align:left}
td.code,td.ptx{text-align:left;font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;white-space:pre}
td.ptx{color:var(--faint);padding-left:2.5rem}
figure{margin:.6rem 0;overflow-x:auto;border:1px solid var(--line)}figure svg{display:block;height:auto}
@page{size:A4;margin:15mm}@media print{body{max-width:none;padding:0;font-size:11px}figure{break-inside:avoid}figure svg{max-width:100%}}
</style>
)";

std::string paragraph(const std::string& text, const char* style = "") {
  return fmt::format("<p{}>{}</p>\n", *style == '\0' ? "" : fmt::format(" class=\"{}\"", style),
                     markup_text(text));
}

std::string figure(const std::string& svg) {
  // A figure that scrolls must be reachable by keyboard.
  return svg.empty() ? "" : "<figure tabindex=\"0\">\n" + svg + "</figure>\n";
}

std::string measures(const KernelFacts& kernel) {
  std::string table =
      "<div class=\"scroll\" tabindex=\"0\"><table><caption>Counters and their ideal "
      "values</caption>\n<tr><th "
      "scope=\"col\">counter</th><th scope=\"col\">yours</th><th scope=\"col\">ideal</th><th scope=\"col\" "
      "class=\"text\">remark</th></tr>\n";
  for (const Measure& row : measures_of(kernel))
    table += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"text bad\">{}</td></tr>\n",
        markup_text(row.name), markup_text(row.yours), markup_text(row.ideal),
        row.is_ideal ? "" : "not ideal");
  return table + "</table></div>\n";
}

std::string per_request_cells(const std::optional<PerRequest>& one) {
  if (!one) return "<td></td><td></td>";
  return fmt::format("<td{}>{}</td><td>{}</td>", one->is_ideal() ? "" : " class=\"bad\"",
                     value_text(one->cost), value_text(one->ideal));
}

std::string line_row(const LineFacts& line, std::uint64_t all) {
  const LineCounters ratios = ratios_of(line, all);
  const auto text = [](const std::optional<double>& value) { return value ? value_text(*value) : ""; };
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{:.1f}</td><td>{}</td>{}{}<td>{}</td><td "
      "class=\"code\">{}</td></tr>\n",
      markup_text(line.line == 0 ? "no line" : place_of(line.file, line.line)), ratios.share_percent,
      text(ratios.active_lanes), per_request_cells(ratios.global_sectors),
      per_request_cells(ratios.shared_passes), text(ratios.divergent_percent), markup_text(line.source));
}

std::string lines(const KernelFacts& kernel, bool shows_ptx) {
  const std::uint64_t all = warp_instructions(kernel.lines);
  std::string table =
      "<div class=\"scroll\" tabindex=\"0\"><table><caption>Share of warp instructions in %, active lanes, "
      "sectors "
      "of global memory and wavefronts of shared memory per request, branches that diverge in "
      "%</caption>\n<tr><th "
      "scope=\"col\">line</th><th scope=\"col\">instr.</th><th scope=\"col\">lanes</th><th "
      "scope=\"col\">sectors</th><th scope=\"col\">ideal</th><th scope=\"col\">wavefronts</th><th "
      "scope=\"col\">ideal</th><th scope=\"col\">diverge</th><th scope=\"col\" "
      "class=\"text\">source</th></tr>\n";
  for (const LineFacts& line : kernel.lines) {
    table += line_row(line, all);
    for (const std::string& one : shows_ptx ? line.ptx : std::vector<std::string>{})
      table += fmt::format("<tr><td colspan=\"8\"></td><td class=\"ptx\">{}</td></tr>\n", markup_text(one));
  }
  return table + "</table></div>\n";
}

std::string section_of(const KernelFacts& kernel, std::size_t number, const RunProfile& profile) {
  const vgpu::LaunchRecord& launch = kernel.longest;
  std::string section = fmt::format("<section>\n<h2 id=\"kernel-{}\">Kernel <code>{}</code></h2>\n", number,
                                    markup_text(kernel.name));
  section += paragraph(fmt::format(
      "{} in {}; grid {} × {} × {}, block {} × {} × {}", seconds_text(kernel.seconds),
      kernel.launches == 1 ? "1 launch" : fmt::format("{} launches", kernel.launches), launch.grid.x,
      launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z));
  section += paragraph(limits_text(launch));
  section += measures(kernel) + "<h3>By source line</h3>\n" + lines(kernel, profile.shows_ptx);
  const auto accesses = chosen_accesses(kernel, profile.choice);
  if (!accesses.empty()) section += "<h3>Accesses</h3>\n";
  for (const NamedAccess* site : accesses)
    section += figure(access_svg(*site, chosen_execution(*site, profile.choice)));
  if (const std::string lanes = divergence_svg(kernel); !lanes.empty())
    section += "<h3>Lanes of a warp</h3>\n" + figure(lanes);
  return section + "</section>\n";
}

std::string compared(const RunProfile& profile) {
  if (profile.compared.empty()) return {};
  std::string table =
      "<h2 id=\"objectives\">Objectives of the case</h2>\n<div class=\"scroll\" "
      "tabindex=\"0\"><table>\n<tr><th "
      "scope=\"col\">counter</th><th scope=\"col\">yours</th><th scope=\"col\">naive</th><th "
      "scope=\"col\">solution</th><th scope=\"col\">objective</th></tr>\n";
  for (const ComparedCounter& one : profile.compared)
    table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                         markup_text(one.name), one.yours, one.naive, one.solution, markup_text(one.limit));
  return table + "</table></div>\n";
}

std::string contents(const RunProfile& profile) {
  std::string list = "<nav aria-label=\"Contents\"><ul>\n";
  for (std::size_t i = 0; i < profile.kernels.size(); ++i)
    list +=
        fmt::format("<li><a href=\"#kernel-{}\">{}</a></li>\n", i + 1, markup_text(profile.kernels[i].name));
  if (profile.gpu) list += "<li><a href=\"#real-gpu\">real GPU</a></li>\n";
  return list +
         "<li><a href=\"#roofline\">roofline</a></li>\n<li><a "
         "href=\"#timeline\">timeline</a></li>\n</ul></nav>\n";
}

}  // namespace

std::string profile_page(const RunProfile& profile) {
  const std::string title = markup_text("Profile of " + profile.title);
  std::string page = kPageHead + fmt::format("<title>{}</title>\n", title) + kPageStyle +
                     "</head>\n<body>\n<main>\n" + fmt::format("<h1>{}</h1>\n", title) +
                     paragraph(profile.subtitle, "faint");
  for (const std::string& note : profile.notes) page += paragraph("Note: " + note);
  for (const std::string& line : profile.exactness) page += paragraph("Arithmetic: " + line);
  if (profile.kernels.empty())
    return page + "<p>No kernel ran to its end.</p>\n" + (profile.gpu ? gpu_markup(*profile.gpu) : "") +
           "</main>\n</body>\n</html>\n";
  page += contents(profile) + compared(profile);
  for (std::size_t i = 0; i < profile.kernels.size(); ++i)
    page += section_of(profile.kernels[i], i + 1, profile);
  if (profile.gpu) page += gpu_markup(*profile.gpu);
  page += "<section>\n<h2 id=\"roofline\">Roofline</h2>\n";
  for (const Roofline& one : profile.rooflines) page += figure(roofline_svg(one));
  page += "</section>\n<section>\n<h2 id=\"timeline\">Timeline</h2>\n" +
          figure(timeline_svg(profile.run.programs, profile.run.device)) + "</section>\n";
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace grader
