#include "judge/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base/contains.hpp"
#include "judge/coverage.hpp"
#include "judge/edge_region.hpp"
#include "judge/wording.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader {
namespace {

using Elements = std::vector<std::size_t>;
using Distance = std::ptrdiff_t;

/// Fewer wrong elements than this can match a pattern by chance if other elements are right. (For hypotheses,
/// if an output has fewer elements, a sum for instance, all of them together are sufficient evidence.)
constexpr std::size_t kMinEvidence = 4;
/// The number of evenly spread elements that a hypothesis is compared with; each costs one element's
/// computation.
constexpr std::size_t kSample = 512;
/// Half precision has 11 significant bits: rounding both operands changes a term by at most 2^-10 of its
/// value, and storing the sum adds at most 2^-11.
constexpr double kHalfPrecision = 0x1.8p-10;
/// A sum of up to this many subnormal numbers is 0 if each of them is flushed to 0.
constexpr double kMostFlushed = 1024.0 * FLT_MIN;

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";  // the sign of a NaN has no meaning
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  return fmt::format("{:.6g}", value);
}

/// For infinities and NaN, true only if both are the same.
bool agree(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= tolerance;
}

class Finder {
 public:
  explicit Finder(const OutputPair& output)
      : actual_(output.actual.values),
        expected_(output.expected),
        supply_(output.supply),
        place_(output.place),
        hint_(output.hint),
        lines_(output.lines),
        is_integer_(output.element == harness::Element::i32),
        wrong_(wrong_elements(output)) {}

  bool all_right() const { return wrong_.empty(); }

  Diagnostic find(const std::vector<Hypothesis>& hypotheses) const {
    if (auto found = unwritten()) return *found;
    for (const Hypothesis& hypothesis : hypotheses)  // a known mistake can itself give all zeros or infinity
      if (auto found = explained_by(hypothesis)) return *found;
    for (const auto pattern :
         {&Finder::left_on_device, &Finder::not_finite, &Finder::flushed, &Finder::all_zero,
          &Finder::transposed, &Finder::shifted, &Finder::scaled, &Finder::rounded_otherwise,
          &Finder::rounded, &Finder::edge_only, &Finder::nearly_right})
      if (auto found = (this->*pattern)()) return *found;
    return without_pattern();
  }

 private:
  using Found = std::optional<Diagnostic>;

  std::size_t size() const { return actual_.size(); }
  std::string name() const { return "`" + expected_.name + "`"; }
  /// "3 of 400 elements of `P` are"
  std::string subject(std::size_t some, const char* singular, const char* plural) const {
    if (size() == 1) return fmt::format("the only element of {} {}", name(), singular);
    if (some == size()) return fmt::format("all {} elements of {} {}", some, name(), plural);
    return fmt::format("{} of {} elements of {} {}", some, size(), name(), some == 1 ? singular : plural);
  }
  double error(std::size_t i) const { return std::abs(actual_[i] - expected_.values[i]); }
  /// The element was never written, or it was copied from device memory that was never written.
  bool is_poison(std::size_t i) const {
    return std::bit_cast<std::uint32_t>(actual_[i]) == kPoisonBits || is_of_new_memory(i);
  }

  /// The element is a word of memory that the program allocated and never wrote.
  bool is_of_new_memory(std::size_t i) const {
    return contains(vgpu::kUnwrittenWords, std::bit_cast<std::uint32_t>(actual_[i]));
  }

  /// A store is known to have written the element: what looks unwritten was computed.
  bool is_stored(std::size_t i) const { return lines_ != nullptr && lines_->is_stored(i); }

  template <class Predicate>
  Elements wrong_where(Predicate predicate) const {
    Elements some;
    std::copy_if(wrong_.begin(), wrong_.end(), std::back_inserter(some), predicate);
    return some;
  }

