#include "report/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "report/timeline_svg.hpp"

namespace grader {
namespace {

/// Images whose longer side is shorter than this are enlarged as far as possible without exceeding it.
constexpr std::uint32_t kTargetSide = 384;

using Colour = std::array<std::uint8_t, 3>;
constexpr Colour kRight{255, 255, 255}, kSlightlyWrong{255, 200, 120}, kFarOff{120, 0, 20},
    kNotANumber{40, 90, 220};
/// Errors of 10 to this power times the tolerance, and larger errors, have the same colour.
constexpr double kLargestErrorDecades = 6;

struct Extent {
  std::uint32_t width = 0, height = 0;
};

/// The extent of all images of the array, one below another. Both are 0 if the array is not an image.
Extent extent_of(const Shape& shape) {
  if (shape.size() == 2) return {shape[1], shape[0]};
  if (shape.size() == 3) return {shape[2], shape[0] * shape[1]};
  return {};
}

/// `colour(index)` gives the pixel's channels.
template <class Pixel>
Bitmap draw(const Shape& shape, Bitmap::Channels channels, Pixel colour) {
  const Extent extent = extent_of(shape);
  const std::uint32_t factor = std::max(1U, kTargetSide / std::max(extent.width, extent.height));
  Bitmap bitmap{extent.width * factor, extent.height * factor, channels, {}};
  bitmap.bytes.reserve(std::size_t{bitmap.width} * bitmap.height * static_cast<std::size_t>(channels));
  for (std::uint32_t y = 0; y < bitmap.height; ++y)
    for (std::uint32_t x = 0; x < bitmap.width; ++x)
      for (const std::uint8_t byte : colour(std::size_t{y / factor} * extent.width + x / factor))
        bitmap.bytes.push_back(byte);
  return bitmap;
}

Colour between(const Colour& from, const Colour& to, double part) {
  Colour colour{};
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = static_cast<std::uint8_t>(std::lround(from[i] + part * (to[i] - from[i])));
  return colour;
}

Colour error_colour(double actual, double expected, double tolerance) {
  if (std::isnan(actual)) return kNotANumber;
  const double error = std::abs(actual - expected);
  if (actual == expected || error <= tolerance) return kRight;
  const double decades = tolerance > 0 ? std::log10(error / tolerance) : kLargestErrorDecades;
  return between(kSlightlyWrong, kFarOff, std::clamp(decades / kLargestErrorDecades, 0.0, 1.0));
}

std::vector<double> widened(const std::vector<float>& values) { return {values.begin(), values.end()}; }

/// The range that `image` specifies, or the smallest and largest of the values.
std::pair<double, double> range_of(const GreyImage& image, const std::vector<double>& values) {
  if (image.black != image.white) return {image.black, image.white};
  double least = INFINITY, most = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  return {least, most};
}

bool is_image(const Shape& shape) {
  const Extent extent = extent_of(shape);
  return extent.width > 0 && extent.height > 0;
}

Picture grey_picture(std::string name, const Shape& shape, const std::vector<double>& values,
                     std::pair<double, double> range) {
  return {std::move(name), png(grey_bitmap(shape, values, range.first, range.second))};
}

void add_output(std::vector<Picture>& pictures, const GreyImage& image, const Expectation& expected,
                const Array* actual) {
  const auto range = range_of(image, expected.values);
  if (actual != nullptr)
    pictures.push_back(grey_picture(image.array + ".png", expected.shape, widened(actual->values), range));
  pictures.push_back(grey_picture(image.array + "-expected.png", expected.shape, expected.values, range));
  if (actual != nullptr)
    pictures.push_back({image.array + "-errors.png", png(error_bitmap(expected, actual->values))});
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Bitmap grey_bitmap(const Shape& shape, const std::vector<double>& values, double black, double white) {
  return draw(shape, Bitmap::Channels::grey, [&](std::size_t i) {
    const double part = white > black ? (values[i] - black) / (white - black) : 0.5;
    const bool is_dark = !(part > 0);  // NaN too
    return std::array{static_cast<std::uint8_t>(is_dark ? 0 : std::lround(255 * std::min(part, 1.0)))};
  });
}

Bitmap error_bitmap(const Expectation& expected, const std::vector<float>& actual) {
  return draw(expected.shape, Bitmap::Channels::rgb, [&](std::size_t i) {
    return error_colour(actual[i], expected.values[i], expected.tolerances[i]);
  });
}

std::vector<Picture> image_pictures(const Workload& workload, const harness::Job& job,
                                    const std::vector<Expectation>& expected,
                                    const std::vector<Array>& outputs) {
  std::vector<Picture> pictures;
  for (const GreyImage& image : workload.images(job)) {
    const harness::Input* input = find_named(job.inputs, image.array);
    if (input != nullptr && is_image(input->shape)) {
      const std::vector<double> values = widened(input->values);
      pictures.push_back(grey_picture(image.array + ".png", input->shape, values, range_of(image, values)));
    }
    const Expectation* output = find_named(expected, image.array);
    if (output != nullptr && is_image(output->shape))
      add_output(pictures, image, *output, find_named(outputs, image.array));
  }
  return pictures;
}

std::vector<Picture> timeline_pictures(const Workload& workload, const vgpu::cudart::SessionReport& session,
                                       const vgpu::Profile& profile) {
  if (workload.time_measure() != TimeMeasure::call || session.timeline.empty()) return {};
  return {{"timeline.svg", timeline_svg(std::span(&session, 1), profile)}};
}

}  // namespace grader
