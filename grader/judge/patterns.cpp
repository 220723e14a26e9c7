#include "judge/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/contains.hpp"
#include "base/no_pattern.hpp"
#include "judge/coverage.hpp"
#include "judge/edge_region.hpp"
#include "judge/moved_values.hpp"
#include "judge/never_written.hpp"
#include "judge/wording.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader {
namespace {

/// A hypothesis can match an output with a single element by chance, and up to about 50 hypotheses are tried.
constexpr double kMostChance = 1e-3;
/// Half precision has 11 significant bits: rounding both operands changes a term by at most 2^-10 of its
/// value, and storing the sum adds at most 2^-11.
constexpr double kHalfPrecision = 0x1.8p-10;
/// A sum of up to this many subnormal numbers is 0 if each of them is flushed to 0.
constexpr double kMostFlushed = 1024.0 * FLT_MIN;

class Finder : private WrongValues {
 public:
  explicit Finder(const OutputPair& output) : WrongValues(output), inputs_(output.inputs) {}

  bool all_right() const { return wrong_.empty(); }

  Guesses find(const std::vector<Hypothesis>& hypotheses) const {
    if (auto found = diagnose_never_written(*this)) return {{{"", *std::move(found)}}, {}};
    // Precedes the hypotheses: any of them whose values are small fits a result that is 0.
    if (auto found = flushed()) return {{{"", *std::move(found)}}, {}};
    Guesses all;
    std::vector<std::string> possible;  // several hypotheses can have one cause, with other numbers
    for (const Hypothesis& hypothesis :
         hypotheses) {  // a known mistake can itself give all zeros or infinity
      if (hypothesis.output != expected_.name) continue;
      const Comparison comparison = compare(hypothesis);
      (comparison.is_contradicted ? all.excluded : possible).push_back(hypothesis.likely_cause);
      if (auto found = explained_by(hypothesis, comparison))
        all.guesses.push_back({hypothesis.likely_cause, *std::move(found)});
    }
    std::erase_if(all.excluded, [&](const std::string& cause) {
      return std::find(possible.begin(), possible.end(), cause) != possible.end();
    });
    Diagnostic other = find_pattern();
    // Values that are not numbers, or all 0, can hide what a hypothesis says.
    if (all.guesses.empty() && (other.code == "WG-V03" || other.code == "WG-V07")) all.excluded.clear();
    all.guesses.push_back({"", std::move(other)});
    return all;
  }

 private:
  using Found = std::optional<Diagnostic>;
  struct Comparison {
    bool is_contradicted = false;  ///< an element has another value
    std::size_t evidence = 0, unknown = 0;
  };

  Diagnostic find_pattern() const {
    if (auto found = diagnose_left_on_device(*this)) return *found;
    if (auto found = bits_of_floats()) return *found;
    for (const auto pattern :
         {&Finder::partly_copied, &Finder::not_finite, &Finder::all_zero, &Finder::transposed,
          &Finder::mirrored, &Finder::copied, &Finder::of_other_elements, &Finder::shifted, &Finder::scaled,
          &Finder::whole_numbers, &Finder::rounded_otherwise, &Finder::rounded, &Finder::beyond_16_bits,
          &Finder::edge_only, &Finder::nearly_right, &Finder::finite_only})
      if (auto found = (this->*pattern)()) return *found;
    return without_pattern();
  }

