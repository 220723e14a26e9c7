#include "lab/partial_products.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace grader {
namespace {

class PartialProducts {
 public:
  PartialProducts(const Product& product, std::size_t T) : of_(product), T_(T) {}

  std::vector<Hypothesis> take() {
    add_last_tile();
    if (of_.k > T_) add_whole_tiles();
    if (of_.k > 1) add_terms_of_tiles();
    return std::move(all_);
  }

 private:
  /// `value(row, column)` is the result of the mistake.
  template <class Value>
  void add(const char* code, std::string pattern, const char* cause, const char* next, Value value) {
    all_.push_back({code, std::move(pattern), cause, next, of_.output,
                    [value, n = of_.n](std::size_t index) { return value(index / n, index % n); }});
  }

  /// Mistakes of the last tile along k, if it is not full.
  void add_last_tile() {
    const std::size_t k = of_.k, full = k / T_ * T_;
    if (full == k) return;
    if (full > 0) {
      add("WG-V08", fmt::format("each element is the sum of its first {} of {} terms", full, k),
          "the number of tiles along k is rounded down, so the last, partial tile is never added",
          "let the loop over tiles run (k + T - 1) / T times for tile width T and put zeros where a tile "
          "extends beyond the matrix",
          [sum = of_.sum, full](std::size_t r, std::size_t c) { return sum(r, c, 0, full); });
      const std::size_t first = full - T_ + k % T_;
      add("WG-V09", fmt::format("terms {} to {} of each sum are added a second time", first, full - 1),
          "in the last, partial tile, the part beyond the matrix still contains values of the previous tile",
          "write 0 to a tile's element if it is outside the matrix; skipping the load leaves the old value",
          [=, sum = of_.sum](std::size_t r, std::size_t c) {
            return sum(r, c, 0, k) + sum(r, c, first, full);
          });
    }
    const auto repeats = static_cast<double>(full + T_ - k);
    add("WG-V09", fmt::format("the last term of each sum is added {} times more", repeats),
        "loads beyond the end of a row or column are clamped to its last element, which then counts again",
        "where an element does not exist, write 0 to the tile",
        [=, sum = of_.sum](std::size_t r, std::size_t c) {
          return sum(r, c, 0, k) + repeats * sum(r, c, k - 1, k);
        });
  }

  void add_terms_from(std::size_t first, const char* cause, const char* next) {
    add("WG-V08", fmt::format("each element is the sum of its last {} of {} terms", of_.k - first, of_.k),
        cause, next,
        [first, k = of_.k, sum = of_.sum](std::size_t r, std::size_t c) { return sum(r, c, first, k); });
  }

  void add_whole_tiles() {
    add("WG-V08", fmt::format("each element is the sum of its first {} of {} terms", T_, of_.k),
        "only the first tile along k is added", "check the loop over tiles: its bound and its step",
        [T = T_, sum = of_.sum](std::size_t r, std::size_t c) { return sum(r, c, 0, T); });
    const std::size_t last = (of_.k - 1) / T_ * T_;
    add_terms_from(last,
                   last == T_
                       ? "the sum restarts with every tile, or the loop over tiles begins with the second one"
                       : "the sum restarts with every tile",
                   "set the sum to 0 once, before the loop over tiles, which begins with tile 0");
    if (last != T_)
      add_terms_from(T_,
                     "the first tile along k is not added: the loop over tiles begins with the second one",
                     "let the loop over tiles begin with tile 0");
  }

  /// The inner loop leaves out the first or the last element of each tile.
  void add_terms_of_tiles() {
    const auto add_without = [&](const char* which, std::size_t begin, std::size_t end, const char* cause) {
      add("WG-V08", fmt::format("each sum lacks the {} term of every tile of {}", which, T_), cause,
          "let the inner loop run over all elements of the tile's row: i = 0 to its width - 1",
          [=, k = of_.k, T = T_, sum = of_.sum](std::size_t r, std::size_t c) {
            double total = 0;
            for (std::size_t tile = 0; tile < k; tile += T)
              if (tile + begin < k) total += sum(r, c, tile + begin, std::min(tile + end, k));
            return total;
          });
    };
    add_without("first", 1, T_, "the inner loop begins with the second element");
    add_without("last", 0, T_ - 1, "the inner loop ends before the last element");
  }

  const Product& of_;
  std::size_t T_;
  std::vector<Hypothesis> all_;
};

}  // namespace

std::vector<Hypothesis> partial_products(const Product& product) {
  std::vector<Hypothesis> all;
  for (const std::size_t T : product.tile_widths)
    for (Hypothesis& one : PartialProducts(product, T).take()) all.push_back(std::move(one));
  return all;
}

}  // namespace grader
