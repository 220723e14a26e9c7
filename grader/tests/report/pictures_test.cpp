// Tests the pictures of a case. PNG files are read back with libpng.
#include "report/pictures.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include <png.h>

#include "catch.hpp"
#include "vgpu/state/unwritten.hpp"

using grader::Array;
using grader::Bitmap;
using grader::Expectation;
using grader::Picture;
using testing::contains;

namespace {

/// The file's pixels; `format` is PNG_FORMAT_GRAY or PNG_FORMAT_RGB.
Bitmap decoded(const std::string& file, png_uint_32 format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
    throw std::runtime_error(image.message);
  image.format = format;
  Bitmap bitmap{image.width,
                image.height,
                format == PNG_FORMAT_GRAY ? Bitmap::Channels::grey : Bitmap::Channels::rgb,
                {}};
  bitmap.bytes.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, bitmap.bytes.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return bitmap;
}

std::vector<std::uint8_t> pixel(const Bitmap& bitmap, std::uint32_t x, std::uint32_t y) {
  const auto channels = static_cast<std::size_t>(bitmap.channels);
  const auto first = bitmap.bytes.begin() + static_cast<std::ptrdiff_t>((y * bitmap.width + x) * channels);
  return {first, first + static_cast<std::ptrdiff_t>(channels)};
}
using Colour = std::vector<std::uint8_t>;

/// A 2 × 2 image "in" that becomes "out"; "weights" is not an image.
class Sample final : public grader::Workload {
 public:
  explicit Sample(grader::TimeMeasure measure = grader::TimeMeasure::kernels) : measure_(measure) {}
  std::vector<std::string> entries() const override { return {"f"}; }
  std::vector<grader::Parameter> parameters() const override { return {}; }
  grader::harness::Job job(const grader::Case& /*one*/) const override {
    grader::harness::Job job;
    job.inputs.push_back({{"in", {2, 2}, {0, 64, 128, 255}}});
    job.inputs.push_back({{"weights", {2, 2}, {1, 1, 1, 1}}});
    job.outputs.push_back({"out", {2, 2}});
    return job;
  }
  std::vector<Expectation> expect(const grader::harness::Job& /*job*/) const override {
    return {{"out", {2, 2}, {10, 20, 30, 40}, {1, 1, 1, 1}, {}}};
  }
  std::map<std::string, double> quantities(const grader::harness::Job& /*job*/) const override { return {}; }
  std::vector<std::string> quantity_names() const override { return {}; }
  std::vector<grader::GreyImage> images(const grader::harness::Job& /*job*/) const override {
    return {{"in", 0, 255}, {"out", 0, 0}, {"absent", 0, 1}};
  }
  grader::TimeMeasure time_measure() const override { return measure_; }

 private:
  grader::TimeMeasure measure_;
};

std::vector<Picture> pictures_with(const std::vector<Array>& outputs) {
  const Sample sample;
  const auto job = sample.job({});
  return grader::image_pictures(sample, job, sample.expect(job), outputs);
}

std::vector<std::string> names_of(const std::vector<Picture>& pictures) {
  std::vector<std::string> names;
  for (const Picture& one : pictures) names.push_back(one.name);
  return names;
}

}  // namespace

TEST_CASE("a PNG file holds the bitmap's pixels, grey or coloured") {
  const Bitmap grey{2, 3, Bitmap::Channels::grey, {0, 50, 100, 150, 200, 255}};
  CHECK(decoded(grader::png(grey), PNG_FORMAT_GRAY).bytes == grey.bytes);
  const Bitmap rgb{2, 1, Bitmap::Channels::rgb, {1, 2, 3, 250, 251, 252}};
  CHECK(decoded(grader::png(rgb), PNG_FORMAT_RGB).bytes == rgb.bytes);
}

TEST_CASE("a bitmap without pixels is refused") {
  CHECK_THROWS_AS(grader::png({0, 3, Bitmap::Channels::grey, {}}), std::runtime_error);
}

