#include "workloads/memory_types/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Array;
using grader::Case;
using grader::Expectation;
using grader::harness::Job;
using grader::memory_types::image_job;
using grader::memory_types::ImageJob;
using grader::memory_types::Window;

Case case_of(const std::string& entry, std::int64_t width, std::int64_t height, std::int64_t radius,
             const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = {{"width", width}, {"height", height}, {"radius", radius},
                  {"images", 1},    {"before", 0},      {"scene", 0}};
  one.distribution = distribution;
  one.seed = 42;
  return one;
}

Job job_of(const std::string& entry, std::int64_t width, std::int64_t height, std::int64_t radius,
           const std::string& distribution = "uniform") {
  return grader::memory_types::workload().job(case_of(entry, width, height, radius, distribution));
}

Job count_job(std::int64_t images, const std::string& distribution = "uniform") {
  Case one = case_of("count_bright", 7, 5, 0, distribution);
  one.workload["images"] = images;
  return grader::memory_types::workload().job(one);
}

Expectation expectation_of(const Job& job) { return grader::memory_types::workload().expect(job).front(); }

/// Terms of one window's sum in the order of the rows.
std::vector<float> terms_of(const ImageJob& image, std::size_t row, std::size_t column) {
  const Window window = image.window(row, column);
  std::vector<float> terms;
  for (std::size_t y = window.first_row; y <= window.last_row; ++y)
    for (std::size_t x = window.first_column; x <= window.last_column; ++x) {
      const std::size_t at = (y + image.radius - row) * image.window_width() + x + image.radius - column;
      const float weight = image.weights == nullptr ? 1 : image.weights[at];
      terms.push_back(weight * image.pixels[y * image.width + x]);
    }
  return terms;
}

float in_order(const std::vector<float>& terms) { return std::accumulate(terms.begin(), terms.end(), 0.0F); }
float backwards(const std::vector<float>& terms) {
  return std::accumulate(terms.rbegin(), terms.rend(), 0.0F);
}
float sorted(std::vector<float> terms) {
  std::sort(terms.begin(), terms.end(), std::greater<>());
  return in_order(terms);
}
float without_last(const std::vector<float>& terms) { return in_order(terms) - terms.back(); }

/// Elements whose value, computed by `sum` from the window's terms, is outside the tolerance.
template <class Sum>
std::size_t outside(const Job& job, Sum sum) {
  const ImageJob image = image_job(job);
  const Expectation expected = expectation_of(job);
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::vector<float> terms = terms_of(image, i / image.width, i % image.width);
    float value = sum(terms);
    if (image.weights == nullptr) value /= static_cast<float>(terms.size());
    if (!(std::abs(value - expected.values[i]) <= expected.tolerances[i])) ++count;
  }
  return count;
}

/// The code of an output that has exactly the values of `hypothesis`.
std::string code_of(const Job& job, std::size_t hypothesis) {
  const Expectation expected = expectation_of(job);
  const auto all = grader::memory_types::workload().hypotheses(job);
  Array actual{expected.name, expected.shape, {}};
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    actual.values.push_back(static_cast<float>(all.at(hypothesis).values(i)));
  const auto found = diagnose_values({actual, expected, std::nullopt}, all);
  return found ? found->code : "";
}

/// The number of the hypothesis with this pattern.
std::optional<std::size_t> number_of(const Job& job, const std::string& pattern) {
  const auto all = grader::memory_types::workload().hypotheses(job);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].pattern == pattern) return i;
  return std::nullopt;
}

}  // namespace

TEST_CASE("memory types: an average counts only existing pixels") {
  Job job = job_of("blur", 3, 2, 1);
  job.inputs[0].values = {1, 2, 3, 4, 5, 6};
  CHECK(expectation_of(job).values == std::vector<double>{3, 3.5, 4, 3, 3.5, 4});
}

TEST_CASE("memory types: a convolution adds nothing for pixels outside the image") {
  Job job = job_of("convolve_tiled", 2, 2, 1);
  job.inputs[0].values = {1, 2, 3, 4};
  job.inputs[1].values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  // The pixel itself has weight 5, its right neighbour 6, the pixel below 8.
  CHECK(expectation_of(job).values ==
        std::vector<double>{5 + 2 * 6 + 3 * 8 + 4 * 9, 4 + 2 * 5 + 3 * 7 + 4 * 8, 2 + 2 * 3 + 3 * 5 + 4 * 6,
                            1 + 2 * 2 + 3 * 4 + 4 * 5});
}

