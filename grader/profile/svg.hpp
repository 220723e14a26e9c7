// Writes SVG pictures in the kit's style: self-contained, without script or fonts, with colours for light and
// dark backgrounds. Text is escaped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace grader {

/// Shapes are drawn in the order of the calls. Units are pixels; y points down. `style` names classes of the
/// picture's style sheet (svg.cpp).
class Svg {
 public:
  /// `label`: for readers who do not see the picture.
  Svg(double width, double height, std::string label);

  void rect(double x, double y, double width, double height, std::string_view style,
            std::string_view tooltip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void circle(double x, double y, double radius, std::string_view style, std::string_view tooltip = {});

  enum class Anchor { start, middle, end };
  void text(double x, double y, std::string_view text, std::string_view style, Anchor anchor = Anchor::start);

  std::string document() const;

 private:
  double width_, height_;
  std::string label_, shapes_;
};

/// A colour for the n-th of several series.
std::string series_style(std::size_t n);

/// Numbers of lanes: "0–7, 9".
std::string lane_list(std::uint32_t lanes);

}  // namespace grader
