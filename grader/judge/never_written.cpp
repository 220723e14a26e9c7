#include "judge/never_written.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "judge/coverage.hpp"
#include "judge/edge_region.hpp"
#include "judge/moved_values.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

class NeverWritten : private WrongValues {
 public:
  using Found = std::optional<Diagnostic>;

  explicit NeverWritten(const WrongValues& values) : WrongValues(values) {}

  Found find() const {
    const Elements untouched = wrong_where([&](std::size_t i) { return is_poison(i) && !is_stored(i); });
    if (untouched.empty()) return std::nullopt;
    const bool is_on_device = place_ == harness::Place::device;
    const bool stored_enough = supply_ && supply_->stored_bytes >= size_bytes();
    // Enough was stored, so the poison is the result of a computation on unwritten memory.
    if (is_on_device && stored_enough) return std::nullopt;
    if (auto found = diagnose_pieces_in_one_place(*this)) return found;
    if (stored_enough && are_computed(untouched)) return std::nullopt;
    const bool is_fetched = supply_ && supply_->fetched_bytes && !is_fetched_in_part();
    return is_on_device || (is_fetched && !stored_enough) ? not_stored(untouched)
                                                          : not_copied_back(untouched);
  }

  /// The elements hold the previous content of a buffer in host memory, which can be anything.
  Found find_left_on_device() const {
    if (auto found = left_in_buffer()) return found;
    if (!is_fetched_in_part() || edge_region(expected_.shape, wrong_)) return std::nullopt;
    Diagnostic diagnostic =
        bare_report("WG-V02", wrong_,
                    subject(wrong_.size(), "is", "are") + " wrong: the result was not copied back completely",
                    fetched_part(), kCopyBack);
    if (lines_ != nullptr) lines_->name_copy(diagnostic);
    return diagnostic;
  }