TEST_CASE("memory types: windows larger than the image are cut on all sides") {
  const Job job = job_of("blur", 5, 3, 8);
  const Expectation expected = expectation_of(job);
  CHECK(std::all_of(expected.values.begin(), expected.values.end(),
                    [&](double value) { return value == expected.values[0]; }));
  CHECK(image_job(job).window(2, 4).pixels() == 15);
}

TEST_CASE("memory types: every order of summation in float passes") {
  for (const std::string& distribution : grader::summable_distributions())
    for (const int radius : {0, 1, 3, 8})
      for (const char* entry : {"blur", "convolve_constant"}) {
        const Job job = job_of(entry, 19, 13, radius, distribution);
        INFO(entry << ", " << distribution << ", radius " << radius);
        CHECK(outside(job, in_order) == 0);
        CHECK(outside(job, backwards) == 0);
        CHECK(outside(job, sorted) == 0);
      }
}

TEST_CASE("memory types: a sum without one of its terms fails") {
  for (const char* distribution : {"uniform", "integers", "negative"})
    for (const char* entry : {"blur", "convolve_constant"})
      CHECK(outside(job_of(entry, 19, 13, 3, distribution), without_last) > 19 * 13 / 2);
}

TEST_CASE("memory types: the tolerance is 0 where integers are exact in float") {
  const Expectation sums = expectation_of(job_of("convolve_constant", 9, 9, 2, "integers"));
  CHECK(std::all_of(sums.tolerances.begin(), sums.tolerances.end(), [](double t) { return t == 0; }));
}

TEST_CASE("memory types: counts continue from image to image and restart from 0 where specified") {
  Job job = count_job(4);
  const std::size_t pixels = 35;
  for (std::size_t i = 0; i < 4; ++i) {
    std::fill_n(job.inputs[0].values.begin() + static_cast<std::ptrdiff_t>(i * pixels), pixels, 0.0F);
    job.inputs[0].values[i * pixels] = 5;
    job.inputs[0].values[i * pixels + 1] = 1;
    job.inputs[1].values[i] = 1;  // greater, not equal
  }
  CHECK(job.inputs[2].values == std::vector<float>{1, 0, 1, 0});
  CHECK(expectation_of(job).values == std::vector<double>{1, 2, 1, 2});
}

TEST_CASE("memory types: images can begin after other pixels, which do not count") {
  Case one = case_of("count_bright", 4, 2, 0);
  one.workload["images"] = 3;
  one.workload["before"] = 1;
  const Job job = grader::memory_types::workload().job(one);
  CHECK(job.inputs[0].values.size() == 25);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(grader::memory_types::counted_image(job, i).data() == job.inputs[0].values.data() + 1 + i * 8);
  CHECK(expectation_of(job).values.back() <= 24);
}

TEST_CASE("memory types: a count's threshold is one of the image's pixels, or below all in the last image") {
  const Job job = count_job(3);
  const auto image = [&](std::size_t i) {
    return job.inputs[0].values.begin() + static_cast<std::ptrdiff_t>(i * 35);
  };
  const std::vector<float>& thresholds = job.inputs[1].values;
  for (const std::size_t i : {0U, 1U}) CHECK(std::count(image(i), image(i + 1), thresholds[i]) > 0);
  CHECK(std::all_of(image(2), image(3), [&](float pixel) { return pixel > thresholds[2]; }));
}

TEST_CASE("memory types: if levels occur equally often, the lowest is expected") {
  Job job = job_of("most_frequent", 4, 1, 1);
  job.inputs[0].values = {7, 2, 2, 5};
  CHECK(expectation_of(job).values == std::vector<double>{2, 2, 2, 2});
}

TEST_CASE("memory types: levels are integers from 0 to 7 for every distribution") {
  for (const std::string& distribution : grader::summable_distributions()) {
    const Job job = job_of("most_frequent", 33, 9, 2, distribution);
    for (const float level : job.inputs[0].values) {
      CHECK(level == std::floor(level));
      CHECK((level >= 0 && level < grader::memory_types::kLevels));
    }
  }
}

TEST_CASE("memory types: terms and outputs are counted") {
  const auto quantities = grader::memory_types::workload().quantities(job_of("blur", 3, 2, 1));
  CHECK(quantities.at("output") == 6);
  CHECK(quantities.at("term") == (2 + 3 + 2) * (2 + 2));
}

