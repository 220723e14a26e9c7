// The results of typical mistakes in a min-plus product and in its padded copies, computed from the inputs.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "workloads/min_plus/workload.hpp"

namespace grader::min_plus {
namespace {

/// The matrix d, and the minimum of the candidates of one element for k in [from, to).
struct Distances {
  const float* values;
  std::size_t n;

  float at(std::size_t i, std::size_t j) const { return values[i * n + j]; }
  template <class Candidate>
  static float least(std::size_t from, std::size_t to, Candidate candidate) {
    float least = kInfinity;
    for (std::size_t k = from; k < to; ++k) least = std::min(least, candidate(k));
    return least;
  }
  float least(std::size_t i, std::size_t j, std::size_t from, std::size_t to) const {
    return least(from, to, [&](std::size_t k) { return at(i, k) + at(k, j); });
  }
};

class HypothesisList {
 public:
  explicit HypothesisList(const harness::Job& job)
      : d_{job.inputs[0].values.data(), extent(job)}, output_(job.outputs[0].name) {}

  const Distances& d() const { return d_; }
  std::vector<Hypothesis> take() { return std::move(all_); }

  /// The right result, but no element is greater than one number.
  void add_limited(std::string pattern, std::string likely_cause, std::string next_step) {
    all_.push_back(
        {"WG-V09", std::move(pattern), std::move(likely_cause), std::move(next_step), output_, {}});
    all_.back().values_with = [d = d_](std::size_t index, double limit) {
      const double least = d.least(index / d.n, index % d.n, 0, d.n);
      return limit > 0 ? std::min(least, limit) : std::numeric_limits<double>::quiet_NaN();
    };
  }

  /// `element(i, j)` is the result of the mistake.
  template <class Element>
  void add(std::string code, std::string pattern, std::string likely_cause, std::string next_step,
           Element element) {
    auto values = [element, n = d_.n](std::size_t index) {
      return static_cast<double>(element(index / n, index % n));
    };
    all_.push_back({std::move(code), std::move(pattern), std::move(likely_cause), std::move(next_step),
                    output_, std::move(values)});
  }

