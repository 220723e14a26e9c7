// The results of typical mistakes in a tiled matrix product, element by element. T is the tile width, p
// counts tiles along k, and (ty, tx) is a thread's position in its block, as in the lecture.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lab/partial_products.hpp"
#include "lab/product_extents.hpp"
#include "workloads/tiled_matmul/workload.hpp"

namespace grader::tiled_matmul {
namespace {

constexpr std::array<std::size_t, 3> kTileWidths{16, 32, 8};  // the most common first

/// The two operands; elements outside a matrix are 0, because a correct kernel pads its tiles with zeros.
struct Operands {
  const float* M_values;
  const float* N_values;
  std::size_t m, k, n;

  double M(std::size_t row, std::size_t column) const {
    return row < m && column < k ? static_cast<double>(M_values[row * k + column]) : 0.0;
  }
  double N(std::size_t row, std::size_t column) const {
    return row < k && column < n ? static_cast<double>(N_values[row * n + column]) : 0.0;
  }
  /// The sum of terms [from, to) of the element.
  double terms(std::size_t row, std::size_t column, std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += M(row, i) * N(i, column);
    return sum;
  }
};

Operands operands_of(const harness::Job& job) {
  const auto [m, k, n] = matmul_size(job);
  return {job.inputs[0].values.data(), job.inputs[1].values.data(), m, k, n};
}

class HypothesisList {
 public:
  explicit HypothesisList(const harness::Job& job) : on_(operands_of(job)), output_(job.outputs[0].name) {}

  /// `element(row, column)` is the result of the mistake.
  template <class Element>
  void add(std::string code, std::string pattern, std::string likely_cause, std::string next_step,
           Element element) {
    auto values = [element, n = on_.n](std::size_t index) { return element(index / n, index % n); };
    all_.push_back({std::move(code), std::move(pattern), std::move(likely_cause), std::move(next_step),
                    output_, std::move(values)});
  }

