#include "workloads/memory_types/workload.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader::memory_types {
namespace {

constexpr std::int64_t kMaxExtent = 8192;
constexpr std::int64_t kMaxImages = 64;
constexpr std::int64_t kMaxBefore = 32;
/// Maximum terms in one case: what the virtual GPU computes in about a second, and for cases only for a real
/// GPU.
constexpr std::int64_t kMaxTerms = std::int64_t{1} << 24U;
constexpr std::int64_t kMaxTermsOnCuda = std::int64_t{1} << 30U;
constexpr float kWhite = 255;

bool is_scene(const Case& one_case) { return one_case.workload.at("scene") != 0; }

// ---- inputs

std::uint32_t extent(const Case& one_case, const char* name) {
  return static_cast<std::uint32_t>(one_case.workload.at(name));
}

std::vector<float> pixels_of(const Case& one_case, SplitMix64& random) {
  const std::size_t width = extent(one_case, "width"), height = extent(one_case, "height");
  if (is_scene(one_case)) return scene(width, height, random);
  return random_values(width * height, one_case.distribution, random);
}

/// Row 2·radius of Pascal's triangle divided by its sum, for example (1, 2, 1) / 4 for radius 1. Exact in
/// float for the allowed radii.
std::vector<double> binomial(std::size_t radius) {
  std::vector<double> row{1};
  for (std::size_t i = 0; i < 2 * radius; ++i) {
    row.push_back(0);
    for (std::size_t j = row.size(); j-- > 1;) row[j] = (row[j] + row[j - 1]) / 2;
    row[0] /= 2;
  }
  return row;
}

/// Binomial weights for a scene, otherwise values of the case's distribution.
std::vector<float> weights_of(const Case& one_case, SplitMix64& random) {
  const std::size_t radius = extent(one_case, "radius"), width = 2 * radius + 1;
  if (!is_scene(one_case)) return random_values(width * width, one_case.distribution, random);
  const std::vector<double> along = binomial(radius);
  std::vector<float> weights;
  for (const double down : along)
    for (const double across : along) weights.push_back(static_cast<float>(down * across));
  return weights;
}

/// Maps [-1, 1] to the levels and clamps other values; for a scene, maps greys from black to white.
float level_of(float pixel, bool of_scene) {
  const float part = of_scene ? pixel / (kWhite + 1) : (pixel + 1) / 2;
  return std::clamp(std::floor(part * kLevels), 0.0F, static_cast<float>(kLevels - 1));
}

harness::Input host_input(std::string name, std::vector<float> values, harness::Element element) {
  const auto count = static_cast<std::uint32_t>(values.size());
  return {{std::move(name), {count}, std::move(values)}, harness::Place::host, element};
}

/// A threshold below all pixels, so that all of them are bright and the counts of blocks are as large as
/// possible.
float below_all(const std::vector<float>& image) {
  return std::nextafter(*std::min_element(image.begin(), image.end()), -HUGE_VALF);
}

/// Images one after another. The threshold of each image is one of its pixels, so that "greater" and "not
/// less" give different counts. In the last of several images, all pixels are bright, and every second image
/// of one pixel is bright.
void add_count(harness::Job& job, const Case& one_case, SplitMix64& random) {
  const std::uint32_t width = extent(one_case, "width"), height = extent(one_case, "height");
  const std::uint32_t images = extent(one_case, "images");
  // Pixels of no image, so that the images begin at other addresses than an allocation.
  const auto before = static_cast<std::size_t>(one_case.workload.at("before"));
  std::vector<float> all(before), thresholds, restarts;
  for (std::uint32_t i = 0; i < images; ++i) {
    const std::vector<float> image = pixels_of(one_case, random);
    all.insert(all.end(), image.begin(), image.end());
    thresholds.push_back(image[random.below(image.size())]);
    const bool is_bright_pixel = image.size() == 1 && i % 2 == 1;
    if (is_bright_pixel || (i > 0 && i == images - 1)) thresholds.back() = below_all(image);
    restarts.push_back(i == 0 || i == images / 2 ? 1 : 0);
  }
  const auto pixels = static_cast<std::uint32_t>(all.size());
  const Shape shape = before == 0 ? Shape{images, height, width} : Shape{pixels};
  job.inputs.push_back({{"images", shape, std::move(all)}});
  job.inputs.push_back(host_input("thresholds", std::move(thresholds), harness::Element::f32));
  job.inputs.push_back(host_input("restarts", std::move(restarts), harness::Element::i32));
  job.outputs.push_back({"counts", {images}, harness::Place::host, harness::Element::i32});
  job.outputs.back().is_copied = true;  // the count is on the device
}

void add_levels(harness::Job& job, const Case& one_case, SplitMix64& random) {
  const Shape shape{extent(one_case, "height"), extent(one_case, "width")};
  std::vector<float> levels = pixels_of(one_case, random);
  for (float& value : levels) value = level_of(value, is_scene(one_case));
  job.inputs.push_back({{"levels", shape, std::move(levels)}, harness::Place::device, harness::Element::i32});
  job.outputs.push_back({"out", shape, harness::Place::device, harness::Element::i32});
}

void add_window_sum(harness::Job& job, const Case& one_case, SplitMix64& random) {
  const Shape shape{extent(one_case, "height"), extent(one_case, "width")};
  job.inputs.push_back({{"in", shape, pixels_of(one_case, random)}});
  if (job.entry != "blur") {
    const std::uint32_t width = 2 * extent(one_case, "radius") + 1;
    job.inputs.push_back({{"weights", {width, width}, weights_of(one_case, random)}, harness::Place::host});
  }
  job.outputs.push_back({"out", shape});
}

// ---- expected outputs

Expectation empty_expectation(const harness::Job& job) {
  Expectation expected;
  expected.name = job.outputs[0].name;
  expected.shape = job.outputs[0].shape;
  expected.values.resize(element_count(expected.shape));
  expected.tolerances.resize(expected.values.size());
  return expected;
}

struct Rows {
  std::ptrdiff_t begin, end;
};

/// Adds weight × the image, shifted by `dy` rows and `dx` columns, to the sums and magnitudes of these rows.
void add_shifted(Expectation& sums, const ImageJob& image, Rows rows, int dy, int dx, double weight) {
  const auto width = static_cast<std::ptrdiff_t>(image.width);
  const auto height = static_cast<std::ptrdiff_t>(image.height);
  const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, -dx), end = std::min(width, width - dx);
  const std::ptrdiff_t last = std::min({rows.end, height, height - dy});
  for (std::ptrdiff_t row = std::max<std::ptrdiff_t>(rows.begin, -dy); row < last; ++row) {
    double* values = sums.values.data() + row * width;
    float* magnitudes = sums.magnitudes.data() + row * width;
    const float* pixels = image.pixels + (row + dy) * width + dx;
    for (std::ptrdiff_t column = first; column < end; ++column) {
      const double term = weight * static_cast<double>(pixels[column]);
      values[column] += term;
      magnitudes[column] += static_cast<float>(std::abs(term));
    }
  }
}