 private:
  Distances d_;
  std::string output_;
  std::vector<Hypothesis> all_;
};

/// Paths that return to their first or last node are left out, as a text about distinct nodes suggests.
void add_skipped_nodes(HypothesisList& list) {
  const Distances d = list.d();
  for (const bool skips_i : {true, false})
    for (const bool skips_j : {true, false}) {
      if (!skips_i && !skips_j) continue;
      const char* const which = skips_i && skips_j ? "k = i and k = j" : skips_i ? "k = i" : "k = j";
      list.add("WG-V08", fmt::format("the candidates with {} are left out", which),
               "a condition in the loop over k skips them, or d[i][i] is replaced by another value",
               "let every k from 0 to n - 1 be a candidate, with d as it is",
               [=](std::size_t i, std::size_t j) {
                 return Distances::least(0, d.n, [&](std::size_t k) {
                   const bool is_skipped = (skips_i && k == i) || (skips_j && k == j);
                   return is_skipped ? kInfinity : d.at(i, k) + d.at(k, j);
                 });
               });
    }
}

/// The minimum of only some candidates.
void add_partial(HypothesisList& list) {
  const Distances d = list.d();
  for (const std::size_t tile : {kMinPlusTile, std::size_t{16}, std::size_t{32}, std::size_t{8}}) {
    const std::size_t full = d.n / tile * tile;
    if (d.n > tile && full != tile)
      list.add("WG-V08",
               fmt::format("each element is the minimum of its first {} of {} candidates", tile, d.n),
               "the loop over k ends after the width of a tile", "let k run from 0 to n - 1 for every n",
               [d, tile](std::size_t i, std::size_t j) { return d.least(i, j, 0, tile); });
    if (full == d.n || full == 0) continue;
    list.add("WG-V08", fmt::format("each element is the minimum of its first {} of {} candidates", full, d.n),
             "the loop over k ends with the last full tile",
             "take the minimum (fminf), and let k run from 0 to n - 1 for every n",
             [d, full](std::size_t i, std::size_t j) { return d.least(i, j, 0, full); });
  }
  list.add("WG-V08", fmt::format("each element is the minimum of its last {} of {} candidates", d.n - 1, d.n),
           "the loop over k skips k = 0", "let k run from 0 to n - 1",
           [d](std::size_t i, std::size_t j) { return d.least(i, j, 1, d.n); });
  if (d.n == 1) return;
  for (const bool is_last : {true, false})
    list.add("WG-V08",
             fmt::format("each element is the {} of its candidates alone", is_last ? "last" : "first"),
             is_last ? "the minimum starts again in each iteration over k, or the candidate is assigned to it"
                     : "the loop over k ends after one iteration, as by a return within it",
             "start at infinity before the loop over k, take the minimum within it, and store it after it",
             [d, is_last](std::size_t i, std::size_t j) {
               const std::size_t k = is_last ? d.n - 1 : 0;
               return d.at(i, k) + d.at(k, j);
             });
  list.add("WG-V08",
           fmt::format("each element is the minimum of its first {} of {} candidates", d.n - 1, d.n),
           "the loop over k ends before k = n - 1", "let k run from 0 to n - 1",
           [d](std::size_t i, std::size_t j) { return d.least(i, j, 0, d.n - 1); });
  list.add("WG-V08", "each element is the minimum of the candidates before the first missing edge",
           "the loop over k ends (break) where d[i][k] is infinite", "continue with the next k",
           [d](std::size_t i, std::size_t j) {
             std::size_t end = 0;
             while (end < d.n && d.at(i, end) != kInfinity) ++end;
             return d.least(i, j, 0, end);
           });
  list.add("WG-V01", "each element is the minimum of the candidates without their signs",
           "an absolute value (fabsf) is taken: sums can be negative", "compare the sums as they are",
           [d](std::size_t i, std::size_t j) {
             return Distances::least(0, d.n,
                                     [&](std::size_t k) { return std::abs(d.at(i, k) + d.at(k, j)); });
           });
}

void add_swapped_operands(HypothesisList& list) {
  const Distances d = list.d();
  list.add("WG-V04", "row j is used instead of column j", "the second operand is read from the transpose",
           "candidates are d[i][k] + d[k][j]; in the transpose t, d[i][k] is t[k][i]",
           [d](std::size_t i, std::size_t j) {
             return Distances::least(0, d.n, [&](std::size_t k) { return d.at(i, k) + d.at(j, k); });
           });
  list.add("WG-V04", "column i is used instead of row i",
           "the first operand is not read from the transpose, or rows and columns of its index are swapped",
           "candidates are d[i][k] + d[k][j]; in the transpose t, d[i][k] is t[k][i]",
           [d](std::size_t i, std::size_t j) {
             return Distances::least(0, d.n, [&](std::size_t k) { return d.at(k, i) + d.at(k, j); });
           });
}

/// Another operation than the addition, or another type.
void add_other_operations(HypothesisList& list) {
  const Distances d = list.d();
  const auto add = [&](const char* pattern, const char* cause, float (*candidate)(float a, float b)) {
    list.add("WG-V01", pattern, cause, "candidates are the sums d[i][k] + d[k][j], in float",
             [d, candidate](std::size_t i, std::size_t j) {
               return Distances::least(0, d.n,
                                       [&](std::size_t k) { return candidate(d.at(i, k), d.at(k, j)); });
             });
  };
  add("each element is the minimum of products, not of sums", "the two lengths are multiplied",
      [](float a, float b) { return a * b; });
  add("each element is the minimum of differences, not of sums", "the second length is subtracted",
      [](float a, float b) { return a - b; });
  add("each element is the minimum of single lengths, not of sums",
      "fminf compares the two lengths instead of adding them",
      [](float a, float b) { return std::min(a, b); });
  add("each element is the minimum of sums without their fractions",
      "a sum or a minimum is converted to int, as by a variable, a parameter or a function for integers",
      [](float a, float b) { return std::trunc(a + b); });
}

/// Columns and rows of a tile as version 2 gives them to threads: kGroup elements per thread, kGroup apart.
void add_mixed_elements(HypothesisList& list) {
  const Distances d = list.d();
  constexpr std::size_t kGroup = 8;
  const auto add = [&](const char* pattern, const char* cause, const char* next, auto place) {
    list.add("WG-V04", pattern, cause, next, [d, place](std::size_t i, std::size_t j) {
      const auto [row, column] = place(i, j);
      if (row >= d.n || column >= d.n) return kInfinity;  // padding
      return d.least(row, column, 0, d.n);
    });
  };
  using Place = std::pair<std::size_t, std::size_t>;
  const auto moved = [](std::size_t index, std::size_t within) {
    return index / kMinPlusTile * kMinPlusTile + within;
  };
  const auto lane = [](std::size_t index) { return index % kGroup; };
  const auto item = [](std::size_t index) { return index % kMinPlusTile / kGroup; };
  const char* const spaced =
      "the elements of a thread are next to each other when they are loaded, and 8 apart "
      "when they are stored (or the other way round)";
  const char* const same =
      "use the same offsets for loads and stores: threadIdx.x + 8 * b for columns, and "
      "threadIdx.y + 8 * a for rows";
  add("columns of a thread's elements are loaded from other places than they are stored to", spaced, same,
      [=](std::size_t i, std::size_t j) { return Place(i, moved(j, lane(j) + item(j))); });
  add("rows of a thread's elements are loaded from other places than they are stored to", spaced, same,
      [=](std::size_t i, std::size_t j) { return Place(moved(i, lane(i) + item(i)), j); });
  add("columns of a thread's elements are loaded from other places than they are stored to", spaced, same,
      [=](std::size_t i, std::size_t j) { return Place(i, moved(j, kGroup * lane(j) + item(j))); });
  add("rows of a thread's elements are loaded from other places than they are stored to", spaced, same,
      [=](std::size_t i, std::size_t j) { return Place(moved(i, kGroup * lane(i) + item(i)), j); });
  const char* const index =
      "one index of a thread's elements is used for both operands: x[a] + y[a], or x[b] + y[b]";
  const char* const both = "least[a][b] is the minimum of x[a] + y[b]";
  add("each column is that of the element's row", index, both,
      [=](std::size_t i, std::size_t j) { return Place(i, moved(j, lane(j) + kGroup * item(i))); });
  add("each row is that of the element's column", index, both,
      [=](std::size_t i, std::size_t j) { return Place(moved(i, lane(i) + kGroup * item(j)), j); });
}

void add_order_of_bits(HypothesisList& list) {
  const Distances d = list.d();
  list.add("WG-V04", "each element is the least if the bits of floats are compared as integers",
           "floats are compared through their bits, by an integer minimum or atomicMin: the negative float "
           "closest to 0 has the least bits",
           "use fminf", [d](std::size_t i, std::size_t j) {
             auto least = std::bit_cast<std::int32_t>(kInfinity);
             for (std::size_t k = 0; k < d.n; ++k)
               least = std::min(least, std::bit_cast<std::int32_t>(d.at(i, k) + d.at(k, j)));
             return std::bit_cast<float>(least);
           });
}

/// The padded nn × nn copies are read as if their rows had n elements.
void add_wrong_stride(HypothesisList& list) {
  const Distances d = list.d();
  const std::size_t nn = rounded_up(d.n);
  if (nn == d.n) return;
  // Element (i, j) as read with the wrong row length; `swapped` for the transposed copy.
  const auto seen = [d, nn](std::size_t i, std::size_t j, bool swapped) {
    const std::size_t row = (i * d.n + j) / nn, column = (i * d.n + j) % nn;
    if (row >= d.n || column >= d.n) return kInfinity;
    return swapped ? d.at(column, row) : d.at(row, column);
  };
  list.add("WG-V04", "the padded copies are read with rows of n elements", "the index of a load is k * n + …",
           "rows of the padded copies have nn elements: k * nn + …", [d, seen](std::size_t i, std::size_t j) {
             return Distances::least(0, d.n,
                                     [&](std::size_t k) { return seen(k, i, true) + seen(k, j, false); });
           });
}

void add_wrong_starts(HypothesisList& list) {
  const Distances d = list.d();
  const std::string start = "start at infinity (HUGE_VALF), which no candidate exceeds";
  list.add("WG-V09", "0 counts as one more candidate of each element",
           "the minimum starts at 0, or the loop over k reaches padding that contains 0",
           start + ", and pad with it",
           [d](std::size_t i, std::size_t j) { return std::min(0.0F, d.least(i, j, 0, d.n)); });
  list.add(
      "WG-V08", "each element is infinity, the minimum of no candidates",
      "the loop over k runs zero times, because a number of tiles is rounded down to 0; or no candidate "
      "replaces the start value: the greater one is kept (fmaxf, or > for <), or something is added to it "
      "(+=)",
      "take the minimum (fminf), and let k run from 0 to n - 1 for every n",
      [](std::size_t, std::size_t) { return kInfinity; });
  list.add("WG-V09", "if all candidates are infinite, the element is the largest finite float",
           "the minimum starts at FLT_MAX, which is less than infinity; or sums or results are limited to "
           "it, as by fminf(…, FLT_MAX)",
           start + ", and store what the sums give, infinity included", [d](std::size_t i, std::size_t j) {
             return std::min(std::numeric_limits<float>::max(), d.least(i, j, 0, d.n));
           });
  list.add_limited(
      "no element is greater than {number}, although distances can be greater or infinite",
      "the minimum starts at a large number such as {number} in place of infinity, sums or "
      "results are limited to it, or the loop over k reaches padding that contains such a number",
      start + ", and pad with it");
}

/// A path of one edge, or of none, as one more candidate: right in a loop over all path lengths, not here.
void add_shorter_paths(HypothesisList& list) {
  const Distances d = list.d();
  const std::string only = "only paths of two edges are candidates: d[i][k] + d[k][j] with k from 0 to n - 1";
  list.add("WG-V09", "d[i][j] counts as one more candidate of each element",
           "the minimum starts at d[i][j], the length of one edge", "start at infinity (HUGE_VALF): " + only,
           [d](std::size_t i, std::size_t j) { return std::min(d.at(i, j), d.least(i, j, 0, d.n)); });
  list.add("WG-V09", "the diagonal of d counts as 0", "d[i][i] is replaced by 0",
           "use d[i][i] as it is: an edge from a node to itself can have any length",
           [d](std::size_t i, std::size_t j) {
             const auto at = [&](std::size_t row, std::size_t column) {
               return row == column ? 0.0F : d.at(row, column);
             };
             return Distances::least(0, d.n, [&](std::size_t k) { return at(i, k) + at(k, j); });
           });
  for (const bool is_minimum : {true, false})
    list.add("WG-V09", "0 counts as one more candidate of the elements on the diagonal",
             "the diagonal is set as if a path without edges, of length 0, counted", only,
             [d, is_minimum](std::size_t i, std::size_t j) {
               const float least = d.least(i, j, 0, d.n);
               return i != j ? least : is_minimum ? std::min(0.0F, least) : 0.0F;
             });
}

/// Long edges that a comparison takes for edges that do not exist, and long paths for paths that do not
/// exist.
void add_substitutes_of_infinity(HypothesisList& list) {
  const Distances d = list.d();
  const std::string next = "add and compare all lengths: infinity needs no special code";
  constexpr float kHalfOfMax = std::numeric_limits<float>::max() / 2;
  // The first that explains all wrong elements is reported, so usual numbers come first.
  for (const float limit : {1e30F, 1e9F, 1e6F, 1e7F, 1e8F, 0x1p31F, 1e10F, 1e12F, 1e15F, 1e18F, 1e20F, 1e35F,
                            1e36F, 1e37F, 1e38F, kHalfOfMax, 3e38F, std::numeric_limits<float>::max()}) {
    for (const bool are_both_compared : {false, true})
      list.add("WG-V08", fmt::format("edges of length {:g} or more are left out", limit),
               fmt::format("a length is compared with {:g}, as if longer edges did not exist", limit), next,
               [=](std::size_t i, std::size_t j) {
                 return Distances::least(0, d.n, [&](std::size_t k) {
                   const bool is_left_out = d.at(i, k) >= limit || (are_both_compared && d.at(k, j) >= limit);
                   return is_left_out ? kInfinity : d.at(i, k) + d.at(k, j);
                 });
               });
    list.add("WG-V09", fmt::format("elements of {:g} or more are infinity", limit),
             fmt::format("{:g} is used in place of infinity, although distances can be as great", limit),
             "start at infinity (HUGE_VALF), pad with it, and store the minimum as it is",
             [=](std::size_t i, std::size_t j) {
               const float least = d.least(i, j, 0, d.n);
               return least >= limit ? kInfinity : least;
             });
  }
}

/// The result in rows of the padded length, copied back as if they had n elements.
void add_padded_rows(HypothesisList& list) {
  const Distances d = list.d();
  const std::size_t nn = rounded_up(d.n);
  if (nn == d.n) return;
  list.add("WG-V04", "its rows are those of a padded matrix",
           "the kernel stores rows of the padded length, and the copy back takes them for rows of n elements",
           "store r with rows of n elements, or copy row by row with cudaMemcpy2D",
           [d, nn](std::size_t i, std::size_t j) {
             const std::size_t index = i * d.n + j, row = index / nn, column = index % nn;
             // What the kernel stores beyond the matrix is its own choice.
             return column < d.n ? d.least(row, column, 0, d.n) : std::numeric_limits<float>::quiet_NaN();
           });
}

/// A row of the copy continues with the next row of the input, in place of padding.
Hypothesis continued_rows(const harness::Job& job, bool is_transposed) {
  const std::size_t n = extent(job), nn = job.outputs[0].shape[0];
  return {"WG-V05",
          "the padding has elements of the next row of d",
          "the guard compares the whole index, n * i + j, with n * n: after the end of a row, the index is "
          "that of an element of the next row",
          "compare the row with n, and the column with n",
          job.outputs[is_transposed ? 1 : 0].name,
          [=, d = job.inputs[0].values.data()](std::size_t index) {
            const std::size_t row = is_transposed ? index % nn : index / nn;
            const std::size_t column = is_transposed ? index / nn : index % nn;
            const std::size_t of_d = n * row + column;
            return of_d < n * n ? d[of_d] : kInfinity;
          }};
}

}  // namespace

std::vector<Hypothesis> padding_hypotheses(const harness::Job& job) {
  std::vector<Hypothesis> all;
  for (const bool is_transposed : {false, true}) {
    auto padded_with = [&job, is_transposed, n = extent(job), nn = job.outputs[0].shape[0]](std::size_t index,
                                                                                            double padding) {
      const std::size_t row = index / nn, column = index % nn;
      if (row >= n || column >= n) return padding;
      return static_cast<double>(job.inputs[0].values[is_transposed ? column * n + row : row * n + column]);
    };
    const std::string& output = job.outputs[is_transposed ? 1 : 0].name;
    const std::string next = "store HUGE_VALF where the row or the column does not exist in d";
    all.push_back(continued_rows(job, is_transposed));
    all.push_back({"WG-V05", "it is padded with 0 instead of infinity",
                   "0 is right for sums; for a minimum it is one more candidate, often the smallest", next,
                   output, [padded_with](std::size_t index) { return padded_with(index, 0); }});
    all.push_back(
        {"WG-V05",
         "it is padded with {number} instead of infinity",
         "a large number is not infinity: a sum of distances can be greater, and then the padding is the "
         "minimum",
         next,
         output,
         {}});
    all.back().values_with = padded_with;
    for (const bool of_rows : {true, false}) {
      all.push_back(
          {"WG-V05",
           fmt::format("the {} beyond the matrix hold {{number}} instead of infinity",
                       of_rows ? "rows" : "columns"),
           fmt::format("the {} are set in another way than the rest of the padding, for instance with "
                       "cudaMemset, whose bytes cannot make infinity",
                       of_rows ? "rows" : "columns"),
           next,
           output,
           {}});
      all.back().values_with = [=, n = extent(job), nn = job.outputs[0].shape[0]](std::size_t index,
                                                                                  double number) {
        const bool is_beyond = (of_rows ? index / nn : index % nn) >= n;
        return padded_with(index, is_beyond ? number : static_cast<double>(kInfinity));
      };
    }
  }
  return all;
}

std::vector<Hypothesis> step_hypotheses(const harness::Job& job) {
  HypothesisList list(job);
  add_wrong_starts(list);
  add_skipped_nodes(list);
  add_shorter_paths(list);
  add_partial(list);
  add_swapped_operands(list);
  add_order_of_bits(list);
  add_other_operations(list);
  if (job.entry == "step") add_mixed_elements(list);
  add_wrong_stride(list);
  add_padded_rows(list);
  add_substitutes_of_infinity(list);
  return list.take();
}

}  // namespace grader::min_plus