  /// `elements` are the elements that `what` describes; the first of them is quoted, with the line that
  /// stored it.
  Diagnostic report(std::string code, const Elements& elements, std::string what, std::string likely_cause,
                    std::string next_step) const {
    Diagnostic diagnostic = bare_report(std::move(code), elements, std::move(what), std::move(likely_cause),
                                        std::move(next_step));
    if (lines_ != nullptr) lines_->name_store(diagnostic, elements.front());
    return diagnostic;
  }

  Diagnostic bare_report(std::string code, const Elements& elements, std::string what,
                         std::string likely_cause, std::string next_step) const {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.what = std::move(what);
    diagnostic.first = quote(elements.front());
    diagnostic.count = elements.size();
    diagnostic.likely_cause = std::move(likely_cause);
    diagnostic.next_step = std::move(next_step);
    return diagnostic;
  }

  std::string quote(std::size_t i) const {
    const std::string where = element_name(expected_.name, expected_.shape, i);
    std::string actual = number_text(actual_[i]), expected = number_text(expected_.values[i]);
    if (actual == expected && actual_[i] != expected_.values[i]) {  // 9 digits distinguish all floats
      actual = fmt::format("{:.9g}", actual_[i]);
      expected = fmt::format("{:.9g}", expected_.values[i]);
    }
    std::string text = fmt::format("{} is {} when it should be {}", where, actual, expected);
    if (std::isfinite(error(i)) && expected_.tolerances[i] > 0) {
      const auto [distance, allowed] = numbers_told_apart(error(i), expected_.tolerances[i]);
      text += fmt::format(" (off by {}, allowed {})", distance, allowed);
    }
    return text;
  }

