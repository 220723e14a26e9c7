#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "profile/roofline.hpp"
#include "profile/svg.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

// Pixels.
constexpr double kPlotLeft = 84, kPlotTop = 52, kPlotWidth = 600, kPlotHeight = 340, kPlotRight = 250,
                 kPlotBottom = 56;
constexpr double kLabelDistance = 3;  ///< factor of intensity between the labels of two roofs

/// A logarithmic axis over whole decades.
struct Axis {
  double from = 0.01, to = 1000;

  /// The powers of ten on the axis.
  std::vector<double> ticks() const {
    std::vector<double> all;
    const long decades = std::lround(std::log10(to / from));
    for (long i = 0; i <= decades; ++i) all.push_back(from * std::pow(10, static_cast<double>(i)));
    return all;
  }
  /// Part of the axis's length, from 0 to 1.
  double part(double value) const { return std::log(value / from) / std::log(to / from); }
  void include(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    while (value < from) from /= 10;
    while (value > to) to *= 10;
  }
};

class Plot {
 public:
  explicit Plot(const Roofline& roofline)
      : roofline_(roofline),
        svg_(kPlotLeft + kPlotWidth + kPlotRight, kPlotTop + kPlotHeight + kPlotBottom,
             "Roofline on " + roofline.device) {
    // The roofs slope over at least two decades.
    intensity_ = {0.1, 10};
    intensity_.include(roofline.ridge() * 2);
    rate_ = {roofline.peak_flops_per_s / 1e3, roofline.peak_flops_per_s * 2};
    rate_.from = std::pow(10, std::floor(std::log10(rate_.from)));
    rate_.to = std::pow(10, std::ceil(std::log10(rate_.to)));
    for (const RooflinePoint& point : roofline.points) {
      intensity_.include(point.flops_per_byte);
      rate_.include(point.flops_per_s);
    }
  }

  std::string draw() {
    svg_.text(10, 24, fmt::format("Roofline on device “{}”", roofline_.device), "text title");
    axes();
    for (std::size_t i = 0; i < roofline_.roofs.size(); ++i) roof(roofline_.roofs[i], i);
    points();
    return svg_.document();
  }

 private:
  double x_of(double intensity) const { return kPlotLeft + kPlotWidth * intensity_.part(intensity); }
  double y_of(double rate) const { return kPlotTop + kPlotHeight * (1 - rate_.part(rate)); }

  void axes() {
    for (const double tick : intensity_.ticks()) {
      svg_.line(x_of(tick), kPlotTop, x_of(tick), kPlotTop + kPlotHeight, "grid");
      svg_.text(x_of(tick), kPlotTop + kPlotHeight + 18, value_text(tick), "faint", Svg::Anchor::middle);
    }
    for (const double tick : rate_.ticks()) {
      svg_.line(kPlotLeft, y_of(tick), kPlotLeft + kPlotWidth, y_of(tick), "grid");
      svg_.text(kPlotLeft - 8, y_of(tick) + 4, rate_text(tick), "faint", Svg::Anchor::end);
    }
    svg_.text(kPlotLeft + kPlotWidth / 2, kPlotTop + kPlotHeight + 42,
              "floating-point operations per byte that the level moves", "text", Svg::Anchor::middle);
    svg_.text(kPlotLeft - 8, kPlotTop - 10, "GFLOP/s", "text", Svg::Anchor::end);
  }

  /// The labels of several roofs are at different places of their slopes.
  void roof(const Roof& roof, std::size_t number) {
    const double peak = roofline_.peak_flops_per_s;
    const double ridge = peak / roof.bytes_per_s;
    // The slope begins where it enters the plot.
    const double from = std::max(intensity_.from, rate_.from / roof.bytes_per_s);
    const char* style = number == 0 ? "roof" : "roof2";
    svg_.line(x_of(from), y_of(from * roof.bytes_per_s), x_of(ridge), y_of(peak), style);
    svg_.line(x_of(ridge), y_of(peak), kPlotLeft + kPlotWidth, y_of(peak), "roof");
    const double at = from * std::pow(kLabelDistance, static_cast<double>(number));
    svg_.text(x_of(at) + 12, y_of(at * roof.bytes_per_s) + 14,
              fmt::format("{} {} GB/s", roof.level, rate_text(roof.bytes_per_s)), "faint");
    if (number != 0) return;
    svg_.text(kPlotLeft + kPlotWidth - 4, y_of(peak) - 8, fmt::format("peak {} GFLOP/s", rate_text(peak)),
              "faint", Svg::Anchor::end);
    svg_.line(x_of(ridge), y_of(peak), x_of(ridge), kPlotTop + kPlotHeight, "grid");
    svg_.text(x_of(ridge) + 4, kPlotTop + kPlotHeight - 6, "ridge " + value_text(ridge), "faint small");
  }

  void points() {
    double legend = kPlotTop + 10;
    std::string last;
    std::size_t series = 0;
    for (const RooflinePoint& point : roofline_.points) {
      if (!last.empty() && last != point.kernel) ++series;
      const std::string style = series_style(series);
      if (last != point.kernel && legend < kPlotTop + kPlotHeight) {
        svg_.circle(kPlotLeft + kPlotWidth + 20, legend - 4, 5, style);
        svg_.text(kPlotLeft + kPlotWidth + 32, legend, cut(printable(point.kernel), 30, Terminal{}), "text");
        legend += 18;
      }
      last = point.kernel;
      const double x = x_of(point.flops_per_byte), y = y_of(point.flops_per_s);
      const std::string facts = fmt::format("{}: {} operations per byte, {} of {} GFLOP/s", point.level,
                                            value_text(point.flops_per_byte), rate_text(point.flops_per_s),
                                            rate_text(point.bound_flops_per_s));
      svg_.line(x, y, x, y_of(point.bound_flops_per_s), "grid");
      svg_.circle(x, y, 5, style, point.kernel + ", " + facts);
      svg_.text(x + 7, y - 5, point.level, "faint small");
      if (legend < kPlotTop + kPlotHeight) {
        svg_.text(
            kPlotLeft + kPlotWidth + 32, legend,
            fmt::format("{}: {} op/B, {} %", point.level, value_text(point.flops_per_byte),
                        value_text(std::round(1000 * point.flops_per_s / point.bound_flops_per_s) / 10)),
            "faint small");
        legend += 16;
      }
    }
    for (const auto& [kernel, bytes_per_s] : roofline_.without_flops) {
      if (legend >= kPlotTop + kPlotHeight) break;
      svg_.text(kPlotLeft + kPlotWidth + 20, legend, cut(printable(kernel), 30, Terminal{}), "text");
      svg_.text(kPlotLeft + kPlotWidth + 32, legend + 16,
                fmt::format("no operations; DRAM {} GB/s", rate_text(bytes_per_s)), "faint small");
      legend += 34;
    }
  }

  const Roofline& roofline_;
  Svg svg_;
  Axis intensity_, rate_;
};

}  // namespace

std::string roofline_svg(const Roofline& roofline) { return Plot(roofline).draw(); }

}  // namespace grader