 private:
  /// Half of the words of unwritten memory are NaN. If none is, a minimum or a maximum gave these values.
  bool are_computed(const Elements& untouched) const {
    return untouched.size() >= kMinEvidence &&
           std::none_of(untouched.begin(), untouched.end(),
                        [&](std::size_t i) { return std::isnan(actual_[i]); });
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

  /// Only every nth element was stored, by single threads, and a block has n warps.
  bool is_of_first_warps(const RepeatedGap& gap) const {
    constexpr std::uint64_t kWarpLanes = 32;
    return gap.first == 1 && gap.count + 1 == gap.period && supply_ && supply_->launch &&
           supply_->launch->stores_singly && supply_->launch->block.count() == kWarpLanes * gap.period;
  }

  Diagnostic not_stored(const Elements& untouched) const {
    const auto region = last_rows_or_columns(expected_.shape, untouched);
    const std::string where = region ? ": " + to_string(*region) : "";
    if (supply_ && supply_->stores_repeat)
      return unwritten(
          untouched,
          "several blocks, or threads of a block, store the same elements, or a thread one element several "
          "times: the index lacks blockIdx, threadIdx or a loop's variable, or uses it wrongly" +
              (expected_.shape.size() < 2 ? std::string()
                                          : ", or multiplies the row by a number other than the length of a "
                                            "row of " +
                                                name()) +
              narrow_index(region),
          "include the block in the index: blockIdx.x * blockDim.x + threadIdx.x; rows likewise with .y",
          &StoredLines::name_other_store, where);
    if (const auto divisor = divisor_of_missing(untouched))
      return unwritten(
          untouched,
          fmt::format("these are the last n % {0} elements: no kernel is launched for the {1} that "
                      "is not full, or n / {0} is rounded down",
                      *divisor, supply_->piece->name),
          fmt::format("launch a kernel for what remains, too: the last {1} has n % {0} elements", *divisor,
                      supply_->piece->name),
          &StoredLines::name_launch, where);
    if (region) {
      GapAdvice advice = advice_on_missing(*region, supply_ ? supply_->launch : std::nullopt);
      const NameLine name_line =
          advice.is_about_launch ? &StoredLines::name_launch : &StoredLines::name_other_store;
      return unwritten(untouched, std::move(advice.likely_cause), std::move(advice.next_step), name_line,
                       where);
    }
    const auto gap = repeated_gap(expected_.shape, untouched);
    if (gap && is_of_first_warps(*gap))
      return unwritten(
          untouched,
          fmt::format("of the {} warps of a block only the first one stores: the lane is computed as "
                      "threadIdx.x without % 32, or the warp's number is missing from the index",
                      gap->period),
          "lane = threadIdx.x % 32, warp = threadIdx.x / 32; lane 0 of each warp stores the element "
          "with the number blockIdx.x * (blockDim.x / 32) + warp",
          &StoredLines::name_other_store, ": " + to_string(*gap));
    if (gap && supply_ && supply_->piece && gap->first + gap->count == gap->period &&
        gap->period == supply_->piece->elements)
      return unwritten(
          untouched,
          fmt::format("of each {}, the kernel stores only the first {}: its guard, or its grid, gets another "
                      "number than that of the elements, such as an argument in the wrong place",
                      supply_->piece->name, counted(gap->first, "element")),
          "compare the order of the arguments, on the way to the launch, too, with that of the parameters",
          &StoredLines::name_other_store, ": " + to_string(*gap));
    if (gap)
      return unwritten(
          untouched,
          fmt::format(
              "a loop over the {0} of a tile leaves them out: its step is greater than the number of {0} "
              "that the block's threads store at a time, or its bound is too small; or the blocks "
              "are further apart than what each of them stores",
              gap->unit),
          fmt::format(
              "let the step be as many {0} as the threads store at a time, the bound those of a tile, "
              "and the distance of blocks the same number",
              gap->unit),
          &StoredLines::name_other_store, ": " + to_string(*gap));
    if (supply_ && supply_->stored_bytes == 0 && untouched.size() == size())
      return unwritten(
          untouched,
          fmt::format("no kernel that ran stores to {}: the launch that gets it is missing, a "
                      "kernel gets another array in its place, or no thread passes the "
                      "condition of the store",
                      name()),
          fmt::format("pass {} to the last launch, and let that kernel store the result there", name()),
          &StoredLines::name_launch);
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
  /// What the last launch did not store, if that is all that it left out: the result came back from its
  /// buffer, whose address the host does not show.
  std::optional<Diagnostic> not_stored_by_last_launch(const Elements& untouched) const {
    if (!supply_ || !supply_->last_launch || !is_of_new_memory(untouched.front())) return std::nullopt;
    const auto region = last_rows_or_columns(expected_.shape, untouched);
    if (!region || supply_->last_launch->stored_words != size() - untouched.size()) return std::nullopt;
    GapAdvice advice = advice_on_missing(*region, supply_->last_launch);
    return unwritten(untouched, std::move(advice.likely_cause), std::move(advice.next_step),
                     &StoredLines::name_launch, ": " + to_string(*region));
  }
  /// The array, or the buffer for the result, held something else before, such as the input, and the last
  /// launch did not store these elements.
  Found left_in_buffer() const {
    // Without copies to the host, only host code can have set an array there.
    const bool is_of_host = place_ != harness::Place::device && lines_ != nullptr && lines_->has_no_copies();
    if (!supply_ || !supply_->last_launch || is_of_host) return std::nullopt;
    const LaunchExtents& launch = *supply_->last_launch;
    const std::uint64_t stored = launch.stored_words > 0 ? launch.stored_words : launch.all_stored_words;
    if (stored == 0 || stored >= size()) return std::nullopt;
    const auto region = edge_region_of_size(expected_.shape, wrong_, size() - stored);
    if (!region) return left_in_other_places(size() - stored);
    GapAdvice advice = advice_on_missing(*region, launch);
    // WG-V02 speaks of the pattern, or of a buffer.
    Diagnostic diagnostic =
        bare_report(place_ == harness::Place::device ? "WG-V05" : "WG-V02", wrong_,
                    subject(wrong_.size(), "was", "were") + kNotStored + ": " + to_string(*region),
                    std::move(advice.likely_cause), std::move(advice.next_step));
    if (lines_ == nullptr) return diagnostic;
    if (advice.is_about_launch || place_ != harness::Place::device)
      lines_->name_launch(diagnostic);
    else
      lines_->name_other_store(diagnostic);
    return diagnostic;
  }
  /// As left_in_buffer(), where the missing elements are at no edge. Some of them can be right by chance.
  Found left_in_other_places(std::size_t missing) const {
    // One element of two is no evidence that they are in a buffer at all.
    if (place_ == harness::Place::device || missing < kMinEvidence || wrong_.size() > missing ||
        wrong_.size() < missing - missing / 16)
      return std::nullopt;
    const std::string where = stored_corner(missing);
    const bool repeats = supply_->stores_repeat && where.empty();
    Diagnostic diagnostic = bare_report(
        "WG-V02", wrong_, subject(wrong_.size(), "was", "were") + kNotStored + where,
        repeats
            ? "several blocks or threads store the same elements: the index lacks blockIdx, threadIdx or a "
              "loop's variable, or uses it wrongly"
            : "the launch has too few blocks, several blocks store the same elements, or a guard is too "
              "strict",
        "launch enough blocks for all elements, and include the block and the thread in the row and the "
        "column");
    if (lines_ != nullptr)
      (lines_->*(repeats ? &StoredLines::name_other_store : &StoredLines::name_launch))(diagnostic);
    return diagnostic;
  }
  /// ": only the first 64 rows and 64 columns were", if the others are `missing` elements and all wrong ones
  /// are among them.
  std::string stored_corner(std::size_t missing) const {
    if (expected_.shape.size() != 2) return "";
    const std::size_t length = expected_.shape[1];
    std::size_t rows = expected_.shape[0], columns = length;
    for (const std::size_t i : wrong_) {
      if (i % length < columns && i / length == 0) columns = i % length;
      if (i / length < rows && i % length == 0) rows = i / length;
    }
    const bool is_rest = std::all_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) {
      return i / length >= rows || i % length >= columns;
    });
    if (!is_rest || size() - rows * columns != missing) return "";
    return fmt::format(": only the first {} rows and {} columns were", rows, columns);
  }
  static constexpr const char* kNotStored = " not stored by the last kernel";

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