TEST_CASE("small images are enlarged by a whole factor, large ones are not") {
  const Bitmap small = grader::grey_bitmap({2, 3}, {0, 1, 2, 3, 4, 5}, 0, 5);
  CHECK(small.width == 3 * 128);
  CHECK(small.height == 2 * 128);
  CHECK(pixel(small, 0, 0) == Colour{0});
  CHECK(pixel(small, 127, 127) == Colour{0});
  CHECK(pixel(small, 128, 0) == Colour{51});
  CHECK(pixel(small, 383, 255) == Colour{255});
  CHECK(grader::grey_bitmap({1, 1000}, std::vector<double>(1000), 0, 1).width == 1000);
}

TEST_CASE("values beyond black and white stay black and white, and NaN is black") {
  const Bitmap bitmap = grader::grey_bitmap({1, 4}, {-7, 300, NAN, 255}, 0, 255);
  const std::uint32_t side = bitmap.width / 4;
  CHECK(pixel(bitmap, 0, 0) == Colour{0});
  CHECK(pixel(bitmap, side, 0) == Colour{255});
  CHECK(pixel(bitmap, 2 * side, 0) == Colour{0});
}

TEST_CASE("a stack of images becomes one column") {
  const Bitmap bitmap = grader::grey_bitmap({3, 2, 4}, std::vector<double>(24), 0, 1);
  CHECK(bitmap.width == 4 * 64);
  CHECK(bitmap.height == 6 * 64);
}

TEST_CASE("errors within the tolerance are white, larger errors are darker, and unwritten pixels are blue") {
  const Expectation expected{"out", {1, 6}, {1, 1, 1, 1, 1, 1}, {0.1, 0.1, 0.1, 0.1, 0, 0.1}, {}};
  const auto unwritten = std::bit_cast<float>(vgpu::kUnwrittenWords[0]);
  const Bitmap bitmap = grader::error_bitmap(expected, {1.05F, 1.2F, 1e9F, NAN, 2, unwritten});
  const std::uint32_t side = bitmap.width / 6;
  CHECK(pixel(bitmap, 0, 0) == Colour{255, 255, 255});
  const Colour small = pixel(bitmap, side, 0), large = pixel(bitmap, 2 * side, 0);
  CHECK(small[0] > 240);
  CHECK(small[1] > 180);
  CHECK(large == Colour{120, 0, 20});
  CHECK(pixel(bitmap, 3 * side, 0) == Colour{40, 90, 220});
  CHECK(pixel(bitmap, 5 * side, 0) == Colour{40, 90, 220});
  CHECK(pixel(bitmap, 4 * side, 0) == large);  // with a tolerance of 0, every error is large
}

TEST_CASE("a case has pictures of its input, its output, the expected output and the errors") {
  const auto pictures = pictures_with({{"out", {2, 2}, {10, 20, 30, 90}}});
  CHECK(names_of(pictures) ==
        std::vector<std::string>{"in.png", "out.png", "out-expected.png", "out-errors.png"});
  const Bitmap out = decoded(pictures[1].bytes, PNG_FORMAT_GRAY);
  CHECK(pixel(out, 0, 0) ==
        Colour{0});  // the expected values set the range: 10 is black, 40 and above is white
  CHECK(pixel(out, 383, 383) == Colour{255});
  const Bitmap errors = decoded(pictures[3].bytes, PNG_FORMAT_RGB);
  CHECK(pixel(errors, 0, 0) == Colour{255, 255, 255});
  CHECK(pixel(errors, 383, 383) != Colour{255, 255, 255});
}