  void add(std::vector<Hypothesis> more) {
    all_.insert(all_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  const Operands& operands() const { return on_; }
  Product product() const {
    return {output_,
            on_.m,
            on_.k,
            on_.n,
            {kTileWidths.begin(), kTileWidths.end()},
            [on = on_](std::size_t row, std::size_t column, std::size_t from, std::size_t to) {
              return on.terms(row, column, from, to);
            }};
  }
  std::vector<Hypothesis> take() { return std::move(all_); }

 private:
  Operands on_;
  std::string output_;
  std::vector<Hypothesis> all_;
};

/// A block computes two tiles of P next to each other.
void add_kept_sum(HypothesisList& list, std::size_t T) {
  const Operands on = list.operands();
  if (on.n <= T) return;
  list.add("WG-V01",
           fmt::format("every second tile of {} columns contains the sums of the tile before it, too", T),
           "a thread computes several elements, and its sum is not set to 0 before each of them",
           "set the sum to 0 where the computation of an element begins",
           [on, T](std::size_t r, std::size_t c) {
             const double sum = on.terms(r, c, 0, on.k);
             return c / T % 2 == 0 ? sum : sum + on.terms(r, c - T, 0, on.k);
           });
}

/// Element i of a tile's row, or of its column, as the threads of a block read it. `thread` is threadIdx.y
/// for M and threadIdx.x for N, `other` the other one of the two.
using TileElement = double (*)(const Operands&, std::size_t T, std::size_t block, std::size_t thread,
                               std::size_t other, std::size_t first, std::size_t i);

double right_M(const Operands& on, std::size_t T, std::size_t block, std::size_t ty, std::size_t /*other*/,
               std::size_t first, std::size_t i) {
  return on.M(block * T + ty, first + i);
}
double right_N(const Operands& on, std::size_t T, std::size_t block, std::size_t tx, std::size_t /*other*/,
               std::size_t first, std::size_t i) {
  return on.N(first + i, block * T + tx);
}
double transposed_M(const Operands& on, std::size_t T, std::size_t block, std::size_t ty,
                    std::size_t /*other*/, std::size_t first, std::size_t i) {
  return on.M(block * T + i, first + ty);
}
double transposed_N(const Operands& on, std::size_t T, std::size_t block, std::size_t tx,
                    std::size_t /*other*/, std::size_t first, std::size_t i) {
  return on.N(first + tx, block * T + i);
}
/// M[row][p*T + ty] instead of M[row][p*T + tx]: the same value in the whole row of the tile.
double repeated_M(const Operands& on, std::size_t T, std::size_t block, std::size_t ty, std::size_t /*other*/,
                  std::size_t first, std::size_t /*i*/) {
  return on.M(block * T + ty, first + ty);
}
/// N[p*T + tx][column] instead of N[p*T + ty][column].
double repeated_N(const Operands& on, std::size_t T, std::size_t block, std::size_t tx, std::size_t /*other*/,
                  std::size_t first, std::size_t /*i*/) {
  return on.N(first + tx, block * T + tx);
}

/// M[row][p + tx] instead of M[row][p*T + tx].
double next_column_of_M(const Operands& on, std::size_t T, std::size_t block, std::size_t ty,
                        std::size_t /*other*/, std::size_t first, std::size_t i) {
  return on.M(block * T + ty, first / T + i);
}
/// N[p + ty][column] instead of N[p*T + ty][column].
double next_row_of_N(const Operands& on, std::size_t T, std::size_t block, std::size_t tx,
                     std::size_t /*other*/, std::size_t first, std::size_t i) {
  return on.N(first / T + i, block * T + tx);
}

/// M[row][tx] in each phase, the first tile again.
double first_tile_of_M(const Operands& on, std::size_t T, std::size_t block, std::size_t ty,
                       std::size_t /*other*/, std::size_t /*first*/, std::size_t i) {
  return on.M(block * T + ty, i);
}
double first_tile_of_N(const Operands& on, std::size_t T, std::size_t block, std::size_t tx,
                       std::size_t /*other*/, std::size_t /*first*/, std::size_t i) {
  return on.N(i, block * T + tx);
}

/// tile_M[tx][i] instead of tile_M[ty][i].
double other_row_of_M(const Operands& on, std::size_t T, std::size_t block, std::size_t /*ty*/,
                      std::size_t tx, std::size_t first, std::size_t i) {
  return on.M(block * T + tx, first + i);
}
/// tile_N[i][ty] instead of tile_N[i][tx].
double other_column_of_N(const Operands& on, std::size_t T, std::size_t block, std::size_t /*tx*/,
                         std::size_t ty, std::size_t first, std::size_t i) {
  return on.N(first + i, block * T + ty);
}

/// Tiles whose elements are not where the inner loop reads them.
void add_tile_mixups(HypothesisList& list, std::size_t T) {
  constexpr const char* kSwapped = "threadIdx.x and threadIdx.y are swapped in an index of a tile";
  constexpr const char* kPlace =
      "store element (ty, tx) of each tile from row ty and column tx, and multiply M_tile[ty][i] by "
      "N_tile[i][tx]";
  constexpr const char* kNoFactor = "the number of the tile, p, is not multiplied by the tile's width";
  constexpr const char* kNoTile = "the index of a load does not depend on the number of the tile, p";
  constexpr const char* kStart = "tile p begins at column p*T of M and at row p*T of N";
  struct Mixup {
    TileElement M, N;
    const char* pattern;
    const char* cause = kSwapped;
    const char* next = kPlace;
  };
  constexpr std::array<Mixup, 14> kMixups{{
      {transposed_M, right_N, "M's tiles are read with rows and columns swapped"},
      {right_M, transposed_N, "N's tiles are read with rows and columns swapped"},
      {transposed_M, transposed_N, "both matrices' tiles are read with rows and columns swapped"},
      {repeated_M, right_N, "M's tiles are loaded from column p*T + ty instead of p*T + tx"},
      {right_M, repeated_N, "N's tiles are loaded from row p*T + tx instead of p*T + ty"},
      {repeated_M, repeated_N, "M's tiles are loaded from column p*T + ty, and N's from row p*T + tx"},
      {other_row_of_M, right_N, "the inner loop reads row tx of M's tile instead of row ty"},
      {right_M, other_column_of_N, "the inner loop reads column ty of N's tile instead of column tx"},
      {next_column_of_M, right_N, "tile p of M begins at column p", kNoFactor, kStart},
      {right_M, next_row_of_N, "tile p of N begins at row p", kNoFactor, kStart},
      {next_column_of_M, next_row_of_N, "tile p of M begins at column p, that of N at row p", kNoFactor,
       kStart},
      {first_tile_of_M, right_N, "every tile of M is the first one", kNoTile, kStart},
      {right_M, first_tile_of_N, "every tile of N is the first one", kNoTile, kStart},
      {first_tile_of_M, first_tile_of_N, "every tile of M and of N is the first one", kNoTile, kStart},
  }};
  const Operands on = list.operands();
  for (const Mixup& mixup : kMixups)
    list.add("WG-V04", fmt::format("{} (tiles of {})", mixup.pattern, T), mixup.cause, mixup.next,
             [on, T, mixup](std::size_t r, std::size_t c) {
               double sum = 0;
               for (std::size_t first = 0; first < on.k; first += T)
                 for (std::size_t i = 0; i < T; ++i)
                   sum += mixup.M(on, T, r / T, r % T, c % T, first, i) *
                          mixup.N(on, T, c / T, c % T, r % T, first, i);
               return sum;
             });
}

/// Both tiles are in the same place of shared memory: the one that is stored last replaces the other.
void add_tiles_in_one_place(HypothesisList& list, std::size_t T) {
  const Operands on = list.operands();
  const auto add = [&](char stored_last, auto of_first, auto of_second) {
    list.add(
        "WG-V04",
        fmt::format("both factors of each product come from {}'s tile (tiles of {})", stored_last, T),
        "the two tiles are in the same place of shared memory: the second one begins where the first one "
        "does, or the inner loop names one tile twice",
        "let the second tile begin after the last element of the first one: tiles + width * width",
        [on, T, of_first, of_second](std::size_t r, std::size_t c) {
          double sum = 0;
          for (std::size_t first = 0; first < on.k; first += T)
            for (std::size_t i = 0; i < T; ++i) sum += of_first(first, i, r, c) * of_second(first, i, r, c);
          return sum;
        });
  };
  add(
      'N',
      [on, T](std::size_t first, std::size_t i, std::size_t r, std::size_t c) {
        return on.N(first + r % T, c / T * T + i);
      },
      [on](std::size_t first, std::size_t i, std::size_t, std::size_t c) { return on.N(first + i, c); });
  add(
      'M', [on](std::size_t first, std::size_t i, std::size_t r, std::size_t) { return on.M(r, first + i); },
      [on, T](std::size_t first, std::size_t i, std::size_t r, std::size_t c) {
        return on.M(r / T * T + i, first + c % T);
      });
}

/// The element at `index` of an operand that is read with a wrong layout; unknown if `index` is out of range.
double read_flat(const float* values, std::size_t count, std::size_t index) {
  return index < count ? static_cast<double>(values[index]) : std::numeric_limits<double>::quiet_NaN();
}

template <class Index>
void add_layout_of_M(HypothesisList& list, const std::string& pattern, const std::string& next, Index index) {
  const Operands on = list.operands();
  list.add("WG-V04", pattern, "the element's index is computed with the wrong number of columns", next,
           [on, index](std::size_t r, std::size_t c) {
             double sum = 0;
             for (std::size_t i = 0; i < on.k; ++i)
               sum += read_flat(on.M_values, on.m * on.k, index(r, i)) * on.N(i, c);
             return sum;
           });
}

template <class Index>
void add_layout_of_N(HypothesisList& list, const std::string& pattern, const std::string& next, Index index) {
  const Operands on = list.operands();
  list.add("WG-V04", pattern, "the element's index is computed with the wrong number of columns", next,
           [on, index](std::size_t r, std::size_t c) {
             double sum = 0;
             for (std::size_t i = 0; i < on.k; ++i)
               sum += on.M(r, i) * read_flat(on.N_values, on.k * on.n, index(i, c));
             return sum;
           });
}

/// Matrices that are read with a wrong layout, or swapped.
void add_layouts(HypothesisList& list) {
  const auto [M, N, m, k, n] = list.operands();
  const Operands on = list.operands();
  const std::string read_M = "M has k columns: its element (row, i) is M[row * k + i]";
  const std::string read_N = "N has n columns: its element (i, column) is N[i * n + column]";
  if (n != k) {
    add_layout_of_M(list, "M is read with n columns instead of k", read_M,
                    [stride = n](std::size_t r, std::size_t i) { return r * stride + i; });
    add_layout_of_N(list, "N is read with k columns instead of n", read_N,
                    [stride = k](std::size_t i, std::size_t c) { return i * stride + c; });
  }
  if (n < k)
    list.add("WG-V04", "M is read with n columns instead of k, and each sum has only n terms",
             "n is used where k is needed, as if the matrices were square",
             read_M + ", and i runs from 0 to k - 1", [on](std::size_t r, std::size_t c) {
               double sum = 0;
               for (std::size_t i = 0; i < on.n; ++i)
                 sum += read_flat(on.M_values, on.m * on.k, r * on.n + i) * on.N(i, c);
               return sum;
             });
  add_layout_of_M(list, "M is read column by column, as if it were transposed", read_M,
                  [stride = m](std::size_t r, std::size_t i) { return i * stride + r; });
  add_layout_of_N(list, "N is read column by column, as if it were transposed", read_N,
                  [stride = k](std::size_t i, std::size_t c) { return c * stride + i; });
  if (m == k && k == n)
    list.add("WG-V04", "the result is N × M instead of M × N", "the operands are swapped",
             "multiply a row of M by a column of N", [on](std::size_t r, std::size_t c) {
               double sum = 0;
               for (std::size_t i = 0; i < on.k; ++i) sum += on.N(r, i) * on.M(i, c);
               return sum;
             });
}

/// row = by * T + tx and column = bx * T + ty, which the loads use as well: element [ty][tx] of a tile is
/// then M[by * T + tx][p * T + tx], or N[p * T + ty][bx * T + ty], and all threads of a block have the same
/// sum.
void add_exchanged_threads(HypothesisList& list, std::size_t T) {
  list.add(
      "WG-V04", fmt::format("all elements of a {0} × {0} block of P have one value", T),
      "the row is computed from threadIdx.x and the column from threadIdx.y, while the tiles are filled and "
      "read in the other order",
      "compute the row from blockIdx.y and threadIdx.y, and the column from blockIdx.x and threadIdx.x",
      [T, on = list.operands()](std::size_t r, std::size_t c) {
        double sum = 0;
        for (std::size_t i = 0; i < on.k; ++i) sum += on.M(r / T * T + i % T, i) * on.N(i, c / T * T + i % T);
        return sum;
      });
}

/// 0 times infinity is NaN, but a term that is left out is nothing.
void add_skipped_zeros(HypothesisList& list) {
  struct Skipped {
    const char* factor;
    bool (*is_skipped)(double of_M, double of_N);
  };
  constexpr std::array<Skipped, 3> kSkipped{{
      {"of M", [](double of_M, double) { return of_M == 0; }},
      {"of N", [](double, double of_N) { return of_N == 0; }},
      {"of M or N", [](double of_M, double of_N) { return of_M == 0 || of_N == 0; }},
  }};
  const Operands on = list.operands();
  for (const Skipped& one : kSkipped)
    list.add("WG-V01",
             fmt::format("terms with a factor {} that is 0 are left out, also if the other one is infinite",
                         one.factor),
             "a test whether a factor is 0 skips the product, but 0 times infinity is NaN",
             "add all products without a test: it costs more than the multiplication that it saves",
             [on, one](std::size_t r, std::size_t c) {
               double sum = 0;
               for (std::size_t i = 0; i < on.k; ++i)
                 if (!one.is_skipped(on.M(r, i), on.N(i, c))) sum += on.M(r, i) * on.N(i, c);
               return sum;
             });
}

/// By tile of a matrix, row by row: whether all of its elements are 0.
std::vector<bool> tiles_of_zeros(const float* values, std::size_t rows, std::size_t columns, std::size_t T) {
  const std::size_t in_row = (columns + T - 1) / T;
  std::vector<bool> are_zeros((rows + T - 1) / T * in_row, true);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      if (values[r * columns + c] != 0) are_zeros[r / T * in_row + c / T] = false;
  return are_zeros;
}

/// As add_skipped_zeros(), for a test of whole tiles. Where many tiles are 0, a test of factors looks the
/// same.
void add_skipped_tiles(HypothesisList& list, std::size_t T) {
  const Operands on = list.operands();
  for (const bool is_of_M : {true, false}) {
    const std::size_t in_row = ((is_of_M ? on.k : on.n) + T - 1) / T;
    const std::vector<bool> are_zeros =
        is_of_M ? tiles_of_zeros(on.M_values, on.m, on.k, T) : tiles_of_zeros(on.N_values, on.k, on.n, T);
    if (std::find(are_zeros.begin(), are_zeros.end(), true) == are_zeros.end()) continue;
    list.add(
        "WG-V01",
        fmt::format("the terms of {0} × {0} tiles of {1} that contain only zeros are left out, also if the "
                    "other factor is infinite",
                    T, is_of_M ? "M" : "N"),
        "a test whether a tile, or a factor, is 0 skips products, but 0 times infinity is NaN",
        "add all products without a test: it costs more than the multiplication that it saves",
        [=](std::size_t r, std::size_t c) {
          double sum = 0;
          for (std::size_t i = 0; i < on.k; ++i)
            if (!are_zeros[is_of_M ? r / T * in_row + i / T : i / T * in_row + c / T])
              sum += on.M(r, i) * on.N(i, c);
          return sum;
        });
  }
}

}  // namespace

std::vector<Hypothesis> tiled_matmul_hypotheses(const harness::Job& job) {
  HypothesisList list(job);
  list.add(wrong_extents(list.product()));
  list.add(partial_products(list.product()));
  list.add(wrong_loop_extents(list.product()));
  for (const std::size_t T : kTileWidths) add_tile_mixups(list, T);
  for (const std::size_t T : kTileWidths) add_tiles_in_one_place(list, T);
  for (const std::size_t T : kTileWidths) add_kept_sum(list, T);
  add_layouts(list);
  for (const std::size_t T : kTileWidths) add_exchanged_threads(list, T);
  for (const std::size_t T : kTileWidths) add_skipped_tiles(list, T);
  add_skipped_zeros(list);
  return list.take();
}

}  // namespace grader::tiled_matmul