  /// What is missing is the remainder of the division of the array into pieces, or into groups of so many
  /// pieces: the name of its divisor.
  std::optional<std::string> divisor_of_missing(const Elements& untouched) const {
    const bool is_end = untouched.front() > 0 && untouched.front() + untouched.size() == size();
    if (!is_end || !supply_ || !supply_->piece) return std::nullopt;
    const auto& [name, elements] = *supply_->piece;
    for (const std::uint64_t pieces : {1, 2, 3, 4})
      if (!are_whole_pieces(untouched) && size() % (pieces * elements) == untouched.size())
        return pieces == 1 ? name : fmt::format("({} * {})", pieces, name);
    return std::nullopt;
  }

  /// From the beginning of a piece to the end, and more than a last piece that is not full.
  bool are_whole_pieces(const Elements& untouched) const {
    if (!supply_ || !supply_->piece || supply_->piece->elements == 0) return false;
    return untouched.front() % supply_->piece->elements == 0 &&
           untouched.size() >= supply_->piece->elements && untouched.front() + untouched.size() == size();
  }

  /// Only the first quarter of each piece was written: its number of elements, taken for bytes.
  bool are_sizes_in_elements(const Elements& untouched) const {
    if (!supply_ || !supply_->piece || supply_->piece->elements == 0) return false;
    const std::size_t piece = supply_->piece->elements;
    auto next = untouched.begin();
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t first = i / piece * piece, length = std::min(piece, size() - first);
      const bool is_missing = sizeof(float) * (i - first) >= length;
      const bool is_untouched = next != untouched.end() && *next == i;
      if (is_missing != is_untouched) return false;
      if (is_untouched) ++next;
    }
    return true;
  }

  std::optional<Diagnostic> delivered_early(const Elements& untouched) const {
    if (!supply_ || supply_->early_host_function == EarlyHostFunction::none) return std::nullopt;
    if (supply_->early_host_function == EarlyHostFunction::before_copy)
      return unwritten(untouched,
                       "a host function (cudaLaunchHostFunc) is issued before the copy whose bytes it uses: "
                       "the work of a stream runs in the order in which it was issued",
                       "issue the copy to the host first, then the host function", &StoredLines::no_line);
    return unwritten(untouched,
                     "a host function (cudaLaunchHostFunc) is in a stream other than the copy whose bytes it "
                     "uses, so it runs before they arrive",
                     "issue the host function in the copy's stream, after the copy, or let its stream wait "
                     "for an event that is recorded after the copy",
                     &StoredLines::no_line);
  }

  Diagnostic not_copied_back(const Elements& untouched) const {
    if (are_sizes_in_elements(untouched))
      return unwritten(
          untouched,
          fmt::format("of each {}, only the first quarter was written: the size of a copy (memcpy, "
                      "cudaMemcpyAsync) is a number of elements, but must be in bytes",
                      supply_->piece->name),
          "multiply the number of elements by sizeof(float)", &StoredLines::name_copy);
    const bool can_be_copies = !supply_ || !supply_->fetched_bytes || is_fetched_in_part();
    if (const auto divisor = can_be_copies ? divisor_of_missing(untouched) : std::nullopt)
      return unwritten(untouched,
                       fmt::format("these are the last n % {0} elements: n / {0} is rounded down, so what "
                                   "remains is left out",
                                   *divisor),
                       fmt::format("round up: lab::ceil_div(n, {0}); the last {1} begins at `first` and has "
                                   "only n - first elements",
                                   *divisor, supply_->piece->name),
                       &StoredLines::name_copy);
    if (is_fetched_in_part()) return unwritten(untouched, fetched_part(), kCopyBack, &StoredLines::name_copy);
    if (auto found = not_stored_by_last_launch(untouched)) return *std::move(found);
    if (auto found = delivered_early(untouched)) return *std::move(found);
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
};

}  // namespace

std::optional<Diagnostic> diagnose_never_written(const WrongValues& values) {
  return NeverWritten(values).find();
}

std::optional<Diagnostic> diagnose_left_on_device(const WrongValues& values) {
  return NeverWritten(values).find_left_on_device();
}

}  // namespace grader
