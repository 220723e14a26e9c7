// The results of typical mistakes, element by element.
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lab/partial_products.hpp"
#include "lab/product_extents.hpp"
#include "workloads/coalescing/workload.hpp"

namespace grader::coalescing {
namespace {

using harness::Job;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::size_t, 2> kTileWidths{32, 16};  // the most common first
constexpr std::size_t kWarp = 32;

/// The element at `index`; unknown if `index` is out of range.
double read_flat(const std::vector<float>& values, std::size_t index) {
  return index < values.size() ? static_cast<double>(values[index]) : kUnknown;
}

}  // namespace

std::vector<Hypothesis> transpose_hypotheses(const Job& job) {
  const auto& in = job.inputs[0].values;
  const std::size_t width = size_of(job, "width"), height = size_of(job, "height");
  std::vector<Hypothesis> all;
  all.push_back({"WG-V04", "it equals the input: nothing is transposed",
                 "the block and the elements of its tile are stored where they were loaded from",
                 "store at row `column of in` and column `row of in`: swap the block's coordinates in the "
                 "address, and the thread's coordinates in the tile",
                 "out", [&in](std::size_t i) { return read_flat(in, i); }});
  for (const std::size_t T : kTileWidths) {
    all.push_back(
        {"WG-V04", fmt::format("tiles of {} are in the right places, but not transposed inside", T),
         "the tile is read in the order in which it was written",
         "read tile[threadIdx.x][threadIdx.y] when you store", "out", [&in, width, height, T](std::size_t i) {
           const std::size_t row = i / height, column = i % height;
           const std::size_t in_row = column / T * T + row % T, in_column = row / T * T + column % T;
           const bool inside = in_row < height && in_column < width;
           return inside ? read_flat(in, in_row * width + in_column) : kUnknown;
         }});
    if (width == height)
      all.push_back({"WG-V04", fmt::format("tiles of {} are transposed inside, but not moved", T),
                     "the address of the store uses blockIdx in the same way as that of the load",
                     "swap blockIdx.x and blockIdx.y for the store", "out", [&in, width, T](std::size_t i) {
                       const std::size_t row = i / width, column = i % width;
                       const std::size_t in_row = row / T * T + column % T;
                       const std::size_t in_column = column / T * T + row % T;
                       const bool inside = in_row < width && in_column < width;
                       return inside ? read_flat(in, in_row * width + in_column) : kUnknown;
                     }});
  }
  return all;
}

std::vector<Hypothesis> safety_hypotheses(const Job& job) {
  const std::size_t in_step = size_of(job, "threads_in_step");
  return {
      // At most one block size has exactly threads_in_step threads, and only its answer is wrong.
      {"WG-V01", fmt::format("a block of exactly {} threads is reported as unsafe", in_step),
       "the function compares the number of threads with threads_in_step by <",
       "if all threads of a block are in one group, it is safe: use <=", "is_safe",
       [in_step](std::size_t b) { return b > 0 && b * b < in_step ? 1.0 : 0.0; }, 1},
      {"WG-V01", "it is 2 everywhere: the question is not answered yet",
       "the function is unchanged from the skeleton",
       "return 1 where the kernel is always right, otherwise 0", "is_safe",
       [](std::size_t b) { return b == 0 ? 0.0 : 2.0; }},
      {"WG-V01", "block_size itself is compared with threads_in_step",
       "a block has block_size * block_size threads, not block_size",
       "count the threads of a block, then find out which of them wrote the element that a thread reads",
       "is_safe", [in_step](std::size_t b) { return b > 0 && b <= in_step ? 1.0 : 0.0; }},
      {"WG-V01", fmt::format("it is the answer for 32 threads in step, not for {}", in_step),
       "threads_in_step is not used", "compare the number of threads of a block with threads_in_step",
       "is_safe", [](std::size_t b) { return b > 0 && b * b <= kWarp ? 1.0 : 0.0; }},
      {"WG-V01", "every block size is reported as safe", "threads of different groups run in any order",
       "find a thread that reads an element written by a thread of another group", "is_safe",
       [](std::size_t b) { return b > 0 ? 1.0 : 0.0; }},
      {"WG-V01", "no block size is reported as safe", "the function returns 0 in every case",
       "a block of one thread is always safe: find the largest block in which all threads run in step",
       "is_safe", [](std::size_t) { return 0.0; }},
  };
}

std::vector<Hypothesis> block_transpose_hypotheses(const Job& job) {
  const auto& A = job.inputs[0].values;
  const std::size_t width = size_of(job, "width"), height = size_of(job, "height");
  std::vector<Hypothesis> all{{"WG-V04", "the tiles are unchanged",
                               "each thread stores the element that it loaded, or an element was overwritten "
                               "before its partner read it",
                               "store tile[threadIdx.x][threadIdx.y] after a barrier", "A",
                               [&A](std::size_t i) { return read_flat(A, i); }}};
  if (width == height)
    all.push_back({"WG-V04", "the whole matrix is transposed, not each tile by itself",
                   "the store's address has the block's coordinates swapped",
                   "store to the address of the load; swap only the thread's coordinates in the tile", "A",
                   [&A, width](std::size_t i) { return read_flat(A, i % width * width + i / width); }});
  return all;
}

namespace {

struct Terms {
  std::size_t begin, end;
};

/// P with `element(i, c)` as the elements of N.
template <class ElementOfN>
auto product_with(const Job& job, Terms terms, ElementOfN element) {
  const float* M = job.inputs[0].values.data();
  const std::size_t k = size_of(job, "k"), n = size_of(job, "n");
  return [=](std::size_t index) {
    double sum = 0;
    for (std::size_t i = terms.begin; i < terms.end; ++i)
      sum += static_cast<double>(M[index / n * k + i]) * element(i, index % n);
    return sum;
  };
}

}  // namespace

std::vector<Hypothesis> corner_hypotheses(const Job& job) {
  const auto& N = job.inputs[1].values;
  const std::size_t k = size_of(job, "k"), n = size_of(job, "n");
  const auto right = [&N, k](std::size_t i, std::size_t c) { return read_flat(N, c * k + i); };
  Product product{"P", size_of(job, "m"), k, n, {kTileWidths.begin(), kTileWidths.end()}, {}};
  product.sum = [&job, right, n](std::size_t row, std::size_t column, std::size_t from, std::size_t to) {
    return product_with(job, {from, to}, right)(row * n + column);
  };
  std::vector<Hypothesis> all = wrong_extents(product);
  all.push_back(
      {"WG-V04", "N is read as if it were stored by rows", "the index is that of lab 02",
       "N is stored by columns: its element (i, column) is N[column * k + i]", "P",
       product_with(job, {0, k}, [&N, n](std::size_t i, std::size_t c) { return read_flat(N, i * n + c); })});
  all.push_back({"WG-V04", "M is read as if it were stored by columns, too", "the index of M is that of N",
                 "M is stored by rows: its element (row, i) is M[row * k + i]", "P",
                 [&job, right, k, n](std::size_t at) {
                   const std::size_t m = size_of(job, "m");
                   double sum = 0;
                   for (std::size_t i = 0; i < k; ++i)
                     sum += read_flat(job.inputs[0].values, i * m + at / n) * right(i, at % n);
                   return sum;
                 }});
  if (n != k)
    all.push_back({"WG-V04", "N is read as if its columns had n elements",
                   "the index multiplies the column by n",
                   "N is stored by columns of k elements: its element (i, column) is N[column * k + i]", "P",
                   product_with(job, {0, k},
                                [&N, n](std::size_t i, std::size_t c) { return read_flat(N, c * n + i); })});
  for (const std::size_t T : kTileWidths) {
    all.push_back({"WG-V04", fmt::format("N's tiles of {} are read with rows and columns swapped", T),
                   "the tile is written in one order and read in the other",
                   "a row of the tile contains part of one column of N: read tile_N[threadIdx.x][i]", "P",
                   product_with(job, {0, k}, [&N, k, n, T](std::size_t i, std::size_t c) {
                     const std::size_t row = i / T * T + c % T, column = c / T * T + i % T;
                     return row < k && column < n ? read_flat(N, column * k + row) : 0.0;
                   })});
  }
  for (Hypothesis& one : partial_products(product)) all.push_back(std::move(one));
  for (Hypothesis& one : wrong_loop_extents(product)) all.push_back(std::move(one));
  return all;
}

namespace {

/// y if only the terms for which `counts(j)` is true are added.
template <class Counts>
Hypothesis partial_rows(const Job& job, std::string pattern, std::string cause, std::string next,
                        Counts counts) {
  const float *A = job.inputs[0].values.data(), *x = job.inputs[1].values.data();
  const std::size_t columns = size_of(job, "columns");
  return {"WG-V08", std::move(pattern), std::move(cause), std::move(next), "y", [=](std::size_t row) {
            double sum = 0;
            for (std::size_t j = 0; j < columns; ++j)
              if (counts(j)) sum += static_cast<double>(A[row * columns + j]) * static_cast<double>(x[j]);
            return sum;
          }};
}

/// Products of other elements of A and x, and shuffles in the wrong direction.
std::vector<Hypothesis> wrong_matvec_indices(const Job& job) {
  const std::vector<float>*A = &job.inputs[0].values, *x = &job.inputs[1].values;
  const std::size_t rows = size_of(job, "rows"), columns = size_of(job, "columns");
  std::vector<Hypothesis> all;
  const auto add = [&](const char* pattern, const char* cause, const char* next, auto term) {
    all.push_back({"WG-V04", pattern, cause, next, "y", [=](std::size_t row) {
                     double sum = 0;
                     for (std::size_t j = 0; j < columns; ++j) sum += term(row, j);
                     return sum;
                   }});
  };
  if (rows != columns)
    add("A is read as if a row had as many elements as A has rows", "the index multiplies the row by `rows`",
        "A has `columns` elements in a row: A[row * columns + column]", [=](std::size_t row, std::size_t j) {
          return read_flat(*A, row * rows + j) * static_cast<double>((*x)[j]);
        });
  if (rows <= columns)
    add("every term of a sum has the same factor, x[row]", "x is read at the row instead of the column",
        "the terms are A[row * columns + j] * x[j]", [=](std::size_t row, std::size_t j) {
          return read_flat(*A, row * columns + j) * static_cast<double>((*x)[row]);
        });
  add("each sum is 32 times that of lane 0",
      "each lane adds the terms of lane 0: its loop over columns begins at 0, not at the lane; or the "
      "shuffles go up "
      "(__shfl_up_sync), where lane 0 gets its own value",
      "let each lane begin at the column of its number; add the lanes' sums with __shfl_down_sync at "
      "distances 16, "
      "8, 4, 2, 1, then store from lane 0",
      [=](std::size_t row, std::size_t j) {
        return j % kWarp == 0 ? 32 * read_flat(*A, row * columns + j) * static_cast<double>((*x)[j]) : 0.0;
      });
  return all;
}

}  // namespace

std::vector<Hypothesis> matvec_hypotheses(const Job& job) {
  const auto &A = job.inputs[0].values, &x = job.inputs[1].values;
  const std::size_t rows = size_of(job, "rows"), columns = size_of(job, "columns");
  std::vector<Hypothesis> all;
  const std::size_t full = columns / kWarp * kWarp;
  if (full > 0 && full < columns)
    all.push_back(partial_rows(job,
                               fmt::format("each sum lacks its last {} of {} terms", columns - full, columns),
                               "the loop over columns runs columns / 32 times",
                               "let each lane add columns lane, lane + 32, … below `columns`",
                               [full](std::size_t j) { return j < full; }));
  for (const std::size_t lanes : {1U, 16U, 8U})
    all.push_back(partial_rows(
        job,
        fmt::format("each sum has only the terms of the first {}",
                    lanes == 1 ? "lane" : fmt::format("{} lanes", lanes)),
        lanes == 1 ? "the lanes' sums are not added up"
                   : "the sum over lanes starts with too small a distance",
        "add the lanes' sums with __shfl_down_sync at distances 16, 8, 4, 2, 1, then store from lane 0",
        [lanes](std::size_t j) { return j % kWarp < lanes; }));
  for (const std::size_t distance : {1U, 2U, 4U, 8U})
    all.push_back(partial_rows(
        job, fmt::format("each sum lacks the terms that the shuffle with distance {} adds", distance),
        fmt::format("the step of the sum over lanes with distance {} is missing", distance),
        "add the lanes' sums with __shfl_down_sync at distances 16, 8, 4, 2, 1",
        [distance](std::size_t j) { return (j % kWarp & distance) == 0; }));
  for (Hypothesis& one : wrong_matvec_indices(job)) all.push_back(std::move(one));
  if (rows < columns)
    all.push_back(partial_rows(job, fmt::format("each sum has only its first {} of {} terms", rows, columns),
                               "the loop over columns ends at `rows`", "let the loop end at `columns`",
                               [rows](std::size_t j) { return j < rows; }));
  all.push_back({"WG-V04", "A is read column by column, as if it were transposed",
                 "row and column are swapped in the index",
                 "A has `columns` elements in a row: A[row * columns + column]", "y",
                 [&A, &x, rows, columns](std::size_t row) {
                   double sum = 0;
                   for (std::size_t j = 0; j < columns; ++j)
                     sum += read_flat(A, j * rows + row) * static_cast<double>(x[j]);
                   return sum;
                 }});
  return all;
}

std::vector<Hypothesis> points_hypotheses(const Job& job) {
  const auto& points = job.inputs[0].values;
  const std::size_t n = size_of(job, "points");
  const std::array<const char*, 3> names{"x", "y", "z"};
  std::vector<Hypothesis> all;
  for (std::size_t c = 0; c < 3; ++c)
    all.push_back({"WG-V04", "it is an unchanged part of the input, with coordinates mixed",
                   "the floats are copied without separating the coordinates",
                   "coordinate c of point i is float 3 * i + c of the input", names[c],
                   [&points, n, c](std::size_t i) { return read_flat(points, c * n + i); }});
  for (std::size_t c = 0; c < 3; ++c)
    for (const std::size_t other : {(c + 1) % 3, (c + 2) % 3})
      all.push_back({"WG-V04", fmt::format("it contains the points' {}", names[other]),
                     "two coordinates are swapped", "coordinate c of point i is float 3 * i + c of the input",
                     names[c], [&points, other](std::size_t i) { return read_flat(points, 3 * i + other); }});
  return all;
}

}  // namespace grader::coalescing
