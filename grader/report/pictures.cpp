#include "report/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "harness/elements.hpp"
#include "report/timeline_svg.hpp"

namespace grader {
namespace {

/// Images whose longer side is shorter than this are enlarged as far as possible without exceeding it.
constexpr std::uint32_t kTargetSide = 384;

/// The elements of a 1-D array in one row of its error map.
constexpr std::uint32_t kRowElements = 256;
/// Rows of 256 elements would be hard to see in the size of other pictures.
constexpr std::uint32_t kRowsTargetSide = 768;
/// An error map within these limits has at most 2 MiB as a file, the size that a report accepts.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 20U;
constexpr std::uint32_t kLongestSide = 8192;

using Colour = std::array<std::uint8_t, 3>;
constexpr Colour kRight{255, 255, 255}, kSlightlyWrong{255, 200, 120}, kFarOff{120, 0, 20},
    kNotANumber{40, 90, 220}, kNoElement{200, 200, 200};
/// Errors of 10 to this power times the tolerance, and larger errors, have the same colour.
constexpr double kLargestErrorDecades = 6;

struct Extent {
  std::uint32_t width = 0, height = 0;

  std::uint64_t cells() const { return std::uint64_t{width} * height; }
  std::uint32_t longer_side() const { return std::max(width, height); }
};

/// The extent of all images of the array, one below another. Both are 0 if the array is not an image.
Extent extent_of(const Shape& shape) {
  if (shape.size() == 2) return {shape[1], shape[0]};
  if (shape.size() == 3) return {shape[2], shape[0] * shape[1]};
  return {};
}

/// Draws cells of a whole number of pixels per side, so that the picture has about `target_side` pixels.
/// `colour(column, row)` gives a cell's channels.
template <class Cell>
Bitmap draw(Extent extent, std::uint32_t target_side, Bitmap::Channels channels, Cell colour) {
  const std::uint32_t factor = std::max(1U, target_side / extent.longer_side());
  Bitmap bitmap{extent.width * factor, extent.height * factor, channels, {}};
  bitmap.bytes.reserve(std::size_t{bitmap.width} * bitmap.height * static_cast<std::size_t>(channels));
  for (std::uint32_t y = 0; y < bitmap.height; ++y)
    for (std::uint32_t x = 0; x < bitmap.width; ++x)
      for (const std::uint8_t byte : colour(x / factor, y / factor)) bitmap.bytes.push_back(byte);
  return bitmap;
}

Colour between(const Colour& from, const Colour& to, double part) {
  Colour colour{};
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = static_cast<std::uint8_t>(std::lround(from[i] + part * (to[i] - from[i])));
  return colour;
}

/// How wrong an element is, in an order: kIsRight; 0 to 1 from an error of the tolerance to
/// kLargestErrorDecades; kIsNaN. kIsAbsent: no element.
using Degree = double;
constexpr Degree kIsAbsent = -2, kIsRight = -1, kIsNaN = 2;

/// Outputs that were never written count as NaN, too.
Degree degree_of(float actual, double expected, double tolerance) {
  if (std::isnan(actual) || harness::is_poison(actual)) return kIsNaN;
  const double error = std::abs(actual - expected);
  if (actual == expected || error <= tolerance) return kIsRight;
  const double decades = tolerance > 0 ? std::log10(error / tolerance) : kLargestErrorDecades;
  return std::clamp(decades / kLargestErrorDecades, 0.0, 1.0);
}

Colour colour_of(Degree degree) {
  if (degree == kIsAbsent) return kNoElement;
  if (degree == kIsRight) return kRight;
  if (degree == kIsNaN) return kNotANumber;
  return between(kSlightlyWrong, kFarOff, degree);
}

bool has_error(const Expectation& expected, const std::vector<float>& actual) {
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (degree_of(actual[i], expected.values[i], expected.tolerances[i]) != kIsRight) return true;
  return false;
}

/// The elements of an error map. Both sides are 0 if the array has no map.
Extent map_extent(const Shape& shape, std::size_t elements) {
  if (shape.size() != 1) return extent_of(shape);
  if (elements < 2) return {};
  const auto count = static_cast<std::uint32_t>(elements);
  return {std::min(count, kRowElements), (count + kRowElements - 1) / kRowElements};
}

Extent shrunk(Extent extent, std::uint32_t step) {
  return {(extent.width + step - 1) / step, (extent.height + step - 1) / step};
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

/// The error maps of wrong outputs that are not images.
void add_error_maps(std::vector<Picture>& pictures, const std::vector<GreyImage>& images,
                    const std::vector<Expectation>& expected, const std::vector<Array>& outputs) {
  for (const Expectation& one : expected) {
    const bool is_shown = std::any_of(images.begin(), images.end(),
                                      [&](const GreyImage& image) { return image.array == one.name; });
    const Array* actual = find_named(outputs, one.name);
    if (is_shown || actual == nullptr || actual->values.size() != one.values.size()) continue;
    if (map_extent(one.shape, one.values.size()).cells() == 0 || !has_error(one, actual->values)) continue;
    pictures.push_back({one.name + "-errors.png", png(error_bitmap(one, actual->values))});
  }
}

}  // namespace

Bitmap grey_bitmap(const Shape& shape, const std::vector<double>& values, double black, double white) {
  const Extent extent = extent_of(shape);
  return draw(extent, kTargetSide, Bitmap::Channels::grey, [&](std::uint32_t x, std::uint32_t y) {
    const double value = values[std::size_t{y} * extent.width + x];
    const double part = white > black ? (value - black) / (white - black) : 0.5;
    const bool is_dark = !(part > 0);  // NaN too
    return std::array{static_cast<std::uint8_t>(is_dark ? 0 : std::lround(255 * std::min(part, 1.0)))};
  });
}

Bitmap error_bitmap(const Expectation& expected, const std::vector<float>& actual) {
  const Extent whole = map_extent(expected.shape, expected.values.size());
  std::uint32_t step = 1;  // elements per cell and side
  while (shrunk(whole, step).cells() > kMostCells || shrunk(whole, step).longer_side() > kLongestSide) ++step;
  const auto worst_of = [&](std::uint32_t column, std::uint32_t row) {
    Degree worst = kIsAbsent;
    for (std::uint32_t y = row * step; y < std::min((row + 1) * step, whole.height); ++y)
      for (std::uint32_t x = column * step; x < std::min((column + 1) * step, whole.width); ++x)
        if (const std::size_t i = std::size_t{y} * whole.width + x; i < actual.size())
          worst = std::max(worst, degree_of(actual[i], expected.values[i], expected.tolerances[i]));
    return colour_of(worst);
  };
  const std::uint32_t target = expected.shape.size() == 1 ? kRowsTargetSide : kTargetSide;
  return draw(shrunk(whole, step), target, Bitmap::Channels::rgb, worst_of);
}

std::vector<Picture> image_pictures(const Workload& workload, const harness::Job& job,
                                    const std::vector<Expectation>& expected,
                                    const std::vector<Array>& outputs) {
  std::vector<Picture> pictures;
  const std::vector<GreyImage> images = workload.images(job);
  for (const GreyImage& image : images) {
    const harness::Input* input = find_named(job.inputs, image.array);
    if (input != nullptr && is_image(input->shape)) {
      const std::vector<double> values = widened(input->values);
      pictures.push_back(grey_picture(image.array + ".png", input->shape, values, range_of(image, values)));
    }
    const Expectation* output = find_named(expected, image.array);
    if (output != nullptr && is_image(output->shape))
      add_output(pictures, image, *output, find_named(outputs, image.array));
  }
  add_error_maps(pictures, images, expected, outputs);
  return pictures;
}

std::vector<Picture> timeline_pictures(const Workload& workload, const vgpu::cudart::SessionReport& session,
                                       const vgpu::Profile& profile) {
  if (workload.time_measure() != TimeMeasure::call || session.timeline.empty()) return {};
  return {{"timeline.svg", timeline_svg(std::span(&session, 1), profile)}};
}

}  // namespace grader
