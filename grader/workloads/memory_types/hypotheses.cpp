// The results of typical mistakes with windows and weights, element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "workloads/memory_types/hypothesis_list.hpp"

namespace grader::memory_types {
namespace {

/// Value of the pixel at a position, which can be outside the image.
using Pixel = std::function<double(Offset row, Offset column)>;
/// Weight of the pixel `dy` rows below and `dx` columns right of the window's centre.
using Weight = std::function<double(Offset dy, Offset dx)>;

bool exists(const ImageJob& image, Offset row, Offset column) {
  return row >= 0 && column >= 0 && row < static_cast<Offset>(image.height) &&
         column < static_cast<Offset>(image.width);
}

double pixel_at(const ImageJob& image, Offset row, Offset column) {
  return image.pixel(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
}

Pixel zero_outside(const ImageJob& image) {
  return [image](Offset row, Offset column) {
    return exists(image, row, column) ? pixel_at(image, row, column) : 0.0;
  };
}

/// Pixels outside the image have the value of the nearest edge pixel.
Pixel repeated_outside(const ImageJob& image) {
  return [image](Offset row, Offset column) {
    return pixel_at(image, std::clamp<Offset>(row, 0, static_cast<Offset>(image.height) - 1),
                    std::clamp<Offset>(column, 0, static_cast<Offset>(image.width) - 1));
  };
}

/// The end of the row above precedes each row, as in memory; above and below the image, values are 0.
Pixel wrapped_outside(const ImageJob& image) {
  return [image](Offset row, Offset column) {
    const Offset index = row * static_cast<Offset>(image.width) + column;
    const bool is_inside = index >= 0 && index < static_cast<Offset>(image.width * image.height);
    return is_inside ? static_cast<double>(image.pixels[index]) : 0.0;
  };
}

/// Row -1 is the last row, and column -1 the last column, as with the remainder of a division.
Pixel opposite_outside(const ImageJob& image) {
  return [image](Offset row, Offset column) {
    const auto height = static_cast<Offset>(image.height), width = static_cast<Offset>(image.width);
    return pixel_at(image, (row % height + height) % height, (column % width + width) % width);
  };
}

/// Rows are taken to be `length` elements apart; NaN, any value, beyond the end of the array.
Pixel with_row_length(const ImageJob& image, std::size_t length) {
  return [image, length](Offset row, Offset column) {
    if (!exists(image, row, column)) return 0.0;
    const std::size_t index = static_cast<std::size_t>(row) * length + static_cast<std::size_t>(column);
    return index < image.width * image.height ? static_cast<double>(image.pixels[index])
                                              : std::numeric_limits<double>::quiet_NaN();
  };
}

/// 1 if wrapped_outside() finds a pixel, otherwise 0.
Pixel counted_when_wrapped(const ImageJob& image) {
  return [image](Offset row, Offset column) {
    const Offset index = row * static_cast<Offset>(image.width) + column;
    return index >= 0 && index < static_cast<Offset>(image.width * image.height) ? 1.0 : 0.0;
  };
}

Weight given_weights(const ImageJob& image) {
  return [image](Offset dy, Offset dx) {
    if (image.weights == nullptr) return 1.0;
    const auto radius = static_cast<Offset>(image.radius);
    return static_cast<double>(image.weights[(dy + radius) * (2 * radius + 1) + dx + radius]);
  };
}

double window_sum(const ImageJob& image, Offset row, Offset column, const Pixel& pixel,
                  const Weight& weight) {
  const auto radius = static_cast<Offset>(image.radius);
  double sum = 0;
  for (Offset dy = -radius; dy <= radius; ++dy)
    for (Offset dx = -radius; dx <= radius; ++dx) sum += weight(dy, dx) * pixel(row + dy, column + dx);
  return sum;
}

/// Each mistake sums `pixel` over the window. Averages are divided by `divisor(row, column)`; convolutions
/// are not divided.
void add_edges(HypothesisList& list, bool is_average) {
  const ImageJob image = list.image();
  const auto whole_window = [image](Offset, Offset) {
    return static_cast<double>(image.window_width() * image.window_width());
  };
  const auto in_memory = [image](Offset row, Offset column) {
    return window_sum(image, row, column, counted_when_wrapped(image), [](Offset, Offset) { return 1.0; });
  };
  const auto add = [&](const char* pattern, const char* cause, const char* next, const Pixel& pixel,
                       const Pixel& divisor) {
    list.add_pixels("WG-V10", pattern, cause, next, [=](Offset row, Offset column) {
      const double sum = window_sum(image, row, column, pixel, given_weights(image));
      return is_average ? sum / divisor(row, column) : sum;
    });
  };
  const auto inside = [image](Offset row, Offset column) {
    return window_sum(
        image, row, column, [image](Offset y, Offset x) { return exists(image, y, x) ? 1.0 : 0.0; },
        [](Offset, Offset) { return 1.0; });
  };
  if (image.height != image.width)
    add("pixels are read as if a row had as many elements as the image has rows",
        "the index of a load multiplies the row by the height",
        "multiply the row by the width: row * width + column", with_row_length(image, image.height), inside);
  if (is_average)
    add("each sum is divided by the size of the whole window, also at the edges of the image",
        "the divisor is (2 * radius + 1)², or pixels outside the image are counted, too",
        "count the pixels that you add, and divide by that count", zero_outside(image), whole_window);
  add("at the left and right edges, the window continues in the row above or below",
      "the index is checked against the image, but the column is not checked against the width",
      "check row and column separately, each against 0 and its own extent", wrapped_outside(image),
      in_memory);
  add("pixels outside the image count as the nearest pixel of its edge",
      "row and column are clamped to the image", "skip pixels outside the image: they add nothing to any sum",
      repeated_outside(image), whole_window);
  add("at the edges, the window continues at the opposite edge of the image",
      "row and column are taken modulo the image's extents",
      "skip pixels outside the image: they add nothing to any sum", opposite_outside(image), whole_window);
}

/// A guard that leaves out a row or a column at the edge of the image.
void add_strict_guards(HypothesisList& list, bool is_average) {
  const ImageJob image = list.image();
  const auto height = static_cast<Offset>(image.height), width = static_cast<Offset>(image.width);
  struct Guard {
    const char *lines, *cause;
    Offset first_row, first_column, last_rows, last_columns;  ///< left out: 1 or 0 of each
  };
  for (const Guard& guard :
       {Guard{"first row and its first column", "a comparison is > 0 in place of >= 0", 1, 1, 0, 0},
        {"first row", "a comparison is > 0 in place of >= 0", 1, 0, 0, 0},
        {"first column", "a comparison is > 0 in place of >= 0", 0, 1, 0, 0},
        {"last row and its last column", "a comparison is with the extent - 1", 0, 0, 1, 1},
        {"last row", "a comparison is with the height - 1", 0, 0, 1, 0},
        {"last column", "a comparison is with the width - 1", 0, 0, 0, 1}}) {
    const Pixel counts = [=](Offset row, Offset column) {
      return row >= guard.first_row && column >= guard.first_column && row < height - guard.last_rows &&
                     column < width - guard.last_columns
                 ? 1.0
                 : 0.0;
    };
    list.add_pixels("WG-V10", fmt::format("the image's {} count in no window", guard.lines), guard.cause,
                    "a pixel exists if 0 <= row, row < height, 0 <= column and column < width",
                    [=](Offset row, Offset column) {
                      const Pixel pixel = [&](Offset y, Offset x) {
                        return counts(y, x) != 0 ? pixel_at(image, y, x) : 0.0;
                      };
                      const double sum = window_sum(image, row, column, pixel, given_weights(image));
                      return is_average ? sum / window_sum(image, row, column, counts,
                                                           [](Offset, Offset) { return 1.0; })
                                        : sum;
                    });
  }
}

/// Averages whose divisor counts pixels that are not added, or that are computed in integers.
void add_wrong_averages(HypothesisList& list) {
  const ImageJob image = list.image();
  const auto height = static_cast<Offset>(image.height), width = static_cast<Offset>(image.width);
  const auto one = [](Offset, Offset) { return 1.0; };
  const auto average = [=](Offset row, Offset column, const Pixel& is_counted) {
    return window_sum(image, row, column, zero_outside(image), one) /
           window_sum(image, row, column, is_counted, one);
  };
  for (const bool is_row : {true, false})
    list.add_pixels("WG-V10",
                    fmt::format("pixels {} are not added, but counted",
                                is_row ? "below the last row" : "to the right of the last column"),
                    "the divisor grows without one of the four comparisons that guard the sum",
                    "count a pixel in the statement after its value is added",
                    [=](Offset row, Offset column) {
                      return average(row, column, [=](Offset y, Offset x) {
                        return y >= 0 && x >= 0 && (is_row ? x < width : y < height) ? 1.0 : 0.0;
                      });
                    });
  list.add_pixels(
      "WG-V08", "each sum is divided by one more than the number of its pixels",
      "the count of pixels starts at 1, or counts the thread's own pixel twice",
      "let the count start at 0, and add 1 for each pixel that is added", [=](Offset row, Offset column) {
        const Pixel is_inside = [=](Offset y, Offset x) { return exists(image, y, x) ? 1.0 : 0.0; };
        return window_sum(image, row, column, zero_outside(image), one) /
               (window_sum(image, row, column, is_inside, one) + 1);
      });
  const std::size_t largest =
      std::min(image.window_width(), image.width) * std::min(image.window_width(), image.height);
  if (largest > 255)
    list.add_pixels("WG-V08", "windows of more than 255 pixels are divided by too small a number",
                    "the number of pixels is counted in 8 bits (unsigned char), which overflow at 256",
                    "count in an int: a window has up to 289 pixels", [=](Offset row, Offset column) {
                      const auto is_inside = [=](Offset y, Offset x) {
                        return exists(image, y, x) ? 1.0 : 0.0;
                      };
                      return window_sum(image, row, column, zero_outside(image), one) /
                             std::fmod(window_sum(image, row, column, is_inside, one), 256);
                    });
  // If all averages are less than 1, they would all be 0, which has many other causes.
  const bool is_large = std::any_of(image.pixels, image.pixels + image.width * image.height,
                                    [](float pixel) { return std::abs(pixel) >= 1; });
  if (!is_large) return;
  list.add_pixels("WG-V06", "averages have no fraction",
                  "the sum is a variable of type int, or the division is one of integers, which drops the "
                  "fraction",
                  "keep the sum in a float", [=](Offset row, Offset column) {
                    return std::trunc(average(
                        row, column, [=](Offset y, Offset x) { return exists(image, y, x) ? 1.0 : 0.0; }));
                  });
}

void add_partial_windows(HypothesisList& list, bool is_average) {
  const ImageJob image = list.image();
  if (image.radius == 0) return;
  const Pixel pixel = zero_outside(image);
  const auto radius = static_cast<Offset>(image.radius);
  const auto inside = [image](Offset row, Offset column) { return exists(image, row, column) ? 1.0 : 0.0; };
  const auto average_of = [=](const Weight& weight) {
    return [=](Offset row, Offset column) {
      const double sum = window_sum(image, row, column, pixel, weight);
      return is_average ? sum / window_sum(image, row, column, inside, weight) : sum;
    };
  };
  struct Part {
    const char *name, *cause;
    bool (*is_in)(Offset dy, Offset dx, Offset radius);
  };
  const char* const early = "one of the loops ends before +radius";
  const char* const late = "one of the loops starts after -radius";
  const char* const at_element = "one of the loops starts at the element itself, not at -radius";
  const char* const to_element = "one of the loops ends at the element itself, not at +radius";
  for (const auto& [name, cause, is_in] : {
           Part{"last row and its last column", "the loops end before +radius",
                [](Offset dy, Offset dx, Offset r) { return dy < r && dx < r; }},
           {"last row", early, [](Offset dy, Offset, Offset r) { return dy < r; }},
           {"last column", early, [](Offset, Offset dx, Offset r) { return dx < r; }},
           {"first row", late, [](Offset dy, Offset, Offset r) { return dy > -r; }},
           {"first column", late, [](Offset, Offset dx, Offset r) { return dx > -r; }},
           {"first `radius` rows", at_element, [](Offset dy, Offset, Offset) { return dy >= 0; }},
           {"first `radius` columns", at_element, [](Offset, Offset dx, Offset) { return dx >= 0; }},
           {"first `radius` rows and columns", "both loops start at the element itself, not at -radius",
            [](Offset dy, Offset dx, Offset) { return dy >= 0 && dx >= 0; }},
           {"last `radius` rows", to_element, [](Offset dy, Offset, Offset) { return dy <= 0; }},
           {"last `radius` columns", to_element, [](Offset, Offset dx, Offset) { return dx <= 0; }},
       })
    list.add_pixels("WG-V08", fmt::format("each window lacks its {}", name), cause,
                    "let both loops run from -radius to +radius, both included",
                    average_of([=, weight = given_weights(image), is_in = is_in](Offset dy, Offset dx) {
                      return is_in(dy, dx, radius) ? weight(dy, dx) : 0.0;
                    }));
  if (is_average)
    list.add_pixels("WG-V08", "each element is the sum of its window, not the average",
                    "the sum is stored without the division", "divide by the number of pixels that you added",
                    [=](Offset row, Offset column) {
                      return window_sum(image, row, column, pixel, given_weights(image));
                    });
}

/// The window of each element is around another pixel. An average is still divided by the number of pixels in
/// the right window.
void add_shifted_windows(HypothesisList& list, bool is_average, bool has_tile) {
  const ImageJob image = list.image();
  const auto radius = static_cast<Offset>(image.radius);
  if (radius == 0) return;
  const auto inside = [image](Offset row, Offset column) { return exists(image, row, column) ? 1.0 : 0.0; };
  const auto one = [](Offset, Offset) { return 1.0; };
  const auto add = [&](const char* pattern, Offset down, Offset right) {
    list.add_pixels(
        "WG-V01", pattern,
        has_tile ? "the offset of the halo is missing, or it is applied twice: a tile with its halo "
                   "begins `radius` rows and columns before the block's first pixel"
                 : "an index lacks `radius`, or has it twice: a window begins `radius` rows and "
                   "columns before its own pixel",
        has_tile ? "subtract `radius` from row and column where the tile is loaded, and read the "
                   "window from tile[ty + dy][tx + dx] with dy and dx from 0 to 2 * radius"
                 : "the pixel dy rows below and dx columns right of the centre is in row row + dy "
                   "and column col + dx, with dy and dx from -radius to +radius",
        [=, pixel = zero_outside(image)](Offset row, Offset column) {
          const double sum = window_sum(image, row + down, column + right, pixel, given_weights(image));
          return is_average ? sum / window_sum(image, row, column, inside, one) : sum;
        });
  };
  add("every window is `radius` rows too low and `radius` columns too far to the right", radius, radius);
  add("every window is `radius` rows too high and `radius` columns too far to the left", -radius, -radius);
  add("every window is `radius` columns too far to the right", 0, radius);
  add("every window is `radius` columns too far to the left", 0, -radius);
  add("every window is `radius` rows too low", radius, 0);
  add("every window is `radius` rows too high", -radius, 0);
}

/// One subscript has another variable than it should. What a tile has outside the image is 0, so that no
/// guard tests a window's pixels.
void add_wrong_subscripts(HypothesisList& list, bool is_average, bool has_tile) {
  const ImageJob image = list.image();
  const auto inside = [image](Offset row, Offset column) { return exists(image, row, column) ? 1.0 : 0.0; };
  const auto one = [](Offset, Offset) { return 1.0; };
  /// `read(row, column, dy, dx)` is the pixel in place of the one at (row + dy, column + dx).
  const auto add = [&](const char* pattern, const char* cause, const char* next, auto read) {
    list.add_pixels("WG-V04", pattern, cause, next,
                    [=, weight = given_weights(image)](Offset row, Offset column) {
                      const auto radius = static_cast<Offset>(image.radius);
                      double sum = 0;
                      for (Offset dy = -radius; dy <= radius; ++dy)
                        for (Offset dx = -radius; dx <= radius; ++dx)
                          if (has_tile || exists(image, row + dy, column + dx))
                            sum += weight(dy, dx) * read(row, column, dy, dx);
                      return is_average ? sum / window_sum(image, row, column, inside, one) : sum;
                    });
  };
  add("pixels are read with rows and columns exchanged", "the index of a load is x * height + y",
      "multiply the row by the width: y * width + x",
      [image](Offset row, Offset column, Offset dy, Offset dx) {
        if (!exists(image, row + dy, column + dx)) return 0.0;
        const auto height = static_cast<Offset>(image.height);
        return static_cast<double>(image.pixels[(column + dx) * height + row + dy]);
      });
  if (image.radius == 0) return;
  const char* const twice = "one of the two loop variables is in both subscripts of a pixel";
  const char* const next = "add dy to the row, and dx to the column";
  add("all pixels of a window's row have the same column: dx is replaced by dy", twice, next,
      [pixel = zero_outside(image)](Offset row, Offset column, Offset dy, Offset /*dx*/) {
        return pixel(row + dy, column + dy);
      });
  add("all pixels of a window's column have the same row: dy is replaced by dx", twice, next,
      [pixel = zero_outside(image)](Offset row, Offset column, Offset /*dy*/, Offset dx) {
        return pixel(row + dx, column + dx);
      });
}

/// A loop over the window ends at the first pixel outside the image.
void add_ended_windows(HypothesisList& list) {
  const ImageJob image = list.image();
  const auto radius = static_cast<Offset>(image.radius);
  if (radius == 0) return;
  for (const bool is_row : {true, false})
    list.add_pixels("WG-V10", fmt::format("the first {} {} are 0", radius, is_row ? "rows" : "columns"),
                    "`break` or `return` ends the loop over the window at its first pixel outside the image",
                    "continue with the next pixel: `continue`, or an `if` around the sum",
                    [=, pixel = zero_outside(image)](Offset row, Offset column) {
                      if ((is_row ? row : column) < radius) return 0.0;
                      return window_sum(image, row, column, pixel, given_weights(image));
                    });
}

/// The tile of a block has the halo's four sides, but 0 in its corners.
void add_missing_corners(HypothesisList& list) {
  const ImageJob image = list.image();
  if (image.radius == 0) return;
  struct Block {
    Offset rows, columns;
  };
  for (const auto [rows, columns] : {Block{8, 32}, Block{32, 32}, Block{16, 16}, Block{16, 32}})
    list.add_pixels(
        "WG-V10",
        fmt::format("the corners of each halo count as 0 (blocks of {} × {} pixels)", rows, columns),
        "the tile is filled with the pixels above, below, left and right of the block's, but not with those "
        "that are diagonally next to them",
        "fill the whole tile, (columns + 2 * radius) × (rows + 2 * radius) elements, in one loop over its "
        "rows and columns",
        [=, pixel = zero_outside(image)](Offset row, Offset column) {
          const auto is_corner = [=](Offset y, Offset x) {
            const auto is_outside = [](Offset at, Offset own, Offset extent) {
              return at < own / extent * extent || at >= (own / extent + 1) * extent;
            };
            return is_outside(y, row, rows) && is_outside(x, column, columns);
          };
          return window_sum(
              image, row, column, [&](Offset y, Offset x) { return is_corner(y, x) ? 0.0 : pixel(y, x); },
              given_weights(image));
        });
}

void add_weight_mixups(HypothesisList& list) {
  const ImageJob image = list.image();
  const auto width = static_cast<Offset>(image.window_width()), radius = static_cast<Offset>(image.radius);
  const float* weights = image.weights;
  const auto add = [&](const char* pattern, const char* cause, const char* next, const Weight& weight) {
    list.add_pixels("WG-V11", pattern, cause, next,
                    [=, pixel = zero_outside(image)](Offset row, Offset column) {
                      return window_sum(image, row, column, pixel, weight);
                    });
  };
  const auto stored = [=](Offset index, Offset count) {
    return index < count ? static_cast<double>(weights[index]) : 0.0;
  };
  const Offset count = width * width;
  list.add_pixels(
      "WG-V07", "every element is 0",
      "the weights in constant memory are 0, because nothing was copied there before the launch; or "
      "the loops over the window run zero times",
      "copy the weights with cudaMemcpyToSymbol before the launch, and check the loops' bounds",
      [](Offset, Offset) { return 0.0; });
  const char* const with_dx = "the index of a weight is (dy + radius) * (2 * radius + 1) + dx + radius";
  add("the windows are mirrored: the first weight is multiplied by the last pixel",
      "the weights are read from the end, as in the mathematical convolution",
      "weight (dy, dx) belongs to the pixel dy rows below and dx columns right of the centre",
      [=](Offset dy, Offset dx) { return stored((radius - dy) * width + radius - dx, count); });
  add("the weights' rows and columns are swapped", "dy and dx are swapped in the index of the weights",
      with_dx, [=](Offset dy, Offset dx) { return stored((dx + radius) * width + dy + radius, count); });
  add("all weights of a row count as its first", "dx is missing in the index of the weights", with_dx,
      [=](Offset dy, Offset) { return stored((dy + radius) * width, count); });
  add("all weights of a column count as its first", "dy is missing in the index of the weights", with_dx,
      [=](Offset, Offset dx) { return stored(dx + radius, count); });
  add("only the first quarter of the weights was copied",
      "the copy's size is in elements, but it must be in bytes",
      "copy (2 * radius + 1)² * sizeof(float) bytes with cudaMemcpyToSymbol",
      [=](Offset dy, Offset dx) { return stored((dy + radius) * width + dx + radius, count / 4); });
  add("only the first row of the weights was copied",
      "the copy has 2 * radius + 1 elements, a row of the weights, not all of them",
      "copy (2 * radius + 1)² * sizeof(float) bytes with cudaMemcpyToSymbol",
      [=](Offset dy, Offset dx) { return stored((dy + radius) * width + dx + radius, width); });
  add("only the first two weights were copied",
      "the copy has 8 bytes, the size of a pointer: sizeof(h_weights) is not the size of the array",
      "copy (2 * radius + 1)² * sizeof(float) bytes with cudaMemcpyToSymbol",
      [=](Offset dy, Offset dx) { return stored((dy + radius) * width + dx + radius, 2); });
  add("the weights are read with rows of 2 * kMaxRadius + 1",
      "the array in constant memory has longer rows than the weights that were copied into it",
      "a row of weights has 2 * radius + 1 elements: use a 1D array in constant memory",
      [=](Offset dy, Offset dx) {
        return stored((dy + radius) * (2 * kMaxRadius + 1) + dx + radius, count);
      });
  for (const auto& [name, length] :
       {std::pair("radius", radius), {"2 * radius", 2 * radius}, {"2 * radius + 2", 2 * radius + 2}})
    list.add_pixels("WG-V11", fmt::format("the weights are read with rows of {}", name),
                    fmt::format("the index of a weight multiplies the row by {}", name),
                    "a row of weights has 2 * radius + 1 elements",
                    [=, pixel = zero_outside(image), length = length](Offset row, Offset column) {
                      return window_sum(image, row, column, pixel, [=](Offset dy, Offset dx) {
                        return stored((dy + radius) * length + dx + radius, count);
                      });
                    });
}

/// A fixed radius instead of the parameter.
void add_fixed_radius(HypothesisList& list) {
  for (std::size_t radius = 0; radius <= kMaxRadius; ++radius) {
    ImageJob image = list.image();
    if (radius == image.radius) continue;
    const std::size_t right = std::exchange(image.radius, radius);
    list.add_pixels("WG-V10", fmt::format("every window has radius {}, not {}", radius, right),
                    "the kernel uses a fixed radius, or another value in place of its parameter `radius`",
                    "let both loops run from -radius to +radius", [image](Offset row, Offset column) {
                      const auto one = [](Offset, Offset) { return 1.0; };
                      const auto inside = [image](Offset y, Offset x) {
                        return exists(image, y, x) ? 1.0 : 0.0;
                      };
                      return window_sum(image, row, column, zero_outside(image), one) /
                             window_sum(image, row, column, inside, one);
                    });
  }
}

}  // namespace

std::vector<Hypothesis> memory_types_hypotheses(const harness::Job& job) {
  HypothesisList list(job);
  if (job.entry == "count_bright") {
    add_count_mistakes(list, job);
  } else if (job.entry == "most_frequent") {
    add_level_mistakes(list);
  } else {
    const bool is_average = job.entry == "blur", has_tile = job.entry == "convolve_tiled";
    if (!is_average) add_weight_mixups(list);
    add_edges(list, is_average);
    add_strict_guards(list, is_average);
    add_partial_windows(list, is_average);
    add_shifted_windows(list, is_average, has_tile);
    add_wrong_subscripts(list, is_average, has_tile);
    if (!is_average) add_missing_corners(list);
    if (!is_average) add_ended_windows(list);
    if (is_average) {
      add_wrong_averages(list);
      add_fixed_radius(list);
    }
  }
  return list.take();
}

}  // namespace grader::memory_types