TEST_CASE("memory types: each typical mistake is reported with its code") {
  for (const char* entry : {"blur", "convolve_constant"}) {
    const Job job = job_of(entry, 40, 37, 2);
    const auto all = grader::memory_types::workload().hypotheses(job);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(entry << ": " << all[i].pattern);
      CHECK(code_of(job, i) == all[i].code);
    }
  }
  const Job mixed = job_of("blur", 40, 37, 2, "mixed");
  const char* const no_fraction = "averages have no fraction";
  REQUIRE(number_of(mixed, no_fraction));
  CHECK(code_of(mixed, *number_of(mixed, no_fraction)) == "WG-V06");
  // Averages less than 1 are all 0 without their fractions, as they are after many other mistakes.
  for (const char* small : {"uniform", "subnormal"})
    CHECK_FALSE(number_of(job_of("blur", 40, 37, 2, small), no_fraction));
  const char* const wrong_rows = "pixels are read as if a row had as many elements as the image has rows";
  CHECK(number_of(job_of("blur", 40, 37, 2), wrong_rows));
  CHECK_FALSE(number_of(job_of("blur", 40, 40, 2), wrong_rows));
  const Job counts = count_job(12), levels = job_of("most_frequent", 20, 20, 1);
  for (std::size_t i = 0; i < 5; ++i) CHECK_FALSE(code_of(counts, i).empty());
  CHECK(code_of(counts, 3) == "WG-V09");
  CHECK(code_of(counts, 5) == "WG-V09");
  CHECK(code_of(counts, 0) == "WG-V09");
  CHECK(code_of(counts, 1) == "WG-V08");
  CHECK(code_of(levels, 0) == "WG-V01");
  CHECK(code_of(levels, 1) == "WG-V08");
  const auto of_counts = [&](const char* pattern) {
    const auto number = number_of(counts, pattern);
    REQUIRE(number);
    return code_of(counts, *number);
  };
  CHECK(of_counts(
            "the count restarts from 0 where it should continue, and continues where it should restart") ==
        "WG-V08");
  CHECK(of_counts("each image is compared with its threshold without the fraction") == "WG-V01");
}

TEST_CASE("memory types: counts of levels that overflow at 256 are named") {
  Job job = job_of("most_frequent", 17, 17, 8);
  auto& levels = job.inputs[0].values;
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = i % 17 == 16 ? 3 : 0;
  const auto all = grader::memory_types::workload().hypotheses(job);
  const std::size_t centre = 8 * 17 + 8;  // its window is the image: 272 zeros and 17 threes
  CHECK(expectation_of(job).values[centre] == 0);
  CHECK(all.at(5).values(centre) == 3);  // 272 modulo 256 is 16
  CHECK(all.at(6).values(centre) == 3);
}

TEST_CASE("memory types: a search that leaves out the last level is named") {
  Job job = job_of("most_frequent", 4, 1, 1);
  job.inputs[0].values = {7, 7, 2, 5};
  const auto all = grader::memory_types::workload().hypotheses(job);
  CHECK_THAT(all.at(2).pattern, testing::contains("7, is never stored"));
  CHECK(all.at(2).values(0) == 0);
  CHECK(all.at(2).values(2) == 2);
}

TEST_CASE("memory types: a count that is stored in place of its level is named") {
  Job job = job_of("most_frequent", 4, 1, 1);
  job.inputs[0].values = {7, 7, 7, 5};
  const auto all = grader::memory_types::workload().hypotheses(job);
  CHECK_THAT(all.back().pattern, testing::contains("the number of pixels with the most frequent level"));
  CHECK(all.back().values(0) == 2);
  CHECK(all.back().values(1) == 3);
}

TEST_CASE("memory types: a scene is made of grey values, the same for the same seed") {
  grader::SplitMix64 one(7), same(7), other(8);
  const auto scene = grader::memory_types::scene(64, 48, one);
  CHECK(scene == grader::memory_types::scene(64, 48, same));
  CHECK(scene != grader::memory_types::scene(64, 48, other));
  CHECK(std::all_of(scene.begin(), scene.end(),
                    [](float grey) { return grey >= 0 && grey <= 255 && grey == std::floor(grey); }));
}

TEST_CASE("memory types: invalid cases are refused") {
  const auto& workload = grader::memory_types::workload();
  CHECK(problem_with(workload, case_of("blur", 0, 1, 1)) == "width is 0 when it should be at least 1");
  CHECK(problem_with(workload, case_of("blur", 1, 1, 9)) == "radius is 9 when it should be at most 8");
  Case stack = case_of("blur", 4, 4, 1);
  stack.workload["images"] = 2;
  CHECK(problem_with(workload, stack) == "images is 2 when it should be 1 for blur");
  stack.entry = "count_bright";
  CHECK_FALSE(problem_with(workload, stack));
  Case large = case_of("convolve_tiled", 2048, 2048, 7);
  CHECK(problem_with(workload, large));
  large.only_on = grader::DeviceKind::cuda;
  CHECK_FALSE(problem_with(workload, large));
}