  Diagnostic without_pattern() const {
    // The virtual GPU would have reported a missing barrier as a race; host code needs no barrier.
    const bool can_lack_barrier = !supply_ && place_ == harness::Place::device;
    const std::string what = subject(wrong_.size(), "is", "are") + " wrong";
    const bool loads_less =
        supply_ && supply_->requested_bytes > 0 && supply_->requested_bytes < supply_->input_bytes;
    if (!hint_ && loads_less && supply_->bytes_per_element > 0)
      return report(
          "WG-V01", wrong_, what,
          fmt::format("kernels read only {} of the 4 bytes of each element of the inputs: a pointer "
                      "or a variable has a narrower type, or a mask (& 0xff) keeps only these bits",
                      supply_->bytes_per_element),
          "read and use whole elements, with the type that the lab's header declares");
    if (!hint_ && loads_less)
      return report(
          "WG-V01", wrong_, what,
          fmt::format(
              "kernels load only {} bytes, but the inputs have {}: some elements are never read, because "
              "the grid, a loop or a guard leaves them out, or an index reaches others in their place",
              supply_->requested_bytes, supply_->input_bytes),
          "compare the grid, the loop's bound and stride, and the index of each load with the input's "
          "extents");
    if (!hint_ && supply_ && supply_->repeated_stores)
      return report(
          "WG-V01", wrong_, what,
          fmt::format("all {} launches of a kernel store to the same {} elements: they get the same "
                      "pointers and indices, so that the rest of {} is left out",
                      supply_->repeated_stores->launches, supply_->repeated_stores->words, name()),
          "give each launch a pointer to the first element of its own part, and the number of "
          "elements there");
    return report("WG-V01", wrong_, what,
                  hint_ ? hint_->likely_cause
                  : can_lack_barrier
                      ? "no known pattern fits; a missing barrier is a frequent cause"
                      : fmt::format("{}: an index, a bound or the formula is wrong", kNoPattern),
                  hint_ && !hint_->next_step.empty()
                      ? hint_->next_step
                      : "run the smallest failing case and work out one wrong element by hand");
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
            (is_some_finite ? ""
                            : "; or an operation has no result: 0 / 0, as by the number of elements of an "
                              "empty sum, or infinity - infinity") +
            (infinity_is_usual ? "; or an infinite input that does not belong to it is multiplied by 0" : ""),
        std::string("give every variable a value on every path, and write every element of a tile before it "
                    "is read") +
            (infinity_is_usual ? "; where an element does not exist, use 0 for both factors" : ""));
  }

  /// Integers whose first bytes are right, with bytes of memory without a value after them.
  Found partly_copied() const {
    if (!is_integer_) return std::nullopt;
    for (const unsigned bytes : {1U, 2U, 3U}) {
      const std::uint32_t copied = (1U << 8 * bytes) - 1;
      const auto has_rest_without_value = [&](std::size_t i) {
        const auto right = static_cast<std::uint32_t>(static_cast<std::int64_t>(expected_.values[i]));
        return std::any_of(
            std::begin(vgpu::kUnwrittenWords), std::end(vgpu::kUnwrittenWords), [&](std::uint32_t word) {
              const auto value = static_cast<std::int32_t>((word & ~copied) | (right & copied));
              return actual_[i] == static_cast<float>(value);
            });
      };
      if (!std::all_of(wrong_.begin(), wrong_.end(), has_rest_without_value)) continue;
      return report(
          "WG-V01", wrong_, subject(wrong_.size(), "is", "are") + " wrong",
          fmt::format("only the first {} of the 4 bytes of each element are copied: the size of a copy "
                      "is in bytes, or a smaller type was copied",
                      bytes),
          "copy sizeof(int) bytes for each element");
    }
    return std::nullopt;
  }

