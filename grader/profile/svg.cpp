#include "profile/svg.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "report/markup.hpp"

namespace grader {
namespace {

// The names begin with "p-", so that the style does not affect other pictures of the same page.
constexpr const char* kPictureStyle = R"(<style>
.p-svg{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px}
.p-back{fill:#fff}.p-text{fill:#1f2328}.p-faint{fill:#59636e}.p-head{font-weight:600}
.p-title{font-size:14px;font-weight:600}.p-small{font-size:10px}.p-mono{font-family:ui-monospace,monospace}
.p-grid{stroke:#d1d9e0;stroke-width:1}.p-axis{stroke:#59636e;stroke-width:1}
.p-roof{stroke:#1f2328;stroke-width:2}.p-roof2{stroke:#59636e;stroke-width:1.5;stroke-dasharray:5 3}
.p-wire{stroke:#1f5fa8;stroke-width:1;opacity:.6}
.p-lane{fill:#9ec5f4;stroke:#1f5fa8}.p-off{fill:#f6f8fa;stroke:#afb8c1}
.p-used{fill:#9fd8a4;stroke:#1a6b2a}.p-moved{fill:#f7c08a;stroke:#9a4f00}.p-none{fill:#fff;stroke:#d1d9e0}
.p-conflict{fill:#f2a7a0;stroke:#b3261e}
.p-on{fill:#2f6db5}.p-wait{fill:#f7c08a}.p-gone{fill:#eaeef2}
.p-s0{fill:#1f6fb2}.p-s1{fill:#c0392b}.p-s2{fill:#1a7f37}.p-s3{fill:#8250df}.p-s4{fill:#9a6700}
.p-ink{fill:#111}
@media (prefers-color-scheme:dark){
.p-back{fill:#0d1117}.p-text{fill:#e6edf3}.p-faint{fill:#9198a1}
.p-grid{stroke:#30363d}.p-axis{stroke:#9198a1}.p-roof{stroke:#e6edf3}.p-roof2{stroke:#9198a1}
.p-wire{stroke:#9ec5f4}
.p-lane{fill:#2f6db5;stroke:#9ec5f4}.p-off{fill:#151b23;stroke:#3d444d}
.p-used{fill:#2c7a3c;stroke:#9fd8a4}.p-moved{fill:#a35c12;stroke:#f7c08a}.p-none{fill:#0d1117;stroke:#30363d}
.p-conflict{fill:#9a2b23;stroke:#f2a7a0}
.p-on{fill:#4c93e0}.p-wait{fill:#a35c12}.p-gone{fill:#21262d}
.p-s0{fill:#6cb0f5}.p-s1{fill:#ff8a80}.p-s2{fill:#7ee08a}.p-s3{fill:#c9a6ff}.p-s4{fill:#e3b341}
.p-ink{fill:#fff}}
</style>
)";

constexpr std::size_t kSeries = 5;

std::string title(std::string_view tooltip) {
  return tooltip.empty() ? "" : "<title>" + markup_text(tooltip) + "</title>";
}

std::string classes(std::string_view style) {
  std::string names;
  for (std::size_t start = 0; start < style.size();) {
    const std::size_t end = std::min(style.find(' ', start), style.size());
    names += (names.empty() ? "p-" : " p-") + std::string(style.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

}  // namespace

Svg::Svg(double width, double height, std::string label)
    : width_(width), height_(height), label_(std::move(label)) {}

void Svg::rect(double x, double y, double width, double height, std::string_view style,
               std::string_view tooltip) {
  shapes_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                         classes(style), x, y, width, height) +
             (tooltip.empty() ? "/>\n" : ">" + title(tooltip) + "</rect>\n");
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  shapes_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                         classes(style), x1, y1, x2, y2);
}

void Svg::circle(double x, double y, double radius, std::string_view style, std::string_view tooltip) {
  shapes_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", classes(style), x,
                         y, radius) +
             (tooltip.empty() ? "/>\n" : ">" + title(tooltip) + "</circle>\n");
}

void Svg::text(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
  static constexpr const char* kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  shapes_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", classes(style), x, y,
                         kAnchors[static_cast<int>(anchor)], markup_text(text));
}

std::string Svg::document() const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"p-svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\">\n",
             width_, height_, markup_text(label_)) +
         kPictureStyle +
         fmt::format("<rect class=\"p-back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width_, height_) +
         shapes_ + "</svg>\n";
}

std::string series_style(std::size_t n) { return "s" + std::to_string(n % kSeries); }

std::string lane_list(std::uint32_t lanes) {
  std::string list;
  for (int first = 0; first < 32; ++first) {
    if ((lanes >> first & 1U) == 0) continue;
    int last = first;
    while (last < 31 && (lanes >> (last + 1) & 1U) != 0) ++last;
    if (!list.empty()) list += ", ";
    list += first == last ? std::to_string(first)
                          : fmt::format("{}{}{}", first, last == first + 1 ? ", " : "–", last);
    first = last;
  }
  return list;
}

}  // namespace grader
