#include "report/timeline_svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/timeline_rows.hpp"

namespace grader {
namespace {

using vgpu::OperationKind;
using vgpu::TimedOperation;
using Programs = std::span<const vgpu::cudart::SessionReport>;

// Pixels.
constexpr double kLabels = 132;  // width of the rows' names
constexpr double kPlot = 820;
constexpr double kRightMargin = 28;
constexpr double kRow = 34, kBox = 24;
constexpr double kHeading = 26, kAxis = 34, kTop = 44, kBottom = 52;
constexpr double kCharacter = 6.4;  // average width of a character in a box

constexpr const char* kStyle = R"(<style>
svg{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px}
.back{fill:#fff}.text{fill:#1f2328}.faint{fill:#59636e}.head{font-weight:600}
.title{font-size:14px;font-weight:600}
.grid{stroke:#d1d9e0;stroke-width:1}.line{stroke:#59636e;stroke-width:1}.band{fill:#f6f8fa}
.up{fill:#9ec5f4;stroke:#1f5fa8}.down{fill:#f7c08a;stroke:#9a4f00}.kernel{fill:#9fd8a4;stroke:#1a6b2a}
.fill{fill:#d0d0d8;stroke:#55555f}.host{fill:#d8b9ee;stroke:#6a3a93}
.box text{fill:#111;stroke:none;font-size:11px}.event{stroke:#b3261e;stroke-width:2}
@media (prefers-color-scheme:dark){
.back{fill:#0d1117}.text{fill:#e6edf3}.faint{fill:#9198a1}
.grid{stroke:#30363d}.line{stroke:#9198a1}.band{fill:#151b23}
.up{fill:#2f6db5;stroke:#9ec5f4}.down{fill:#a35c12;stroke:#f7c08a}.kernel{fill:#2c7a3c;stroke:#9fd8a4}
.fill{fill:#5a5a66;stroke:#c8c8d0}.host{fill:#7a4fa3;stroke:#d8b9ee}
.box text{fill:#fff}.event{stroke:#ff8a80}}
</style>
)";

struct Style {
  const char* name;  ///< of the class in kStyle
  const char* meaning;
  const char* sign;  ///< shows the kind without the colour
};

Style style_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::copy_to_device:
      return {"up", "copy to device", "↑"};
    case OperationKind::copy_to_host:
      return {"down", "copy to host", "↓"};
    case OperationKind::copy_on_device:
    case OperationKind::fill:
      return {"fill", "copy on device, fill", "="};
    case OperationKind::host_function:
      return {"host", "host function", "f"};
    default:
      return {"kernel", "kernel", ""};
  }
}

/// The number of characters in UTF-8 text: all bytes except continuation bytes.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

struct Unit {
  double seconds;
  const char* name;
};

Unit unit_for(double seconds) {
  for (const Unit unit : {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}})
    if (seconds >= unit.seconds) return unit;
  return {1e-9, "ns"};
}

/// 1, 2 or 5 times a power of ten, for about ten ticks.
double tick_step(double span) {
  const double rough = span / 10;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

/// The rows of one program, and the time that they span.
class Panel {
 public:
  explicit Panel(const vgpu::cudart::SessionReport& program) : rows_(timeline_rows(program.timeline)) {
    first_s_ = program.timeline.front().start_s;
    for (const TimedOperation& operation : program.timeline) {
      first_s_ = std::min(first_s_, operation.start_s);
      last_s_ = std::max(last_s_, operation.end_s);
    }
    // x_of() divides by the span.
    if (last_s_ <= first_s_) last_s_ = first_s_ + 1e-9;
  }

  double height() const {
    const bool has_engines =
        std::any_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.is_engine; });
    return static_cast<double>(rows_.size()) * kRow + kHeading * (has_engines ? 2 : 1) + kAxis;
  }

  std::string draw(double top) {
    const double axis = top + height() - kAxis;
    std::string picture = axis_text(top, axis);
    double y = top;
    bool in_engines = true;
    for (const TimelineRow& row : rows_) {
      if (row.is_engine != in_engines || y == top) {
        in_engines = row.is_engine;
        picture += fmt::format("<text class=\"faint head\" x=\"10\" y=\"{:.1f}\">{}</text>\n",
                               y + kHeading - 8, in_engines ? "Engines" : "Streams");
        y += kHeading;
      }
      picture += draw_row(row, y);
      y += kRow;
    }
    return picture;
  }

  std::size_t left_out() const { return left_out_; }

 private:
  double x_of(double seconds) const { return kLabels + (seconds - first_s_) / (last_s_ - first_s_) * kPlot; }

  std::string axis_text(double top, double y) const {
    const Unit unit = unit_for(last_s_ - first_s_);
    const double span = (last_s_ - first_s_) / unit.seconds, step = tick_step(span);
    std::string picture;
    // Rounding must not remove the last tick.
    for (int i = 0; i * step <= span * (1 + 1e-9); ++i) {
      const double x = x_of(first_s_ + i * step * unit.seconds);
      picture +=
          fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                      x, top + kHeading - 4, y + 4);
      picture += fmt::format(
          "<text class=\"faint\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.6g}{}</text>\n", x,
          y + 18, i * step, i == 0 ? fmt::format(" {}", unit.name) : "");
    }
    return picture +
           fmt::format("<line class=\"line\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n",
                       kLabels, kLabels + kPlot, y);
  }

  std::string draw_row(const TimelineRow& row, double y) {
    std::string picture =
        fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                    kLabels, y + 3, kPlot, kRow - 6);
    picture += fmt::format("<text class=\"text\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                           kLabels - 10, y + kRow / 2 + 4, markup_text(row.name));
    std::size_t drawn = 0;
    for (const TimedOperation* operation : row.operations) {
      if (drawn == kMaxBoxes) {
        ++left_out_;
        continue;
      }
      if (takes_time(*operation))
        picture += box(*operation, y);
      else if (operation->kind == OperationKind::event_record)
        picture += mark(*operation, y);
      ++drawn;
    }
    return picture;
  }

  static std::string facts(const TimedOperation& operation) {
    std::string text =
        fmt::format("{}, {} from {} on", operation_name(operation),
                    seconds_text(operation.end_s - operation.start_s), seconds_text(operation.start_s));
    if (operation.kind == OperationKind::kernel) {
      text += fmt::format("; grid {} x {} x {}, block {} x {} x {}", operation.grid.x, operation.grid.y,
                          operation.grid.z, operation.block.x, operation.block.y, operation.block.z);
    }
    if (operation.bytes > 0) text += "; " + bytes_text(operation.bytes);
    if (operation.is_pageable) text += ", pageable host memory";
    return markup_text(text);
  }

  std::string box(const TimedOperation& operation, double y) const {
    const Style style = style_of(operation.kind);
    const double x = x_of(operation.start_s);
    // Half a unit keeps short operations visible.
    const double width = std::max(x_of(operation.end_s) - x, 0.5);
    std::string picture = fmt::format(
        "<g class=\"box\"><title>{}</title><rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.1f}\" rx=\"2\"/>",
        facts(operation), style.name, x, y + (kRow - kBox) / 2, width, kBox);
    const std::string label = fitting_label(operation, style, width - 6);
    if (!label.empty()) {
      picture += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                             x + width / 2, y + kRow / 2 + 4, markup_text(label));
    }
    return picture + "</g>\n";
  }

  /// The longest text that fits; can be empty.
  static std::string fitting_label(const TimedOperation& operation, const Style& style, double room) {
    const bool is_kernel = operation.kind == OperationKind::kernel;
    const std::string longest = is_kernel ? operation_name(operation)
                                          : fmt::format("{} {}{}", style.sign, bytes_text(operation.bytes),
                                                        operation.is_pageable ? " pageable" : "");
    const std::string shorter = is_kernel ? operation_name(operation).substr(0, 6)
                                          : fmt::format("{} {}", style.sign, bytes_text(operation.bytes));
    for (const std::string& label : {longest, shorter, std::string(style.sign)}) {
      const bool is_sign = label == style.sign;
      if ((is_sign ? 1.5 : static_cast<double>(characters(label))) * kCharacter <= room) return label;
    }
    return "";
  }

  std::string mark(const TimedOperation& operation, double y) const {
    const double x = x_of(operation.end_s);
    return fmt::format(
        "<g><title>event, {}</title><line class=\"event\" x1=\"{:.2f}\" x2=\"{:.2f}\" y1=\"{:.1f}\" "
        "y2=\"{:.1f}\"/></g>\n",
        seconds_text(operation.end_s), x, x, y + 2, y + kRow - 2);
  }

  std::vector<TimelineRow> rows_;
  double first_s_ = 0, last_s_ = 0;
  std::size_t left_out_ = 0;
};

std::string legend(Programs programs, double y) {
  std::string picture;
  double x = kLabels;
  const auto entry = [&](const std::string& symbol, const char* meaning) {
    picture += fmt::format("{}<text class=\"text\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", symbol, x + 20,
                           y + 11, meaning);
    x += 36 + 6.3 * static_cast<double>(std::string_view(meaning).size());
  };
  const auto is_there = [&](auto matches) {
    return std::any_of(programs.begin(), programs.end(), [&](const auto& program) {
      return std::any_of(program.timeline.begin(), program.timeline.end(), matches);
    });
  };
  for (const OperationKind kind :
       {OperationKind::copy_to_device, OperationKind::kernel, OperationKind::copy_to_host,
        OperationKind::fill, OperationKind::host_function}) {
    const Style style = style_of(kind);
    const auto matches = [&](const TimedOperation& one) {
      return takes_time(one) && std::string_view(style_of(one.kind).name) == style.name;
    };
    if (!is_there(matches)) continue;
    entry(fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" rx=\"2\"/>",
                      style.name, x, y),
          style.meaning);
  }
  const auto is_event = [](const TimedOperation& one) { return one.kind == OperationKind::event_record; };
  if (is_there(is_event)) {
    entry(fmt::format("<line class=\"event\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                      x + 7, y, y + 14),
          "event recorded");
  }
  return picture;
}

}  // namespace

std::string timeline_svg(std::span<const vgpu::cudart::SessionReport> programs,
                         const vgpu::Profile& profile) {
  std::string panels;
  double y = kTop;
  std::size_t left_out = 0;
  for (const auto& program : programs) {
    if (program.timeline.empty()) continue;
    Panel panel(program);
    panels += panel.draw(y);
    y += panel.height();
    left_out += panel.left_out();
  }
  const double width = kLabels + kPlot + kRightMargin, height = y + kBottom;
  std::string picture = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" role=\"img\" aria-label=\"Timeline of streams and engines\">\n",
      width, height);
  picture += kStyle;
  picture += fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width, height);
  const char* note = panels.empty() ? "no stream received any work" : "modelled time";
  picture += fmt::format("<text class=\"text title\" x=\"10\" y=\"24\">Device “{}”, {}</text>\n",
                         markup_text(profile.name), note);
  picture += panels + legend(programs, y + 12);
  if (left_out > 0) {
    picture +=
        fmt::format("<text class=\"faint\" x=\"{:.0f}\" y=\"{:.1f}\">{} later boxes are left out</text>\n",
                    kLabels, y + 44, count_text(left_out));
  }
  return picture + "</svg>\n";
}

}  // namespace grader