/// Sums of the windows, weighted or not, with their magnitudes.
Expectation window_sums(const harness::Job& job) {
  const ImageJob image = image_job(job);
  Expectation sums = empty_expectation(job);
  sums.magnitudes.resize(sums.values.size());
  const int radius = static_cast<int>(image.radius);
  constexpr std::size_t kMinRowsPerThread = 512;
  in_parallel(image.height, kMinRowsPerThread, [&](std::size_t begin, std::size_t end) {
    const Rows rows{static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end)};
    std::size_t i = 0;
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx, ++i)
        add_shifted(sums, image, rows, dy, dx, image.weights == nullptr ? 1 : image.weights[i]);
  });
  return sums;
}

template <class Finish>
void for_each_pixel(Expectation& expected, const ImageJob& image, Finish finish) {
  for (std::size_t row = 0; row < image.height; ++row)
    for (std::size_t column = 0; column < image.width; ++column)
      finish(row * image.width + column, static_cast<double>(image.window(row, column).pixels()), expected);
}

Expectation expect_blur(const harness::Job& job) {
  Expectation expected = window_sums(job);
  for_each_pixel(expected, image_job(job), [&](std::size_t i, double pixels, Expectation& blurred) {
    blurred.values[i] /= pixels;
    const double magnitude = static_cast<double>(blurred.magnitudes[i]) / pixels;
    // Two roundings follow the sum. Averages of integers round, too: an average can be updated from pixel to
    // pixel, without a sum.
    blurred.tolerances[i] = (sum_error_factor(pixels) + 2) * kUnitRoundoff * magnitude + kLeastFloat;
    blurred.magnitudes[i] = static_cast<float>(magnitude);
  });
  return expected;
}

Expectation expect_convolution(const harness::Job& job) {
  Expectation expected = window_sums(job);
  const bool integers = all_integers(job.inputs[0].values) && all_integers(job.inputs[1].values);
  for_each_pixel(expected, image_job(job), [&](std::size_t i, double pixels, Expectation& sums) {
    const bool exact = integers && sums.magnitudes[i] <= kExactInFloat;
    const double magnitude = static_cast<double>(sums.magnitudes[i]);
    sums.tolerances[i] =
        exact ? 0 : sum_error_factor(pixels) * kUnitRoundoff * magnitude + pixels * kLeastFloat;
  });
  return expected;
}

}  // namespace

std::span<const float> counted_image(const harness::Job& job, std::size_t i) {
  const std::vector<float>& all = job.inputs[0].values;
  const auto before = static_cast<std::size_t>(job.scalars.at("before"));
  const std::size_t pixels = (all.size() - before) / job.outputs[0].shape[0];
  return std::span(all).subspan(before + i * pixels, pixels);
}

namespace {

Expectation expect_counts(const harness::Job& job) {
  Expectation expected = empty_expectation(job);
  double count = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (job.inputs[2].values[i] != 0) count = 0;
    const float threshold = job.inputs[1].values[i];
    const std::span<const float> image = counted_image(job, i);
    count += static_cast<double>(
        std::count_if(image.begin(), image.end(), [&](float pixel) { return pixel > threshold; }));
    expected.values[i] = count;
  }
  return expected;
}