TEST_CASE("a wrong output that is no image has a map of its errors, a right one has none") {
  const Sample sample;
  const auto job = sample.job({});
  const auto names_for = [&](const grader::Shape& shape, const std::vector<float>& actual) {
    const Expectation sums{
        "sums", shape, std::vector<double>(actual.size(), 1), std::vector<double>(actual.size(), 0.5), {}};
    return names_of(grader::image_pictures(sample, job, {sums}, {{"sums", shape, actual}}));
  };
  CHECK(names_for({2, 2}, {1, 1, 1, 1.4F}) == std::vector<std::string>{"in.png"});
  CHECK(names_for({2, 2}, {1, 1, 1, 2}) == std::vector<std::string>{"in.png", "sums-errors.png"});
  CHECK(names_for({3}, {1, NAN, 1}) == std::vector<std::string>{"in.png", "sums-errors.png"});
  CHECK(names_for({1}, {2}) == std::vector<std::string>{"in.png"});
  CHECK(names_for({1, 1, 1, 2}, {2, 2}) == std::vector<std::string>{"in.png"});  // no rows and columns
  const Expectation missing{"sums", {2}, {1, 1}, {0, 0}, {}};
  CHECK(names_of(grader::image_pictures(sample, job, {missing}, {})) == std::vector<std::string>{"in.png"});
  const Array shorter{"sums", {1}, {2}};
  CHECK(names_of(grader::image_pictures(sample, job, {missing}, {shorter})) ==
        std::vector<std::string>{"in.png"});
}

TEST_CASE("the errors of a 1-D array are drawn in rows of 256 elements, grey after the end") {
  std::vector<float> actual(300, 1);
  actual[257] = 5;
  const Bitmap map = grader::error_bitmap(
      {"sums", {300}, std::vector<double>(300, 1), std::vector<double>(300, 0), {}}, actual);
  REQUIRE(map.width == 3 * 256);
  CHECK(map.height == 3 * 2);
  CHECK(pixel(map, 0, 3) == Colour{255, 255, 255});
  CHECK(pixel(map, 3 * 1, 3) == Colour{120, 0, 20});
  CHECK(pixel(map, 3 * 43, 3) == Colour{255, 255, 255});
  CHECK(pixel(map, 3 * 44, 3) == Colour{200, 200, 200});
}

TEST_CASE("a pixel of a large map is the worst of its elements") {
  constexpr std::uint32_t kSide = 2049;
  const std::size_t count = std::size_t{kSide} * kSide;
  std::vector<float> actual(count, 1);
  actual[std::size_t{5} * kSide + 7] = 1e9F;
  actual[std::size_t{4} * kSide + 7] = 2;
  actual.back() = NAN;
  const Bitmap map = grader::error_bitmap(
      {"c", {kSide, kSide}, std::vector<double>(count, 1), std::vector<double>(count, 0.5), {}}, actual);
  REQUIRE(map.width == 683);  // three elements a side
  CHECK(map.height == 683);
  CHECK(pixel(map, 2, 1) == Colour{120, 0, 20});
  CHECK(pixel(map, 682, 682) == Colour{40, 90, 220});
  CHECK(pixel(map, 3, 1) == Colour{255, 255, 255});
  const std::vector<float> line(100000, 1);
  CHECK(grader::error_bitmap(
            {"c", {1, 100000}, std::vector<double>(100000, 1), std::vector<double>(100000, 0), {}}, line)
            .width == 7693);  // 13 elements a pixel
}

TEST_CASE("for a program that sent no output, there is still the expected output") {
  CHECK(names_of(pictures_with({})) == std::vector<std::string>{"in.png", "out-expected.png"});
}

TEST_CASE("a lab that measures the time of the call has a timeline, others do not") {
  vgpu::cudart::SessionReport session;
  vgpu::TimedOperation kernel;
  kernel.kind = vgpu::OperationKind::kernel;
  kernel.engine = vgpu::Engine::kernels;
  kernel.end_s = 1e-3;
  session.timeline = {kernel};
  const auto profile = vgpu::lecture_profile();
  const Sample about_calls(grader::TimeMeasure::call);
  const auto pictures = grader::timeline_pictures(about_calls, session, profile);
  REQUIRE(names_of(pictures) == std::vector<std::string>{"timeline.svg"});
  CHECK_THAT(pictures[0].bytes, contains("<svg ") && contains("kernel"));
  CHECK(grader::timeline_pictures(about_calls, {}, profile).empty());
  CHECK(grader::timeline_pictures(Sample(), session, profile).empty());
}
