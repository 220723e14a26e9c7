// The results of typical mistakes with counts of pixels and of levels.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "workloads/memory_types/hypothesis_list.hpp"

namespace grader::memory_types {
namespace {

/// The sum of the images' counts; it restarts from 0 at the images for which `restarts` is true.
template <class CountImage, class Restarts>
std::function<double(std::size_t)> sums_of_counts(const harness::Job& job, CountImage count_image,
                                                  Restarts restarts) {
  return [&job, count_image, restarts](std::size_t last) {
    double count = 0;
    for (std::size_t i = 0; i <= last; ++i) {
      if (restarts(i)) count = 0;
      const std::span<const float> image = counted_image(job, i);
      count += count_image(image.data(), image.size(), job.inputs[1].values[i]);
    }
    return count;
  };
}

/// Counts of the pixels that are `bright`.
template <class Bright, class Restarts>
std::function<double(std::size_t)> counts(const harness::Job& job, Bright bright, Restarts restarts) {
  const auto count_image = [bright](const float* image, std::size_t pixels, float threshold) {
    return static_cast<double>(
        std::count_if(image, image + pixels, [&](float pixel) { return bright(pixel, threshold); }));
  };
  return sums_of_counts(job, count_image, restarts);
}

/// The count of an image if the part of each block of 256 pixels has 8 bits.
double count_in_bytes(const float* image, std::size_t pixels, float threshold) {
  constexpr std::size_t kBlock = 256;
  double count = 0;
  for (std::size_t first = 0; first < pixels; first += kBlock) {
    const auto bright = std::count_if(image + first, image + std::min(first + kBlock, pixels),
                                      [&](float pixel) { return pixel > threshold; });
    count += static_cast<double>(bright & 0xFF);
  }
  return count;
}

}  // namespace

void add_count_mistakes(HypothesisList& list, const harness::Job& job) {
  const auto greater = [](float pixel, float threshold) { return pixel > threshold; };
  const auto not_less = [](float pixel, float threshold) { return pixel >= threshold; };
  const auto as_specified = [&job](std::size_t i) { return job.inputs[2].values[i] != 0; };
  list.add("WG-V09", "the count continues where it should restart from 0",
           "a `__device__` variable keeps its value between calls, until the program ends",
           "set it to 0 when `restart` is true: cudaMemcpyToSymbol, or a kernel of one thread",
           counts(job, greater, [](std::size_t) { return false; }));
  list.add("WG-V08", "each count is that of one image alone",
           "the count starts from 0 in every call, or it is not stored on the device",
           "set it to 0 only when `restart` is true", counts(job, greater, [](std::size_t) { return true; }));
  const auto inverted = [as_specified](std::size_t i) { return !as_specified(i); };
  list.add("WG-V08",
           "the count restarts from 0 where it should continue, and continues where it should restart",
           "the condition with `restart` is inverted", "set the count to 0 only when `restart` is true",
           counts(job, greater, inverted));
  // At i the sum restarts if the image before it was to restart it.
  const auto one_late = [as_specified](std::size_t i) { return i > 0 && as_specified(i - 1); };
  list.add("WG-V09", "the count restarts from 0 one image too late",
           "the count is set to 0 after the kernel that adds to it: the pixels of that image are lost",
           "set the count to 0 before the launch, if `restart` is true", counts(job, greater, one_late));
  list.add("WG-V01", "pixels that equal the threshold are counted, too", "the comparison is >=", "use >",
           counts(job, not_less, as_specified));
  list.add("WG-V09", "each count lacks the pixels of its own image",
           "the count is copied to the host before the kernel that adds to it is launched",
           "copy the count after the launch",
           [all = counts(job, greater, as_specified), own = counts(job, greater, [](std::size_t) {
                                                        return true;
                                                      })](std::size_t i) { return all(i) - own(i); });
  const auto greater_bits = [](float pixel, float threshold) {
    return std::bit_cast<std::int32_t>(pixel) > std::bit_cast<std::int32_t>(threshold);
  };
  list.add("WG-V01", "of two negative pixels, the smaller one counts as the brighter one",
           "the bits of the floats are compared as integers: a float's bits without the sign grow with its "
           "magnitude",
           "compare the floats: pixel > threshold", counts(job, greater_bits, as_specified));
  list.add("WG-V01", "a block whose 256 pixels are all bright adds 0",
           "the count of a block has 8 bits, which overflow at 256", "count in an int",
           sums_of_counts(job, count_in_bytes, as_specified));
  list.accept_one_element();
  const auto greater_integer = [](float pixel, float threshold) { return pixel > std::trunc(threshold); };
  list.add("WG-V01", "each image is compared with its threshold without the fraction",
           "`threshold` is converted to an integer, by an int parameter or variable for instance",
           "keep the threshold a float: float threshold, also as the kernel's parameter",
           counts(job, greater_integer, as_specified));
  list.accept_one_element();
  for (const int times : {32, 128, 256, 512, 1024})
    list.add("WG-V08", fmt::format("each count is {} times what it should be", times),
             times == 32
                 ? "each of the 32 lanes of a warp adds the count of the warp"
                 : fmt::format("each of the {} threads of a block adds the count of the block", times),
             "let one thread add it: if (threadIdx.x == 0), or lane 0 of each warp",
             [times, all = counts(job, greater, as_specified)](std::size_t i) { return times * all(i); });
  for (const float fixed : {0.0F, 0.5F, 1.0F, 100.0F, 127.0F, 128.0F, 200.0F, 255.0F}) {
    const auto count = counts(
        job, [fixed](float pixel, float) { return pixel > fixed; }, as_specified);
    list.add("WG-V01", fmt::format("pixels greater than {} are counted", fixed),
             "the kernel compares with a fixed number: it does not use its parameter `threshold`",
             "compare with `threshold`, which is different for every image", [count](std::size_t image) {
               const double bright = count(image);  // a count of 0 has many other causes
               return bright > 0 ? bright : std::numeric_limits<double>::quiet_NaN();
             });
  }
}

namespace {

using Histogram = std::array<unsigned, kLevels>;

Histogram histogram_of(const ImageJob& image, Offset row, Offset column) {
  const Window window = image.window(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  Histogram histogram{};
  for (std::size_t y = window.first_row; y <= window.last_row; ++y)
    for (std::size_t x = window.first_column; x <= window.last_column; ++x)
      ++histogram[static_cast<std::size_t>(image.pixel(y, x))];
  return histogram;
}

/// The counts as 8-bit numbers. `carries`: they are neighbouring bytes of one word.
Histogram in_bytes(Histogram histogram, bool carries) {
  unsigned carry = 0;
  for (unsigned& count : histogram) {
    count += carries ? carry : 0;
    carry = count >> 8U;
    count &= 0xFFU;
  }
  return histogram;
}

double first_most_frequent(const Histogram& histogram) {
  return static_cast<double>(std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
}

}  // namespace

void add_level_mistakes(HypothesisList& list) {
  const ImageJob image = list.image();
  list.add_pixels("WG-V01", "if levels occur equally often, a level other than the lowest is stored",
                  "the search for the largest element also accepts equal elements",
                  "search from level 0 upwards, and take a level only if it occurs more often",
                  [image](Offset row, Offset column) {
                    const Histogram histogram = histogram_of(image, row, column);
                    const auto last = std::max_element(histogram.rbegin(), histogram.rend());
                    return static_cast<double>(histogram.rend() - last - 1);
                  });
  list.add_pixels("WG-V08", "level 0 is stored only where no other level occurs",
                  "the search starts with a count other than that of level 0, such as 0 at level 1, or its "
                  "first comparison leaves level 0 out",
                  "start with level 0 and its own count", [image](Offset row, Offset column) {
                    Histogram histogram = histogram_of(image, row, column);
                    histogram[0] = 0;
                    return first_most_frequent(histogram);
                  });
  list.add_pixels("WG-V08", "the last level, 7, is never stored",
                  "the loop over the levels ends one level early", "search levels 0 to 7, both included",
                  [image](Offset row, Offset column) {
                    Histogram histogram = histogram_of(image, row, column);
                    histogram.back() = 0;
                    return first_most_frequent(histogram);
                  });
  list.add_pixels("WG-V08", "the last level that occurs more often than level 0 is stored",
                  "the search compares each level's count with that of level 0: the greatest count so far is "
                  "not updated",
                  "store both the count and the level where a count is greater",
                  [image](Offset row, Offset column) {
                    const Histogram histogram = histogram_of(image, row, column);
                    std::size_t best = 0;
                    for (std::size_t level = 1; level < kLevels; ++level)
                      if (histogram[level] > histogram[0]) best = level;
                    return static_cast<double>(best);
                  });
  list.add_pixels("WG-V08", "level 0 is stored for every pixel",
                  "the search does not store the level of a greater count, or nothing is counted",
                  "store both the count and the level where a count is greater",
                  [](Offset, Offset) { return 0.0; });
  for (const bool carries : {true, false})
    list.add_pixels("WG-V01", "a level that occurs more than 255 times in a window is not counted right",
                    "the counts have 8 bits each, which overflow at 256; a window has up to 289 pixels",
                    "use more bits for each count: int, or unsigned short", [=](Offset row, Offset column) {
                      return first_most_frequent(in_bytes(histogram_of(image, row, column), carries));
                    });
  list.add_pixels("WG-V01", "the number of pixels with the most frequent level is stored, not the level",
                  "the search keeps the greatest count, and not the level to which it belongs",
                  "store the level with the greatest count", [image](Offset row, Offset column) {
                    const Histogram histogram = histogram_of(image, row, column);
                    return static_cast<double>(*std::max_element(histogram.begin(), histogram.end()));
                  });
}

}  // namespace grader::memory_types