  Found finite_only() const {
    const auto is_replaced = [&](std::size_t i) {
      return !std::isfinite(expected_.values[i]) && std::isfinite(actual_[i]);
    };
    if (!std::all_of(wrong_.begin(), wrong_.end(), is_replaced)) return std::nullopt;
    return report("WG-V01", wrong_, subject(wrong_.size(), "is", "are") + " wrong",
                  "only infinite results, or NaN, are wrong: the program replaces them, limits values to a "
                  "largest one, leaves such inputs out, or takes other elements in their place",
                  "compute with infinities and NaN as with other values");
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
        "so does a comparison with FLT_MIN or another small number; or the value is in a variable of type "
        "int, which drops fractions",
        "keep the value in a float, and use operators and functions that keep subnormal numbers: no .ftz in "
        "asm, and no comparison that treats small numbers as 0");
  }

  Found all_zero() const {
    if (!std::all_of(actual_.begin(), actual_.end(), [](float value) { return value == 0.0F; }))
      return std::nullopt;
    if (place_ != harness::Place::device && !supply_)
      return report("WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
                    "host code stores 0 in every case, or a condition is never true",
                    "work out the first wrong element by hand, and follow the host code that stores it");
    if (supply_ && supply_->is_cleared_at_end)
      return report(
          "WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
          "a fill (cudaMemset or cudaMemsetAsync) is issued after the last kernel: it overwrites what the "
          "kernel stored",
          "clear memory before the kernel that stores to it");
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
          fmt::format("a condition is never true for these inputs{}, a loop runs zero times, or the result "
                      "is not stored",
                      has_floats() ? " (a comparison of the bits of floats reverses the order of negative "
                                     "numbers)"
                                   : ""),
          "work out by hand which inputs of the first wrong element should count, and follow the "
          "condition for one of them");
    return report(
        "WG-V07", wrong_, fmt::format("every element of {} is 0", name()),
        "the loop that adds the terms runs zero times, its result is not stored, or fractions are dropped: "
        "by a variable of type int, or by a division of integers such as 1 / count",
        "check the loop's bound (does a division round down to 0?), the type of the sum, and what "
        "the store writes");
  }

  bool has_floats() const {
    return std::any_of(inputs_.begin(), inputs_.end(),
                       [](const harness::Input& input) { return input.element == harness::Element::f32; });
  }

  /// Integers with the bits of floats that have the right values.
  Found bits_of_floats() const {
    const auto as_float = [&](std::size_t i) {
      const bool fits = std::abs(actual_[i]) < 0x1p31F;
      return fits ? std::bit_cast<float>(static_cast<std::int32_t>(actual_[i])) : 0.0F;
    };
    const bool are_bits = is_integer_ && std::all_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) {
                            return expected_.values[i] != 0 && agree(as_float(i), expected_.values[i], 0);
                          });
    if (!are_bits) return std::nullopt;
    return report(
        "WG-V01", wrong_,
        fmt::format("{} contains the bits of floats: {} is those of {}.0", name(),
                    number_text(actual_[wrong_.front()]), number_text(expected_.values[wrong_.front()])),
        "a variable of type float is copied byte by byte to an int: cudaMemcpy and pointer casts do not "
        "convert",
        "use an int throughout, or assign the float to an int, which converts its value");
  }

  Found explained_by(const Hypothesis& hypothesis, const Comparison& comparison) const {
    if (wrong_.size() < enough(hypothesis) || !agrees(hypothesis, comparison)) return std::nullopt;
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
  Comparison compare(const Hypothesis& hypothesis) const {
    Comparison result;
    const double number = actual_[wrong_.front()];
    const auto fits = [&](std::size_t i) {
      const double value = hypothesis.values_with ? hypothesis.values_with(i, number) : hypothesis.values(i);
      if (std::isnan(value)) return ++result.unknown, true;
      // A mistake can add more terms than the right sum has, and then its rounding errors are larger, too.
      const double tolerance = 2 * expected_.tolerances[i];
      if (!agree(actual_[i], value, tolerance)) return false;
      // Next to a large tolerance, any two small numbers agree.
      const bool is_vague = std::abs(value) <= tolerance && static_cast<double>(actual_[i]) != value;
      if (is_vague)
        ++result.unknown;
      else if (!agree(value, expected_.values[i], tolerance))
        ++result.evidence;
      return true;
    };
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t i = 0; i < wrong_.size() && !result.is_contradicted; i += step)
      result.is_contradicted = !fits(wrong_[i]);
    const std::size_t stride = size() / kSample + 1;
    for (std::size_t i = 0; i < size() && !result.is_contradicted; i += stride)
      result.is_contradicted = !fits(i);
    return result;
  }

  bool agrees(const Hypothesis& hypothesis, const Comparison& result) const {
    return !result.is_contradicted && result.evidence >= enough(hypothesis) &&
           result.evidence > result.unknown && is_no_chance(hypothesis);
  }

  /// A value as far from the right one comes this close to the program's value by chance with a probability
  /// of about the ratio of the two distances: the tolerances of long sums are large.
  bool is_no_chance(const Hypothesis& hypothesis) const {
    if (hypothesis.values_with) return true;  // one of its values is the program's own
    double chance = 1;
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t k = 0; k < wrong_.size() && chance > kMostChance; k += step) {
      const std::size_t i = wrong_[k];
      const double value = hypothesis.values(i);
      if (std::isnan(value) && !std::isnan(actual_[i])) continue;
      const double distance = agree(actual_[i], value, 0) ? 0 : std::abs(actual_[i] - value);
      chance *= std::isfinite(error(i)) ? std::min(1.0, distance / error(i)) : 0;
    }
    return chance <= kMostChance;
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
        "the row is computed from threadIdx.x, the store's index has row and column swapped, or the kernel "
        "gets its two operands in exchanged order",
        "let y count rows and x count columns, and store element (row, column) at row * columns + column");
  }

  /// One triangle has the values of the other.
  Found mirrored() const {
    const Shape& shape = expected_.shape;
    if (shape.size() != 2 || shape[0] != shape[1] || wrong_.size() < kMinEvidence) return std::nullopt;
    const std::size_t n = shape[0];
    for (const bool is_below : {true, false}) {
      const auto has_mirrored_value = [&](std::size_t i) {
        const std::size_t row = i / n, column = i % n, other = column * n + row;
        return (row > column) == is_below &&
               agree(actual_[i], expected_.values[other], expected_.tolerances[other]);
      };
      if (!std::all_of(wrong_.begin(), wrong_.end(), has_mirrored_value)) continue;
      return report("WG-V04", wrong_,
                    fmt::format("elements {} the diagonal of {} have the values of those {} it",
                                is_below ? "below" : "above", name(), is_below ? "above" : "below"),
                    "each pair of elements (i, j) and (j, i) gets the same value, as if the result were "
                    "symmetric",
                    "compute both elements of each pair");
    }
    return std::nullopt;
  }

  Found copied() const {
    const auto is_copied = [&](const harness::Input& input) { return input.values == actual_; };
    const auto input = std::find_if(inputs_.begin(), inputs_.end(), is_copied);
    if (input == inputs_.end() || wrong_.size() < kMinEvidence) return std::nullopt;
    return report(
        "WG-V04", wrong_, fmt::format("{} has the values of `{}`", name(), input->name),
        fmt::format("the copy back takes the array that holds `{}`, or a kernel stores what it loaded "
                    "from there",
                    input->name),
        fmt::format("copy back the array in which a kernel stored {}", name()));
  }

  Found of_other_elements() const { return diagnose_moved_values(*this); }

  /// By a whole number, as by a start value that is not neutral: where all values are equal, a factor fits as
  /// well, but is no such number.
  Found shifted() const {
    const auto is_whole = [](double number) { return std::abs(number - std::round(number)) < 1e-4; };
    const std::size_t first = wrong_.front();
    const double shift = std::round(actual_[first] - expected_.values[first]);
    const double factor = actual_[first] / expected_.values[first];
    const bool is_multiple = is_whole(factor) || is_whole(1 / factor);
    if (wrong_.size() < 2 || !std::isfinite(shift) || shift == 0 || is_multiple) return std::nullopt;
    for (std::size_t i = 0; i < size(); ++i)
      if (!(std::abs(actual_[i] - shift - expected_.values[i]) <= 2 * expected_.tolerances[i]))
        return std::nullopt;
    return report(
        "WG-V08", wrong_,
        fmt::format("every element of {} is {} too {}", name(), number_text(std::abs(shift)),
                    shift > 0 ? "large" : "small"),
        "a start value that changes the result, a constant that is added, or terms that do not belong: "
        "for a sum, a thread or a lane that has no element must contribute 0",
        "check what each sum starts with, and what threads without an element contribute");
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
    bool is_vague = true;  // next to large tolerances, small numbers are any multiple
    for (std::size_t i = 0; i < size(); ++i) {
      const double tolerance = looser * expected_.tolerances[i];
      if (!(std::abs(actual_[i] - factor * expected_.values[i]) <= tolerance)) return std::nullopt;
      is_vague &= std::abs(actual_[i]) <= tolerance;
    }
    if (is_vague) return std::nullopt;
    if (const double divisor = whole_number(1 / factor); divisor > 1)
      return report("WG-V08", wrong_,
                    fmt::format("every element of {} is 1/{:.0f} of what it should be", name(), divisor),
                    fmt::format("the result is divided by {:.0f}, or only one of so many equal parts of it "
                                "is added",
                                divisor),
                    "check by what the result is divided or multiplied, and how often each term is added");
    return report(
        "WG-V08", wrong_,
        fmt::format("every element of {} is {:.4g} times what it should be", name(), factor),
        several_times(whole_number(factor)),
        "check how often each term is added (every tile must contribute exactly once), and by what a sum "
        "is divided");
  }

  /// The number that is meant, as far as rounding errors permit; 0: not a whole number.
  static double whole_number(double factor) {
    const double whole = std::round(factor);
    return std::abs(factor - whole) < 1e-3 * std::abs(whole) ? whole : 0;
  }

  /// Why something can be added so many times.
  std::string several_times(double times) const {
    constexpr double kWarpLanes = 32;
    const auto has = [&](const vgpu::Dim3& extents) {
      return times > 1 && times == static_cast<double>(extents.count());
    };
    if (supply_ && supply_->launch && has(supply_->launch->block))
      return fmt::format("each of the {:.0f} threads of a block adds what only one of them should", times);
    if (supply_ && supply_->launch && has(supply_->launch->grid))
      return fmt::format("each of the {:.0f} blocks adds what only one of them should", times);
    if (times == kWarpLanes) return "each of the 32 lanes of a warp adds what only one of them should";
    return "something is added several times, or a factor is missing";
  }

  /// Where fractions are expected.
  Found whole_numbers() const {
    const auto has_fraction = [](double value) { return value != std::round(value); };
    const auto lost_it = [&](std::size_t i) {
      return std::isfinite(actual_[i]) && !has_fraction(actual_[i]) && has_fraction(expected_.values[i]) &&
             std::abs(actual_[i]) < 1 / static_cast<double>(FLT_EPSILON);
    };
    const bool is_some_other =
        std::any_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) { return actual_[i] != 0; });
    if (is_integer_ || wrong_.size() < kMinEvidence || !is_some_other ||
        !std::all_of(wrong_.begin(), wrong_.end(), lost_it))
      return std::nullopt;
    return report(
        "WG-V06", wrong_,
        subject(wrong_.size(), "is a whole number", "are whole numbers") + " where fractions are expected",
        "fractions are dropped: a variable, a parameter or a result has the type int, or integers are "
        "divided",
        "use float for every value on the way to the result, in function results and casts, too");
  }

  Found rounded() const {
    if (expected_.magnitudes.empty() || wrong_.size() < kMinEvidence) return std::nullopt;
    for (const std::size_t i : wrong_)
      // Negated, so that NaN is not taken for rounding.
      if (!(error(i) <= kHalfPrecision * static_cast<double>(expected_.magnitudes[i]))) return std::nullopt;
    return report(
        "WG-V06", wrong_,
        subject(wrong_.size(), "is", "are") + " slightly off, more than float rounding explains",
        std::string(
            "values go through a type with less precision than float, or approximate functions are used") +
            (expected_.roundings.empty() ? ""
                                         : "; or the kernel computes the same sum with other operations"),
        expected_.roundings.empty() ? "keep inputs, tiles and sums in float"
                                    : "use the given kernel unchanged, and keep inputs and sums in float");
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

  /// Wrong only where an index does not fit into 16 bits, with or without a sign.
  Found beyond_16_bits() const {
    const std::size_t first = wrong_.front();
    if ((first != 32768 && first != 65536) || wrong_.size() < kMinEvidence) return std::nullopt;
    return report(
        "WG-V01", wrong_, fmt::format("{} is wrong: all elements before number {} are right", name(), first),
        "an index is in a variable of 16 bits (short, unsigned short), which cannot hold larger numbers",
        "compute and keep indices in an int, those of the inputs, too");
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

  std::span<const harness::Input> inputs_;
};

}  // namespace

std::optional<Guesses> guess_causes(const OutputPair& output, const std::vector<Hypothesis>& hypotheses) {
  const Finder finder(output);
  if (finder.all_right()) return std::nullopt;
  return finder.find(hypotheses);
}

std::optional<Diagnostic> diagnose_values(const OutputPair& output,
                                          const std::vector<Hypothesis>& hypotheses) {
  auto found = guess_causes(output, hypotheses);
  if (!found) return std::nullopt;
  return std::move(found->guesses.front().diagnostic);
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