  Diagnostic without_pattern() const {
    // The virtual GPU would have reported a missing barrier as a race; host code needs no barrier.
    const bool can_lack_barrier = !supply_ && place_ == harness::Place::device;
    const std::string what = subject(wrong_.size(), "is", "are") + " wrong";
    if (std::all_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) {
          return !std::isfinite(expected_.values[i]) && std::isfinite(actual_[i]);
        }))
      return report("WG-V01", wrong_, what,
                    "only infinite results, or NaN, are wrong: the program replaces them, limits values to a "
                    "largest one, or leaves such inputs out",
                    "compute with infinities and NaN as with other values");
    if (!hint_ && supply_ && supply_->requested_bytes > 0 && supply_->requested_bytes < supply_->input_bytes)
      return report(
          "WG-V01", wrong_, what,
          fmt::format("kernels load only {} bytes, but the inputs have {}: some elements are left out",
                      supply_->requested_bytes, supply_->input_bytes),
          "compare the grid, or the bound and the stride of the loop, with the number of elements");
    return report("WG-V01", wrong_, what,
                  hint_              ? *hint_
                  : can_lack_barrier ? "no known pattern fits; a missing barrier is a frequent cause"
                                     : "no known pattern fits: an index, a bound or the formula is wrong",
                  "run the smallest failing case and work out one wrong element by hand");
  }

  std::uint64_t size_bytes() const { return size() * sizeof(float); }

  /// Half of the words of unwritten memory are NaN. If none is, a minimum or a maximum gave these values.
  bool are_computed(const Elements& untouched) const {
    return untouched.size() >= kMinEvidence &&
           std::none_of(untouched.begin(), untouched.end(),
                        [&](std::size_t i) { return std::isnan(actual_[i]); });
  }

  Found unwritten() const {
    const Elements untouched = wrong_where([&](std::size_t i) { return is_poison(i) && !is_stored(i); });
    if (untouched.empty()) return std::nullopt;
    const bool is_on_device = place_ == harness::Place::device;
    const bool stored_enough = supply_ && supply_->stored_bytes >= size_bytes();
    // Enough was stored, so the poison is the result of a computation on unwritten memory.
    if (is_on_device && stored_enough) return std::nullopt;
    if (stored_enough && are_computed(untouched)) return std::nullopt;
    const bool is_fetched = supply_ && supply_->fetched_bytes && !is_fetched_in_part();
    return is_on_device || (is_fetched && !stored_enough) ? not_stored(untouched)
                                                          : not_copied_back(untouched);
  }

  using NameLine = void (StoredLines::*)(Diagnostic&) const;

  Diagnostic unwritten(const Elements& untouched, std::string likely_cause, std::string next_step,
                       NameLine name_line, const std::string& region = "") const {
    Diagnostic diagnostic =
        bare_report("WG-V02", untouched, subject(untouched.size(), "was", "were") + " never written" + region,
                    std::move(likely_cause), std::move(next_step));
    const std::size_t first = untouched.front();
    diagnostic.first = fmt::format("{} was not written; it should be {}",
                                   element_name(expected_.name, expected_.shape, first),
                                   number_text(expected_.values[first]));
    if (lines_ != nullptr) (lines_->*name_line)(diagnostic);
    return diagnostic;
  }

  /// An index that wraps around at 65,536 reaches every element before it, and none from it on.
  static std::string narrow_index(const std::optional<Region>& missing) {
    constexpr std::size_t kOf16Bits = 1U << 16U;
    const bool wraps = missing && (missing->first_column == kOf16Bits || missing->first_row == kOf16Bits);
    return wraps ? ", or is in a variable of 16 bits, which has no value above 65,535" : "";
  }

  Diagnostic not_stored(const Elements& untouched) const {
    const auto region = last_rows_or_columns(expected_.shape, untouched);
    const std::string where = region ? ": " + to_string(*region) : "";
    if (supply_ && supply_->stores_repeat)
      return unwritten(
          untouched,
          "several blocks store the same elements: their index lacks blockIdx, or uses it wrongly" +
              narrow_index(region),
          "include the block in the index: blockIdx.x * blockDim.x + threadIdx.x; rows likewise with .y",
          &StoredLines::name_other_store, where);
    if (region) {
      GapAdvice advice = advice_on_missing(*region, supply_ ? supply_->launch : std::nullopt);
      const NameLine name_line =
          advice.is_about_launch ? &StoredLines::name_launch : &StoredLines::name_other_store;
      return unwritten(untouched, std::move(advice.likely_cause), std::move(advice.next_step), name_line,
                       where);
    }
    return unwritten(
        untouched,
        "no thread stores them: a guard is too strict, threads return too early, the grid is too "
        "small, or nothing ran",
        expected_.shape.size() < 2
            ? "launch enough blocks to cover every element, and let a thread store each of them"
            : "launch enough blocks to cover every element, and store where the row and the "
              "column exist",
        &StoredLines::name_other_store);
  }

  /// Fewer bytes were copied to the host than the output has.
  bool is_fetched_in_part() const {
    return supply_ && supply_->fetched_bytes && *supply_->fetched_bytes < size_bytes();
  }
  std::string fetched_part() const {
    return fmt::format(
        "{} of {} bytes came back from the device: a copy {}", *supply_->fetched_bytes, size_bytes(),
        supply_->copies_pointer_size
            ? "has 8 bytes, the size of a pointer: sizeof(pointer) is not the size of the array"
            : "is missing, or too small");
  }
  static constexpr const char* kCopyBack =
      "copy every element back with cudaMemcpyDeviceToHost, count bytes, not elements, and wait for the "
      "stream before you use the result";

  Diagnostic not_copied_back(const Elements& untouched) const {
    if (is_fetched_in_part()) return unwritten(untouched, fetched_part(), kCopyBack, &StoredLines::name_copy);
    if (supply_ && supply_->has_early_host_function)
      return unwritten(
          untouched,
          "a host function (cudaLaunchHostFunc) is in a stream other than the copy whose bytes it "
          "uses, so it runs before they arrive",
          "issue the host function in the copy's stream, after the copy, or let its stream wait for "
          "an event that is recorded after the copy",
          &StoredLines::no_line);
    if (supply_ && supply_->fetched_bytes)
      return unwritten(
          untouched,
          std::string("as many bytes as the result has came back from the device, but ") +
              (is_of_new_memory(untouched.front()) ? "from a buffer that no kernel stored to, or " : "") +
              "host code does not wait for the streams that bring these elements, or does not copy the "
              "elements "
              "from the buffer that received them",
          "before the function returns, wait for every stream that copies results back; then copy what went "
          "to "
          "buffers of your own, including the last segments",
          &StoredLines::no_line);
    return unwritten(untouched,
                     "host code does not set them, the copy back covers only a part of them, or the host "
                     "does not wait for the copy to finish",
                     "set each element, or copy it back with cudaMemcpy (a __device__ variable with "
                     "cudaMemcpyFromSymbol) and wait for the stream before you use it",
                     &StoredLines::name_copy);
  }

  /// The elements hold the previous content of a buffer in host memory, which can be anything.
  Found left_on_device() const {
    if (!is_fetched_in_part() || edge_region(expected_.shape, wrong_)) return std::nullopt;
    Diagnostic diagnostic =
        bare_report("WG-V02", wrong_,
                    subject(wrong_.size(), "is", "are") + " wrong: the result was not copied back completely",
                    fetched_part(), kCopyBack);
    if (lines_ != nullptr) lines_->name_copy(diagnostic);
    return diagnostic;
  }

  /// A sum, a minimum or a maximum with a float of kUnwrittenWords.
  bool is_made_of_unwritten(std::size_t i) const {
    return std::fabs(actual_[i]) >= vgpu::kLeastUnwritten &&
           std::fabs(expected_.values[i]) < 1e-3 * vgpu::kLeastUnwritten;
  }

  Found not_finite() const {
    const Elements broken =
        wrong_where([&](std::size_t i) { return !std::isfinite(actual_[i]) || is_made_of_unwritten(i); });
    const bool infinity_is_usual = std::any_of(expected_.values.begin(), expected_.values.end(),
                                               [](double value) { return std::isinf(value); });
    if (infinity_is_usual &&
        std::none_of(broken.begin(), broken.end(), [&](std::size_t i) { return std::isnan(actual_[i]); }))
      return std::nullopt;
    if (broken.empty()) return std::nullopt;
    const bool is_some_finite =
        std::any_of(broken.begin(), broken.end(), [&](std::size_t i) { return std::isfinite(actual_[i]); });
    return report(
        "WG-V03", broken,
        subject(broken.size(), "is", "are") +
            (is_some_finite ? " not finite, or far too large" : " not finite (NaN or infinity)"),
        std::string(
            "it is computed from memory or registers without a value: a variable, a tile's element, a "
            "sum or the output itself is used before it has a value (0 times such a value is not 0)") +
            (infinity_is_usual ? "; or an infinite input that does not belong to it is multiplied by 0" : ""),
        std::string("give every variable a value on every path, and write every element of a tile before it "
                    "is read") +
            (infinity_is_usual ? "; where an element does not exist, use 0 for both factors" : ""));
  }

  /// The hardware can treat numbers below FLT_MIN, other than 0, as 0.
  Found flushed() const {
    const auto is_flushed = [&](std::size_t i) {
      return actual_[i] == 0.0F && std::abs(expected_.values[i]) <= kMostFlushed;
    };
    if (!std::all_of(wrong_.begin(), wrong_.end(), is_flushed)) return std::nullopt;
    return report(
        "WG-V06", wrong_, subject(wrong_.size(), "is", "are") + " 0 where a number close to 0 is expected",
        "subnormal numbers (less than 1.18e-38) are replaced by 0: PTX instructions with .ftz do this, and "
        "so does a comparison with FLT_MIN or another small number",
        "use operators and functions that keep subnormal numbers: no .ftz in asm, and no comparison that "
        "treats small numbers as 0");
  }

  Found all_zero() const {
    if (!std::all_of(actual_.begin(), actual_.end(), [](float value) { return value == 0.0F; }))
      return std::nullopt;
    if (place_ != harness::Place::device && !supply_)
      return report("WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
                    "host code stores 0 in every case, or a condition is never true",
                    "work out the first wrong element by hand, and follow the host code that stores it");
    if (place_ != harness::Place::device && lines_ != nullptr && lines_->nothing_came_back())
      return report(
          "WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
          "no value that a kernel stored was copied to the host: host code uses an array that was not "
          "copied back, or its own copy of a __device__ variable",
          "copy the result to the host with cudaMemcpy, a __device__ variable with "
          "cudaMemcpyFromSymbol");
    if (is_integer_)
      return report(
          "WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
          "a condition is never true for these inputs (a comparison of the bits of floats reverses the "
          "order of negative numbers), a loop runs zero times, or the result is not stored",
          "work out by hand which inputs of the first wrong element should count, and follow the "
          "condition for one of them");
    return report(
        "WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
        "the loop that adds the terms runs zero times, its result is not stored, or the sum is a variable "
        "of type int, which drops fractions",
        "check the loop's bound (does a division round down to 0?), the type of the sum, and what "
        "the store writes");
  }

  Found explained_by(const Hypothesis& hypothesis) const {
    if (hypothesis.output != expected_.name || wrong_.size() < enough(hypothesis) || !agrees(hypothesis))
      return std::nullopt;
    const double number = actual_[wrong_.front()];
    return report(hypothesis.code, wrong_,
                  fmt::format("{} is wrong: {}", name(), with_number(hypothesis.pattern, number)),
                  with_number(hypothesis.likely_cause, number), with_number(hypothesis.next_step, number));
  }

  static std::string with_number(std::string text, double number) {
    constexpr std::string_view kPlace = "{number}";
    for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace))
      text.replace(at, kPlace.size(), number_text(number));
    return text;
  }

  /// Checks wrong elements first, because they reject most hypotheses immediately.
  bool agrees(const Hypothesis& hypothesis) const {
    std::size_t evidence = 0, unknown = 0;
    const double number = actual_[wrong_.front()];
    const auto fits = [&](std::size_t i) {
      const double value = hypothesis.values_with ? hypothesis.values_with(i, number) : hypothesis.values(i);
      if (std::isnan(value)) return ++unknown, true;
      // A mistake can add more terms than the right sum has, and then its rounding errors are larger, too.
      const double tolerance = 2 * expected_.tolerances[i];
      if (!agree(actual_[i], value, tolerance)) return false;
      if (!agree(value, expected_.values[i], tolerance)) ++evidence;
      return true;
    };
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t i = 0; i < wrong_.size(); i += step)
      if (!fits(wrong_[i])) return false;
    const std::size_t stride = size() / kSample + 1;
    for (std::size_t i = 0; i < size(); i += stride)
      if (!fits(i)) return false;
    return evidence >= enough(hypothesis) && evidence > unknown;
  }

  std::size_t enough(const Hypothesis& hypothesis) const { return std::min(hypothesis.evidence, size()); }

  Found transposed() const {
    const Shape& shape = expected_.shape;
    if (shape.size() != 2 || shape[0] < 2 || shape[1] < 2 || wrong_.size() < kMinEvidence)
      return std::nullopt;
    const std::size_t rows = shape[0], columns = shape[1];
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t swapped = i % columns * rows + i / columns;
      if (!agree(actual_[swapped], expected_.values[i], expected_.tolerances[i])) return std::nullopt;
    }
    return report(
        "WG-V04", wrong_, fmt::format("{} is transposed: rows and columns are swapped", name()),
        "the row is computed from threadIdx.x, or the store's index has row and column swapped",
        "let y count rows and x count columns, and store element (row, column) at row * columns + column");
  }

  /// The index of the element that is `down` rows and `right` columns away, if it exists.
  std::optional<std::size_t> moved(std::size_t i, Distance down, Distance right) const {
    const auto columns = static_cast<Distance>(expected_.shape.back());
    const auto rows = static_cast<Distance>(size()) / columns;
    const Distance row = static_cast<Distance>(i) / columns + down;
    const Distance column = static_cast<Distance>(i) % columns + right;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return std::nullopt;
    return static_cast<std::size_t>(row * columns + column);
  }

  /// Whether each element has the expected value of the element that far away, if that exists.
  bool is_moved_by(Distance down, Distance right) const {
    std::size_t evidence = 0, unknown = 0;
    const auto fits = [&](std::size_t i) {
      const auto source = moved(i, down, right);
      if (!source) return ++unknown, true;
      const double value = expected_.values[*source];
      const double tolerance = std::max(expected_.tolerances[i], expected_.tolerances[*source]);
      if (!agree(actual_[i], value, tolerance)) return false;
      if (!agree(value, expected_.values[i], 2 * tolerance)) ++evidence;
      return true;
    };
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t i = 0; i < wrong_.size(); i += step)
      if (!fits(wrong_[i])) return false;
    const std::size_t stride = size() / kSample + 1;
    for (std::size_t i = 0; i < size(); i += stride)
      if (!fits(i)) return false;
    return evidence >= kMinEvidence && evidence > unknown;
  }

  Found shifted() const {
    if (expected_.shape.empty() || expected_.shape.size() > 2 || wrong_.size() < 2 * kMinEvidence)
      return std::nullopt;
    constexpr Distance kFarthest = 8;
    const Distance farthest_down = expected_.shape.size() == 2 ? kFarthest : 0;
    for (Distance down = -farthest_down; down <= farthest_down; ++down)
      for (Distance right = -kFarthest; right <= kFarthest; ++right)
        if ((down != 0 || right != 0) && is_moved_by(down, right)) return moved_report(down, right);
    return std::nullopt;
  }

  Diagnostic moved_report(Distance down, Distance right) const {
    const auto part = [](Distance distance, const char* unit, const char* positive, const char* negative) {
      const Distance size = std::abs(distance);
      return fmt::format("{} {}{} {}", size, unit, size == 1 ? "" : "s", distance > 0 ? positive : negative);
    };
    std::string where;
    if (expected_.shape.size() == 1) {
      where = part(right, "element", "later", "earlier");
    } else {
      if (down != 0) where = part(down, "row", "below", "above");
      if (right != 0)
        where += (where.empty() ? "" : " and ") + part(right, "column", "to the right", "to the left");
    }
    return report(
        "WG-V01", wrong_,
        fmt::format("{} is shifted: each element has the value of the element {}", name(), where),
        "the index of a load or of the store has an offset too many, or lacks one: a tile with a halo, "
        "for instance, begins `radius` elements before the block's first element",
        "compare the index where the tile or the array is filled with the index where it is read: the "
        "offset must occur in one of them, with the right sign");
  }

  Found scaled() const {
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      products += actual_[i] * expected_.values[i];
      squares += expected_.values[i] * expected_.values[i];
    }
    // Least squares: the factor that minimises the sum of squares of actual - factor * expected.
    const double factor = products / squares;
    const double looser = 2 * std::max(1.0, std::abs(factor));
    const bool is_visible = std::abs(factor - 1) > 1e-3;  // not rounding, and not printed as 1
    if (wrong_.size() < kMinEvidence || !std::isfinite(factor) || !is_visible) return std::nullopt;
    for (std::size_t i = 0; i < size(); ++i)
      if (!(std::abs(actual_[i] - factor * expected_.values[i]) <= looser * expected_.tolerances[i]))
        return std::nullopt;
    return report("WG-V08", wrong_,
                  fmt::format("every element of {} is {:.4g} times what it should be", name(), factor),
                  "something is added several times, or a factor is missing",
                  "check how often each term is added: does every tile contribute exactly once?");
  }

  Found rounded() const {
    if (expected_.magnitudes.empty() || wrong_.size() < kMinEvidence) return std::nullopt;
    for (const std::size_t i : wrong_)
      // Negated, so that NaN is not taken for rounding.
      if (!(error(i) <= kHalfPrecision * static_cast<double>(expected_.magnitudes[i]))) return std::nullopt;
    return report(
        "WG-V06", wrong_,
        subject(wrong_.size(), "is", "are") + " slightly off, more than float rounding explains",
        "values go through a type with less precision than float, or approximate functions are used",
        "keep inputs, tiles and sums in float");
  }

  /// In a long sum, one missing term can have the same effect.
  Found nearly_right() const {
    constexpr double kFiveDigits = 1e-5;
    for (const std::size_t i : wrong_)
      if (!std::isfinite(expected_.values[i]) || !(error(i) <= kFiveDigits * std::abs(expected_.values[i])))
        return std::nullopt;
    return report(
        "WG-V06", wrong_,
        subject(wrong_.size(), "is", "are") + " slightly off: the first five digits are right",
        "values lose precision on the way (a type or a fixed-point number with fewer digits, a difference of "
        "large numbers), or a small term of a long sum is missing",
        "compute with the elements themselves, in float; then check the first and the last term");
  }

  /// Only if a single rounding is right (Expectation::roundings).
  Found rounded_otherwise() const {
    if (expected_.roundings.empty()) return std::nullopt;
    for (const std::size_t i : wrong_)
      if (!(error(i) <= expected_.roundings[i])) return std::nullopt;
    return report(
        "WG-V06", wrong_,
        subject(wrong_.size(), "is", "are") + " rounded in another way than by the given kernel",
        "the kernel computes the same sum with other operations: one multiplication or fused multiply-add "
        "for many additions, another order, or a type other than float",
        "use the given kernel unchanged: each step is one addition in float, in the same order");
  }

  Found edge_only() const {
    const bool has_launch = supply_ && supply_->launch;
    const std::size_t threads =
        has_launch ? supply_->launch->grid.count() * supply_->launch->block.count() : 0;
    const auto region = edge_region(expected_.shape, wrong_, threads);
    if (!region) return std::nullopt;
    const std::string what =
        fmt::format("only {} of {} {} wrong", to_string(*region), name(), wrong_.size() == 1 ? "is" : "are");
    if (!region->is_of_vector)
      return report(
          "WG-V05", wrong_, what,
          "they are beyond the last full tile, where a guard decides what is loaded and stored",
          "compare rows and columns with the matrix's own extents in each guard, including those of loads");
    const GapAdvice advice = advice_on_missing(*region, supply_ ? supply_->launch : std::nullopt);
    return report("WG-V05", wrong_, what, advice.likely_cause, advice.next_step);
  }

  const std::vector<float>& actual_;
  const Expectation& expected_;
  std::optional<Supply> supply_;
  harness::Place place_;
  std::optional<std::string> hint_;
  const StoredLines* lines_;
  bool is_integer_;
  Elements wrong_;
};

}  // namespace

std::vector<std::size_t> wrong_elements(const OutputPair& output) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < output.actual.values.size(); ++i)
    if (!agree(output.actual.values[i], output.expected.values[i], output.expected.tolerances[i]))
      wrong.push_back(i);
  return wrong;
}

std::optional<Diagnostic> diagnose_values(const OutputPair& output,
                                          const std::vector<Hypothesis>& hypotheses) {
  const Finder finder(output);
  if (finder.all_right()) return std::nullopt;
  return finder.find(hypotheses);
}

std::string element_name(const std::string& array, const Shape& shape, std::size_t index) {
  std::string subscripts;
  for (std::size_t d = shape.size(); d-- > 0;) {
    subscripts.insert(0, fmt::format("[{}]", index % shape[d]));
    index /= shape[d];
  }
  return array + subscripts;
}

}  // namespace grader