double most_frequent_level(const ImageJob& image, const Window& window) {
  std::array<int, std::size_t{kLevels}> histogram{};
  for (std::size_t row = window.first_row; row <= window.last_row; ++row)
    for (std::size_t column = window.first_column; column <= window.last_column; ++column)
      ++histogram.at(static_cast<std::size_t>(image.pixel(row, column)));
  // max_element() returns the first of several largest elements, the lowest level.
  return static_cast<double>(std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
}

Expectation expect_levels(const harness::Job& job) {
  Expectation expected = empty_expectation(job);
  const ImageJob image = image_job(job);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    expected.values[i] = most_frequent_level(image, image.window(i / image.width, i % image.width));
  return expected;
}

/// The sum of the extents of all windows along one axis.
double window_extent_sum(std::size_t extent, std::size_t radius) {
  double sum = 0;
  for (std::size_t i = 0; i < extent; ++i)
    sum += static_cast<double>(std::min(extent - 1, i + radius) - (i < radius ? 0 : i - radius) + 1);
  return sum;
}

class MemoryTypes final : public Workload {
 public:
  std::vector<std::string> entries() const override {
    return {"blur", "convolve_constant", "convolve_tiled", "count_bright", "most_frequent"};
  }
  std::vector<std::string> infinite_distributions(const std::string& entry) const override {
    if (entry == "blur") return {"vast"};
    return {};
  }
  std::vector<Parameter> parameters() const override {
    return {{"width", 1, kMaxExtent},         {"height", 1, kMaxExtent},
            {"radius", 0, kMaxRadius, {}, 0}, {"images", 1, kMaxImages, {}, 1},
            {"before", 0, kMaxBefore, {}, 0}, {"scene", 0, 1, {}, 0}};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    const auto& of = one_case.workload;
    if (of.at("images") != 1 && one_case.entry != "count_bright")
      return fmt::format("images is {} when it should be 1 for {}", of.at("images"), one_case.entry);
    const std::int64_t window_width = 2 * of.at("radius") + 1;
    const std::int64_t terms =
        of.at("width") * of.at("height") * of.at("images") * window_width * window_width;
    const std::int64_t most = one_case.only_on == DeviceKind::cuda ? kMaxTermsOnCuda : kMaxTerms;
    if (terms > most)
      return fmt::format("pixels times window size is {} when it should be at most {}", terms, most);
    return std::nullopt;
  }

  harness::Job job(const Case& one_case) const override {
    harness::Job job;
    job.entry = one_case.entry;
    job.scalars = one_case.workload;
    SplitMix64 random(one_case.seed);
    if (job.entry == "count_bright")
      add_count(job, one_case, random);
    else if (job.entry == "most_frequent")
      add_levels(job, one_case, random);
    else
      add_window_sum(job, one_case, random);
    return job;
  }

  std::vector<Expectation> expect(const harness::Job& job) const override {
    if (job.entry == "blur") return {expect_blur(job)};
    if (job.entry == "count_bright") return {expect_counts(job)};
    if (job.entry == "most_frequent") return {expect_levels(job)};
    return {expect_convolution(job)};
  }

  std::vector<Hypothesis> hypotheses(const harness::Job& job) const override {
    return memory_types_hypotheses(job);
  }

  /// A term is one pixel of one window.
  std::map<std::string, double> quantities(const harness::Job& job) const override {
    const ImageJob image = image_job(job);
    const auto images = static_cast<double>(job.scalars.at("images"));
    return {{"output", images * static_cast<double>(image.width * image.height)},
            {"term", images * window_extent_sum(image.width, image.radius) *
                         window_extent_sum(image.height, image.radius)}};
  }
  std::vector<std::string> quantity_names() const override { return {"output", "term"}; }

  std::vector<GreyImage> images(const harness::Job& job) const override {
    if (job.entry == "most_frequent") return {{"levels", 0, kLevels - 1}, {"out", 0, kLevels - 1}};
    const double white = job.scalars.at("scene") != 0 ? kWhite : 0;  // other values have no fixed range
    return {{"in", 0, white}, {"images", 0, white}, {"out", 0, white}};
  }
};

}  // namespace

Window ImageJob::window(std::size_t row, std::size_t column) const {
  return {row - std::min(row, radius), std::min(height - 1, row + radius), column - std::min(column, radius),
          std::min(width - 1, column + radius)};
}

ImageJob image_job(const harness::Job& job) {
  const auto size = [&](const char* name) { return static_cast<std::size_t>(job.scalars.at(name)); };
  const bool is_weighted = job.entry == "convolve_constant" || job.entry == "convolve_tiled";
  return {job.inputs[0].values.data(), is_weighted ? job.inputs[1].values.data() : nullptr, size("width"),
          size("height"), size("radius")};
}

const Workload& workload() {
  static const MemoryTypes workload;
  return workload;
}

}  // namespace grader::memory_types
